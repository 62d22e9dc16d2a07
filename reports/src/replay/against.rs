//! A stored report against the tables that it is said to be of: what costs nothing to find again must be what it says.

use actforge_reference::{Truth, steps, ulp_error};
use actforge_tables::{Datapath, FunctionSet};

use super::finish::{bucket_count, control_words};
use super::special::special_inputs;
use super::{Judged, ReplayOptions, Subject, count_inputs, millionths, with_operand};
use crate::report::{Extreme, FunctionReport, Report, ReportError, from_hex, hex};

impl Report {
    /// Whether it is of exactly this build of a set, in this datapath.
    ///
    /// # Errors
    /// [`ReportError::OfOther`].
    pub fn is_of(&self, set: &FunctionSet, datapath: Datapath) -> Result<(), ReportError> {
        // Tables that are no valid set have no digest, and no report is known to be of them.
        let digest = set.digest().unwrap_or_default();
        let found = self.set_sha256.as_deref().unwrap_or("none");
        for (field, expected, found) in [
            ("set", set.name.as_str(), self.set.as_str()),
            ("target", set.target.as_str(), &self.target),
            ("datapath", datapath.as_str(), &self.datapath),
            ("set_sha256", &digest, found),
        ] {
            if expected != found {
                return Err(ReportError::OfOther {
                    field,
                    expected: expected.to_owned(),
                    found: found.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Whether it is of exactly this build of a set, in this datapath, and what it says is so where that is seen without
    /// a sweep: which inputs were judged, the results at the inputs of its maxima and the errors there, the special
    /// inputs, where a side is saturated, and what the function takes of the pools.
    ///
    /// # Errors
    /// [`ReportError::OfOther`] and [`ReportError::Impossible`].
    pub fn check_against(&self, set: &FunctionSet, datapath: Datapath) -> Result<(), ReportError> {
        self.is_of(set, datapath)?;
        self.functions
            .iter()
            .try_for_each(|report| against(report, set, datapath))
    }
}

fn against(
    report: &FunctionReport,
    set: &FunctionSet,
    datapath: Datapath,
) -> Result<(), ReportError> {
    let refuse =
        |field: &str, text: &str| report.impossible(field, "a number format", format!("{text:?}"));
    if set.function(&report.name).is_none() {
        return Err(report.impossible("name", "a function of the set", &report.name));
    }
    let (output, input) = (&report.dtype, &report.input_dtype);
    let options = ReplayOptions {
        datapath: Some(datapath),
        output: Some(output.parse().map_err(|_| refuse("dtype", output))?),
        input: input.parse().map_err(|_| refuse("input_dtype", input))?,
        ..ReplayOptions::default()
    };
    let set = with_operand(set, &options)?;
    let own = Subject::new(&set, &report.name, &options)?;
    let subject = match &report.range {
        // Of a part of the inputs, if it is not of all that the function is made for.
        Some([low, high]) if !is_over(report, &own) => {
            let ends = from_hex(low).zip(from_hex(high));
            let range = ends.map(|(low, high)| [low, high]);
            Subject::new(&set, &report.name, &ReplayOptions { range, ..options })?
        }
        _ => own,
    };
    if report.range != subject.range.map(Judged::stated) {
        let shown = |range: &Option<[String; 2]>| match range {
            Some([low, high]) => format!("{low} to {high}"),
            None => "null".to_owned(),
        };
        let expected = shown(&subject.range.map(Judged::stated));
        return Err(report.impossible("range", expected, shown(&report.range)));
    }
    if !is_over(report, &subject) {
        let expected = count_inputs(subject.input, subject.range);
        return Err(report.impossible("inputs", expected, report.inputs));
    }
    let words = control_words(&set, subject.entry)?;
    Against { report, subject }.check(words)
}

/// Whether a report is over the inputs that a replay of the subject judges.
fn is_over(report: &FunctionReport, subject: &Subject<'_>) -> bool {
    report.range == subject.range.map(Judged::stated)
        && report.inputs == count_inputs(subject.input, subject.range)
}

struct Against<'a> {
    report: &'a FunctionReport,
    subject: Subject<'a>,
}

/// What the tables give at an input.
struct Found {
    result: f32,
    want: f32,
    /// In ulp; infinite where one of the two is NaN and the other is not.
    error: f64,
    /// The true value to double precision, where there is one.
    value: Option<f64>,
}

impl Against<'_> {
    fn check(&self, control_words: u32) -> Result<(), ReportError> {
        let Self { report, subject } = self;
        for (field, expected, found) in [
            (
                "func_id",
                u64::from(subject.entry.func_id),
                u64::from(report.func_id),
            ),
            (
                "buckets",
                bucket_count(subject) as u64,
                u64::from(report.buckets),
            ),
            (
                "control_words",
                u64::from(control_words),
                u64::from(report.control_words),
            ),
        ] {
            if expected != found {
                return Err(report.impossible(field, format!("{expected} (the tables)"), found));
            }
        }
        let special = special_inputs(subject).reports();
        let differs = special
            .iter()
            .zip(&report.special)
            .find(|(own, found)| own != found);
        if let Some((own, found)) = differs {
            let shown = |row: &crate::report::SpecialReport| {
                format!(
                    "{} of {}, {} -> {}, right {}",
                    row.inputs, row.input, row.bits, row.got, row.want
                )
            };
            return Err(report.impossible(
                "special",
                format!("{} (the tables)", shown(own)),
                shown(found),
            ));
        }
        if special.len() != report.special.len() {
            let expected = format!("{} rows", special.len());
            return Err(report.impossible("special", expected, report.special.len()));
        }
        self.largest_error()?;
        self.most_steps()?;
        self.extreme("max_absolute", &report.max_absolute, |_| 1.0)?;
        self.extreme("max_relative", &report.max_relative, f64::abs)?;
        self.saturation()
    }

    fn at(&self, field: &str, bits: &str) -> Result<Found, ReportError> {
        let Self { report, subject } = self;
        let x = from_hex(bits).unwrap_or(f32::NAN);
        let is_special = x == 0.0 || !x.is_finite();
        let is_value = subject.input.round_f32(x) == x;
        if !(is_special || is_value && subject.is_judged(x)) {
            return Err(report.impossible(field, "one of the inputs that were judged", bits));
        }
        let result = subject.result(x);
        let truth = subject.function.enclose(x, 80);
        Ok(Found {
            result,
            want: subject
                .function
                .round(x, subject.output)
                .unwrap_or(f32::NAN),
            error: ulp_error(subject.output, result, &truth),
            value: matches!(truth, Truth::Value(_)).then(|| truth.to_f64()),
        })
    }

    fn largest_error(&self) -> Result<(), ReportError> {
        let report = self.report;
        let Some(at) = &report.max_ulp_at else {
            return Err(report.impossible("max_ulp_at", "an input", "null"));
        };
        let found = self.at("max_ulp_at.bits", &at.bits)?;
        let at_input = format!("(the tables at {})", at.bits);
        for (field, number, text) in [
            ("max_ulp_at.got", found.result, &at.got),
            ("max_ulp_at.want", found.want, &at.want),
        ] {
            let is_same = from_hex(text).is_some_and(|read| {
                read.to_bits() == number.to_bits() || read.is_nan() && number.is_nan()
            });
            if !is_same {
                let expected = format!("{} {at_input}", hex(number.to_bits()));
                return Err(report.impossible(field, expected, text));
            }
        }
        let own = found.error.is_finite().then(|| millionths(found.error));
        if own != report.max_ulp {
            let shown =
                |max: Option<f64>| max.map_or_else(|| "null".to_owned(), |max| max.to_string());
            let expected = format!("{} {at_input}", shown(own));
            return Err(report.impossible("max_ulp", expected, shown(report.max_ulp)));
        }
        Ok(())
    }

    fn most_steps(&self) -> Result<(), ReportError> {
        let Self { report, subject } = self;
        let Some(bits) = &report.max_steps_at else {
            return Ok(());
        };
        let found = self.at("max_steps_at", bits)?;
        let own = steps(subject.output, found.result, found.want).unwrap_or(u64::MAX);
        if own != report.max_steps {
            let expected = format!("{own} (the tables at {bits})");
            return Err(report.impossible("max_steps", expected, report.max_steps));
        }
        Ok(())
    }

    /// A largest error that is no ulp error: absolute, or in units of the true value. The sweep has it from the
    /// reference's polynomials, so that it is off by as much as these may be.
    fn extreme(
        &self,
        field: &str,
        extreme: &Option<Extreme>,
        unit: fn(f64) -> f64,
    ) -> Result<(), ReportError> {
        let report = self.report;
        let Some(Extreme { error, at }) = extreme else {
            return Ok(());
        };
        let found = self.at(&format!("{field}.at"), at)?;
        let value = found.value.unwrap_or(f64::NAN);
        let absolute = (f64::from(found.result) - value).abs();
        let own = absolute / unit(value);
        // An error in ulp is the absolute one in units of an ulp.
        let ulp = if found.error > 0.0 {
            absolute / found.error
        } else {
            0.0
        };
        let slack = 2.0 * report.reference_bound_ulp * ulp / unit(value) + 1e-9 * own;
        if own.is_finite() && (own - error).abs() <= slack {
            return Ok(());
        }
        let expected = format!("{own:e} (the tables at {at})");
        Err(report.impossible(format!("{field}.error"), expected, format!("{error:e}")))
    }

    fn saturation(&self) -> Result<(), ReportError> {
        let Self { report, subject } = self;
        for row in &report.saturation {
            let (Some(limit), Some(first)) = (
                from_hex(&row.limit),
                row.first.as_deref().and_then(from_hex),
            ) else {
                continue;
            };
            let before = f32::from_bits(first.to_bits().saturating_sub(1));
            let farthest = f32::MAX.copysign(first);
            let is_limit = |x: f32| subject.result(x) == limit;
            let begins = before == 0.0 || !is_limit(before);
            if first.is_sign_negative() != row.negative
                || !is_limit(first)
                || !is_limit(farthest)
                || !begins
            {
                let expected = format!("the input from which on every result is {}", row.limit);
                return Err(report.impossible("saturation.first", expected, hex(first.to_bits())));
            }
        }
        Ok(())
    }
}
