//! Where inputs really fall: histograms that users give, and the mean errors under them.

use std::path::{Path, PathBuf};

use actforge_reference::Format;
use actforge_reports::document::{quoted, read_text};
use actforge_reports::histogram::Histogram;
use actforge_reports::report::{Report, WeightedReport};
use actforge_reports::{ReplayOptions, weigh, weigh_function};
use actforge_tables::FunctionSet;
use serde_json::{Value, json};

use super::reports::replay_failure;
use crate::args::HistogramArgument;
use crate::exit::Failure;
use crate::numbers::ulp;
use crate::output::Output;
use crate::progress::Progress;

/// A histogram, and the file it came from.
pub(super) struct GivenHistogram {
    path: PathBuf,
    histogram: Histogram,
}

/// The mean error of one function of a set.
pub(super) struct Weighted {
    pub(super) function: String,
    pub(super) set: String,
    pub(super) found: WeightedReport,
}

impl GivenHistogram {
    /// Reads the histogram, if one is given, and checks that every function that it has bins of is among the `known`
    /// ones, which are those of `place`.
    pub(super) fn read(
        argument: &HistogramArgument,
        place: &str,
        known: &[&str],
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = &argument.histogram else {
            return Ok(None);
        };
        let file = path.display().to_string();
        let text = read_text(path).map_err(|error| Failure::invalid(error, HINT))?;
        let histogram =
            Histogram::parse(&file, &text).map_err(|error| Failure::invalid(error, HINT))?;
        let given = histogram.functions().iter();
        let strange: Vec<String> = given
            .filter(|given| !known.contains(&given.name.as_str()))
            .map(|given| quoted(&given.name))
            .collect();
        if !strange.is_empty() {
            return Err(Failure::invalid(
                format!(
                    "{file}: expected bins of functions of {place}, found bins of {}",
                    strange.join(", ")
                ),
                format!("it has {}", known.join(", ")),
            ));
        }
        Ok(Some(Self {
            path: path.clone(),
            histogram,
        }))
    }

    /// Refuses a replay of a range of inputs: the largest error would be of other inputs than the mean beside it.
    pub(super) fn check_all_inputs(
        argument: &HistogramArgument,
        range: Option<[f32; 2]>,
    ) -> Result<(), Failure> {
        match (range, &argument.histogram) {
            (Some(_), Some(_)) => Err(Failure::usage(
                "--histogram: expected a replay of all inputs, found --range: the mean is over every input that has weight",
                "leave --range out; a file with the bins of the range alone gives the mean error there",
            )),
            _ => Ok(()),
        }
    }

    /// Adds the mean errors to the report of a set.
    pub(super) fn weigh(
        &self,
        path: &Path,
        set: &FunctionSet,
        report: &mut Report,
        slope: Option<f32>,
        progress: &Progress,
    ) -> Result<(), Failure> {
        weigh(set, report, &self.histogram, slope, &progress.of_replay())
            .map_err(|error| replay_failure(path, &error))
    }

    /// The mean error of a function of a set, for inputs of a type; `None` without bins of it.
    pub(super) fn weigh_one(
        &self,
        set: &FunctionSet,
        function: &str,
        input: Format,
        progress: &Progress,
    ) -> Result<Option<Weighted>, Failure> {
        let options = ReplayOptions {
            input,
            ..ReplayOptions::default()
        };
        let Some(bins) = self.histogram.bins(function) else {
            return Ok(None);
        };
        let found = weigh_function(set, function, bins, &options, &progress.of_replay());
        let found = found.map_err(|error| {
            Failure::invalid(format!("set {}: {error}", set.name), "build the set again")
        })?;
        Ok(Some(Weighted {
            function: function.to_owned(),
            set: set.name.clone(),
            found,
        }))
    }

    /// Says which of these functions it has no bins of.
    pub(super) fn say_without_bins(
        &self,
        functions: &[&str],
        output: &mut Output,
    ) -> Result<(), Failure> {
        let without = self.without_bins(functions);
        if without.is_empty() {
            return Ok(());
        }
        output.line(format!(
            "{} has no bins of {}",
            self.path.display(),
            without.join(", ")
        ))
    }

    /// Those of these functions that it has no bins of.
    pub(super) fn without_bins<'f>(&self, functions: &[&'f str]) -> Vec<&'f str> {
        let is_without = |name: &&&str| self.histogram.bins(name).is_none();
        functions.iter().filter(is_without).copied().collect()
    }
}

const HINT: &str =
    "expected CSV with the header function,lower,upper,count: examples/activations.csv is one";

impl Weighted {
    pub(super) fn to_json(&self) -> Value {
        json!({ "function": self.function, "set": self.set, "weighted": self.found })
    }
}

/// The mean errors under a histogram, in words.
pub(super) fn in_words(weighted: &WeightedReport) -> String {
    let means = match (weighted.mean_ulp, weighted.mean_absolute) {
        (Some(mean), Some(absolute)) => {
            format!("mean error {} ulp, {absolute:.6e} absolute", ulp(mean))
        }
        _ if weighted.inside > 0.0 => "no mean error, since a result with weight is NaN".to_owned(),
        _ => "no mean error".to_owned(),
    };
    let mut words = format!("{means}, over {} % of the weight", share(weighted.inside));
    for (part, place) in [
        (weighted.outside, "outside of the inputs it is made for"),
        (weighted.open, "in open bins"),
    ] {
        if part > 0.0 {
            words += &format!("; {} % is {place}", share(part));
        }
    }
    words
}

/// A share in percent: four decimals, and what is less than that as it is.
fn share(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 0.0001 || percent == 0.0 {
        format!("{percent:.4}")
    } else {
        format!("{percent:.2e}")
    }
}
