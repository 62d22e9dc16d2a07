use super::*;
use crate::program::{Program, Step, Use};
use actforge_tables::Target;
use actforge_tables::stock::stock_sets;
use proptest::prelude::*;

/// A roster of sets with functions `0`, `1`, ... and bytes.
fn roster(sets: &[(&[u32], u64)]) -> Roster {
    let set = |(index, (functions, bytes)): (usize, &(&[u32], u64))| RosterSet {
        name: format!("set{index}"),
        functions: functions.iter().map(|f| (f.to_string(), 1)).collect(),
        bytes: *bytes,
    };
    Roster::new(sets.iter().enumerate().map(set).collect()).unwrap()
}

/// A program whose use `n` is of function `n`, for `functions` functions.
fn program(functions: u32, steps: Vec<Step>) -> Program {
    Program {
        functions: (0..functions).map(|f| f.to_string()).collect(),
        reasons: vec!["test".to_owned()],
        uses: (0..functions)
            .map(|function| Use {
                function,
                reason: 0,
                node: "n".into(),
                inputs: None,
            })
            .collect(),
        steps,
    }
}

fn uses(sequence: &[u32]) -> Vec<Step> {
    sequence.iter().map(|place| Step::Use(*place)).collect()
}

fn repeat(iterations: Option<u64>, body: Vec<Step>) -> Step {
    Step::Loop {
        place: "loop".into(),
        iterations,
        body,
    }
}

fn choice(branches: Vec<Vec<Step>>) -> Step {
    Step::Choice {
        place: "if".into(),
        branches,
    }
}

const COUNTING: Counting = Counting {
    unknown_iterations: 3,
};

/// What both planners find, checked for every way the program can run.
fn costs(program: &Program, roster: &Roster) -> (Cost, Cost) {
    let stock = greedy(program, roster);
    assert_eq!(stock.check(program, roster), Ok(()), "{stock:?}");
    let best = fewest(program, roster, COUNTING).unwrap();
    assert_eq!(best.check(program, roster), Ok(()), "{best:?}");
    assert_eq!(places(&stock.events), places(&best.events));
    (stock.cost(roster, COUNTING), best.cost(roster, COUNTING))
}

fn places(events: &[Event]) -> Vec<u32> {
    let of = |event: &Event| match event {
        Event::Load(_) => Vec::new(),
        Event::Use(place) => vec![*place],
        Event::Loop { body, .. } => places(body),
        Event::Choice { branches } => branches.iter().flat_map(|branch| places(branch)).collect(),
    };
    events.iter().flat_map(of).collect()
}

#[test]
fn the_stock_rule_takes_the_first_set_and_the_best_looks_ahead() {
    // Function 0 is in both sets, but only the second also has 1.
    let roster = roster(&[(&[0], 10), (&[0, 1], 20), (&[1], 5)]);
    let (stock, best) = costs(&program(2, uses(&[0, 1, 0])), &roster);
    assert_eq!(
        stock,
        Cost {
            loads: 2,
            bytes: 30
        }
    );
    assert_eq!(
        best,
        Cost {
            loads: 1,
            bytes: 20
        }
    );
}

#[test]
fn of_equally_few_loads_the_fewest_bytes_are_found() {
    let roster = roster(&[(&[0], 10), (&[0], 3), (&[1], 7), (&[1, 0], 5)]);
    let (_, best) = costs(&program(2, uses(&[0, 1])), &roster);
    assert_eq!(best, Cost { loads: 1, bytes: 5 });
    let (_, best) = costs(&program(2, uses(&[0, 0])), &roster);
    assert_eq!(best, Cost { loads: 1, bytes: 3 });
}

#[test]
fn silu_and_exp_take_turns_in_a_stock_transformer() {
    let roster = Roster::of_stock(stock_sets(Target::StockTrainium)).unwrap();
    let mut transformer = program(3, vec![repeat(Some(10), uses(&[0, 1]))]);
    transformer.functions = vec!["exp".to_owned(), "silu".to_owned(), "gelu".to_owned()];
    let (stock, best) = costs(&transformer, &roster);
    assert_eq!((stock.loads, best.loads), (20, 20));
    let schedule = greedy(&transformer, &roster);
    assert_eq!(schedule.sets(), [0, 18]);
    let loops = schedule.loops(&roster, COUNTING);
    assert_eq!((loops.len(), loops[0].each.loads), (1, 2));
}

#[test]
fn bytes_of_a_stock_set_are_those_of_its_four_tables() {
    let roster = Roster::of_stock(stock_sets(Target::StockTrainium)).unwrap();
    assert_eq!(roster.sets()[0].bytes, 30112 + 2848 + 15 * (128 + 32));
}

#[test]
fn a_loop_that_one_set_serves_loads_it_once() {
    let roster = roster(&[(&[0], 10), (&[0, 1], 20)]);
    let body = program(2, vec![repeat(None, uses(&[1, 0]))]);
    let (stock, best) = costs(&body, &roster);
    assert_eq!(
        stock,
        Cost {
            loads: 1,
            bytes: 20
        }
    );
    assert_eq!(best, stock);
    let schedule = greedy(&body, &roster);
    assert!(matches!(
        schedule.events[..],
        [Event::Load(1), Event::Loop { .. }]
    ));
    // Whether the loop runs or not, its set is there behind it.
    assert_eq!(schedule.repeated_cost(&roster, COUNTING), Cost::ZERO);
    let known = program(2, vec![repeat(Some(4), uses(&[1, 0]))]);
    let schedule = greedy(&known, &roster);
    assert_eq!(schedule.repeated_cost(&roster, COUNTING), Cost::ZERO);
}

/// Found by fuzzing: a configuration with no layers.
#[test]
fn a_loop_that_never_runs_loads_nothing() {
    let roster = roster(&[(&[0], 1), (&[1], 2)]);
    let steps = vec![repeat(Some(0), uses(&[0, 1])), Step::Use(1)];
    let (stock, best) = costs(&program(2, steps), &roster);
    assert_eq!((stock, best), (best, Cost { loads: 1, bytes: 2 }));
}

#[test]
fn the_dearest_branch_counts() {
    let roster = roster(&[(&[0], 1), (&[1], 2), (&[2], 4)]);
    let branches = program(3, vec![choice(vec![uses(&[0]), uses(&[1, 2]), vec![]])]);
    let (stock, best) = costs(&branches, &roster);
    assert_eq!(stock, Cost { loads: 2, bytes: 6 });
    assert_eq!(best, stock);
}

#[test]
fn what_no_set_holds_is_left_out_and_said() {
    let roster = roster(&[(&[0], 1)]);
    let partly = program(2, uses(&[0, 1, 0, 1]));
    assert_eq!(unserved(&partly, &roster), [("1", 2)]);
    assert_eq!(costs(&partly, &roster).1, Cost { loads: 1, bytes: 1 });
    let nothing = program(2, vec![repeat(None, uses(&[1])), choice(vec![uses(&[1])])]);
    assert_eq!(costs(&nothing, &roster).1, Cost::ZERO);
    assert_eq!(greedy(&nothing, &roster).events, []);
}

#[test]
fn a_check_finds_what_is_not_resident() {
    let roster = roster(&[(&[0], 1), (&[1], 1)]);
    let program = program(2, Vec::new());
    let check = |events| Schedule { events }.check(&program, &roster);
    let body = |body| Event::Loop {
        place: "loop".into(),
        iterations: Some(2),
        body,
    };
    assert_eq!(check(vec![Event::Use(0)]), Err(Violation { place: 0 }));
    assert_eq!(
        check(vec![
            Event::Load(0),
            body(vec![Event::Use(0), Event::Load(1), Event::Use(1)])
        ]),
        Err(Violation { place: 0 }),
        "the second iteration begins with set 1"
    );
    let either = Event::Choice {
        branches: vec![vec![Event::Load(0), Event::Use(0)], vec![]],
    };
    assert_eq!(
        check(vec![either, Event::Use(0)]),
        Err(Violation { place: 0 })
    );
}

/// The least cost over all schedules: every set before every activation, every way to run every loop.
mod brute_force {
    use super::*;
    use std::collections::BTreeMap;

    /// Every state that can be left, with its least cost. `None` is nothing known.
    pub(super) type Ends = BTreeMap<Option<u16>, Cost>;

    pub(super) fn least(program: &Program, roster: &Roster) -> Cost {
        let ends = run(&program.steps, None, program, roster);
        ends.into_values().min().unwrap()
    }

    fn run(steps: &[Step], entry: Option<u16>, program: &Program, roster: &Roster) -> Ends {
        let Some((first, rest)) = steps.split_first() else {
            return Ends::from([(entry, Cost::ZERO)]);
        };
        let mut ends = Ends::new();
        for (state, cost) in ways(first, entry, program, roster) {
            for (exit, more) in run(rest, state, program, roster) {
                let cost = cost.plus(more);
                let best = ends.entry(exit).or_insert(cost);
                *best = cost.min(*best);
            }
        }
        ends
    }

    fn ways(
        step: &Step,
        entry: Option<u16>,
        program: &Program,
        roster: &Roster,
    ) -> Vec<(Option<u16>, Cost)> {
        let load = |set| {
            if Some(set) == entry {
                Cost::ZERO
            } else {
                Cost::of_load(roster, set)
            }
        };
        match step {
            Step::Use(place) => {
                let holders = roster.holders(program.function_of(*place).unwrap());
                let ways: Vec<_> = holders.map(|set| (Some(set), load(set))).collect();
                if ways.is_empty() {
                    vec![(entry, Cost::ZERO)]
                } else {
                    ways
                }
            }
            Step::Loop {
                iterations: Some(0),
                ..
            } => vec![(entry, Cost::ZERO)],
            Step::Loop {
                iterations, body, ..
            } => {
                let count = iterations.unwrap_or(COUNTING.unknown_iterations);
                let all: Vec<u16> = (0..roster.sets().len() as u16).collect();
                let mut ways = Vec::new();
                let unserved = places_of(body)
                    .iter()
                    .all(|place| roster.holders(program.function_of(*place).unwrap()).count() == 0);
                if unserved {
                    return vec![(entry, Cost::ZERO)];
                }
                for set in all {
                    if let Some(inside) = run(body, Some(set), program, roster).get(&Some(set)) {
                        ways.push((Some(set), load(set).plus(inside.times(count))));
                    }
                }
                for (state, inside) in run(body, None, program, roster) {
                    let exit = if iterations.is_none() { None } else { state };
                    ways.push((exit, inside.times(count)));
                }
                ways
            }
            Step::Choice { branches, .. } => {
                let ends: Vec<Ends> = branches
                    .iter()
                    .map(|branch| run(branch, entry, program, roster))
                    .collect();
                // Every branch ends in any of its states; what they agree on is known.
                let mut ways: Vec<(Option<Option<u16>>, Cost)> = vec![(None, Cost::ZERO)];
                for ends in &ends {
                    let mut next = Vec::new();
                    for (known, cost) in &ways {
                        for (state, more) in ends {
                            let state = match known {
                                None => *state,
                                Some(known) if known == state => *state,
                                Some(_) => None,
                            };
                            next.push((Some(state), (*cost).max(*more)));
                        }
                    }
                    ways = next;
                }
                ways.into_iter()
                    .map(|(state, cost)| (state.unwrap_or(entry), cost))
                    .collect()
            }
        }
    }

    fn places_of(steps: &[Step]) -> Vec<u32> {
        let of = |step: &Step| match step {
            Step::Use(place) => vec![*place],
            Step::Loop {
                iterations: Some(0),
                ..
            } => Vec::new(),
            Step::Loop { body, .. } => places_of(body),
            Step::Choice { branches, .. } => branches
                .iter()
                .flat_map(|branch| places_of(branch))
                .collect(),
        };
        steps.iter().flat_map(of).collect()
    }
}

const FUNCTIONS: u32 = 4;

fn any_roster() -> impl Strategy<Value = Roster> {
    let set = (proptest::collection::vec(0..FUNCTIONS, 1..4), 1u64..9);
    proptest::collection::vec(set, 1..5).prop_map(|sets| {
        let sets: Vec<(&[u32], u64)> = sets.iter().map(|(f, bytes)| (&f[..], *bytes)).collect();
        roster(&sets)
    })
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..FUNCTIONS).prop_map(Step::Use);
    let step = step.prop_recursive(2, 8, 3, |inner| {
        let steps = proptest::collection::vec(inner, 0..4);
        prop_oneof![
            (proptest::option::of(0u64..3), steps.clone())
                .prop_map(|(iterations, body)| repeat(iterations, body)),
            proptest::collection::vec(steps, 1..3).prop_map(choice),
        ]
    });
    proptest::collection::vec(step, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_beats_the_fewest_on_sequences(
        roster in any_roster(),
        sequence in proptest::collection::vec(0..FUNCTIONS, 0..7),
    ) {
        let program = program(FUNCTIONS, uses(&sequence));
        let (stock, best) = costs(&program, &roster);
        prop_assert_eq!(best, brute_force::least(&program, &roster));
        prop_assert!(best <= stock);
    }

    #[test]
    fn nothing_beats_the_fewest_with_loops_and_choices(
        roster in any_roster(),
        steps in any_steps(),
    ) {
        let program = program(FUNCTIONS, steps);
        let (stock, best) = costs(&program, &roster);
        prop_assert_eq!(best, brute_force::least(&program, &roster));
        prop_assert!(best <= stock, "{:?} {:?}", best, stock);
    }
}

/// The bound is one second for an optimised build; tests are half optimised and share the machine.
#[test]
fn a_hundred_thousand_activations_are_planned_in_no_time() {
    let roster = Roster::of_stock(stock_sets(Target::StockTrainium)).unwrap();
    let names = [
        "exp",
        "reciprocal",
        "tanh",
        "silu",
        "relu",
        "gelu",
        "square",
    ];
    let mut sequence = Vec::new();
    let mut random = 1u32;
    for _ in 0..100_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        sequence.push((random >> 16) % names.len() as u32);
    }
    let mut long = program(names.len() as u32, uses(&sequence));
    long.functions = names.map(str::to_owned).to_vec();
    let start = std::time::Instant::now();
    let (stock, best) = costs(&long, &roster);
    assert!(start.elapsed().as_secs_f64() < 1.0, "{:?}", start.elapsed());
    assert!(best.loads < stock.loads, "{best:?} {stock:?}");
    let looped = Program {
        steps: vec![repeat(None, long.steps.clone())],
        ..long
    };
    let start = std::time::Instant::now();
    costs(&looped, &roster);
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}

#[test]
fn loops_within_loops_take_no_longer() {
    let roster = roster(&[(&[0], 1), (&[1], 2), (&[0, 1], 4)]);
    let mut steps = uses(&[0, 1]);
    for level in 0..90 {
        steps = vec![
            Step::Use(level % 2),
            repeat(None, steps),
            choice(vec![uses(&[0]), vec![]]),
        ];
    }
    costs(&program(2, steps), &roster);
}
