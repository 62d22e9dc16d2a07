//! The activations of a model in the order in which they run.

use std::collections::HashMap;

/// The most activations a program may hold once all calls are written out. The largest real models have some
/// ten thousand; functions that call each other twice double the number with every level.
pub const MOST_ACTIVATIONS: usize = 1 << 21;

/// What a model runs, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The names of the functions that are used; [`Use::function`] is an index.
    pub functions: Vec<String>,
    /// The different reasons; [`Use::reason`] is an index.
    pub reasons: Vec<String>,
    /// The places where functions are used. The body of a function of the model is here once, however often it is called.
    pub uses: Vec<Use>,
    /// What is run.
    pub steps: Vec<Step>,
}

/// A place of the model where a function is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Which of [`Program::functions`].
    pub function: u32,
    /// Which of [`Program::reasons`]: the operator, or how the function is spelt out.
    pub reason: u32,
    /// The name of the node, or the key of the configuration; at most 80 characters, none of them a control character.
    pub node: Box<str>,
    /// The inputs that can come here, where the model says; any number otherwise.
    pub inputs: Option<InputRange>,
}

/// Numbers that inputs provably lie between, ends included.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRange {
    /// The least; minus infinity where nothing is known.
    pub low: f32,
    /// The greatest.
    pub high: f32,
    /// Why, as the end of a sentence that begins with "since".
    pub why: Box<str>,
}

impl InputRange {
    /// From `low` to `high`, rounded outwards. The reason may hold words of a file.
    pub(crate) fn new(low: f64, high: f64, why: &str) -> Self {
        /// Longest reason, in characters.
        const LONGEST: usize = 120;
        let (mut lowest, mut highest) = (low as f32, high as f32);
        if f64::from(lowest) > low {
            lowest = lowest.next_down();
        }
        if f64::from(highest) < high {
            highest = highest.next_up();
        }
        Self {
            // A zero has no sign here.
            low: lowest + 0.0,
            high: highest + 0.0,
            why: crate::shown::one_line(why, LONGEST).into(),
        }
    }
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One activation: which of [`Program::uses`].
    Use(u32),
    /// Steps that are repeated.
    Loop {
        /// The node or key of the loop.
        place: Box<str>,
        /// How often; `None` when the model does not say.
        iterations: Option<u64>,
        /// The steps of one iteration.
        body: Vec<Step>,
    },
    /// One of several sequences of steps.
    Choice {
        /// The node of the choice.
        place: Box<str>,
        /// The sequences; an empty one is a way past all of them.
        branches: Vec<Vec<Step>>,
    },
}

impl Program {
    /// How often each function stands in the program as written: the body of a loop once, all branches of a choice.
    /// In the order of [`Program::functions`].
    pub fn counts(&self) -> Vec<(&str, u64)> {
        let mut counts = vec![0; self.functions.len()];
        let mut pending = vec![&self.steps];
        while let Some(steps) = pending.pop() {
            for step in steps {
                match step {
                    Step::Use(place) => {
                        let function = self.uses.get(*place as usize);
                        let function = function.map(|place| place.function as usize);
                        if let Some(count) = function.and_then(|function| counts.get_mut(function))
                        {
                            *count += 1;
                        }
                    }
                    Step::Loop { body, .. } => pending.push(body),
                    Step::Choice { branches, .. } => pending.extend(branches),
                }
            }
        }
        let names = self.functions.iter().map(String::as_str);
        names.zip(counts).collect()
    }

    /// The inputs that can come to a function anywhere in the model, with the reason for the place that leaves the most; `None`
    /// if one of its places leaves them open, or it has none.
    pub fn inputs_of(&self, function: &str) -> Option<InputRange> {
        let index = self.functions.iter().position(|name| name == function)?;
        let mut places = self
            .uses
            .iter()
            .filter(|place| place.function as usize == index)
            .map(|place| place.inputs.as_ref());
        let first = places.next()??.clone();
        places.try_fold(first, |all, inputs| {
            let inputs = inputs?;
            // The reason of the place with the wider range, the first of equals.
            let is_wider = inputs.low < all.low || inputs.high > all.high;
            Some(InputRange {
                low: all.low.min(inputs.low),
                high: all.high.max(inputs.high),
                why: if is_wider {
                    inputs.why.clone()
                } else {
                    all.why
                },
            })
        })
    }

    /// The function of a use.
    pub fn function_of(&self, place: u32) -> Option<&str> {
        let place = self.uses.get(place as usize)?;
        let name = self.functions.get(place.function as usize)?;
        Some(name.as_str())
    }
}

/// Gathers the parts of a program.
#[derive(Default)]
pub(crate) struct ProgramBuilder {
    program: Program,
    functions: HashMap<String, u32>,
    reasons: HashMap<String, u32>,
}

impl ProgramBuilder {
    /// A place where `function` is used. Names and reasons may come from a file.
    pub(crate) fn place(&mut self, function: &str, reason: &str, node: &str) -> Step {
        self.place_within(function, reason, node, None)
    }

    /// The same, with what is known of its inputs.
    pub(crate) fn place_within(
        &mut self,
        function: &str,
        reason: &str,
        node: &str,
        inputs: Option<InputRange>,
    ) -> Step {
        /// Longest reason and node, in characters.
        const LONGEST: (usize, usize) = (120, 77);
        let function = index(&mut self.functions, &mut self.program.functions, function);
        let reason = crate::shown::one_line(reason, LONGEST.0);
        let reason = index(&mut self.reasons, &mut self.program.reasons, &reason);
        let place = Use {
            function,
            reason,
            node: crate::shown::one_line(node, LONGEST.1).into(),
            inputs,
        };
        self.program.uses.push(place);
        Step::Use(number(self.program.uses.len() - 1))
    }

    pub(crate) fn finish(mut self, steps: Vec<Step>) -> Program {
        self.program.steps = steps;
        self.program
    }
}

fn index(known: &mut HashMap<String, u32>, names: &mut Vec<String>, name: &str) -> u32 {
    if let Some(index) = known.get(name) {
        return *index;
    }
    let index = number(names.len());
    names.push(name.to_owned());
    known.insert(name.to_owned(), index);
    index
}

/// An index; a model file is too short for more than 2^32 of anything.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
