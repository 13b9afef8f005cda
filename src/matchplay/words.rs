//! A match in words.

use super::{AllFail, Correction, Event, LateRule, OutReason, Overhang, Round, Setup, Standing, Variant};
use crate::rules::{self, Demand, points, show_points, show_rows};

/// The game and its house options in words.
pub fn variant_words(setup: &Setup) -> String {
    let mut out = match (setup.variant, setup.turns) {
        (Variant::Points, turns) => format!("points for pyramids, {}", count(turns.unwrap_or(0) as usize, "turn")),
        (Variant::Higher, _) => "higher and higher, from a base of 3".to_owned(),
    };
    out.push_str(&format!(", {} s to build", setup.options.seconds));
    if setup.shared_playmat {
        out.push_str(", on one playmat");
    }
    let house = [
        (setup.options.late == LateRule::Scored, "late pictures score"),
        (setup.options.overhang == Overhang::VoidPyramid, "a meeple beyond the playmat voids its pyramid"),
        (setup.options.demand == Demand::AtLeast, "at least as high on at least that base will do"),
        (setup.options.all_fail == AllFail::PlayAgain, "a round that all fail is played again"),
    ];
    for (_, words) in house.iter().filter(|(on, _)| *on) {
        out.push_str("; house option: ");
        out.push_str(words);
    }
    out
}

/// What `round` asks for in "higher and higher", in words; `None` in the other variant, which asks for nothing.
pub fn demand_words(round: Round, setup: &Setup) -> Option<String> {
    let base = rules::base_of_round(round.number);
    (setup.variant == Variant::Higher).then(|| match setup.options.demand {
        Demand::FullTriangle => format!("rows {} to build", show_rows(&rules::full_triangle(base))),
        Demand::AtLeast => format!("{base} rows or more on a base of {base} or more to build"),
    })
}

/// "1 point", "23 points".
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Rows with their points: "5·4·2·1, 23 points".
pub fn rows_and_points(rows: &[usize]) -> String {
    format!("{}, {}", show_rows(rows), show_points(points(rows)))
}

/// What happened, in words.
pub fn event_words(event: &Event, setup: &Setup) -> String {
    let word = setup.round_word();
    let why = |reason: &Option<String>| reason.as_ref().map_or(String::new(), |r| format!(" ({r})"));
    match event {
        Event::Built { round, results, late } => {
            let built: Vec<String> = results
                .iter()
                .map(|b| {
                    let corrected = b.correction.as_ref().map_or(String::new(), |c| format!("; {}", correction_words(c)));
                    format!("{} built {}{corrected}", b.player, rows_and_points(&b.rows))
                })
                .collect();
            let late = if *late { "; taken after time" } else { "" };
            format!("{} {round}: {}{late}", capital(word), built.join("; "))
        }
        Event::Missed { round, player, reason } => {
            format!("{} {round}: {player} built nothing in time{}", capital(word), why(reason))
        }
        Event::Corrected { round, player, correction } => {
            format!("{} {round} of {player}: {}", capital(word), correction_words(correction))
        }
        Event::Destroyed { round, by, of } => {
            let whose = of.as_ref().map_or("an opponent's pyramid".to_owned(), |of| format!("the pyramid of {of}"));
            format!("{} {round}: {by} destroyed {whose} and loses at once", capital(word))
        }
        Event::Forfeited { round, player, reason } => format!("{} {round}: {player} gave up{}", capital(word), why(reason)),
        Event::Undone => "The last event still in force was taken back".to_owned(),
    }
}

/// A correction in words.
pub fn correction_words(correction: &Correction) -> String {
    let mut parts = vec![format!("corrected by hand to {}", rows_and_points(&correction.rows))];
    let list = |ids: &[usize]| ids.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if !correction.rejected.is_empty() {
        parts.push(format!("rejected: {}", list(&correction.rejected)));
    }
    for (id, row) in &correction.counted {
        parts.push(format!("piece {id} counted in row {row}"));
    }
    if !correction.added.is_empty() {
        parts.push(format!("a meeple added in row {}", list(&correction.added)));
    }
    match correction.late {
        Some(true) => parts.push("counts as late".to_owned()),
        Some(false) => parts.push("does not count as late".to_owned()),
        None => {}
    }
    format!("{}. Reason: {}", parts.join("; "), correction.reason)
}

/// How a player stands, in words: "wins", "out in round 3: failed".
pub fn standing_words(standing: &Standing, word: &str) -> String {
    match (standing.winner, standing.out) {
        (true, _) => "wins".to_owned(),
        (false, Some(out)) => {
            let why = match out.reason {
                OutReason::Failed => "failed",
                OutReason::Destroyed => "destroyed a pyramid",
                OutReason::Forfeited => "gave up",
            };
            format!("out in {word} {}: {why}", out.round)
        }
        (false, None) => String::new(),
    }
}

/// `text` with its first letter large.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A time stamp for people: "2026-03-01 20:15:07 UTC".
pub fn time_words(at: &str) -> String {
    let (date, time) = at.split_once('T').unwrap_or((at, ""));
    let time = time.split(['.', 'Z']).next().unwrap_or_default();
    if time.is_empty() { date.to_owned() } else { format!("{date} {time} UTC") }
}
