//! The HTML report: one page that needs nothing else. No scripts; whatever players or files bring in is escaped by `maud`.

use std::collections::BTreeMap;

use image::RgbImage;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    Report, TurnReport,
    evidence::evidence,
    markdown::names,
    style::CSS,
    words::{capital, correction_words, count, standing_words, time_words, variant_words},
};
use crate::{
    matchplay::Variant,
    reading::Status,
    rules::{points, show_rows},
    verify::Verdict,
};

/// Gives the upright photo of a turn, or why there is none.
pub type Pictures<'a> = dyn Fn(&TurnReport) -> Result<RgbImage, String> + 'a;

/// The report of a match as one self-contained page. Photos are asked for one by one, so that a long match fits in memory.
pub fn html(report: &Report, pictures: &Pictures) -> String {
    let word = report.setup.round_word();
    let title = format!("Match of {}", names(report));
    // Where each photo is shown: a picture of several players is shown once.
    let mut shown: BTreeMap<String, String> = BTreeMap::new();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title))
            body {
                (meeple_symbol())
                header {
                    h1 { bdi { (title) } }
                    p.setup { (capital(&variant_words(&report.setup))) "." }
                    @if let Some(outcome) = &report.standings.outcome {
                        p.outcome { bdi { (outcome) } }
                    } @else if let Some(round) = report.standings.round {
                        p.outcome.open { (capital(word)) " " (round) " is being played, waiting for " bdi { (report.standings.waiting.join(", ")) } }
                    }
                    (verified(report))
                    @for note in &report.notes { p.note { (note) } }
                }
                main {
                    (standings(report, word))
                    (overview(report, word))
                    @for (round, turns) in report.rounds() {
                        h2 id=(round_anchor(turns[0])) { (capital(word)) " " (round) }
                        @for turn in turns { (turn_section(report, turn, pictures, &mut shown)) }
                    }
                    (history(report))
                }
                footer {
                    p { "Made by " (report.program) " on " (time_words(&report.made_at)) "." }
                    p { "Seal of the log (the “sum” of its last line): " code { (report.last_sum) } }
                }
            }
        }
    };
    page.into_string()
}

/// The head of a page: nothing is fetched and nothing runs, whatever a player or a file is called.
pub(super) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'";
            title { (title) }
            style { (PreEscaped(CSS)) }
        }
    }
}

/// The shape that bars of rows are drawn with.
pub(super) fn meeple_symbol() -> Markup {
    html! {
        svg.hidden aria-hidden="true" {
            symbol id="m" viewBox="0 0 16 16" {
                path d="M8 .6a3 3 0 0 0-2.9 3.7C3.6 5 .4 6.1.4 7.4c0 .9 1.6 1.2 3.6 1.2-.5 1.6-2.5 4.2-2.5 5.8 0 .6.3.9.9.9h3.4c.9 0 1.2-2.6 2.2-2.6s1.3 2.6 2.2 2.6h3.4c.6 0 .9-.3.9-.9 0-1.6-2-4.2-2.5-5.8 2 0 3.6-.3 3.6-1.2 0-1.3-3.2-2.4-4.7-3.1A3 3 0 0 0 8 .6z" {}
            }
        }
    }
}

fn verified(report: &Report) -> Markup {
    let Some(verified) = &report.verified else { return html! {} };
    let verdicts: Vec<Verdict> =
        distinct_turns(report).into_iter().filter_map(|t| t.verdict.as_ref()).map(|v| v.verdict).collect();
    let of = |verdict: Verdict| verdicts.iter().filter(|v| **v == verdict).count();
    html! {
        section class={ "verified " (if verified.exit_code == 0 { "good" } else { "bad" }) } {
            h2 { @if verified.exit_code == 0 { "✓ Verified" } @else { "✗ Not everything holds" } }
            ul {
                @if verified.altered.is_empty() {
                    li { "All " (verified.files_checked) " files are as recorded." }
                }
                @for file in &verified.altered {
                    li.bad { "Altered: " code { (file.path) } " – " (file.what) "." }
                }
                @for verdict in [Verdict::Agrees, Verdict::AgreesAfterCorrection, Verdict::Differs, Verdict::Altered, Verdict::CannotRead] {
                    @if of(verdict) > 0 { li { b { (verdict.name()) } ": " (count(of(verdict), "picture")) } }
                }
                @for note in verified.notes.iter().filter(|n| !report.notes.contains(n)) { li { (capital(note)) "." } }
            }
        }
    }
}

/// One turn for each picture.
fn distinct_turns(report: &Report) -> Vec<&TurnReport> {
    let mut seen = Vec::new();
    report
        .turns
        .iter()
        .filter(|t| {
            t.folder.as_ref().is_some_and(|f| {
                !seen.contains(&f) && {
                    seen.push(f);
                    true
                }
            })
        })
        .collect()
}

fn standings(report: &Report, word: &str) -> Markup {
    let amount = if report.setup.variant == Variant::Higher { "Rounds built" } else { "Points" };
    html! {
        section {
            h2 { "Standings" }
            table.standings {
                thead { tr { th.number { "Place" } th { "Player" } th.number { (amount) } th {} } }
                tbody {
                    @for line in &report.standings.players {
                        tr.winner[line.winner] {
                            td.number { (line.place) }
                            td { bdi { (line.player) } }
                            td.number { b { (line.rounds_built.map_or(line.points as usize, |n| n)) } }
                            td { (standing_words(line, word)) }
                        }
                    }
                }
            }
        }
    }
}

fn overview(report: &Report, word: &str) -> Markup {
    let players: Vec<&str> = report.setup.names().collect();
    html! {
        section {
            h2 { (capital(word)) " by " (word) }
            div.wide {
                table.overview {
                    thead { tr { th.number { (capital(word)) } @for player in &players { th { bdi { (player) } } } } }
                    tbody {
                        @for (round, turns) in report.rounds() {
                            tr {
                                th.number { a href={ "#" (round_anchor(turns[0])) } { (round) } }
                                @for player in &players {
                                    td {
                                        @if let Some(turn) = report.turn(round, player) {
                                            a href={ "#" (turn_anchor(report, turn)) } {
                                                @if turn.missed { "nothing" } @else { (show_rows(&turn.rows)) }
                                                @if turn.passed.is_none() && !turn.missed { " = " b { (turn.points) } }
                                            }
                                            @if turn.passed == Some(true) { " ✓" }
                                            @if turn.passed == Some(false) { " ✗" }
                                            @if turn.late { " " span.tag { "late" } }
                                            @if !turn.corrections.is_empty() { " " span.tag { "corrected" } }
                                            @if doubtful(turn) { " " span.tag { "unsure" } }
                                            @if let Some(v) = turn.verdict.as_ref().filter(|v| v.verdict > Verdict::AgreesAfterCorrection) {
                                                " " span.tag.bad { (v.verdict.name()) }
                                            }
                                        } @else { "–" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn doubtful(turn: &TurnReport) -> bool {
    turn.status.is_some_and(|s| s != Status::Read) || turn.disagreement.is_some()
}

fn round_anchor(turn: &TurnReport) -> String {
    format!("r{}-{}", turn.round.number, turn.round.replay)
}

fn turn_anchor(report: &Report, turn: &TurnReport) -> String {
    format!("{}-p{}", round_anchor(turn), report.setup.player(&turn.player).map_or(0, |i| i + 1))
}

fn turn_section(report: &Report, turn: &TurnReport, pictures: &Pictures, shown: &mut BTreeMap<String, String>) -> Markup {
    let anchor = turn_anchor(report, turn);
    html! {
        section.turn id=(anchor) {
          div.top {
            div.head {
                h3 { bdi { (turn.player) } }
                div.score {
                    span.points { (turn.points) } " " (if turn.points == 1 { "point" } else { "points" })
                    @if let Some(passed) = turn.passed { span.tag.good[passed].bad[!passed] { (if passed { "built" } else { "failed" }) } }
                    @if turn.late { span.tag.bad { "late" } }
                    @if let Some(v) = &turn.verdict {
                        span.tag.good[v.verdict <= Verdict::AgreesAfterCorrection].bad[v.verdict > Verdict::AgreesAfterCorrection] { (v.verdict.name()) }
                    }
                }
            }
            @if !turn.missed { (rows_drawn(&turn.rows)) }
          }
            @if turn.missed { p { "Built nothing in time; there is no picture." } }
            (remarks(turn))
            @match turn.folder.as_ref().and_then(|folder| shown.get(folder)) {
                Some(other) => p { "The picture and its pieces are shown " a href={ "#" (other) } { "above" } "." },
                None => (evidence(turn, pictures, &anchor, report.setup.shared_playmat)),
            }
            @if !turn.what_if.is_empty() {
                h4 { "What would change the score" }
                ul { @for text in &turn.what_if { li { (text) } } }
            } @else if turn.reading.is_some() {
                p.quiet { "Nothing comes near to changing the score: every piece seen counts, and the program is sure of each." }
            }
            @if !turn.files.is_empty() {
                details.evidence {
                    summary { "Sums of the evidence" }
                    p { "Accepted on " (time_words(&turn.at)) "." }
                    ul.sums { @for file in &turn.files { li { code { (file.path) } " " code.sum { (file.sha256) } } } }
                }
            }
        }
        @if let Some(folder) = &turn.folder { ({ shown.entry(folder.clone()).or_insert(anchor.clone()); "" }) }
    }
}

/// The rows as a little pyramid, each with its sum.
pub(super) fn rows_drawn(rows: &[usize]) -> Markup {
    html! {
        @if rows.is_empty() {
            p.rows { "No pyramid." }
        } @else {
            div.rows role="img" aria-label=(format!("rows {}, the lowest first", show_rows(rows))) {
                @for (index, meeples) in rows.iter().enumerate().rev() {
                    div.row {
                        span.meeples { @for _ in 0..*meeples { svg.meeple { use href="#m" {} } } }
                        span.sum { "row " (index + 1) ": " (meeples) " × " (index + 1) " = " (meeples * (index + 1)) }
                    }
                }
            }
            @if rows.len() > 1 { p.quiet { (rows.iter().sum::<usize>()) " meeples, " (points(rows)) " points" } }
        }
    }
}

fn remarks(turn: &TurnReport) -> Markup {
    let corrected = |text: &str| format!("Read as {}; {text}", show_rows(&turn.rows_read));
    html! {
        ul.remarks {
            @for correction in &turn.corrections { li.corrected { (corrected(&correction_words(correction))) } }
            @if let Some(text) = &turn.reason { li { "The reading is " (turn.status.map_or("", |s| s.name())) ": " (text) } }
            @if let Some(text) = &turn.disagreement { li { (capital(text)) } }
            @if let Some(text) = &turn.evidence_problem { li.bad { "The evidence cannot be shown: " (text) } }
            @if let Some(verdict) = &turn.verdict {
                // A correction that holds has been told above.
                @for text in verdict.details.iter().filter(|_| verdict.verdict != Verdict::AgreesAfterCorrection) { li.bad[verdict.verdict > Verdict::AgreesAfterCorrection] { "Verified: " (text) } }
                @for change in &verdict.pieces { li.bad { "Verified: " (change.what) } }
            }
        }
    }
}

fn history(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Everything that happened" }
            ol.history {
                @for line in &report.history {
                    li value=(line.seq) {
                        time datetime=(line.at) { (time_words(&line.at)) }
                        " "
                        @if line.undone { s { (line.what) } " (taken back)" } @else { (line.what) }
                    }
                }
            }
        }
    }
}
