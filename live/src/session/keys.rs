//! What each key does, and which keys are shown.

use std::time::Instant;

use pyrameeple::{matchplay::Event, rules::show_rows};

use super::{Phase, Prompt, Purpose, Session, Tone};
use crate::keys::{Hint, Key, hint};

impl Session {
    /// The keys that mean something now, the most important first.
    pub fn hints(&self) -> Vec<Hint> {
        if let Some(prompt) = &self.prompt {
            let enter = match prompt.kind {
                super::Kind::Confirm => "yes",
                _ => "take it",
            };
            return vec![hint(Key::Enter, enter), hint(Key::Escape, "back")];
        }
        match &self.phase {
            Phase::Watching => self.hints_watching(),
            Phase::Scoring { .. } => vec![hint(Key::Escape, "back")],
            Phase::Shown(shown) => {
                let recorded = self.game().is_some();
                let mut hints = vec![hint(Key::Enter, if recorded { "accept" } else { "done" }), hint(Key::Escape, "discard")];
                if !shown.reading().pieces.is_empty() {
                    hints.extend([hint(Key::Right, "next piece"), hint(Key::Char('X'), "reject or restore")]);
                }
                hints.extend([hint(Key::Char('A'), "add a meeple"), hint(Key::Char('R'), "set rows")]);
                if shown.is_corrected() {
                    hints.push(hint(Key::Char('Z'), "as it was read"));
                }
                if recorded {
                    hints.push(hint(Key::Char('L'), if shown.counts_late() { "not late" } else { "late" }));
                }
                if shown.players.len() > 1 {
                    hints.push(hint(Key::Tab, "next player"));
                } else if self.may_choose() {
                    hints.push(hint(Key::Tab, "it is another's"));
                }
                hints
            }
        }
    }

    fn hints_watching(&self) -> Vec<Hint> {
        let mut hints = Vec::new();
        let Some(game) = self.game() else { return vec![hint(Key::Space, "score")] };
        if self.round().is_some() {
            hints.push(hint(Key::Space, "score"));
            hints.push(match (self.clock.is_running(), self.clock.is_paused(), self.clock.zero()) {
                (true, ..) => hint(Key::Char('C'), "pause clock"),
                (_, true, _) => hint(Key::Char('C'), "clock goes on"),
                (_, _, Some(_)) => hint(Key::Char('C'), "new clock"),
                _ => hint(Key::Char('C'), "start clock"),
            });
            if self.clock.is_paused() {
                hints.push(hint(Key::Char('R'), "reset clock"));
            }
            if self.may_choose() {
                hints.push(hint(Key::Tab, "other player"));
            }
            if self.buzzer().is_some() {
                hints.push(hint(Key::Char('B'), "picture at time zero"));
            }
        }
        if game.last_in_force().is_some() {
            hints.push(hint(Key::Char('U'), "undo"));
        }
        if self.round().is_some() {
            hints.push(hint(Key::Char('N'), "nothing built"));
            if self.may_destroy() {
                hints.push(hint(Key::Char('D'), "destroyed a pyramid"));
            }
            hints.push(hint(Key::Char('G'), "give up"));
        }
        hints
    }

    pub(super) fn key_watching(&mut self, key: Key, now: Instant) -> bool {
        let playing = self.round().is_some();
        match key {
            Key::Space if self.game().is_some() && !playing => {
                let outcome = self.game().and_then(|game| game.outcome()).unwrap_or_default();
                self.say(Tone::Plain, format!("The match is finished: {outcome}. U takes the last result back."), now);
            }
            Key::Space => self.phase = Phase::Scoring { pressed: now },
            Key::Char('C') if playing => {
                if self.clock.zero().is_some() {
                    self.clock.reset();
                }
                if self.clock == super::Clock::new(self.setup().options.seconds) {
                    // Another time zero is to come: the picture at the last one goes.
                    self.buzzer = None;
                }
                self.clock.toggle(now);
            }
            Key::Char('R') if playing && !self.clock.is_running() => self.clock.reset(),
            Key::Tab if self.may_choose() => self.choose_next(),
            Key::Char('B') => {
                if let Some(buzzer) = self.buzzer.clone() {
                    self.phase = Phase::Shown(Box::new(buzzer));
                }
            }
            Key::Char('U') if self.game().is_some() => self.wish(Event::Undone, now),
            Key::Char('N') if playing => {
                let players = self.players();
                if let [player] = players.as_slice() {
                    let question = format!("{player} built nothing in time?");
                    self.prompt = Some(Prompt::confirm(question, Purpose::Missed { player: player.clone() }));
                } else {
                    self.say(Tone::Plain, "on a shared playmat SPACE scores everybody; who has nothing scores nothing", now);
                }
            }
            Key::Char('D') if self.may_destroy() => {
                let question = "Who destroyed an opponent's pyramid, and loses at once?";
                self.prompt = Some(Prompt::pick(question, Purpose::Culprit, self.still_in()));
            }
            Key::Char('G') if playing => {
                self.prompt = Some(Prompt::pick("Who gives up?", Purpose::GiveUp, self.still_in()));
            }
            _ => return false,
        }
        true
    }

    /// Chooses the next of those who wait to be scored.
    fn choose_next(&mut self) {
        let waiting: Vec<String> = self.game().map(|g| g.waiting()).unwrap_or_default().into_iter().map(Into::into).collect();
        let at = self.players().first().and_then(|player| waiting.iter().position(|w| w == player)).unwrap_or(0);
        self.chosen = waiting.get((at + 1) % waiting.len().max(1)).cloned();
    }

    pub(super) fn key_shown(&mut self, key: Key, now: Instant) -> bool {
        // What the one camera saw at time zero may be the playmat of somebody else than was thought.
        if key == Key::Tab && self.may_choose() {
            self.choose_next();
            let players = self.players();
            if let Phase::Shown(shown) = &mut self.phase {
                shown.players = players;
            }
            return true;
        }
        let Phase::Shown(shown) = &mut self.phase else { return false };
        match key {
            Key::Enter => self.accept(now),
            Key::Escape => {
                self.phase = Phase::Watching;
                self.message = None;
            }
            Key::Left => shown.select(false),
            Key::Right => shown.select(true),
            Key::Char('X') => match shown.selected {
                Some(id) => self.edit(now, |shown| shown.toggle(id)),
                None => shown.select(true),
            },
            Key::Char('A') => {
                let highest = shown.rows(shown.player).map_or(0, |rows| rows.len());
                let question = format!("A meeple was not seen. In which row does it stand? (1 to {})", highest + 1);
                self.prompt = Some(Prompt::text(question, Purpose::AddRow, String::new()));
            }
            Key::Char('R') => {
                let rows = shown.rows(shown.player).unwrap_or_default();
                let now_shown = if rows.is_empty() { String::new() } else { format!(", now {}", show_rows(&rows)) };
                let question = format!("Meeples in each row, the lowest first, like 5 4 2 1{now_shown}");
                self.prompt = Some(Prompt::text(question, Purpose::Rows, String::new()));
            }
            Key::Char('Z') => shown.clear_edits(),
            Key::Char('L') if self.game.is_some() => shown.toggle_late(),
            Key::Tab => shown.next_player(),
            // Asked for anew: the result on show is discarded.
            Key::Space => self.phase = Phase::Scoring { pressed: now },
            _ => return false,
        }
        true
    }
}
