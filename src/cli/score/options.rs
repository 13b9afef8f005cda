//! The options that decide what is read in a photo. Results note them, so that a run with others does not add to the file.

use toml::{Table, Value};

use crate::{cli::ScoreArgs, params::Params};

/// The options of `args`, with `params`, that change results, as they may be typed; empty for the defaults.
pub fn noted(args: &ScoreArgs, params: &Params) -> String {
    let mut noted = Vec::new();
    if let Some(players) = &args.players {
        let players = players.iter().map(|player| format!("{}={}", player.name, player.colours.join("+")));
        noted.push(format!("--players {}", players.collect::<Vec<_>>().join(",")));
    }
    if args.void_overhang {
        noted.push("--void-overhang".to_owned());
    }
    let tables = (Table::try_from(params), Table::try_from(Params::default()));
    if let (Ok(given), Ok(defaults)) = tables {
        let mut changed = Vec::new();
        collect_changed("", &given, &defaults, &mut changed);
        if !changed.is_empty() {
            noted.push(format!("--params with {}", changed.join(", ")));
        }
    }
    noted.join(" ")
}

/// Collects `key = value` of what in `given` is not as in `defaults`.
fn collect_changed(prefix: &str, given: &Table, defaults: &Table, changed: &mut Vec<String>) {
    for (key, value) in given {
        match (value, defaults.get(key)) {
            (Value::Table(given), Some(Value::Table(defaults))) => {
                collect_changed(&format!("{prefix}{key}."), given, defaults, changed);
            }
            (value, default) if default != Some(value) => changed.push(format!("{prefix}{key} = {value}")),
            _ => {}
        }
    }
}

/// The options noted as `noted`, for a sentence.
pub fn shown(noted: &str) -> &str {
    if noted.is_empty() { "the default options" } else { noted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn options_that_change_results_are_noted_and_others_are_not() {
        let noted = |typed: &[&str], params: &Params| {
            let cli = Cli::parse_from([&["pyrameeple", "score", "a.jpg"], typed].concat());
            let Command::Score(args) = cli.command else { panic!("score was typed") };
            noted(&args, params)
        };
        assert_eq!(noted(&["--jobs", "3", "--json", "-v", "--timeout", "9"], &Params::default()), "");
        let mut params = Params::default();
        params.capture.max_megapixels = 12.5;
        params.doubt.fit = 0.25;
        assert_eq!(
            noted(&["--players", "Ann=RED,Bo=blue+gray", "--void-overhang"], &params),
            "--players Ann=red,Bo=blue+grey --void-overhang --params with capture.max_megapixels = 12.5, doubt.fit = 0.25"
        );
    }
}
