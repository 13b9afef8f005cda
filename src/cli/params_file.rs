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
    let params: Params = toml::from_str(text).map_err(|error| anyhow!("{}\n{SEE_DEFAULTS}", error.to_string().trim_end()))?;
    check("", &Value::try_from(&params)?, &Value::Table(known))?;
    Ok(params)
}

/// Tunables that make no sense at 0; those of the tables `capture` and `pose` don't either.
const ABOVE_ZERO: [&str; 11] = [
    "pieces.meeple_px",
    "pieces.most_scale",
    "pieces.outline_step_mm",
    "pieces.edge_blur_px",
    "pieces.step_mm",
    "pieces.sizes",
    "playmat.small_pixels",
    "playmat.second_pixels",
    "playmat.coarseness",
    "playmat.quads",
    "playmat.sheets",
];

/// A value is a mistake when it is this many times its default: the unit is another.
const MOST_TIMES: f64 = 100.0;

/// Refuses numbers that no stage can work with: not numbers, of the wrong sign, far off, ranges upside down, empty lists.
fn check(name: &str, given: &Value, default: &Value) -> anyhow::Result<()> {
    match (given, default) {
        (Value::Table(given), Value::Table(defaults)) => {
            let dot = if name.is_empty() { "" } else { "." };
            given
                .iter()
                .filter_map(|(key, value)| Some((key, value, defaults.get(key)?)))
                .try_for_each(|(key, value, default)| check(&format!("{name}{dot}{key}"), value, default))
        }
        (Value::Array(given), Value::Array(defaults)) => {
            let Some(first) = defaults.first() else { return Ok(()) };
            if given.is_empty() {
                bail!("`{name}` is empty; at least one number is needed; {SEE_DEFAULTS}");
            }
            let ranges = ["pieces.sizes", "pose.hfov_degrees", "doubt.elevation_degrees"];
            if ranges.contains(&name) && given.first().and_then(number) > given.last().and_then(number) {
                bail!("`{name}` is the least and the most, in this order; {SEE_DEFAULTS}");
            }
            given.iter().enumerate().try_for_each(|(i, value)| check(name, value, defaults.get(i).unwrap_or(first)))
        }
        _ => {
            let (Some(value), Some(default)) = (number(given), number(default)) else { return Ok(()) };
            let above_zero = ABOVE_ZERO.contains(&name) || name.starts_with("capture.") || name.contains("pose.");
            let most = MOST_TIMES * default.abs();
            if !value.is_finite() {
                bail!("`{name}` must be a finite number, not {value}; {SEE_DEFAULTS}");
            }
            if default > 0.0 && (value < 0.0 || above_zero && value == 0.0) {
                let least = if above_zero { "above 0" } else { "0 or more" };
                bail!("`{name}` must be {least}, not {}; {SEE_DEFAULTS}", shown(value));
            }
            if default != 0.0 && value.abs() > most {
                bail!("`{name}` can be at most {}, not {}; {SEE_DEFAULTS}", shown(most), shown(value));
            }
            Ok(())
        }
    }
}

/// `value` to six digits: what sums and 32-bit numbers leave behind is nothing that anybody wrote.
fn shown(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
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
    fn numbers_that_no_stage_can_work_with_are_refused_by_name() {
        for (text, name) in [
            ("[pieces]\nmeeple_px = -1", "pieces.meeple_px"),
            ("[pieces]\nmeeple_px = 0", "pieces.meeple_px"),
            ("[pieces]\nmeeple_px = 1e9", "pieces.meeple_px"),
            ("[pieces]\nmost_scale = 0", "pieces.most_scale"),
            ("[pieces]\nsizes = [1.25, 0.9]", "pieces.sizes"),
            ("[layout]\nworth = nan", "layout.worth"),
            ("[doubt]\nfit = inf", "doubt.fit"),
            ("[playmat]\ncoarseness = []", "playmat.coarseness"),
            ("[playmat]\nquads = 0", "playmat.quads"),
            ("[playmat.pose]\ndistance_mm = -1", "playmat.pose.distance_mm"),
            ("[pose]\nhfov_degrees = [0, 0]", "pose.hfov_degrees"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(name) && error.contains(SEE_DEFAULTS), "{text}: {error}");
        }
        let error = parse("[pieces]\nnoise_factor = 1e12").unwrap_err().to_string();
        assert!(error.contains("at most 120, not 1000000000000;"), "{error}");
        assert!(parse("[pieces]\nagainst = 0\n[doubt]\nfit = 0.0\n[pose]\nk1 = [-0.1, 0.1]").is_ok());
        assert!(parse(&defaults()).is_ok());
    }

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
