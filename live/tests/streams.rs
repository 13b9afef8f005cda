//! Streams that go wrong in every way: within two seconds it is said what is the matter, nothing hangs, and the picture is
//! back as soon as the camera is.

mod common;

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use common::{
    Scene, Stage, has, noisy, picture,
    server::{Phone, Server},
    toy::Photo,
    until,
};
use image::{ImageFormat, Rgb, RgbImage};
use pyrameeple_live::{
    condition::Condition,
    feed::{Feed, Sight},
    source::{self, SourceParams, Spec},
    still::StillParams,
};

/// What the issue asks for: a message within this time.
const SOON: Duration = Duration::from_secs(2);
/// Long enough for a slow machine to get going.
const LONG: Duration = Duration::from_secs(60);

fn feed(source: &str, params: SourceParams) -> Feed {
    Feed::start(Spec::parse(source).unwrap(), params, StillParams::default(), Box::new(source::open), Arc::new(|| {}))
}

fn film(photo: &Photo) -> Phone {
    Phone::Films((0..20).map(|number| png(&noisy(&picture(photo), number))).collect())
}

fn png(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Waits until the stream is well.
#[track_caller]
fn well(feed: &Feed) {
    until(LONG, || feed.sight().condition.is_good(), || format!("{:?}", feed.sight().condition));
}

/// Waits until something is the matter, for no longer than [`SOON`]; the sight then.
#[track_caller]
fn soon(feed: &Feed, what: impl Fn(&Condition) -> bool) -> Sight {
    until(SOON, || what(&feed.sight().condition), || format!("{:?}", feed.sight().condition));
    feed.sight()
}

#[test]
fn a_phone_is_filmed_and_its_password_is_not_shown() {
    let server = Server::new(film(&Photo::of(&[3, 2, 1], "red")));
    let feed = feed(&server.address(), SourceParams::default());
    well(&feed);
    let sight = feed.sight();
    assert_eq!(sight.frame.as_ref().unwrap().picture.rgb.dimensions(), (400, 280));
    assert!(sight.source.starts_with("http://127.0.0.1:") && !sight.source.contains("secret"), "{}", sight.source);
    until(LONG, || feed.sight().still_for > Duration::from_millis(400), || "noise should not count as moving".into());
}

#[test]
fn a_stream_that_stalls_is_noticed_and_goes_on() {
    let server = Server::new(film(&Photo::default()));
    let feed = feed(&server.address(), SourceParams::default());
    well(&feed);
    server.set(Phone::Stalls);
    let sight = soon(&feed, |condition| matches!(condition, Condition::Stalled { .. }));
    assert!(sight.frame.is_some(), "the last picture is still there to be looked at");
    assert!(sight.still_since.is_none() && sight.still_for.is_zero(), "but it is not the table as it is");
    server.set(film(&Photo::default()));
    well(&feed);
    assert_eq!(server.calls.load(std::sync::atomic::Ordering::SeqCst), 1, "the connection was never given up");
}

#[test]
fn a_stream_that_is_cut_is_found_again() {
    let server = Server::new(film(&Photo::default()));
    let feed = feed(&server.address(), SourceParams::default());
    well(&feed);
    server.set(Phone::HangsUp);
    let sight = soon(&feed, |condition| matches!(condition, Condition::Lost { .. }));
    let words = sight.condition.words().unwrap();
    assert!(words.contains("broke off") && !words.contains("secret"), "{words}");
    server.set(film(&Photo::default()));
    well(&feed);
}

#[test]
fn a_frozen_picture_is_not_taken_for_a_still_table() {
    let stage = Stage::new();
    let feed = Feed::start(Spec::AnyCamera, SourceParams::default(), StillParams::default(), stage.opener(), Arc::new(|| {}));
    well(&feed);
    stage.set(Scene::Frozen(picture(&Photo::of(&[3, 2, 1], "red"))));
    let sight = soon(&feed, |condition| matches!(condition, Condition::Frozen { .. }));
    assert!(sight.condition.words().unwrap().contains("frozen") && sight.still_since.is_none());
    stage.show(&Photo::default());
    well(&feed);
}

#[test]
fn black_pictures_are_waited_out_at_first_and_told_later() {
    let black = (0..20).map(|number| {
        let mut picture = RgbImage::from_pixel(400, 280, Rgb([3, 3, 3]));
        picture.put_pixel(number, 0, Rgb([9, 9, 9]));
        png(&picture)
    });
    let black = Phone::Films(black.collect());
    let server = Server::new(black.clone());
    let feed = feed(&server.address(), SourceParams::default());
    until(LONG, || feed.sight().condition == Condition::Waking, || format!("{:?}", feed.sight().condition));
    std::thread::sleep(Duration::from_millis(600));
    assert!(feed.sight().frame.is_none(), "a camera that is waking up has shown nothing yet");
    server.set(film(&Photo::default()));
    well(&feed);
    server.set(black);
    let sight = soon(&feed, |condition| *condition == Condition::Black);
    assert!(sight.condition.words().unwrap().contains("black"));
}

#[test]
fn a_camera_that_stays_black_is_told_after_its_time_to_wake_up() {
    let server = Server::new(Phone::Films((1..9).map(|v| png(&RgbImage::from_pixel(80, 70, Rgb([v, 0, 0])))).collect()));
    let feed = feed(&server.address(), SourceParams::default());
    until(LONG, || feed.sight().condition == Condition::Black, || format!("{:?}", feed.sight().condition));
}

#[test]
fn pictures_of_another_size_in_the_middle_are_told_and_break_the_stillness() {
    let server = Server::new(film(&Photo::default()));
    let feed = feed(&server.address(), SourceParams::default());
    until(LONG, || feed.sight().still_for > Duration::from_millis(600), || "still at first".into());
    let before = feed.sight().still_since;
    server.set(Phone::Films((0..9).map(|n| png(&noisy(&RgbImage::from_pixel(640, 480, Rgb([70, 75, 70])), n))).collect()));
    until(SOON, || feed.sight().resized.is_some(), || "no word about the size".into());
    let sight = feed.sight();
    assert_eq!(sight.resized, Some([(400, 280), (640, 480)]));
    assert!(sight.still_since > before, "what was seen at another size does not count");
    well(&feed);
}

#[test]
fn a_source_that_never_answers_is_said_to_be_silent() {
    let server = Server::new(Phone::NeverAnswers);
    let started = Instant::now();
    let feed = feed(&server.address(), SourceParams::default());
    let sight = soon(&feed, |condition| condition.words().is_some_and(|words| words.contains("has not answered for 2 s")));
    assert!(started.elapsed() < SOON && sight.frame.is_none());
    until(LONG, || matches!(feed.sight().condition, Condition::Lost { .. }), || format!("{:?}", feed.sight().condition));
    assert!(feed.sight().condition.words().unwrap().contains("does not answer: nothing came in time"));
}

#[test]
fn what_is_no_stream_is_told_with_what_it_is() {
    let server = Server::new(Phone::SendsAPage);
    let feed = feed(&server.address(), SourceParams::default());
    let sight = soon(&feed, |condition| matches!(condition, Condition::Lost { .. }));
    assert!(sight.condition.words().unwrap().contains("not with a stream of pictures (text/html)"), "{:?}", sight.condition);
    let wrong = server.address().replace("secret", "guess");
    server.set(film(&Photo::default()));
    let feed = self::feed(&wrong, SourceParams::default());
    let sight = soon(&feed, |condition| matches!(condition, Condition::Lost { .. }));
    assert!(sight.condition.words().unwrap().contains("asks for a password"), "{:?}", sight.condition);
}

#[test]
fn a_camera_that_is_unplugged_is_told_and_found_again() {
    let stage = Stage::new();
    let feed = Feed::start(Spec::AnyCamera, SourceParams::default(), StillParams::default(), stage.opener(), Arc::new(|| {}));
    well(&feed);
    stage.set(Scene::Gone);
    let sight = soon(&feed, |condition| matches!(condition, Condition::Lost { .. }));
    assert!(sight.condition.words().unwrap().contains("was unplugged"));
    stage.show(&Photo::default());
    well(&feed);
}

#[test]
fn a_connection_on_which_nothing_comes_any_more_is_made_anew() {
    let stage = Stage::new();
    let opened = Arc::new(AtomicU32::new(0));
    let (counting, opener) = (opened.clone(), stage.opener());
    let counted = move |spec: &Spec, params: &SourceParams| {
        counting.fetch_add(1, Ordering::SeqCst);
        opener(spec, params)
    };
    let (params, still) = (SourceParams::default(), StillParams::default());
    let feed = Feed::start(Spec::AnyCamera, params, still, Box::new(counted), Arc::new(|| {}));
    well(&feed);
    stage.set(Scene::Nothing);
    soon(&feed, |condition| matches!(condition, Condition::Stalled { .. }));
    until(LONG, || opened.load(Ordering::SeqCst) == 2, || format!("{:?}", feed.sight().condition));
    let words = feed.sight().condition.words().unwrap();
    assert!(words.contains("opened anew"), "{words}");
    stage.show(&Photo::default());
    well(&feed);
}

#[test]
fn a_folder_of_pictures_is_shown_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=12u8 {
        RgbImage::from_pixel(80, 70, Rgb([20 * number, 40, 40])).save(folder.path().join(format!("t{number}.png"))).unwrap();
    }
    let params = SourceParams { fps: 20.0, ..SourceParams::default() };
    let feed = feed(folder.path().to_str().unwrap(), params);
    let mut seen: Vec<u8> = Vec::new();
    let last = || feed.sight().frame.map(|frame| frame.picture.rgb.get_pixel(5, 5)[0] / 20);
    until(
        LONG,
        || {
            seen.extend(last().filter(|number| seen.last() != Some(number)));
            last() == Some(12)
        },
        || format!("{:?}", feed.sight()),
    );
    assert!(seen.len() >= 6 && seen.is_sorted(), "{seen:?}");
    std::thread::sleep(Duration::from_millis(1700));
    assert!(feed.sight().condition.is_good(), "the last one stands: {:?}", feed.sight().condition);
}

#[test]
fn a_video_is_played_and_its_last_picture_stands() {
    if !has("ffmpeg") {
        println!("skipped: ffmpeg is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for number in 0..10 {
        RgbImage::from_pixel(160, 120, Rgb([25 * number as u8, 90, 90]))
            .save(folder.path().join(format!("{number}.png")))
            .unwrap();
    }
    let video = folder.path().join("table.mp4");
    let pictures = folder.path().join("%d.png");
    let mut making = Command::new("ffmpeg");
    making.args(["-loglevel", "error", "-framerate", "10", "-i"]).arg(&pictures).args(["-pix_fmt", "yuv420p"]).arg(&video);
    let made = making.status().unwrap();
    assert!(made.success());
    let feed = feed(video.to_str().unwrap(), SourceParams::default());
    let red = || feed.sight().frame.map_or(0, |frame| frame.picture.rgb.get_pixel(80, 60)[0]);
    until(LONG, || red() > 200, || format!("{:?}, red {}", feed.sight().condition, red()));
    std::thread::sleep(Duration::from_millis(1700));
    assert!(feed.sight().condition.is_good() && red() > 200, "{:?}", feed.sight().condition);
}

#[test]
fn a_video_that_cannot_be_read_is_told_with_the_reason() {
    if !has("ffmpeg") {
        println!("skipped: ffmpeg is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.mp4");
    std::fs::write(&path, b"\x01\x02this is no video at all").unwrap();
    let feed = feed(path.to_str().unwrap(), SourceParams::default());
    until(LONG, || matches!(feed.sight().condition, Condition::Lost { .. }), || format!("{:?}", feed.sight().condition));
    let words = feed.sight().condition.words().unwrap();
    assert!(
        words.contains("broken.mp4 cannot be read: ffmpeg finds no video in it") && words.contains("Invalid data"),
        "{words}"
    );
}
