//! The scoreboard of a match.

use serde::Serialize;

use super::{Match, Out, Phase, Round, Variant};

/// One line of the scoreboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Place, from 1; equal places are shared.
    pub place: usize,
    /// Who.
    pub player: String,
    /// Sum of the points of all turns that score.
    pub points: u32,
    /// Variant 2: how many rounds' pyramids were built; `None` in variant 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds_built: Option<usize>,
    /// When and why the player is out; `None` for those still in.
    pub out: Option<Out>,
    /// Whether the player has won, alone or with others.
    pub winner: bool,
}

/// The scoreboard, and what is to happen next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standings {
    /// Which game.
    pub variant: Variant,
    /// Best first; players of equal place in the order of the list.
    pub players: Vec<Standing>,
    /// The round being played; `None` when the match is finished.
    pub round: Option<Round>,
    /// Who has no result in it yet, in the order of the list.
    pub waiting: Vec<String>,
    /// Who won, in words; `None` while the match is being played.
    pub outcome: Option<String>,
}

impl Standings {
    pub(super) fn of(game: &Match) -> Self {
        let (setup, table) = (game.setup(), game.table());
        let winners: &[usize] = match &table.phase {
            Phase::Finished { winners } => winners,
            Phase::Playing { .. } => &[],
        };
        // Ahead of everything stands having won, then being in; those out rank by how long they lasted.
        type Key = (bool, bool, Option<Round>, u32);
        let mut keyed: Vec<(Key, Standing)> = setup
            .names()
            .enumerate()
            .map(|(index, name)| {
                let turns = table.turns.values().filter(|t| t.player == index);
                let points = turns.clone().map(|t| t.points(&setup.options)).fold(0, u32::saturating_add);
                let built = turns.filter(|t| t.passes(&setup.options)).count();
                let (out, winner) = (table.out[index], winners.contains(&index));
                let ranked_points = if setup.variant == Variant::Points { points } else { 0 };
                let key = (winner, out.is_none(), out.map(|o| o.round), ranked_points);
                let rounds_built = (setup.variant == Variant::Higher).then_some(built);
                (key, Standing { place: 0, player: name.to_owned(), points, rounds_built, out, winner })
            })
            .collect();
        keyed.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
        let keys: Vec<Key> = keyed.iter().map(|(key, _)| *key).collect();
        let players = keyed
            .into_iter()
            .map(|(key, standing)| Standing { place: 1 + keys.iter().filter(|k| **k > key).count(), ..standing })
            .collect();
        Self {
            variant: setup.variant,
            players,
            round: game.round(),
            waiting: game.waiting().into_iter().map(str::to_owned).collect(),
            outcome: game.outcome(),
        }
    }

    /// The line of `player`.
    pub fn of_player(&self, player: &str) -> Option<&Standing> {
        self.players.iter().find(|s| s.player == player)
    }
}
