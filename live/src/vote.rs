//! Several readings of one still picture vote by their rows; a disagreement makes the result unsure.

use pyrameeple::{
    matchplay::Setup,
    reading::{Reading, Status},
    record::built_rows,
    rules::show_score,
};

/// What the readings agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Index of the reading to go by.
    pub used: usize,
    /// What they disagree about, in words; `None` when they agree.
    pub disagreement: Option<String>,
    /// Indices of the readings worth keeping: the one to go by first, then one for each other opinion.
    pub kept: Vec<usize>,
}

/// What a reading says each player built; `None` when it is unreadable.
pub type Opinion = Option<Vec<Vec<usize>>>;

/// What `reading` says each of `players` built.
pub fn opinion(reading: &Reading, setup: &Setup, players: &[&str]) -> Opinion {
    players.iter().map(|player| built_rows(reading, setup, player)).collect()
}

/// The verdict of `readings` about what `players` built; `None` without readings.
pub fn vote(readings: &[&Reading], setup: &Setup, players: &[&str]) -> Option<Verdict> {
    let opinions: Vec<Opinion> = readings.iter().map(|reading| opinion(reading, setup, players)).collect();
    // Most votes win; unreadable ones only when there is nothing else. Of equal ones the surest, then the earliest.
    let rank = |index: usize| {
        let votes = opinions.iter().filter(|opinion| **opinion == opinions[index]).count();
        let trust = match readings[index].status {
            Status::Read => 2,
            Status::Unsure => 1,
            Status::Unreadable => 0,
        };
        (opinions[index].is_some(), votes, trust)
    };
    let better = |&a: &usize, &b: &usize| {
        rank(a).cmp(&rank(b)).then(readings[a].confidence.total_cmp(&readings[b].confidence)).then(b.cmp(&a))
    };
    let used = (0..readings.len()).max_by(better)?;
    let mut kept = vec![used];
    for index in 0..readings.len() {
        if kept.iter().all(|&k| opinions[k] != opinions[index]) {
            kept.push(index);
        }
    }
    let disagreement = (kept.len() > 1).then(|| {
        let parts: Vec<String> = kept
            .iter()
            .map(|&index| {
                let votes = opinions.iter().filter(|opinion| **opinion == opinions[index]).count();
                let verb = if votes == 1 { "shows" } else { "show" };
                match &opinions[index] {
                    None => format!("{votes} could not be read"),
                    Some(rows) if players.len() == 1 => format!("{votes} {verb} {}", show_score(&rows[0])),
                    Some(rows) => {
                        let each: Vec<String> =
                            players.iter().zip(rows).map(|(player, rows)| format!("{player} {}", show_score(rows))).collect();
                        format!("{votes} {verb} {}", each.join(", "))
                    }
                }
            })
            .collect();
        format!("of {} pictures taken one after the other {}", readings.len(), parts.join(", "))
    });
    Some(Verdict { used, disagreement, kept })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyrameeple::{matchplay::Variant, rules::score_of_rows};

    fn reading(rows: &[usize], confidence: f64) -> Reading {
        Reading {
            status: Status::Read,
            score: Some(score_of_rows(rows)),
            confidence,
            ..Reading::unreadable("", "no playmat found", "show the whole felt")
        }
    }

    fn of(readings: &[Reading]) -> Verdict {
        let setup = Setup::new(Variant::Points, ["Ann"], Some(1));
        vote(&readings.iter().collect::<Vec<_>>(), &setup, &["Ann"]).unwrap()
    }

    #[test]
    fn agreement_goes_by_the_surest() {
        let verdict = of(&[reading(&[3, 2], 0.7), reading(&[3, 2], 0.9), reading(&[3, 2], 0.8)]);
        assert_eq!(verdict, Verdict { used: 1, disagreement: None, kept: vec![1] });
    }

    #[test]
    fn the_majority_wins_and_the_disagreement_is_told() {
        let verdict = of(&[reading(&[3, 2], 0.9), reading(&[3, 2, 1], 0.5), reading(&[3, 2, 1], 0.6)]);
        assert_eq!((verdict.used, &verdict.kept[..]), (2, &[2, 0][..]));
        let told = verdict.disagreement.unwrap();
        assert!(told.contains("2 show 3·2·1 (10 points)") && told.contains("1 shows 3·2 (7 points)"), "{told}");
    }

    #[test]
    fn what_can_be_read_goes_before_what_cannot() {
        let blind = || Reading::unreadable("", "no playmat found", "");
        let verdict = of(&[blind(), blind(), reading(&[2], 0.5)]);
        assert_eq!(verdict.used, 2);
        assert!(verdict.disagreement.unwrap().contains("2 could not be read"));
        assert_eq!(of(&[blind(), blind()]).disagreement, None);
    }
}
