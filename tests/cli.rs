//! The program as people call it.

mod common;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
};

use assert_cmd::{Command, cargo::cargo_bin};
use image::{DynamicImage, GrayAlphaImage, GrayImage, ImageFormat, Rgba, RgbaImage};
use predicates::{prelude::*, str::contains};
use pyrameeple::reading::{Reading, Status};
use tempfile::{TempDir, tempdir};

fn program() -> Command {
    let mut command = Command::new(cargo_bin!("pyrameeple"));
    command.env_remove("NO_COLOR").current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn photo(name: &str) -> String {
    common::testdata().join(format!("{name}.jpg")).display().to_string()
}

/// What `score --json` says about `path`, and the exit code.
fn reading(path: &Path) -> (Reading, i32) {
    let output = program().args(["score", "--json"]).arg(path).output().unwrap();
    let line = String::from_utf8(output.stdout).unwrap();
    (serde_json::from_str(&line).unwrap(), output.status.code().unwrap())
}

/// A file with `bytes` in a folder of its own.
fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// `path` cannot be opened as a picture, for a reason with `reason` in it, and something can be done about it.
fn assert_bad(path: &Path, reason: &str) {
    let (reading, code) = reading(path);
    assert_eq!((reading.status, reading.width, code), (Status::Unreadable, 0, 2), "{reading:?}");
    assert!(reading.reason.as_deref().unwrap_or_default().contains(reason), "{reason}: {reading:?}");
    assert!(reading.advice.is_some_and(|advice| !advice.is_empty()));
    assert!(reading.score.is_none());
}

fn encoded(image: DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

// What is given

#[test]
fn without_arguments_the_help_is_shown() {
    program().assert().code(2).stderr(contains("Usage:").and(contains("Examples:")));
}

#[test]
fn every_help_has_examples() {
    for command in [vec!["--help"], vec!["score", "--help"], vec!["evaluate", "--help"]] {
        program().args(command).assert().success().stdout(contains("Examples:"));
    }
}

#[test]
fn an_unknown_option_is_a_mistake_of_usage() {
    program().args(["score", "--colour", "x.jpg"]).assert().code(2).stderr(contains("--colour"));
    program().args(["score", "--jobs", "0", "x.jpg"]).assert().code(2).stderr(contains("at least 1"));
}

#[test]
fn an_unknown_key_in_the_params_is_named_with_the_nearest() {
    let (_folder, path) = file("params.toml", b"[capture]\nmax_megapixel = 3\n");
    program().args(["score", &photo("p010000"), "--params"]).arg(path).assert().code(2).stderr(
        contains("line 2: unknown key `capture.max_megapixel` (nearest: `capture.max_megapixels`)")
            .and(contains("`pyrameeple params` prints every key")),
    );
}

#[test]
fn params_that_cannot_be_used_are_told_with_their_file_and_what_to_do() {
    let score = |params: &Path| {
        let assert = program().args(["score", &photo("p010000"), "--params"]).arg(params).assert().code(2).stdout("");
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let folder = tempdir().unwrap();
    let missing = score(&folder.path().join("none.toml"));
    assert!(missing.contains("none.toml: there is no such file; check the path"), "{missing}");
    let text = score(folder.path());
    assert!(text.contains("it is a folder; give the name of a file"), "{text}");
    let (_folder, path) = file("params.toml", b"[capture]\nmax_megapixels = = 3\n");
    let text = score(&path);
    assert!(text.contains("params.toml") && text.contains("line 2") && text.contains("`pyrameeple params`"), "{text}");
    let (_folder, path) = file("params.toml", b"\xFF\xFE");
    assert!(score(&path).contains("UTF-8"));
}

#[test]
fn params_are_obeyed() {
    let (_folder, path) = file("params.toml", b"[capture]\nmax_megapixels = 0.1\n");
    program()
        .args(["score", &photo("p010000"), "--params"])
        .arg(path)
        .assert()
        .code(2)
        .stdout(contains("816 × 608 px (0 megapixels), at most 0").or(contains("816 × 608")));
}

#[test]
fn the_printed_params_can_be_given_back() {
    let params = program().arg("params").assert().success().get_output().stdout.clone();
    let (_folder, path) = file("params.toml", &params);
    program().args(["score", "--json", &photo("p010000"), "--params"]).arg(path).assert().code(predicate::ne(2));
}

#[test]
fn a_colour_no_meeple_has_is_named_with_the_nearest() {
    program()
        .args(["score", "x.jpg", "--players", "P1=rad,P2=blue"])
        .assert()
        .code(2)
        .stderr(contains("`rad` is not a colour of meeples").and(contains("red")));
}

// What comes out

#[test]
fn json_has_one_line_for_each_photo_with_the_fixed_fields() {
    let output = program().args(["score", "--json", &photo("p010000"), &photo("p010003")]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 2);
    for (line, name) in text.lines().zip(["p010000", "p010003"]) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["photo"], photo(name));
        for field in ["status", "reason", "advice", "score", "pyramids", "pieces", "playmat", "camera", "timings_ms"] {
            assert!(value.get(field).is_some(), "{field} is missing");
        }
        assert!(value["timings_ms"]["decode"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn results_come_in_input_order_with_any_number_of_jobs() {
    let run = |jobs: &str| {
        let output = program().args(["score", "--json", "--jobs", jobs, "testdata"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| {
                let mut reading: Reading = serde_json::from_str(line).unwrap();
                reading.timings_ms.clear();
                reading
            })
            .collect::<Vec<_>>()
    };
    let (one, many) = (run("1"), run("7"));
    assert!(one.len() >= 24 && one.windows(2).all(|pair| pair[0].photo < pair[1].photo));
    assert_eq!(one, many);
}

#[test]
fn the_table_goes_to_stdout_and_the_summary_to_stderr() {
    program()
        .args(["score", &photo("p010000"), &photo("p010003")])
        .assert()
        .stdout(contains("photo").and(contains("p010003")).and(contains("\u{1b}").not()))
        .stderr(contains("2 photos: "));
}

#[test]
fn a_dash_is_standard_output_and_takes_one_format() {
    let folder = tempfile::tempdir().unwrap();
    let score = |more: &[&str]| program().current_dir(&folder).args(["score", "missing.jpg"]).args(more).assert().code(2);
    score(&["--csv", "-"]).stdout(contains("photo,status,points").and(contains("meeples\n").not()));
    score(&["--results", "-"]).stdout(predicates::str::starts_with("{\"photo\":\"missing.jpg\""));
    score(&["--json", "--csv", "-"]).stderr(contains("standard output takes one format"));
    score(&["--csv", "-", "--resume"]).stderr(contains("--resume"));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "no file is called -");
}

#[test]
fn results_of_other_options_are_not_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let score = |more: &[&str]| program().current_dir(&folder).args(["score", "missing.jpg"]).args(more).assert().code(2);
    for file in ["--results", "--csv"] {
        score(&[file, &file[2..], "--void-overhang"]);
        let told = contains("was read with --void-overhang, and this run has --players Ann=red").and(contains("new file"));
        score(&[file, &file[2..], "--resume", "--players", "Ann=red"]).stderr(told);
        score(&[file, &file[2..], "--resume", "--void-overhang"]).stderr(contains("1 of them by an earlier run"));
    }
}

#[test]
fn csv_has_a_header_and_a_row_for_each_photo() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("scores.csv");
    program().args(["score", &photo("p010000"), "missing.jpg", "--csv"]).arg(&path).assert().code(1);
    let mut csv = csv::Reader::from_path(path).unwrap();
    assert_eq!(csv.headers().unwrap().iter().take(4).collect::<Vec<_>>(), ["photo", "status", "points", "rows"]);
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[1][0], &rows[1][1]), ("missing.jpg", "unreadable"));
}

#[test]
fn annotated_pictures_of_one_name_in_two_folders_do_not_collide() {
    let folder = tempdir().unwrap();
    for sub in ["monday", "tuesday"] {
        fs::create_dir(folder.path().join(sub)).unwrap();
        fs::copy(photo("p010087"), folder.path().join(sub).join("a.jpg")).unwrap();
    }
    let out = folder.path().join("scored");
    program().arg("score").arg(folder.path()).arg("-r").arg("--annotate").arg(&out).assert().code(predicate::ne(2));
    let names = |dir: &Path| {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&out), ["monday_a.scored.jpg", "tuesday_a.scored.jpg"]);
    // What was written lies in the folder that is scored, and is not taken for photos the next time.
    program().arg("score").arg(folder.path()).arg("-r").arg("--annotate").arg(&out).assert().stderr(contains("2 photos: "));
    assert_eq!(names(&out).len(), 2);
}

#[test]
fn the_annotated_picture_of_a_single_photo_is_named() {
    let folder = tempdir().unwrap();
    program()
        .args(["score", &photo("p010087"), "--annotate"])
        .arg(folder.path())
        .assert()
        .code(predicate::ne(2))
        .stderr(contains("p010087.scored.jpg"));
    let drawn = image::open(folder.path().join("p010087.scored.jpg")).unwrap();
    assert!(drawn.width() >= 480 && drawn.height() > 640);
}

#[test]
fn an_annotated_picture_never_replaces_a_photo() {
    let folder = tempdir().unwrap();
    fs::copy(photo("p010087"), folder.path().join("a.jpg")).unwrap();
    fs::copy(photo("p010087"), folder.path().join("a.scored.jpg")).unwrap();
    program()
        .args(["score", "a.jpg", "a.scored.jpg", "--annotate", "."])
        .current_dir(folder.path())
        .assert()
        .code(2)
        .stderr(contains("would be replaced"));
}

#[test]
fn a_closed_pipe_is_nobodys_mistake() {
    let mut child = Process::new(cargo_bin!("pyrameeple"))
        .args(["score", "--json", "testdata"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn a_photo_can_come_on_standard_input() {
    let output = program().args(["score", "--json", "-"]).write_stdin(fs::read(photo("p010000")).unwrap()).output().unwrap();
    let reading: Reading = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((reading.photo.as_str(), reading.width), ("-", 816));
}

#[test]
fn paths_of_any_letters_work() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("Häuschen 山 мипл.jpg");
    fs::copy(photo("p010087"), &path).unwrap();
    let (reading, code) = reading(&path);
    assert!(reading.width > 0 && code != 2);
    assert!(reading.photo.contains("山"));
}

// Bad input

#[test]
fn a_missing_file_is_named() {
    assert_bad(Path::new("no/such/photo.jpg"), "no such file");
}

#[test]
fn a_bad_file_is_reported_and_the_run_goes_on() {
    program()
        .args(["score", "missing.jpg", &photo("p010000")])
        .assert()
        .code(1)
        .stdout(contains("missing.jpg").and(contains("no such file")).and(contains("p010000.jpg")))
        .stderr(contains("2 photos: "));
}

#[test]
fn an_empty_file_is_called_empty() {
    let (_folder, path) = file("empty.jpg", b"");
    assert_bad(&path, "empty (0 bytes)");
}

#[test]
fn text_named_jpg_is_called_text() {
    let (_folder, path) = file("note.jpg", b"Dear diary, today we stacked meeples.\n");
    assert_bad(&path, "text");
}

#[test]
fn a_truncated_jpeg_is_called_that() {
    let bytes = fs::read(photo("p010000")).unwrap();
    for keep in [bytes.len() - 2, bytes.len() / 2, 400, 20] {
        let (_folder, path) = file("half.jpg", &bytes[..keep]);
        assert_bad(&path, &format!("breaks off after {keep} bytes"));
    }
}

#[test]
fn a_damaged_jpeg_is_no_panic() {
    let mut bytes = fs::read(photo("p010000")).unwrap();
    for at in (200..bytes.len() - 2).step_by(97) {
        bytes[at] = bytes[at].wrapping_mul(31).wrapping_add(7);
    }
    let (_folder, path) = file("damaged.jpg", &bytes);
    let (reading, _) = reading(&path);
    assert!(!reading.reason.unwrap_or_default().contains("program failed"));
}

#[test]
fn a_truncated_png_is_called_damaged() {
    let bytes = encoded(GrayImage::from_pixel(300, 200, image::Luma([90])).into(), ImageFormat::Png);
    let (_folder, path) = file("half.png", &bytes[..bytes.len() / 2]);
    assert_bad(&path, "damaged");
}

#[test]
fn a_picture_of_one_pixel_is_too_small() {
    let (_folder, path) = file("dot.png", &encoded(RgbaImage::new(1, 1).into(), ImageFormat::Png));
    assert_bad(&path, "1 × 1 px");
}

#[test]
fn a_heic_photo_is_told_what_to_do() {
    let (_folder, path) = file("IMG_0001.HEIC", b"\0\0\0\x24ftypheic\0\0\0\0mif1heic and so on");
    assert_bad(&path, "HEIC");
    assert!(reading(&path).0.advice.unwrap().contains("JPEG"));
    // Where libheif's program is not installed, what to install.
    let output = program().args(["score", "--json"]).arg(&path).env("PATH", "").output().unwrap();
    let reading: Reading = serde_json::from_slice(&output.stdout).unwrap();
    assert!(reading.reason.unwrap().contains("heif-convert, which decodes it, is not installed"));
    assert!(reading.advice.unwrap().contains("libheif-examples"));
}

#[test]
fn a_heic_photo_in_a_folder_is_not_skipped() {
    let (folder, _) = file("IMG_0001.HEIC", b"\0\0\0\x24ftypheic\0\0\0\0mif1heic and so on");
    assert!(reading(folder.path()).0.reason.unwrap().starts_with("the file is a HEIC picture"));
}

#[test]
fn a_folder_without_photos_says_so() {
    let (folder, _) = file("notes.txt", b"nothing to see\n");
    assert_bad(folder.path(), "holds no photos");
    fs::create_dir(folder.path().join("inside")).unwrap();
    assert!(reading(folder.path()).0.advice.unwrap().contains("--recursive"));
}

#[test]
fn sixteen_bit_grey_alpha_and_palette_pictures_are_decoded() {
    let rgb16 = DynamicImage::ImageRgb16(image::ImageBuffer::from_pixel(300, 200, image::Rgb([40_000, 30_000, 20_000])));
    let grey16 = DynamicImage::ImageLuma16(image::ImageBuffer::from_pixel(300, 200, image::Luma([40_000])));
    let grey_alpha: DynamicImage = GrayAlphaImage::from_pixel(300, 200, image::LumaA([90, 128])).into();
    let alpha: DynamicImage = RgbaImage::from_pixel(300, 200, Rgba([10, 200, 10, 0])).into();
    let grey: DynamicImage = GrayImage::from_pixel(300, 200, image::Luma([90])).into();
    for image in [rgb16, grey16, grey_alpha, alpha, grey] {
        let (_folder, path) = file("picture.png", &encoded(image, ImageFormat::Png));
        let (reading, code) = reading(&path);
        assert_eq!((reading.width, reading.height), (300, 200), "{reading:?}");
        assert_ne!(code, 2);
    }
    let (_folder, path) = file("palette.gif", &encoded(RgbaImage::new(300, 200).into(), ImageFormat::Gif));
    assert_eq!(reading(&path).0.width, 300);
}

#[test]
fn a_picture_of_a_hundred_megapixels_is_read() {
    let picture = GrayImage::from_pixel(10_000, 10_000, image::Luma([120]));
    let mut bytes = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new_with_quality(
        &mut bytes,
        image::codecs::png::CompressionType::Fast,
        image::codecs::png::FilterType::NoFilter,
    );
    picture.write_with_encoder(encoder).unwrap();
    let (_folder, path) = file("huge.png", &bytes);
    // As long as it takes, without optimisation and beside all the other tests.
    let output = program().args(["score", "--json", "--timeout", "3000"]).arg(&path).output().unwrap();
    let (reading, code): (Reading, _) = (serde_json::from_slice(&output.stdout).unwrap(), output.status.code().unwrap());
    assert_eq!((reading.width, reading.height), (10_000, 10_000), "{reading:?}");
    assert_ne!(code, 2);
}

#[test]
fn a_picture_beyond_the_limit_is_refused_before_it_is_decoded() {
    // A PNG header that promises 40 gigapixels, and nothing behind it.
    let mut header = b"IHDR".to_vec();
    header.extend(200_000u32.to_be_bytes());
    header.extend(200_000u32.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.extend(13u32.to_be_bytes());
    png.extend(&header);
    png.extend(crc32(&header).to_be_bytes());
    png.extend(0u32.to_be_bytes());
    png.extend(b"IDAT");
    png.extend(crc32(b"IDAT").to_be_bytes());
    let (_folder, path) = file("bomb.png", &png);
    assert_bad(&path, "40000 megapixels");
}

/// The checksum of PNG chunks (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    })
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_told_apart_from_a_missing_one() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = file("secret.jpg", b"\xFF\xD8\xFF");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything; then the same file is a broken JPEG.
    let readable = fs::File::open(&path).is_ok();
    assert_bad(&path, if readable { "breaks off" } else { "cannot be read" });
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_are_refused_and_not_waited_for() {
    let folder = tempdir().unwrap();
    let pipe = folder.path().join("pipe.jpg");
    assert!(Process::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_bad(&pipe, "this is a pipe, a file is needed");
    let socket = folder.path().join("socket.jpg");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_bad(&socket, "this is a socket");
    assert_bad(Path::new("/dev/zero"), "this is a device");
    // In a folder too.
    let output = program().args(["score", "--json"]).arg(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    // And as evidence, or where results are to go.
    let dir = folder.path().join("match");
    program().args(["match", "new", "--variant", "points", "--turns", "1", "--players", "A"]).arg(&dir).assert().success();
    program()
        .args(["match", "add", "--player", "A"])
        .arg(&dir)
        .arg(&pipe)
        .assert()
        .code(2)
        .stderr(contains("this is a pipe").and(contains("nothing was changed")));
    program().args(["verify", "--points", "3"]).arg(&pipe).assert().code(2).stderr(contains("this is a pipe"));
}

#[test]
fn an_unwritable_output_folder_is_told_before_the_work_starts() {
    let (_folder, path) = file("not-a-folder", b"");
    program()
        .args(["score", &photo("p010000"), "--annotate"])
        .arg(path.join("scored"))
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("--annotate").and(contains("cannot be written to")).and(contains("takes for a folder is a file")));
    program()
        .args(["score", &photo("p010000"), "--annotate"])
        .arg(&path)
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("not-a-folder").and(contains("a file is in its place; give another name")));
    program()
        .args(["score", &photo("p010000"), "--csv"])
        .arg(path.join("scores.csv"))
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("--csv: cannot write").and(contains("scores.csv")));
    let missing = _folder.path().join("missing");
    program()
        .args(["score", &photo("p010000"), "--csv"])
        .arg(missing.join("scores.csv"))
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains(format!("there is no folder {}; make it first", missing.display())));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_the_files_name() {
    program()
        .args(["score", &photo("p010087"), "--csv", "/dev/full"])
        .assert()
        .code(2)
        .stderr(contains("cannot write /dev/full: ").and(contains("make room on that disk")));
}

#[test]
fn exif_orientation_is_applied_once() {
    let upright = fs::read(photo("p010000")).unwrap();
    // Orientation 6: the camera was turned, the picture must be turned clockwise.
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0".to_vec();
    exif.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]);
    let mut turned = vec![0xFF, 0xD8, 0xFF, 0xE1];
    turned.extend(((exif.len() + 2) as u16).to_be_bytes());
    turned.extend(&exif);
    turned.extend(&upright[2..]);
    let (_folder, path) = file("turned.jpg", &turned);
    let (reading, _) = reading(&path);
    assert_eq!((reading.width, reading.height), (608, 816));
}

// Evaluation

#[test]
fn evaluate_prints_tables_and_writes_a_row_for_each_picture() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("pictures.csv");
    program()
        .args(["evaluate", "testdata", "--csv"])
        .arg(&path)
        .assert()
        .success()
        .stdout(contains("inside the envelope").and(contains("distractors")).and(contains("decode")));
    let rows = csv::Reader::from_path(path).unwrap().into_records().count();
    assert!(rows >= 24);
}

#[test]
fn evaluate_prints_json() {
    let output = program().args(["evaluate", "testdata", "--json"]).output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["all"]["pictures"], value["pictures"].as_array().unwrap().len());
    assert!(value["by_kind"]["pyramid"]["pictures"].as_u64().unwrap() > 0);
}

#[test]
fn evaluate_without_truth_is_nothing_to_do() {
    let folder = tempdir().unwrap();
    fs::copy(photo("p010000"), folder.path().join("a.jpg")).unwrap();
    program().arg("evaluate").arg(folder.path()).assert().code(2).stderr(contains("NAME.json"));
    program().args(["evaluate", "no/such/folder"]).assert().code(2).stderr(contains("not a folder"));
}

#[test]
fn a_ledger_that_fell_is_an_exit_code_of_one() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("ledger.toml");
    let run = |more: &[&str]| {
        let mut command = program();
        command.args(["evaluate", "testdata", "--ledger"]).arg(&path).args(more);
        command.assert()
    };
    run(&[]).code(2).stderr(contains("no section `testdata`"));
    run(&["--write"]).success();
    run(&[]).success().stderr(contains("as in section"));
    let text = fs::read_to_string(&path).unwrap();
    let mut wished = fs::File::create(&path).unwrap();
    wished.write_all(text.replace("most_unread = ", "most_unread = 0 # ").as_bytes()).unwrap();
    let exact = text.contains("most_unread = 0");
    if !exact {
        run(&[]).code(1).stderr(contains("fell"));
    }
}

// What counts

#[test]
fn the_stricter_option_is_offered_and_described() {
    program().args(["score", "--help"]).assert().success().stdout(contains("--void-overhang").and(contains("voids the whole")));
}

#[test]
fn advice_is_not_given_twice() {
    let grey = GrayImage::from_fn(400, 300, |x, y| image::Luma([100 + ((x * 7 + y * 13) % 5) as u8]));
    let (_folder, path) = file("table.png", &encoded(grey.into(), ImageFormat::Png));
    let (reading, _) = reading(&path);
    let (reason, advice) = (reading.reason.unwrap(), reading.advice.unwrap());
    assert_eq!(reading.status, Status::Unreadable);
    assert!(!reason.contains("show the") && advice.contains("shows the whole felt"), "{reason} / {advice}");
}

#[test]
fn annotated_pictures_may_lie_beside_their_photos() {
    let folder = tempdir().unwrap();
    fs::copy(photo("p010087"), folder.path().join("a.jpg")).unwrap();
    fs::write(folder.path().join("notes.txt"), "no photo").unwrap();
    for round in 0..2 {
        let output = program().args(["score", "--json", "-v"]).arg(folder.path()).arg("--annotate").arg(folder.path()).output();
        let output = output.unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1, "round {round}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("notes.txt: it holds text"), "{told}");
        assert_eq!(told.contains("a.scored.jpg: it is an annotated picture"), round == 1, "{told}");
    }
    // By name as well, as `*.jpg` gives it; alone it is told what it is.
    program()
        .args(["score", "a.jpg", "a.scored.jpg"])
        .current_dir(folder.path())
        .assert()
        .stderr(contains("skipped 1 annotated picture that pyrameeple wrote (-v names them)"));
    assert_bad(&folder.path().join("a.scored.jpg"), "not a photo");
}

// Matches and disputes, with the program's own reader

#[test]
fn a_page_can_be_written_about_a_photo_of_no_match() {
    let folder = tempdir().unwrap();
    let page = folder.path().join("page.html");
    program()
        .args(["verify", &photo("p010087"), "--against", "9,9,9", "--report"])
        .arg(&page)
        .assert()
        .code(1)
        .stdout(contains("does not hold"))
        .stderr(contains("Written: "));
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("The claim of 9·9·9 (54 points) does not hold") && html.contains("data:image/"));
    program().args(["verify", &photo("p010087"), "--report"]).arg(&page).assert().code(predicate::ne(2));
    assert!(!fs::read_to_string(&page).unwrap().contains("claim"));
}

#[test]
fn a_claim_that_is_no_list_of_rows_is_refused() {
    for rows in ["", "5,,4", "5,4,", "five"] {
        program()
            .args(["verify", &photo("p010087"), &format!("--against={rows}")])
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains("is not a list of rows"));
    }
}

#[test]
fn tunables_can_be_given_where_photos_are_added_and_verified() {
    let folder = tempdir().unwrap();
    let dir = folder.path().join("match");
    let params = folder.path().join("params.toml");
    fs::write(&params, "[capture]\nmax_megapixels = 0.1\n").unwrap();
    program().args(["match", "new", "--variant", "points", "--turns", "1", "--players", "A"]).arg(&dir).assert().success();
    let add = |params: Option<&Path>| {
        let mut command = program();
        command.args(["match", "add", "--player", "A"]).arg(&dir).arg(photo("p010087"));
        params.map(|params| command.arg("--params").arg(params));
        command.assert()
    };
    add(Some(&params)).code(2).stderr(contains("at most 0"));
    add(None).code(predicate::ne(2));
    program().arg("verify").arg(&dir).assert().code(0);
    // The record is read with its own tunables, unless others are asked for.
    program()
        .arg("verify")
        .arg(&dir)
        .arg("--params")
        .arg(&params)
        .assert()
        .code(1)
        .stdout(contains("cannot read").and(contains("read with the tunables in")));
    fs::write(&params, "[captur]\n").unwrap();
    program().arg("verify").arg(&dir).arg("--params").arg(&params).assert().code(2).stderr(contains("unknown key"));
}

#[test]
fn a_file_is_no_match_and_that_is_said_once() {
    let (_folder, path) = file("match.txt", b"text");
    let output = program().args(["match", "show"]).arg(&path).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("is not a match") && told.matches("match.txt").count() == 1, "{told}");
    assert!(!told.contains("os error"), "{told}");
}

// For shells

#[test]
fn completions_and_the_manual_can_be_printed() {
    program().args(["completions", "bash"]).assert().success().stdout(contains("pyrameeple"));
    program().arg("man").assert().success().stdout(contains(".TH"));
    let folder = tempdir().unwrap();
    program().arg("man").arg(folder.path()).assert().success();
    for page in ["pyrameeple.1", "pyrameeple-score.1", "pyrameeple-verify.1", "pyrameeple-match-add.1"] {
        assert!(fs::read_to_string(folder.path().join(page)).unwrap().contains(".SH SYNOPSIS"), "{page}");
    }
    program().args(["man", "no/such/folder"]).assert().code(2).stderr(contains("cannot write no/such/folder"));
}

// The live program

/// This program alone in a folder, run there with nothing on the PATH.
#[cfg(unix)]
fn alone(folder: &Path) -> Command {
    let copy = folder.join("pyrameeple");
    fs::copy(cargo_bin!("pyrameeple"), &copy).unwrap();
    let mut command = Command::new(copy);
    command.env("PATH", "").current_dir(folder);
    command
}

#[cfg(unix)]
#[test]
fn without_the_live_program_it_is_said_how_to_get_it() {
    let folder = tempdir().unwrap();
    for command in ["live", "cameras"] {
        let said = alone(folder.path()).arg(command).assert().code(2);
        said.stderr(contains("there is no pyrameeple-live beside this program").and(contains("make install")));
    }
}

#[cfg(unix)]
#[test]
fn everything_behind_live_is_for_the_live_program_beside_this_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().unwrap();
    let other = folder.path().join("pyrameeple-live");
    fs::write(&other, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    let said = alone(folder.path()).args(["live", "my match", "--source", "0", "--help", "-x"]).assert().code(7);
    said.stdout("<my match><--source><0><--help><-x>");
    alone(folder.path()).arg("cameras").assert().code(7).stdout("<--list-cameras>");
}

#[test]
fn a_photo_on_its_side_is_not_read_but_told_how_to_turn() {
    let (folder, upright) = (tempdir().unwrap(), image::open(photo("p010029")).unwrap());
    let path = folder.path().join("turned.png");
    for (turned, told) in [
        (upright.rotate90(), "a quarter to the left"),
        (upright.rotate180(), "upside down"),
        (upright.rotate270(), "a quarter to the right"),
    ] {
        turned.save(&path).unwrap();
        let (reading, code) = reading(&path);
        assert_eq!(code, 1, "{reading:?}");
        let advice = reading.advice.unwrap_or_default();
        assert!(advice.starts_with("turn the photo") && advice.contains(told), "{told}: {advice}");
    }
}
