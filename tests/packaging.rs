//! What is promised about building and packaging is true.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The licence of each library that is built in on this system, by name and version.
fn licences() -> BTreeMap<String, String> {
    let target = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let target = String::from_utf8(target).unwrap();
    let target = target.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &target])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Those that come along in the program, not those that only build or test it.
    let mut wanted: Vec<&str> = metadata["workspace_members"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let mut built_in = BTreeMap::new();
    while let Some(id) = wanted.pop() {
        let package = metadata["packages"].as_array().unwrap().iter().find(|package| package["id"] == id).unwrap();
        let licence = package["license"].as_str().unwrap_or("none stated").to_owned();
        let name = format!("{} {}", package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        if built_in.insert(name, licence).is_some() {
            continue;
        }
        let node = metadata["resolve"]["nodes"].as_array().unwrap().iter().find(|node| node["id"] == id).unwrap();
        for dependency in node["deps"].as_array().unwrap() {
            if dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null()) {
                wanted.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    built_in
}

#[test]
fn every_library_that_is_built_in_has_a_licence_that_the_policy_allows() {
    let policy: toml::Table = read("deny.toml").parse().unwrap();
    let allowed: Vec<&str> = policy["licenses"]["allow"].as_array().unwrap().iter().filter_map(toml::Value::as_str).collect();
    let licences = licences();
    assert!(licences.len() > 50, "{} libraries", licences.len());
    let refused: Vec<String> = licences
        .iter()
        .filter(|(_, licence)| {
            let expression = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX);
            !expression.is_ok_and(|expression| expression.evaluate(|wanted| allowed.contains(&wanted.to_string().as_str())))
        })
        .map(|(name, licence)| format!("{name}: {licence}"))
        .collect();
    assert!(refused.is_empty(), "deny.toml does not allow: {refused:#?}");
}

/// `REGENERATE=1 cargo test --test packaging` writes the list anew.
#[test]
fn the_list_of_licences_names_every_library_that_is_built_in() {
    let mut by_licence: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, licence) in licences() {
        by_licence.entry(licence).or_default().push(name.split(' ').next().unwrap_or_default().to_owned());
    }
    let mut text = String::from(
        "# Libraries built into pyrameeple, by licence\n\nMade by `REGENERATE=1 cargo test --test packaging` on Linux. OpenCV \
         (Apache-2.0) is linked, not built in.\n",
    );
    for (licence, mut names) in by_licence {
        names.retain(|name| !name.starts_with("pyrameeple"));
        names.dedup();
        if !names.is_empty() {
            text.push_str(&format!("\n## {licence}\n\n{}\n", names.join(", ")));
        }
    }
    if std::env::var_os("REGENERATE").is_some() {
        fs::write(root().join("packaging/licences.md"), &text).unwrap();
    }
    // Other systems build in other libraries.
    if cfg!(target_os = "linux") {
        assert_eq!(read("packaging/licences.md"), text, "write the list anew: REGENERATE=1 cargo test --test packaging");
    }
}

#[test]
fn the_oldest_rust_is_the_same_wherever_it_is_named() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let rust = manifest["package"]["rust-version"].as_str().unwrap();
    assert!(read("scripts/setup.sh").contains(&format!("RUST={rust} ")), "scripts/setup.sh");
    assert!(read("README.md").contains(&format!("({rust} or newer)")), "README.md");
}

#[test]
fn everything_that_is_packaged_is_there_or_is_made() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let script = read("scripts/package.sh");
    for asset in manifest["package"]["metadata"]["deb"]["assets"].as_array().unwrap() {
        let source = asset[0].as_str().unwrap();
        match source.strip_prefix("target/") {
            Some(made) => assert!(script.contains(made.split('/').next().unwrap()), "{source}"),
            None => match source.strip_suffix("/*.txt") {
                Some(folder) => assert!(root().join(folder).is_dir(), "{source}"),
                None => assert!(root().join(source).is_file(), "{source}"),
            },
        }
    }
    let desktop = read("packaging/pyrameeple.desktop");
    assert!(desktop.contains("Exec=/usr/lib/pyrameeple/score-photos %F") && desktop.contains("Icon=pyrameeple"));
    let live = read("packaging/pyrameeple-live.desktop");
    assert!(live.contains("Exec=pyrameeple-live\n") && live.contains("Icon=pyrameeple"));
    // The desktop tells whose window it is by this name.
    assert!(live.contains("StartupWMClass=pyrameeple\n") && read("live/src/main.rs").contains("with_app_id(\"pyrameeple\")"));
}
