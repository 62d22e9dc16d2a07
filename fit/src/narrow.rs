//! Ranges that give way, so that a set has control words for everybody.
//!
//! ln, the roots and the reciprocals take a control word for every octave, and their tables are by default as wide as one
//! function alone may be. Where a request leaves their range open and the set has others in it, the widest ranges give up
//! octaves, those farthest from 1 first, until there are words for all.

use actforge_reference::{CatalogueEntry, Format};

use crate::function::FunctionFitter;
use crate::request::FunctionRequest;

/// A range that may give way.
struct Open {
    function: usize,
    low: f32,
    high: f32,
    /// Control words that it takes.
    words: usize,
}

/// No range gives up its last octaves.
const LEAST_WORDS: usize = 8;

/// Functions whose error is open are planned for this one, in ulp of their output type.
fn planned(request: &FunctionRequest) -> f64 {
    request.max_ulp.unwrap_or(match request.dtype {
        Format::Fp32 => 4.0,
        _ => 0.52,
    })
}

/// The requests with ranges that fit together into `words` control words, as far as that is possible, and a line about
/// each that was narrowed.
pub(crate) fn narrowed(
    fitters: &[FunctionFitter<'_>],
    words: usize,
) -> (Vec<FunctionRequest>, Vec<String>) {
    let mut requests: Vec<FunctionRequest> = fitters
        .iter()
        .map(|fitter| fitter.request.clone())
        .collect();
    let needs: Vec<usize> = fitters.iter().map(words_of).collect();
    let mut open: Vec<Open> = fitters
        .iter()
        .zip(&needs)
        .enumerate()
        .filter_map(|(function, (fitter, words))| {
            let (low, high) = open_range(fitter.request, fitter.entry)?;
            Some(Open {
                function,
                low,
                high,
                words: *words,
            })
        })
        .collect();
    let mut excess = needs.iter().sum::<usize>().saturating_sub(words);
    while excess > 0 {
        let widest = open
            .iter_mut()
            .filter(|range| range.words > LEAST_WORDS)
            .max_by_key(|range| (range.words, std::cmp::Reverse(range.function)));
        let Some(range) = widest else {
            break;
        };
        range.give_up_octave();
        excess -= 1;
    }
    let mut lines = Vec::new();
    for range in open {
        let Some(fitter) = fitters.get(range.function) else {
            continue;
        };
        let now = (range.low, range.high);
        if Some(now) == open_range(fitter.request, fitter.entry) {
            continue;
        }
        if let Some(request) = requests.get_mut(range.function) {
            request.range = Some(now);
        }
        lines.push(format!(
            "{} is made for inputs from {:e} to {:e}, so that the control words suffice for all functions",
            fitter.request.name, range.low, range.high
        ));
    }
    (requests, lines)
}

/// The range of a function that the request leaves open and that its entry has one for.
pub(crate) fn open_range(request: &FunctionRequest, entry: &CatalogueEntry) -> Option<(f32, f32)> {
    match request.range {
        None => request.table_range(entry),
        Some(_) => None,
    }
}

fn words_of(fitter: &FunctionFitter<'_>) -> usize {
    let plan = fitter.plan(planned(fitter.request), 1.0);
    // Without a layout for that error the octaves of the range are counted.
    let octaves = || {
        open_range(fitter.request, fitter.entry).map_or(0, |(low, high)| {
            let low = low.max(f32::MIN_POSITIVE);
            (exponent(high) - exponent(low) + 1).max(0) as usize
        })
    };
    plan.map_or_else(octaves, |plan| plan.control_words())
}

fn exponent(x: f32) -> i32 {
    (x.to_bits() >> 23 & 0xff) as i32 - 127
}

impl Open {
    /// Takes away the octave at the end that lies farther from 1. A range that begins below zero ends earlier.
    fn give_up_octave(&mut self) {
        self.words -= 1;
        let is_far = self.low <= 0.0 || exponent(self.high) + 1 > -exponent(self.low);
        if is_far {
            // The largest number below the power of two that the last octave begins with.
            self.high = f32::from_bits((self.high.to_bits() & !0x7f_ffff) - 1);
        } else {
            self.low = f32::from_bits((self.low.to_bits() & !0x7f_ffff) + (1 << 23));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octaves_go_from_the_end_that_is_farther_from_1() {
        let mut range = Open {
            function: 0,
            low: 2.0_f32.powi(-3),
            high: 8.0_f32.next_down(),
            words: 6,
        };
        let mut seen = Vec::new();
        for _ in 0..4 {
            range.give_up_octave();
            seen.push((range.low, range.high.next_up()));
        }
        assert_eq!(seen, [(0.25, 8.0), (0.25, 4.0), (0.5, 4.0), (0.5, 2.0)]);
        assert_eq!(range.words, 2);
    }
}
