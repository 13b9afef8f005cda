//! What the window's start screen asks, asked line by line in a terminal. ENTER takes what stands in brackets.

use std::{
    io::{self, BufRead, ErrorKind, Write},
    path::{Path, PathBuf},
};

use pyrameeple::{
    game::COLOUR_NAMES,
    matchplay::{Options, Player, Setup, Variant},
    players,
};

use crate::matches::{TURNS, free_folder, matches_in};

/// What was chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// A new match.
    New(PathBuf, Setup),
    /// Going on with the match in this folder.
    Resume(PathBuf),
    /// Scoring without a match.
    JustScore,
}

/// Names that ENTER takes.
const NAMES: &str = "Player 1, Player 2";

/// Asks on `out` what to play, with matches in the folder `home`, and reads the answers from `input`; `None` when nothing is
/// to be played. An error of the kind [`ErrorKind::UnexpectedEof`] when the answers end before the questions do.
pub fn ask(input: &mut impl BufRead, out: &mut impl Write, home: &Path) -> io::Result<Option<Plan>> {
    let mut asking = Asking { input, out };
    let matches = matches_in(home);
    writeln!(asking.out, "What is to be played?")?;
    let games = [
        "points for pyramids: all build at the same time, the most points after the agreed turns win",
        "higher and higher: one after the other, the base grows each round, the last one left wins",
        "just score: nothing is recorded",
    ];
    let going_on = matches.iter().map(|(dir, words)| {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!("go on with {name} – {words}")
    });
    let choices: Vec<String> = games.into_iter().map(str::to_owned).chain(going_on).collect();
    for (index, choice) in choices.iter().enumerate() {
        writeln!(asking.out, "  {}  {choice}", index + 1)?;
    }
    writeln!(asking.out, "  q  leave")?;
    let chosen = asking.until("Number", "1", |text| match text.parse::<usize>() {
        Ok(number) if (1..=choices.len()).contains(&number) => Ok(Some(number - 1)),
        _ if text.eq_ignore_ascii_case("q") => Ok(None),
        _ => Err(format!("type a number from 1 to {}, or q", choices.len())),
    })?;
    Ok(match chosen {
        None => None,
        Some(0) => Some(asking.new_match(Variant::Points, home)?),
        Some(1) => Some(asking.new_match(Variant::Higher, home)?),
        Some(2) => Some(Plan::JustScore),
        Some(more) => matches.into_iter().nth(more - games.len()).map(|(dir, _)| Plan::Resume(dir)),
    })
}

struct Asking<'a, I, O> {
    input: &'a mut I,
    out: &'a mut O,
}

impl<I: BufRead, O: Write> Asking<'_, I, O> {
    fn new_match(&mut self, variant: Variant, home: &Path) -> io::Result<Plan> {
        let points = variant == Variant::Points;
        let turns = points.then_some(TURNS);
        let mut setup = self.until("Players, with commas between them", NAMES, |text| {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            let setup = Setup::new(variant, names, turns);
            setup.check().map(|()| setup).map_err(|error| error.to_string())
        })?;
        if points {
            setup.turns = self.until("Turns", &TURNS.to_string(), |text| {
                let setup = Setup { turns: Some(number(text)?), ..setup.clone() };
                setup.check().map(|()| setup.turns).map_err(|error| error.to_string())
            })?;
        }
        setup.options.seconds = self.until("Seconds to build", &setup.options.seconds.to_string(), |text| {
            let options = Options { seconds: number(text)?, ..setup.options.clone() };
            Setup { options, ..setup.clone() }.check().map_err(|error| error.to_string())?;
            number(text)
        })?;
        if points && setup.players.len() > 1 {
            setup.shared_playmat =
                self.until("All on one playmat? yes or no", "no", |text| match text.to_lowercase().as_str() {
                    "y" | "yes" => Ok(true),
                    "n" | "no" => Ok(false),
                    _ => Err("type yes or no".to_owned()),
                })?;
        }
        if setup.shared_playmat {
            self.colours(&mut setup.players)?;
        }
        let proposed = free_folder(home);
        let folder = self.until("Kept in the folder", &proposed.display().to_string(), |text| Ok(home.join(text)))?;
        Ok(Plan::New(folder, setup))
    }

    /// Whose meeples are of which colours.
    fn colours(&mut self, players: &mut [Player]) -> io::Result<()> {
        writeln!(self.out, "Colours of meeples: {}", COLOUR_NAMES.join(", "))?;
        for index in 0..players.len() {
            let (before, rest) = players.split_at_mut(index);
            let Some(player) = rest.first_mut() else { break };
            // The first colour that is nobody's yet.
            let is_free = |colour: &&&str| before.iter().all(|other| other.colours.iter().all(|taken| taken != *colour));
            let free = COLOUR_NAMES.iter().find(is_free).copied().unwrap_or_default();
            let question = format!("Colours of {}", player.name);
            player.colours = self.until(&question, free, |text| {
                let colours = text.split([',', '+', ' ']).filter(|colour| !colour.is_empty()).map(str::to_owned).collect();
                let known = |player: &Player| players::Player { name: player.name.clone(), colours: player.colours.clone() };
                let this = Player { name: player.name.clone(), colours };
                let all = before.iter().chain([&this]).map(known).collect();
                let checked = players::Players::new(all).map_err(|error| error.to_string())?;
                Ok(checked.iter().last().map(|player| player.colours.clone()).unwrap_or_default())
            })?;
        }
        Ok(())
    }

    /// Asks until `take` takes the answer, or what ENTER stands for, `proposed`.
    fn until<T>(&mut self, question: &str, proposed: &str, mut take: impl FnMut(&str) -> Result<T, String>) -> io::Result<T> {
        loop {
            write!(self.out, "{question} [{proposed}]: ")?;
            self.out.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                writeln!(self.out)?;
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let answer = line.trim();
            match take(if answer.is_empty() { proposed } else { answer }) {
                Ok(taken) => return Ok(taken),
                Err(why) => writeln!(self.out, "  {why}")?,
            }
        }
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("a whole number is needed, {text:?} is none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plan that `typed` makes in a new folder, and what was asked.
    fn plan(typed: &str) -> (io::Result<Option<Plan>>, String, tempfile::TempDir) {
        let (home, mut out) = (tempfile::tempdir().unwrap(), Vec::new());
        let plan = ask(&mut typed.as_bytes(), &mut out, home.path());
        (plan, String::from_utf8(out).unwrap(), home)
    }

    fn new_match(typed: &str) -> (PathBuf, Setup, String) {
        match plan(typed) {
            (Ok(Some(Plan::New(dir, setup))), asked, home) => (dir.strip_prefix(home.path()).unwrap().into(), setup, asked),
            (other, asked, _) => panic!("{other:?}\n{asked}"),
        }
    }

    #[test]
    fn enter_alone_begins_a_match_of_points() {
        let (dir, setup, asked) = new_match("\n\n\n\n\n\n");
        assert!(dir.display().to_string().starts_with("match-20"), "{dir:?}");
        assert_eq!(setup, Setup::new(Variant::Points, ["Player 1", "Player 2"], Some(3)));
        assert!(asked.contains("Seconds to build [120]"), "{asked}");
    }

    #[test]
    fn everything_that_is_agreed_can_be_typed() {
        let (dir, setup, _) = new_match("2\nZoë, 张伟,Cy\n30\nevening\n");
        let mut expected = Setup::new(Variant::Higher, ["Zoë", "张伟", "Cy"], None);
        expected.options.seconds = 30;
        assert_eq!((dir, setup), ("evening".into(), expected));
        let (_, setup, _) = new_match("1\nAnn,Bo\n2\n90\nyes\nRed + blue\n\nevening\n");
        assert_eq!((setup.turns, setup.options.seconds, setup.shared_playmat), (Some(2), 90, true));
        let colours = |colours: &[&str]| colours.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        assert_eq!(setup.players[0].colours, colours(&["red", "blue"]));
        assert_eq!(setup.players[1].colours, colours(&["green"]), "the first that is nobody's is proposed");
        setup.check().unwrap();
    }

    #[test]
    fn what_cannot_be_is_asked_again_with_the_reason() {
        let (_, setup, asked) = new_match("9\n1\nAnn,ann\nAnn,Bo\n0\nmany\n1\n0\n60\nperhaps\ny\nrde\nred\nred\nblue\n\n");
        for why in [
            "a number from 1 to 3",
            "alike",
            "1 to 1000",
            "whole number",
            "at least 1",
            "yes or no",
            "`rde` is not a colour",
            "belongs to both",
        ] {
            assert!(asked.contains(why), "{why} in\n{asked}");
        }
        assert_eq!((setup.turns, setup.options.seconds), (Some(1), 60));
    }

    #[test]
    fn a_match_in_the_folder_is_gone_on_with_by_its_number() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("friday");
        let setup = Setup::new(Variant::Points, ["Ann", "Bo"], Some(2));
        drop(pyrameeple::record::Writer::create(&dir, setup, "2026-01-02T03:04:05Z").unwrap());
        let mut out = Vec::new();
        let plan = ask(&mut &b"4\n"[..], &mut out, home.path()).unwrap();
        assert_eq!(plan, Some(Plan::Resume(dir)));
        assert!(String::from_utf8(out).unwrap().contains("4  go on with friday – points for pyramids"));
    }

    #[test]
    fn scoring_alone_leaving_and_the_end_of_the_input() {
        assert_eq!(plan("3\n").0.unwrap(), Some(Plan::JustScore));
        assert_eq!(plan("q\n").0.unwrap(), None);
        assert_eq!(plan("1\nAnn").0.unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
