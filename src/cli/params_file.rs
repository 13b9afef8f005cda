//! `--params FILE`: tunables from TOML, where an unknown key is a mistake and not a wish ignored.

use std::{fs, path::Path};

use anyhow::{Context, bail};
use toml::{Table, Value};

use crate::params::Params;

/// The tunables in the file at `path`, over the defaults; the defaults when there is none.
pub fn load(path: Option<&Path>) -> anyhow::Result<Params> {
    let Some(path) = path else { return Ok(Params::default()) };
    let text = fs::read_to_string(path).with_context(|| format!("--params {}: the file cannot be read", path.display()))?;
    parse(&text).with_context(|| format!("--params {}", path.display()))
}

/// Every tunable with its default.
pub fn defaults() -> String {
    toml::to_string_pretty(&Params::default()).unwrap_or_default()
}

fn parse(text: &str) -> anyhow::Result<Params> {
    let given: Table = toml::from_str(text)?;
    let known = Table::try_from(Params::default())?;
    let mut unknown = Vec::new();
    find_unknown(&given, &known, "", &mut unknown);
    if !unknown.is_empty() {
        let list = unknown.iter().map(|(key, nearest)| format!("`{key}` (nearest: `{nearest}`)"));
        let noun = if unknown.len() == 1 { "unknown key" } else { "unknown keys" };
        bail!("{noun} {}", list.collect::<Vec<_>>().join(", "));
    }
    // From the text, so that a value of the wrong kind is reported with its line.
    Ok(toml::from_str(text)?)
}

/// Collects the keys of `given` that `known` lacks, each with the known key that looks most like it.
fn find_unknown(given: &Table, known: &Table, prefix: &str, unknown: &mut Vec<(String, String)>) {
    for (key, value) in given {
        match (known.get(key), value) {
            (Some(Value::Table(known)), Value::Table(given)) => find_unknown(given, known, &format!("{prefix}{key}."), unknown),
            (Some(_), _) => {}
            (None, _) => {
                let likeness = |name: &str| strsim::jaro_winkler(name, key);
                let nearest = known.keys().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
                unknown.push((format!("{prefix}{key}"), format!("{prefix}{}", nearest.map_or("", String::as_str))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_replace_defaults() {
        let params = parse("[capture]\nmax_megapixels = 12.5\n").unwrap();
        assert_eq!(params.capture.max_megapixels, 12.5);
        assert_eq!(params.capture.min_side_px, Params::default().capture.min_side_px);
    }

    #[test]
    fn an_unknown_key_is_named_with_the_nearest_known_one() {
        let error = format!("{:#}", parse("[capture]\nmax_megapixel = 12\n").unwrap_err());
        assert!(error.contains("`capture.max_megapixel`") && error.contains("`capture.max_megapixels`"), "{error}");
        let error = format!("{:#}", parse("[captur]\nmax_megapixels = 12\n").unwrap_err());
        assert!(error.contains("`captur` (nearest: `capture`)"), "{error}");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_an_error() {
        let error = format!("{:#}", parse("[capture]\nmax_megapixels = \"twelve\"\n").unwrap_err());
        assert!(error.contains("max_megapixels"), "{error}");
    }

    #[test]
    fn the_printed_defaults_can_be_read_back() {
        assert_eq!(parse(&defaults()).unwrap(), Params::default());
    }
}
