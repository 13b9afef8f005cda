//! The page about a photo that belongs to no match: what was read in it, and what became of a claim.

use image::RgbImage;
use maud::{DOCTYPE, html};

use super::{
    evidence::pieces_on,
    html::{head, meeple_symbol, rows_drawn},
    words::{capital, time_words},
};
use crate::{
    reading::{Reading, Status},
    record::PROGRAM,
    rules::show_points,
};

/// What the page is made from.
#[derive(Clone, Copy, Debug)]
pub struct PhotoReport<'a> {
    /// What was read.
    pub reading: &'a Reading,
    /// The upright picture, or why there is none.
    pub picture: Result<&'a RgbImage, &'a str>,
    /// SHA-256 of the photo's file.
    pub sha256: &'a str,
    /// A claim: what became of it, whether it holds, and what it would need.
    pub claim: Option<(&'a str, Option<bool>, &'a [String])>,
    /// When the page is made, RFC 3339 in UTC.
    pub made_at: &'a str,
}

/// One self-contained page about a photo.
pub fn photo_html(report: &PhotoReport) -> String {
    let reading = report.reading;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&reading.photo))
            body {
                (meeple_symbol())
                header {
                    h1 { bdi { (reading.photo) } }
                    @if let Some((sentence, holds, needs)) = report.claim {
                        section class={ "verified " (if holds == Some(true) { "good" } else { "bad" }) } {
                            h2 { @if holds == Some(true) { "✓ " } @else { "✗ " } (sentence) }
                            @if !needs.is_empty() { ul { @for need in needs { li { (capital(need)) "." } } } }
                        }
                    }
                }
                main {
                    section.turn {
                        div.top {
                            div.head {
                                h3 { (reading.status.name()) }
                                @if let Some(score) = &reading.score { div.score { span.points { (show_points(score.points)) } } }
                            }
                            @if let Some(score) = &reading.score { (rows_drawn(&score.rows)) }
                        }
                        ul.remarks {
                            @if let Some(reason) = &reading.reason {
                                li.bad[reading.status == Status::Unreadable] { "The reading is " (reading.status.name()) ": " (reason) }
                            }
                            @if let Some(advice) = &reading.advice { li { (capital(advice)) "." } }
                        }
                        (pieces_on(report.picture, reading, "what was built", "photo", false))
                        details.evidence open {
                            summary { "Sum of the photo" }
                            ul.sums { li { code { (reading.photo) } " " code.sum { (report.sha256) } } }
                        }
                    }
                }
                footer { p { "Made by " (PROGRAM) " on " (time_words(report.made_at)) "." } }
            }
        }
    };
    page.into_string()
}
