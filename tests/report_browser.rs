//! The HTML report in a real browser: on a phone, on a desk, in the dark, and printed on A4. Skipped where no Chromium is installed.

mod toy;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use image::RgbImage;
use toy::{Photo, Table, ok, run};

/// The browser: as `CHROMIUM` says, else the first that can be started.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"].map(PathBuf::from);
    named.into_iter().chain(names).find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()))
}

/// Starts the browser on `page` with `what` to do.
fn browse(browser: &Path, folder: &Path, what: &[String], page: &str) {
    let profile = tempfile::tempdir_in(folder).unwrap();
    let quiet = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
                 --disable-component-update --disable-sync --hide-scrollbars --force-device-scale-factor=1";
    let ran = Command::new(browser)
        .args(quiet.split_whitespace())
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(what)
        .arg(format!("file://{page}"))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn screenshot(browser: &Path, folder: &Path, page: &str, name: &str, (width, height): (u32, u32), more: &[&str]) -> RgbImage {
    let path = folder.join(name);
    let mut what = vec![format!("--window-size={width},{height}"), format!("--screenshot={}", path.display())];
    what.extend(more.iter().map(|s| s.to_string()));
    browse(browser, folder, &what, page);
    let picture = image::open(path).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (width, height));
    picture
}

/// A match with everything in it that a report can show.
fn table() -> Table {
    let table = Table::default();
    let dir = table.dir();
    let long = "Maximiliane Freifrau von und zu Hohenlohe-Waldenburg-Schillingsfürst-Langenburg";
    ok(&["match", "new", &dir, "--variant", "points", "--turns", "2", "--players", "Anna,Zoë 李雷 ابن", "--player", long]);
    let photo = table.photo(Photo::of(&[7, 6, 5, 4, 3, 2, 1], "red").and(&[2, 1], "blue", 10).lying(14, 1));
    ok(&["match", "add", &dir, "--player", "Anna", &photo]);
    ok(&[
        "match",
        "correct",
        &dir,
        "--player",
        "Anna",
        "--add",
        "2",
        "--reason",
        "WordWithoutAnySpaceThatIsMuchLongerThanAPhoneIsWide".repeat(2).as_str(),
    ]);
    table.add("Zoë 李雷 ابن", &[3, 2, 1]);
    ok(&["match", "add", &dir, "--player", long, "--nothing", "--reason", "the phone rang"]);
    let views = [table.photo(Photo::of(&[4, 3], "green").unsure()), table.photo(Photo::of(&[4, 2], "green").unsure().tag(9))];
    run(&["match", "add", &dir, "--player", long, "--late", &views[0], &views[1]]);
    table
}

#[test]
fn the_report_is_readable_on_a_phone_on_a_desk_and_on_paper() {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium found (install it, or name it in CHROMIUM)");
        return;
    };
    let table = table();
    let folder = table.folder.path();
    let page = table.path("report.html");
    let verified = run(&["verify", &table.dir(), "--report", &page]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let html = fs::read_to_string(&page).unwrap();
    for outside in ["<script", "http://", "https://", "<link", "@import", "url("] {
        assert!(!html.contains(outside), "the page needs nothing else: {outside}");
    }

    // On a phone nothing sticks out to the right: the outermost pixels are bare paper all the way down.
    let phone = screenshot(&browser, folder, &page, "phone.png", (390, 4000), &[]);
    let paper = *phone.get_pixel(389, 0);
    let stuck_out = (0..4000).find(|&y| (380..390).any(|x| *phone.get_pixel(x, y) != paper));
    assert_eq!(stuck_out, None, "something sticks out at this height, px");
    let inked = phone.pixels().filter(|p| **p != paper).count();
    assert!(inked > 100_000, "only {inked} px of the page are not bare paper");

    let desk = screenshot(&browser, folder, &page, "desk.png", (1280, 2400), &[]);
    let left = (0..1280).find(|&x| (0..2400).any(|y| *desk.get_pixel(x, y) != paper)).unwrap();
    assert!((100..400).contains(&left), "the text is a column in the middle, not {left} px from the edge");

    // The pieces drawn on the photo can be hidden: the same page with the box not ticked.
    let plain = table.path("plain.html");
    fs::write(&plain, html.replace(" checked id=\"marks", " id=\"marks")).unwrap();
    let bare = screenshot(&browser, folder, &plain, "plain.png", (1280, 2400), &[]);
    let changed = desk.pixels().zip(bare.pixels()).filter(|(a, b)| a != b).count();
    assert!(changed > 5_000, "only {changed} px change when the marks are hidden");

    // In the dark the paper is dark and the text is not.
    let dark = screenshot(&browser, folder, &page, "dark.png", (390, 800), &["--blink-settings=preferredColorScheme=0"]);
    assert!(dark.get_pixel(389, 0).0.iter().all(|&c| c < 60), "{:?}", dark.get_pixel(389, 0));

    let pdf = folder.join("print.pdf");
    browse(&browser, folder, &["--no-pdf-header-footer".into(), format!("--print-to-pdf={}", pdf.display())], &page);
    let bytes = fs::read(&pdf).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("%PDF"));
    let pages = text.matches("/Type /Page\n").count();
    assert!((3..=12).contains(&pages), "{pages} pages");
    assert!(text.contains("/MediaBox [0 0 594") || text.contains("/MediaBox [0 0 595"), "A4");
    // What is folded up on a screen is open on paper; seen where the text can be got out of the PDF.
    match Command::new("pdftotext").args([&pdf, &PathBuf::from("-")]).output() {
        Ok(said) if said.status.success() => {
            let said = String::from_utf8_lossy(&said.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
            for words in ["lies on its side", "rounds/01/1-anna/photo-1.png", "The whole picture"] {
                assert!(said.contains(words), "{words:?} is not on paper:\n{said}");
            }
        }
        _ => println!("not looked into the PDF: no pdftotext"),
    }
    if let Some(keep) = std::env::var_os("KEEP_SCREENSHOTS") {
        for name in ["phone.png", "desk.png", "plain.png", "dark.png", "print.pdf", "report.html"] {
            fs::copy(folder.join(name), Path::new(&keep).join(name)).unwrap();
        }
    }
}
