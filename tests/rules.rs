//! The rules, sentence by sentence: each test is named as the sentence it holds the program to.
//! Sentences about what is on the picture (standing up, connected) are held by the tests of the stages that see it.

use pyrameeple::{
    matchplay::{
        AllFail, Built, Correction, Event, LateRule, Match, OutReason, Phase, Player, Refusal, Round, Setup, SetupError, Variant,
    },
    reading::Pyramid,
    rules::{self, Demand},
};

fn points_match(names: &[&str], turns: u32) -> Match {
    Match::new(Setup::new(Variant::Points, names.iter().copied(), Some(turns))).unwrap()
}

fn higher_match(names: &[&str]) -> Match {
    Match::new(Setup::new(Variant::Higher, names.iter().copied(), None)).unwrap()
}

fn built(round: Round, player: &str, rows: &[usize], late: bool) -> Event {
    Event::Built { round, results: vec![Built { player: player.into(), rows: rows.into(), correction: None }], late }
}

/// Plays `rows` of `player` in the round that is open.
fn play(game: &mut Match, player: &str, rows: &[usize]) {
    let round = game.round().unwrap();
    game.apply(built(round, player, rows, false)).unwrap();
}

fn late(game: &mut Match, player: &str, rows: &[usize]) {
    let round = game.round().unwrap();
    game.apply(built(round, player, rows, true)).unwrap();
}

fn winners(game: &Match) -> Vec<String> {
    game.standings().players.iter().filter(|s| s.winner).map(|s| s.player.clone()).collect()
}

fn points_of(game: &Match, player: &str) -> u32 {
    game.standings().of_player(player).unwrap().points
}

fn out_of(game: &Match, player: &str) -> Option<OutReason> {
    game.standings().of_player(player).unwrap().out.map(|o| o.reason)
}

fn pyramid(rows: &[usize], colours: &[&str]) -> Pyramid {
    Pyramid {
        rows: rows.into(),
        points: rules::points(rows),
        meeples: rows.iter().sum(),
        colours: colours.iter().map(|c| c.to_string()).collect(),
        pieces: vec![],
    }
}

const T3: &[usize] = &[3, 2, 1];
const T4: &[usize] = &[4, 3, 2, 1];
const T5: &[usize] = &[5, 4, 3, 2, 1];

// ---- Variant 1: points for pyramids ----

#[test]
fn material_per_player_99_meeples() {
    let mut game = points_match(&["Anna"], 1);
    assert!(game.apply(built(Round::new(1), "Anna", &[50, 50], false)).is_err());
    assert_eq!(rules::check_rows(&[99]), Ok(()));
    assert_eq!(rules::check_rows(&[60, 40]), Err(rules::RowsError::TooMany { meeples: 100 }));
}

#[test]
fn the_players_agree_on_a_number_of_turns() {
    let without = Setup::new(Variant::Points, ["Anna", "Ben"], None);
    assert_eq!(Match::new(without).unwrap_err(), SetupError::Turns { given: None });
    let none = Setup::new(Variant::Points, ["Anna", "Ben"], Some(0));
    assert!(Match::new(none).is_err());
    let mut game = points_match(&["Anna", "Ben"], 3);
    for turn in 1..=3 {
        assert_eq!(game.round(), Some(Round::new(turn)));
        play(&mut game, "Anna", T3);
        play(&mut game, "Ben", T3);
    }
    assert_eq!(game.round(), None);
}

#[test]
fn in_each_turn_all_build_at_the_same_time() {
    // So results come in whatever order, and the next turn begins when all are in.
    let mut game = points_match(&["Anna", "Ben", "Cem"], 2);
    play(&mut game, "Cem", T3);
    play(&mut game, "Anna", T3);
    assert_eq!(game.waiting(), ["Ben"]);
    assert!(matches!(game.apply(built(Round::new(2), "Anna", T3, false)), Err(Refusal::WrongRound { .. })));
    play(&mut game, "Ben", T3);
    assert_eq!(game.round(), Some(Round::new(2)));
}

#[test]
fn for_2_minutes_one_pyramid_each() {
    let mut game = points_match(&["Anna", "Ben"], 2);
    assert_eq!(game.options().seconds, 120);
    play(&mut game, "Anna", T3);
    let again = game.apply(built(Round::new(1), "Anna", T5, false));
    assert!(matches!(again, Err(Refusal::HasResult { .. })), "{again:?}");
}

#[test]
fn every_meeple_of_the_pyramid_scores_the_number_of_its_row() {
    for row in 1..=13 {
        // A tower of single meeples: the topmost adds the number of its row.
        let (tower, lower) = (vec![1; row], vec![1; row - 1]);
        assert_eq!(rules::points(&tower) - rules::points(&lower), row as u32);
    }
}

#[test]
fn the_most_points_after_the_agreed_turns_wins() {
    let mut game = points_match(&["Anna", "Ben"], 2);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", T4);
    assert!(winners(&game).is_empty());
    play(&mut game, "Anna", T5);
    play(&mut game, "Ben", T4);
    assert_eq!((points_of(&game, "Anna"), points_of(&game, "Ben")), (45, 40));
    assert_eq!(winners(&game), ["Anna"]);
}

#[test]
fn only_a_players_highest_pyramid_counts() {
    let mut pyramids = vec![pyramid(&[9], &["red"]), pyramid(&[2, 1], &["red"])];
    rules::sort_best_first(&mut pyramids);
    assert_eq!(rules::score(&pyramids).rows, [2, 1]);
}

#[test]
fn a_single_meeple_is_a_pyramid() {
    assert_eq!(rules::score(&[pyramid(&[1], &["red"])]).points, 1);
    let mut game = points_match(&["Anna"], 1);
    play(&mut game, "Anna", &[1]);
    assert_eq!(points_of(&game, "Anna"), 1);
}

#[test]
fn if_a_pyramid_collapses_even_one_meeple_left_standing_counts_as_the_highest_pyramid() {
    // What still stands is what the reading lists; the rest of the heap is in no pyramid.
    assert_eq!(rules::score(&[pyramid(&[1], &["blue"])]).points, 1);
    // And of nothing left standing the score is 0.
    assert_eq!(rules::score(&[]).points, 0);
}

#[test]
fn optional_all_play_on_one_baseplate_whoever_destroys_an_opponents_pyramid_loses_at_once() {
    let mut setup = Setup::new(Variant::Points, ["Anna", "Ben"], Some(3));
    setup.shared_playmat = true;
    setup.players[0].colours = vec!["red".into()];
    setup.players[1].colours = vec!["blue".into()];
    let mut game = Match::new(setup).unwrap();
    play(&mut game, "Ben", T5);
    game.apply(Event::Destroyed { round: Round::new(1), by: "Ben".into(), of: Some("Anna".into()) }).unwrap();
    assert_eq!(out_of(&game, "Ben"), Some(OutReason::Destroyed));
    assert_eq!(winners(&game), ["Anna"], "with two players the other wins at once, whatever the points");
    assert!(matches!(game.apply(built(Round::new(1), "Anna", T3, false)), Err(Refusal::Finished { .. })));

    let mut apart = points_match(&["Anna", "Ben"], 3);
    let declared = apart.apply(Event::Destroyed { round: Round::new(1), by: "Ben".into(), of: None });
    assert_eq!(declared, Err(Refusal::NotShared), "on playmats of their own nobody reaches an opponent's pyramid");
}

#[test]
fn rows_of_5_4_2_and_1_meeples_are_worth_23_points() {
    assert_eq!(rules::points(&[5, 4, 2, 1]), 5 + 4 * 2 + 2 * 3 + 4);
    assert_eq!(rules::points(&[5, 4, 2, 1]), 23);
}

#[test]
fn rows_need_not_be_full() {
    assert_eq!(rules::check_rows(&[5, 1, 1]), Ok(()));
    assert_eq!(rules::points(&[5, 1, 1]), 10);
}

// ---- Variant 2: higher and higher ----

#[test]
fn one_baseplate_the_players_take_turns() {
    let mut game = higher_match(&["Anna", "Ben", "Cem"]);
    let early = game.apply(built(Round::new(1), "Ben", T3, false));
    assert_eq!(early, Err(Refusal::NotNext { player: "Ben".into(), next: "Anna".into() }));
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", T3);
    assert_eq!(game.waiting(), ["Cem"]);
    // One baseplate: here too an opponent's pyramid can be destroyed.
    game.apply(Event::Destroyed { round: Round::new(1), by: "Cem".into(), of: Some("Anna".into()) }).unwrap();
    assert_eq!(out_of(&game, "Cem"), Some(OutReason::Destroyed));
    assert_eq!(game.round(), Some(Round::new(2)));
}

#[test]
fn each_turn_lasts_at_most_45_seconds() {
    let mut game = higher_match(&["Anna", "Ben"]);
    assert_eq!(game.options().seconds, 45);
    late(&mut game, "Anna", T3);
    play(&mut game, "Ben", T3);
    assert_eq!(out_of(&game, "Anna"), Some(OutReason::Failed));
}

#[test]
fn round_1_a_pyramid_with_3_meeples_in_its_base() {
    assert_eq!(rules::base_of_round(1), 3);
    assert!(rules::is_rounds_pyramid(T3, 1, Demand::FullTriangle));
    assert!(!rules::is_rounds_pyramid(T4, 1, Demand::FullTriangle));
}

#[test]
fn each_further_round_the_base_grows_by_one() {
    for round in 1..=11 {
        let base = round as usize + 2;
        assert_eq!(rules::base_of_round(round), base);
        assert!(rules::is_rounds_pyramid(&rules::full_triangle(base), round, Demand::FullTriangle));
        assert!(!rules::is_rounds_pyramid(&rules::full_triangle(base - 1), round, Demand::FullTriangle));
    }
}

#[test]
fn who_fails_to_build_the_rounds_pyramid_in_time_is_out_the_others_go_on() {
    let mut game = higher_match(&["Anna", "Ben", "Cem"]);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", &[3, 2]);
    play(&mut game, "Cem", T3);
    assert_eq!(out_of(&game, "Ben"), Some(OutReason::Failed));
    assert_eq!(game.round(), Some(Round::new(2)));
    assert_eq!(game.waiting(), ["Anna", "Cem"]);
    let more = game.apply(built(Round::new(2), "Ben", T4, false));
    assert!(matches!(more, Err(Refusal::IsOut { .. })), "{more:?}");
}

#[test]
fn the_last_player_left_wins() {
    let mut game = higher_match(&["Anna", "Ben"]);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", T3);
    play(&mut game, "Anna", &[4, 3, 2]);
    assert!(winners(&game).is_empty(), "Ben has his turn first: he may fail as well");
    play(&mut game, "Ben", T4);
    assert_eq!(winners(&game), ["Ben"]);
}

// ---- What the rules leave open, decided ----

#[test]
fn highest_pyramid_most_rows_tie_more_points_tie_again_more_meeples() {
    let mut pyramids =
        vec![pyramid(&[9, 9], &["a"]), pyramid(&[2, 2, 2], &["b"]), pyramid(&[4, 1, 2], &["c"]), pyramid(&[3, 3, 1], &["d"])];
    rules::sort_best_first(&mut pyramids);
    let order: Vec<&str> = pyramids.iter().map(|p| p.colours[0].as_str()).collect();
    // b, c and d have three rows and 12 points each; c and d have more meeples than b, and are equal.
    assert_eq!((order[3], order[2]), ("a", "b"));
}

#[test]
fn each_player_has_one_or_more_colours() {
    let mut setup = Setup::new(Variant::Points, ["Anna", "Ben"], Some(1));
    setup.shared_playmat = true;
    setup.players[0].colours = vec!["red".into(), "pink".into()];
    assert_eq!(setup.check(), Err(SetupError::NoColours { player: "Ben".into() }));
    setup.players[1].colours = vec!["pink".into()];
    assert!(matches!(setup.check(), Err(SetupError::SharedColour { .. })));
    setup.players[1].colours = vec!["blue".into()];
    assert_eq!(setup.check(), Ok(()));
}

#[test]
fn destroying_an_opponents_pyramid_is_declared_at_the_table_and_recorded() {
    let mut game = higher_match(&["Anna", "Ben", "Cem"]);
    let declared = Event::Destroyed { round: Round::new(1), by: "Anna".into(), of: Some("Ben".into()) };
    game.apply(declared.clone()).unwrap();
    assert_eq!(game.events(), [declared]);
    assert_eq!(game.waiting(), ["Ben", "Cem"], "the others go on");
    for (by, of) in [("Ben", "Ben"), ("Anna", "Ben")] {
        let nonsense = Event::Destroyed { round: Round::new(1), by: by.into(), of: Some(of.into()) };
        assert!(game.apply(nonsense).is_err(), "{by} cannot destroy {of}'s pyramid");
    }
}

#[test]
fn round_k_asks_for_the_full_triangle_k_plus_2_in_row_1_one_fewer_in_each_row_up_to_1() {
    assert!(rules::is_rounds_pyramid(T4, 2, Demand::FullTriangle));
    for wrong in [&[4, 3, 2][..], &[4, 3, 2, 1, 1], &[5, 3, 2, 1], &[4, 2, 2, 1], &[4, 4, 2, 1], &[3, 2, 1], &[]] {
        assert!(!rules::is_rounds_pyramid(wrong, 2, Demand::FullTriangle), "{wrong:?}");
    }
}

#[test]
fn house_option_at_least_as_high_and_at_least_that_base() {
    for enough in [&[4, 3, 2, 1][..], &[4, 1, 1, 1], &[6, 5, 4, 3, 2]] {
        assert!(rules::is_rounds_pyramid(enough, 2, Demand::AtLeast), "{enough:?}");
    }
    for wrong in [&[4, 3, 2][..], &[3, 3, 2, 1], &[]] {
        assert!(!rules::is_rounds_pyramid(wrong, 2, Demand::AtLeast), "{wrong:?}");
    }
    let mut setup = Setup::new(Variant::Higher, ["Anna", "Ben"], None);
    setup.options.demand = Demand::AtLeast;
    let mut game = Match::new(setup).unwrap();
    play(&mut game, "Anna", T5);
    play(&mut game, "Ben", T3);
    assert_eq!(game.round(), Some(Round::new(2)));
}

#[test]
fn everyone_left_fails_in_the_same_round_they_share_the_win() {
    let mut game = higher_match(&["Anna", "Ben", "Cem"]);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", &[]);
    play(&mut game, "Cem", T3);
    play(&mut game, "Anna", &[4, 2]);
    play(&mut game, "Cem", &[1]);
    assert_eq!(winners(&game), ["Anna", "Cem"]);
    assert_eq!(game.outcome().unwrap(), "Anna and Cem share the win");
}

#[test]
fn house_option_the_round_is_played_again_by_them() {
    let mut setup = Setup::new(Variant::Higher, ["Anna", "Ben", "Cem"], None);
    setup.options.all_fail = AllFail::PlayAgain;
    let mut game = Match::new(setup).unwrap();
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", &[]);
    play(&mut game, "Cem", T3);
    play(&mut game, "Anna", &[4, 2]);
    play(&mut game, "Cem", &[1]);
    assert_eq!(game.round(), Some(Round { number: 2, replay: 1 }));
    assert_eq!(game.waiting(), ["Anna", "Cem"], "by them: Ben stays out");
    play(&mut game, "Anna", T4);
    play(&mut game, "Cem", T3);
    assert_eq!(winners(&game), ["Anna"]);
}

/// A correction that decides an earlier round takes back what came of the round played again.
#[test]
fn the_last_player_left_has_won_whatever_was_declared_in_a_round_that_is_not_played_any_more() {
    let mut setup = Setup::new(Variant::Higher, ["Anna", "Ben"], None);
    setup.options.all_fail = AllFail::PlayAgain;
    let mut game = Match::new(setup).unwrap();
    play(&mut game, "Anna", &[1]);
    play(&mut game, "Ben", &[1]);
    let (first, again) = (Round { number: 1, replay: 0 }, Round { number: 1, replay: 1 });
    assert_eq!(game.round(), Some(again));
    game.apply(Event::Forfeited { round: again, player: "Ben".into(), reason: None }).unwrap();
    assert_eq!(winners(&game), ["Anna"]);
    let correction = Correction { rows: T3.to_vec(), reason: "miscounted".into(), ..Correction::default() };
    game.apply(Event::Corrected { round: first, player: "Ben".into(), correction }).unwrap();
    assert_eq!(winners(&game), ["Ben"], "he had won in the first go: there was no second");
}

#[test]
fn equal_points_at_the_end_of_variant_1_shared_win() {
    let mut game = points_match(&["Anna", "Ben", "Cem"], 1);
    play(&mut game, "Anna", &[4, 3]);
    play(&mut game, "Ben", T3);
    play(&mut game, "Cem", &[2]);
    assert_eq!(winners(&game), ["Anna", "Ben"]);
    let places: Vec<usize> = game.standings().players.iter().map(|s| s.place).collect();
    assert_eq!(places, [1, 1, 3]);
}

#[test]
fn one_player_may_play_for_a_record() {
    let mut game = points_match(&["Anna"], 2);
    play(&mut game, "Anna", T3);
    play(&mut game, "Anna", T4);
    assert_eq!(points_of(&game, "Anna"), 30);
    assert!(matches!(game.table().phase, Phase::Finished { .. }));

    let mut alone = higher_match(&["Anna"]);
    play(&mut alone, "Anna", T3);
    play(&mut alone, "Anna", T4);
    assert_eq!(alone.round(), Some(Round::new(3)), "being the only one left does not end it");
    play(&mut alone, "Anna", &[5]);
    assert_eq!(alone.outcome().unwrap(), "Anna played alone, for a record");
    assert_eq!(alone.standings().players[0].rounds_built, Some(2));
}

#[test]
fn a_match_needs_a_name_for_each_player_no_two_alike() {
    let names = |names: &[&str]| Setup::new(Variant::Higher, names.iter().copied(), None).check();
    assert_eq!(names(&[]), Err(SetupError::NoPlayers));
    for unreadable in ["", "  ", "\u{200b}", "a\nb", "\u{202e}abc"] {
        assert!(matches!(names(&["Anna", unreadable]), Err(SetupError::UnreadableName { number: 2, .. })), "{unreadable:?}");
    }
    for (a, b) in [("Anna", "Anna"), ("Anna", "anna "), ("Zo\u{eb}", "zoe\u{308}"), ("ﬁ", "fi"), ("A  B", "a b"), ("ΟΣ", "οσ")]
    {
        assert!(matches!(names(&[a, b]), Err(SetupError::AlikeNames { .. })), "{a:?} {b:?}");
    }
    assert_eq!(names(&["Anna", "Änna", "李雷", "🎲", "О'Нил", "a/b:c"]), Ok(()));
    assert!(matches!(names(&[&"x".repeat(81)]), Err(SetupError::LongName { length: 81, .. })));
}

#[test]
fn time_120_s_and_45_s_by_default_settable() {
    let mut setup = Setup::new(Variant::Points, ["Anna"], Some(1));
    assert_eq!(setup.options.seconds, 120);
    setup.options.seconds = 60;
    assert_eq!(setup.check(), Ok(()));
    setup.options.seconds = 0;
    assert_eq!(setup.check(), Err(SetupError::NoTime));
}

#[test]
fn a_picture_taken_after_time_is_recorded_as_late_and_by_default_not_scored() {
    let mut game = points_match(&["Anna", "Ben"], 1);
    late(&mut game, "Anna", T5);
    play(&mut game, "Ben", &[1]);
    let turn = game.table().turn(Round::new(1), 0).unwrap();
    assert!(turn.late());
    assert_eq!(turn.rows(), T5, "what was built stays on record");
    assert_eq!(points_of(&game, "Anna"), 0);
    assert_eq!(winners(&game), ["Ben"]);

    let mut setup = Setup::new(Variant::Points, ["Anna"], Some(1));
    setup.options.late = LateRule::Scored;
    let mut lenient = Match::new(setup).unwrap();
    late(&mut lenient, "Anna", T5);
    assert_eq!(points_of(&lenient, "Anna"), 35);
}

// ---- Corrections, undo, giving up ----

fn correction(rows: &[usize], reason: &str) -> Correction {
    Correction { rows: rows.into(), reason: reason.into(), ..Correction::default() }
}

fn correct(game: &mut Match, round: u32, player: &str, rows: &[usize]) {
    let correction = correction(rows, "counted by hand");
    game.apply(Event::Corrected { round: Round::new(round), player: player.into(), correction }).unwrap();
}

#[test]
fn a_correction_changes_what_counts_and_keeps_what_was_read() {
    let mut game = points_match(&["Anna", "Ben"], 1);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", &[4, 3]);
    assert_eq!(winners(&game), ["Anna", "Ben"]);
    correct(&mut game, 1, "Anna", &[3, 2, 1, 1]);
    assert_eq!(winners(&game), ["Anna"]);
    assert_eq!(game.table().turn(Round::new(1), 0).unwrap().read_rows, T3);
    let pointless = Event::Corrected { round: Round::new(1), player: "Anna".into(), correction: correction(T3, "  ") };
    assert_eq!(game.apply(pointless), Err(Refusal::NoReason));
    let floating = Event::Corrected { round: Round::new(1), player: "Anna".into(), correction: correction(&[3, 0, 1], "x") };
    assert!(matches!(game.apply(floating), Err(Refusal::Rows(_))));
    let absent = Event::Corrected { round: Round::new(2), player: "Anna".into(), correction: correction(T3, "x") };
    assert!(matches!(game.apply(absent), Err(Refusal::NoSuchTurn { .. })));
}

#[test]
fn a_correction_can_say_that_a_picture_was_not_late() {
    let mut game = points_match(&["Anna"], 1);
    late(&mut game, "Anna", T3);
    let correction = Correction { late: Some(false), ..correction(T3, "the clock ran while we talked") };
    game.apply(Event::Corrected { round: Round::new(1), player: "Anna".into(), correction }).unwrap();
    assert_eq!(points_of(&game, "Anna"), 10);
}

#[test]
fn a_correction_brings_a_player_back_who_then_plays_the_rounds_that_were_missed() {
    let mut game = higher_match(&["Anna", "Ben", "Cem"]);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", &[3, 2]);
    play(&mut game, "Cem", T3);
    play(&mut game, "Anna", T4);
    play(&mut game, "Cem", T4);
    assert_eq!(game.round(), Some(Round::new(3)));
    correct(&mut game, 1, "Ben", T3);
    assert_eq!(out_of(&game, "Ben"), None);
    assert_eq!((game.round(), game.waiting()), (Some(Round::new(2)), vec!["Ben"]));
    play(&mut game, "Ben", T4);
    assert_eq!((game.round(), game.waiting()), (Some(Round::new(3)), vec!["Anna", "Ben", "Cem"]));
}

#[test]
fn a_correction_of_a_finished_match_can_change_who_won() {
    let mut game = higher_match(&["Anna", "Ben"]);
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", &[]);
    assert_eq!(winners(&game), ["Anna"]);
    correct(&mut game, 1, "Anna", &[3, 2]);
    assert_eq!(winners(&game), ["Anna", "Ben"]);
}

#[test]
fn undo_takes_back_the_last_event_still_in_force() {
    let mut game = points_match(&["Anna", "Ben"], 1);
    assert_eq!(game.apply(Event::Undone), Err(Refusal::NothingToUndo));
    play(&mut game, "Anna", T3);
    play(&mut game, "Ben", T4);
    game.apply(Event::Undone).unwrap();
    game.apply(Event::Undone).unwrap();
    assert_eq!(game.waiting(), ["Anna", "Ben"]);
    assert_eq!(game.apply(Event::Undone), Err(Refusal::NothingToUndo));
    assert_eq!(game.events().len(), 4, "what was undone stays on record");
    play(&mut game, "Anna", T5);
    assert_eq!(points_of(&game, "Anna"), 35);
}

#[test]
fn who_gives_up_is_out_and_the_others_go_on() {
    let mut game = points_match(&["Anna", "Ben", "Cem"], 2);
    play(&mut game, "Anna", T5);
    game.apply(Event::Forfeited { round: Round::new(1), player: "Anna".into(), reason: None }).unwrap();
    play(&mut game, "Ben", &[1]);
    play(&mut game, "Cem", &[2]);
    assert_eq!((game.round(), game.waiting()), (Some(Round::new(2)), vec!["Ben", "Cem"]));
    play(&mut game, "Ben", &[1]);
    play(&mut game, "Cem", &[2]);
    assert_eq!(winners(&game), ["Cem"], "Anna's 35 points do not win: she left");
}

#[test]
fn a_player_who_built_nothing_in_time_may_have_no_picture() {
    let mut game = points_match(&["Anna", "Ben"], 1);
    game.apply(Event::Missed { round: Round::new(1), player: "Anna".into(), reason: None }).unwrap();
    play(&mut game, "Ben", &[1]);
    assert_eq!(winners(&game), ["Ben"]);
}

#[test]
fn one_picture_of_a_shared_playmat_brings_the_results_of_all() {
    let mut setup = Setup::new(Variant::Points, ["Anna", "Ben"], Some(1));
    setup.shared_playmat = true;
    setup.players = vec![
        Player { name: "Anna".into(), colours: vec!["red".into()] },
        Player { name: "Ben".into(), colours: vec!["blue".into()] },
    ];
    let mut game = Match::new(setup).unwrap();
    let result = |player: &str, rows: &[usize]| Built { player: player.into(), rows: rows.into(), correction: None };
    let twice = Event::Built { round: Round::new(1), results: vec![result("Anna", T3), result("anna", T4)], late: false };
    assert!(matches!(game.apply(twice), Err(Refusal::ResultPlayers { .. })));
    let both = Event::Built { round: Round::new(1), results: vec![result("Anna", T3), result("Ben", T4)], late: false };
    game.apply(both).unwrap();
    assert_eq!(winners(&game), ["Ben"]);
}
