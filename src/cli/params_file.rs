//! `--params FILE`: tunables from TOML, where an unknown key is a mistake and not a wish ignored.

use std::{fs, path::Path};

use anyhow::{Context, anyhow, bail};
use toml::{
    Table, Value,
    de::{DeTable, DeValue},
};

use crate::{
    params::Params,
    trouble::{Doing, cannot},
};

/// The tunables in the file at `path`, over the defaults; the defaults when there is none.
pub fn load(path: Option<&Path>) -> anyhow::Result<Params> {
    let Some(path) = path else { return Ok(Params::default()) };
    let text = fs::read_to_string(path)
        .map_err(|error| anyhow!("--params: {}; {SEE_DEFAULTS}", cannot(Doing::Reading, path, &error)))?;
    parse(&text).with_context(|| format!("--params {}", path.display()))
}

/// Where to look up what can be written into the file.
const SEE_DEFAULTS: &str = "`pyrameeple params` prints every key with its default";

/// Every tunable with its default.
pub fn defaults() -> String {
    toml::to_string_pretty(&Params::default()).unwrap_or_default()
}

/// The tunables in `text`, over the defaults.
pub fn parse(text: &str) -> anyhow::Result<Params> {
    let given = DeTable::parse(text).map_err(|error| anyhow!("{}\n{SEE_DEFAULTS}", error.to_string().trim_end()))?;
    let known = Table::try_from(Params::default())?;
    let mut unknown = Vec::new();
    find_unknown(given.get_ref(), &known, "", &mut unknown);
    if !unknown.is_empty() {
        // In the order of the file, not of the alphabet.
        unknown.sort_by_key(|key| key.at);
        let list = unknown.iter().map(|Unknown { at, name, nearest }| {
            let line = 1 + text[..*at].matches('\n').count();
            format!("line {line}: unknown key `{name}` (nearest: `{nearest}`)")
        });
        bail!("{}; {SEE_DEFAULTS}", list.collect::<Vec<_>>().join(", "));
    }
    // From the text, so that a value of the wrong kind is reported with its line.
    toml::from_str(text).map_err(|error| anyhow!("{}\n{SEE_DEFAULTS}", error.to_string().trim_end()))
}

/// A key that no tunable has.
struct Unknown {
    /// Where it stands in the text, bytes from its start.
    at: usize,
    /// With the names of the tables around it.
    name: String,
    /// The known key that looks most like it.
    nearest: String,
}

/// Collects the keys of `given` that `known` lacks.
fn find_unknown(given: &DeTable, known: &Table, prefix: &str, unknown: &mut Vec<Unknown>) {
    for (spanned, value) in given {
        let key = spanned.get_ref().as_ref();
        match (known.get(key), value.get_ref()) {
            (Some(Value::Table(known)), DeValue::Table(given)) => find_unknown(given, known, &format!("{prefix}{key}."), unknown),
            (Some(_), _) => {}
            (None, _) => {
                let likeness = |name: &str| strsim::jaro_winkler(name, key);
                let nearest = known.keys().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
                unknown.push(Unknown {
                    at: spanned.span().start,
                    name: format!("{prefix}{key}"),
                    nearest: format!("{prefix}{}", nearest.map_or("", String::as_str)),
                });
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
    fn unknown_keys_are_told_with_their_lines_and_where_to_look() {
        let error = format!("{:#}", parse("# mine\n[pose]\nzoom = 1\n\n[capture]\nsize = 3\n").unwrap_err());
        let (pose, capture) = (error.find("line 3: unknown key `pose.zoom`"), error.find("line 6: unknown key `capture.size`"));
        assert!(pose.is_some() && pose < capture && error.contains("`pyrameeple params`"), "{error}");
    }

    #[test]
    fn a_mistake_of_syntax_is_told_with_its_line_and_where_to_look() {
        let error = format!("{:#}", parse("[capture]\nmax_megapixels = = 3\n").unwrap_err());
        assert!(error.contains("line 2") && error.contains("`pyrameeple params`"), "{error}");
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
