//! What holds for every match, tried on thousands of made-up ones.

use std::collections::BTreeMap;

use proptest::prelude::*;
use pyrameeple::{
    matchplay::{
        AllFail, Built, Correction, Event, LateRule, Match, Options, OutReason, Overhang, Phase, Player, Round, Setup, TurnOrder,
        Variant,
    },
    rules::{self, Demand},
};

const NAMES: [&str; 5] = ["Anna", "Ben", "Cem", "李雷", "Nobody"];

fn any_rows() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        4 => (1usize..7).prop_map(rules::full_triangle),
        2 => prop::collection::vec(1usize..7, 0..6),
        // Rows that must be refused, not choked on.
        1 => prop::collection::vec(prop_oneof![Just(0usize), 1usize..200, Just(usize::MAX)], 0..40),
    ]
}

fn any_round() -> impl Strategy<Value = Round> {
    (prop_oneof![6 => 0u32..5, 1 => Just(u32::MAX)], prop_oneof![6 => 0u32..2, 1 => Just(u32::MAX)])
        .prop_map(|(number, replay)| Round { number, replay })
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![9 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned), 1 => ".*"]
}

fn any_correction() -> impl Strategy<Value = Correction> {
    (any_rows(), prop::option::of(any::<bool>()), "[a-z ]{0,5}").prop_map(|(rows, late, reason)| Correction {
        rows,
        late,
        reason,
        ..Correction::default()
    })
}

fn any_event() -> impl Strategy<Value = Event> {
    let built = (any_name(), any_rows(), prop::option::weighted(0.1, any_correction()))
        .prop_map(|(player, rows, correction)| Built { player, rows, correction });
    prop_oneof![
        6 => (any_round(), prop::collection::vec(built, 0..3), any::<bool>())
            .prop_map(|(round, results, late)| Event::Built { round, results, late }),
        1 => (any_round(), any_name()).prop_map(|(round, player)| Event::Missed { round, player, reason: None }),
        2 => (any_round(), any_name(), any_correction())
            .prop_map(|(round, player, correction)| Event::Corrected { round, player, correction }),
        1 => (any_round(), any_name(), prop::option::of(any_name())).prop_map(|(round, by, of)| Event::Destroyed { round, by, of }),
        1 => (any_round(), any_name()).prop_map(|(round, player)| Event::Forfeited { round, player, reason: None }),
        2 => Just(Event::Undone),
    ]
}

prop_compose! {
    fn any_setup()(
        higher in any::<bool>(), players in 1usize..5, turns in 1u32..4, shared in any::<bool>(), late in any::<bool>(),
        at_least in any::<bool>(), again in any::<bool>(), listed in any::<bool>(),
    ) -> Setup {
        Setup {
            variant: if higher { Variant::Higher } else { Variant::Points },
            players: NAMES[..players].iter().map(|n| Player { name: n.to_string(), colours: vec![format!("colour of {n}")] }).collect(),
            turns: (!higher).then_some(turns),
            shared_playmat: shared,
            options: Options {
                seconds: 60,
                late: if late { LateRule::Scored } else { LateRule::NotScored },
                overhang: Overhang::default(),
                demand: if at_least { Demand::AtLeast } else { Demand::FullTriangle },
                all_fail: if again { AllFail::PlayAgain } else { AllFail::ShareTheWin },
                order: if listed { TurnOrder::Listed } else { TurnOrder::Any },
            },
        }
    }
}

/// An event that has a good chance to be accepted: as `event`, but in the open round and by the one who is next.
fn fitted(game: &Match, event: Event, pick: usize) -> Event {
    let (Some(open), waiting) = (game.round(), game.waiting()) else { return event };
    let someone = waiting[pick % waiting.len()].to_owned();
    match event {
        Event::Built { mut results, late, .. } => {
            results.truncate(1);
            results.iter_mut().for_each(|b| b.player.clone_from(&someone));
            Event::Built { round: open, results, late }
        }
        Event::Missed { reason, .. } => Event::Missed { round: open, player: someone, reason },
        Event::Destroyed { of, .. } => Event::Destroyed { round: open, by: someone, of },
        Event::Forfeited { reason, .. } => Event::Forfeited { round: open, player: someone, reason },
        other => other,
    }
}

/// Any sequence of events, most of them fitting; the refused ones must leave the match as it was.
fn played(setup: Setup, events: Vec<(Event, usize)>) -> Match {
    let mut game = Match::new(setup).unwrap();
    for (event, pick) in events {
        let event = if pick % 4 == 0 { event } else { fitted(&game, event, pick) };
        let before = game.clone();
        if game.apply(event).is_err() {
            assert_eq!(before, game, "a refused event changes nothing");
        }
    }
    game
}

fn any_game() -> impl Strategy<Value = Match> {
    (any_setup(), prop::collection::vec((any_event(), any::<usize>()), 0..40)).prop_map(|(setup, events)| played(setup, events))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_events_makes_the_program_panic(game in any_game()) {
        let standings = game.standings();
        prop_assert_eq!(standings.players.len(), game.setup().players.len());
        prop_assert_eq!(standings.outcome.is_none(), game.round().is_some());
        // What is over has a winner, unless the only player gave up.
        if let Phase::Finished { winners } = &game.table().phase {
            prop_assert!(!winners.is_empty() || game.setup().players.len() == 1);
        }
    }

    #[test]
    fn the_same_events_always_give_the_same_standings(game in any_game()) {
        let again = Match::replay(game.setup().clone(), game.events().to_vec()).unwrap();
        prop_assert_eq!(&again, &game);
        // Through their written form, too.
        let text = serde_json::to_string(game.events()).unwrap();
        let read: Vec<Event> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(Match::replay(game.setup().clone(), read).unwrap(), game);
    }

    #[test]
    fn undo_after_anything_is_the_identity(game in any_game(), event in any_event(), pick in any::<usize>()) {
        let mut after = game.clone();
        let event = fitted(&game, event, pick);
        if event != Event::Undone && after.apply(event).is_ok() {
            after.apply(Event::Undone).unwrap();
            prop_assert_eq!(after.table(), game.table());
            prop_assert_eq!(after.standings(), game.standings());
            prop_assert_eq!(after.in_force(), game.in_force());
        }
    }

    #[test]
    fn undoing_everything_leads_back_to_the_beginning(game in any_game()) {
        let mut back = game.clone();
        while back.apply(Event::Undone).is_ok() {}
        let fresh = Match::new(game.setup().clone()).unwrap();
        prop_assert_eq!(back.table(), fresh.table());
    }

    #[test]
    fn points_never_fall_when_a_legal_meeple_is_added(rows in prop::collection::vec(1usize..9, 0..9), row in 0usize..10) {
        let mut more = rows.clone();
        match more.get_mut(row) {
            Some(meeples) => *meeples += 1,
            None => more.push(1),
        }
        prop_assert!(rules::points(&more) > rules::points(&rows));
        prop_assert!(rules::check_rows(&more).is_ok());
        // Nor does a round's pyramid under the house option "at least" stop to be one.
        for round in 1..8 {
            let before = rules::is_rounds_pyramid(&rows, round, Demand::AtLeast);
            prop_assert!(!before || rules::is_rounds_pyramid(&more, round, Demand::AtLeast));
        }
    }

    #[test]
    fn the_order_in_which_players_are_listed_and_results_come_in_does_not_matter(
        setup in any_setup(),
        rows in prop::collection::vec((any_rows(), any::<bool>()), 20),
        shuffle in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let n = setup.players.len();
        let order: Vec<usize> = shuffle.into_iter().filter(|&i| i < n).collect();
        let mut setup = setup;
        setup.options.order = TurnOrder::Any;
        let mut turned = setup.clone();
        turned.players = order.iter().map(|&i| setup.players[i].clone()).collect();
        let play = |setup: Setup, order: &[usize]| {
            let names: Vec<String> = NAMES[..n].iter().map(|n| n.to_string()).collect();
            let mut game = Match::new(setup).unwrap();
            for (number, built) in rows.chunks(n).take(5).enumerate() {
                for &player in order {
                    let Some((rows, late)) = built.get(player) else { continue };
                    let Some(round) = game.round() else { break };
                    let _ = number;
                    let rows = if rules::check_rows(rows).is_ok() { rows.clone() } else { vec![] };
                    let results = vec![Built { player: names[player].clone(), rows, correction: None }];
                    let _ = game.apply(Event::Built { round, results, late: *late });
                }
            }
            let by_name: BTreeMap<String, (usize, u32, Option<OutReason>, bool)> = game
                .standings().players.into_iter().map(|s| (s.player, (s.place, s.points, s.out.map(|o| o.reason), s.winner))).collect();
            (by_name, game.round())
        };
        let listed: Vec<usize> = (0..n).collect();
        prop_assert_eq!(play(setup, &listed), play(turned, &order));
    }

    #[test]
    fn rows_are_read_back_as_they_are_shown(rows in prop::collection::vec(1usize..9, 1..9)) {
        prop_assert_eq!(rules::parse_rows(&rules::show_rows(&rows)).unwrap(), rows);
    }

    #[test]
    fn no_text_given_as_rows_or_names_makes_the_program_panic(text in ".*") {
        let _ = rules::parse_rows(&text);
        let _ = Setup::new(Variant::Higher, [text.clone(), format!("{text} ")], None).check();
    }
}
