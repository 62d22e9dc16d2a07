//! What no replay can find: figures out of their range, and figures that contradict each other.
//!
//! Whoever judges by a stored report believes it. It was written by a replay, but it is a file: a bad disk, a merge of
//! two versions or an editor may have been at it. What is checked here needs nothing but the report;
//! [`Report::check_against`] holds it against the tables.

use actforge_reference::Format;

use super::{FunctionReport, GroupReport, Report, ReportError, Witness};
use crate::replay::{count_inputs, fewest_inputs, millionths, most_inputs};
use crate::sweep::{CANDIDATES, mean, share};

/// What rounding to a millionth of an ulp can make of two figures that are equal.
const MILLIONTH: f64 = 1e-6;

/// No reference polynomial is farther from its function than this, in ulp (2^-22): a report that said so could excuse any
/// figure.
const LARGEST_BOUND: f64 = 1.0 / (1 << 22) as f64;

impl Report {
    /// Whether a replay can have found all of this.
    pub(super) fn check(&self) -> Result<(), ReportError> {
        self.functions.iter().try_for_each(|report| {
            let check = Check { report };
            check.ranges()?;
            check.inputs()?;
            check.histogram()?;
            check.groups()?;
            check.counts()?;
            check.places()
        })
    }
}

struct Check<'a> {
    report: &'a FunctionReport,
}

impl Check<'_> {
    fn refuse(
        &self,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Result<(), ReportError> {
        Err(self.report.impossible(field, expected, found))
    }

    fn not_negative(&self, field: &str, value: Option<f64>) -> Result<(), ReportError> {
        match value {
            // JSON has neither NaN nor infinities, but a caller's own report may.
            Some(value) if !value.is_finite() || value < 0.0 => {
                self.refuse(field, "a finite number that is not negative", value)
            }
            _ => Ok(()),
        }
    }

    fn share(&self, field: &str, value: f64) -> Result<(), ReportError> {
        if (0.0..=1.0).contains(&value) {
            Ok(())
        } else {
            self.refuse(field, "a share from 0 to 1", value)
        }
    }

    fn at_most(&self, field: &str, value: u64, most: u64, what: &str) -> Result<(), ReportError> {
        if value <= most {
            Ok(())
        } else {
            self.refuse(field, format!("at most {most} ({what})"), value)
        }
    }

    fn format(&self, field: &str, text: &str) -> Result<Format, ReportError> {
        text.parse().map_err(|_| {
            self.report
                .impossible(field, "an output type", format!("{text:?}"))
        })
    }

    /// How far two figures may be apart that are found in different ways: by the reference's polynomials, and in MPFR.
    fn slack(&self) -> f64 {
        2.0 * self.report.reference_bound_ulp + MILLIONTH
    }

    fn ranges(&self) -> Result<(), ReportError> {
        let report = self.report;
        let extreme = |extreme: &Option<super::Extreme>| extreme.as_ref().map(|one| one.error);
        for (field, value) in [
            ("max_ulp", report.max_ulp),
            ("mean_ulp", Some(report.mean_ulp)),
            ("lower_bound_ulp", report.lower_bound_ulp),
            ("max_absolute.error", extreme(&report.max_absolute)),
            ("max_relative.error", extreme(&report.max_relative)),
            ("reference_bound_ulp", Some(report.reference_bound_ulp)),
            (
                "seams.bucket.max_jump_ulp",
                Some(report.seams.bucket.max_jump_ulp),
            ),
            (
                "seams.octave.max_jump_ulp",
                Some(report.seams.octave.max_jump_ulp),
            ),
            (
                "seams.region.max_jump_ulp",
                Some(report.seams.region.max_jump_ulp),
            ),
            ("seconds", report.seconds),
        ] {
            self.not_negative(field, value)?;
        }
        self.share("correctly_rounded", report.correctly_rounded)?;
        if report.reference_bound_ulp > LARGEST_BOUND {
            return self.refuse(
                "reference_bound_ulp",
                format!("at most {LARGEST_BOUND}"),
                report.reference_bound_ulp,
            );
        }
        Ok(())
    }

    /// As many inputs as the stated types and range have.
    fn inputs(&self) -> Result<(), ReportError> {
        let report = self.report;
        self.format("dtype", &report.dtype)?;
        let input = self.format("input_dtype", &report.input_dtype)?;
        let Some([first, last]) = &report.range else {
            let expected = count_inputs(input, None);
            return if report.inputs == expected {
                Ok(())
            } else {
                let expected = format!("{expected} (every {} value)", input.name());
                self.refuse("inputs", expected, report.inputs)
            };
        };
        let (low, high) = (self.number("range", first)?, self.number("range", last)?);
        if low.is_nan() || high.is_nan() || low > high {
            return self.refuse(
                "range",
                "two numbers, the smaller one first",
                format!("{first} to {last}"),
            );
        }
        // Which of them the mirror image adds depends on the function; the special inputs are always judged.
        let (fewest, most) = (fewest_inputs(input), most_inputs(input, [low, high]));
        if (fewest..=most).contains(&report.inputs) {
            return Ok(());
        }
        let expected = format!("{fewest} to {most} (those from {first} to {last})");
        self.refuse("inputs", expected, report.inputs)
    }

    /// The histogram counts every input once, and says what the other figures say.
    fn histogram(&self) -> Result<(), ReportError> {
        let report = self.report;
        let (edges, bins) = (&report.histogram_edges, &report.histogram);
        let ascend = edges
            .iter()
            .zip(edges.iter().skip(1))
            .all(|(one, next)| one < next);
        if !ascend || bins.len() != edges.len() + 1 {
            let expected = "ascending edges, and one more bin than edges";
            let found = format!("{} edges and {} bins", edges.len(), bins.len());
            return self.refuse("histogram", expected, found);
        }
        let sum: u128 = bins.iter().map(|count| u128::from(*count)).sum();
        if sum != u128::from(report.inputs) {
            let expected = format!("{} inputs in all (inputs)", report.inputs);
            return self.refuse("histogram", expected, sum);
        }
        let right = bins.iter().zip(edges).filter(|(_, edge)| **edge <= 0.5);
        let right: u64 = right.map(|(count, _)| count).sum();
        let expected = share(right, report.inputs);
        if report.correctly_rounded != expected {
            let expected = format!("{expected} ({right} inputs in the bins up to one half)");
            return self.refuse("correctly_rounded", expected, report.correctly_rounded);
        }
        let Ok(error_sum) = report.error_sum.parse::<u128>() else {
            return self.refuse(
                "error_sum",
                "decimal digits",
                format!("{:?}", report.error_sum),
            );
        };
        let expected = millionths(mean(error_sum, report.inputs));
        if report.mean_ulp != expected {
            let expected = format!("{expected} (error_sum over inputs)");
            return self.refuse("mean_ulp", expected, report.mean_ulp);
        }
        let max = report.max_ulp.unwrap_or(f64::INFINITY);
        if report.mean_ulp > max + self.slack() {
            return self.refuse(
                "mean_ulp",
                format!("at most max_ulp, {max}"),
                report.mean_ulp,
            );
        }
        // The largest error lies in the last bin that is not empty.
        let last = bins.iter().rposition(|count| *count > 0).unwrap_or(0);
        let above = last
            .checked_sub(1)
            .and_then(|below| edges.get(below))
            .copied();
        let upto = edges.get(last).copied().unwrap_or(f64::INFINITY);
        let least = above.unwrap_or(0.0);
        if max < least - self.slack() || max > upto + self.slack() {
            let expected = format!("{least} to {upto} (the last bin of the histogram)");
            return self.refuse("max_ulp", expected, shown(report.max_ulp));
        }
        Ok(())
    }

    /// No group of inputs is more than all of them.
    fn groups(&self) -> Result<(), ReportError> {
        let report = self.report;
        self.group("subnormal_results", &report.subnormal_results)?;
        for (place, row) in report.octaves.iter().enumerate() {
            self.group(&format!("octaves[{place}]"), &row.group)?;
        }
        for (place, row) in report.bucket_rows.iter().enumerate() {
            self.group(&format!("bucket_rows[{place}]"), &row.group)?;
        }
        let special = report.special.iter().map(|row| u128::from(row.inputs));
        let of_octaves = report
            .octaves
            .iter()
            .map(|row| u128::from(row.group.inputs));
        let of_buckets = report
            .bucket_rows
            .iter()
            .map(|row| u128::from(row.group.inputs));
        let special: u128 = special.sum();
        for (field, sum) in [
            ("octaves", special + of_octaves.sum::<u128>()),
            ("bucket_rows", special + of_buckets.sum::<u128>()),
        ] {
            if sum > u128::from(report.inputs) {
                let expected = format!(
                    "at most {} inputs with the special ones (inputs)",
                    report.inputs
                );
                return self.refuse(field, expected, sum);
            }
        }
        Ok(())
    }

    fn group(&self, name: &str, group: &GroupReport) -> Result<(), ReportError> {
        let report = self.report;
        let field = |key: &str| format!("{name}.{key}");
        self.at_most(&field("inputs"), group.inputs, report.inputs, "inputs")?;
        self.not_negative(&field("max_ulp"), group.max_ulp)?;
        self.not_negative(&field("mean_ulp"), Some(group.mean_ulp))?;
        self.share(&field("correctly_rounded"), group.correctly_rounded)?;
        let max = group.max_ulp.unwrap_or(f64::INFINITY);
        if group.mean_ulp > max + self.slack() {
            return self.refuse(
                field("mean_ulp"),
                format!("at most its max_ulp, {max}"),
                group.mean_ulp,
            );
        }
        let of_all = report.max_ulp.unwrap_or(f64::INFINITY);
        if max > of_all + self.slack() {
            let expected = format!("at least {} ({name})", shown(group.max_ulp));
            return self.refuse("max_ulp", expected, of_all);
        }
        Ok(())
    }

    fn counts(&self) -> Result<(), ReportError> {
        let report = self.report;
        let violations = &report.violations;
        for (field, count) in [
            ("violations.nan_results", violations.nan_results),
            ("violations.infinite_results", violations.infinite_results),
            ("violations.out_of_range", violations.out_of_range),
            ("violations.wrong_sign", violations.wrong_sign),
            ("violations.zero_sign", violations.zero_sign),
            ("violations.non_monotone", violations.non_monotone),
            ("violations.asymmetric", violations.asymmetric),
            (
                "decided_in_mpfr",
                report.decided_in_mpfr.saturating_sub(LAST_DECISIONS),
            ),
        ] {
            self.at_most(field, count, report.inputs, "inputs")?;
        }
        if let (1.., Some(max)) = (violations.nan_results, report.max_ulp) {
            let expected = "null (a result is NaN where a number is right)";
            return self.refuse("max_ulp", expected, max);
        }
        let back = report
            .octaves
            .iter()
            .map(|row| u128::from(row.non_monotone));
        let back: u128 = back.sum();
        if u128::from(violations.non_monotone) < back {
            let expected = format!("at least {back} (those of the octaves)");
            return self.refuse("violations.non_monotone", expected, violations.non_monotone);
        }
        let is_right = report.correctly_rounded == 1.0;
        if is_right != (report.max_steps == 0) {
            let expected = if is_right { "0" } else { "at least 1" };
            let expected = format!(
                "{expected} (correctly_rounded is {})",
                report.correctly_rounded
            );
            return self.refuse("max_steps", expected, report.max_steps);
        }
        if usize::try_from(report.buckets) != Ok(report.bucket_rows.len()) {
            let expected = format!("{} (bucket_rows)", report.bucket_rows.len());
            return self.refuse("buckets", expected, report.buckets);
        }
        Ok(())
    }

    /// Every maximum has its input.
    fn places(&self) -> Result<(), ReportError> {
        let report = self.report;
        let Some(Witness {
            bits,
            value,
            got,
            want,
        }) = &report.max_ulp_at
        else {
            return self.refuse("max_ulp_at", "the input that has max_ulp", "null");
        };
        let x = self.number("max_ulp_at.bits", bits)?;
        if *value != format!("{x:?}") {
            return self.refuse("max_ulp_at.value", format!("{x:?} ({bits})"), value);
        }
        self.number("max_ulp_at.got", got)?;
        self.number("max_ulp_at.want", want)?;
        match &report.max_steps_at {
            Some(bits) => drop(self.number("max_steps_at", bits)?),
            None if report.max_steps > 0 => {
                return self.refuse("max_steps_at", "the input that has max_steps", "null");
            }
            None => {}
        }
        for (field, extreme) in [
            ("max_absolute.at", &report.max_absolute),
            ("max_relative.at", &report.max_relative),
        ] {
            if let Some(extreme) = extreme {
                self.number(field, &extreme.at)?;
            }
        }
        for row in &report.special {
            let field = |key: &str| format!("special {:?}: {key}", row.input);
            self.number(&field("bits"), &row.bits)?;
            let (got, want) = (
                self.number(&field("got"), &row.got)?,
                self.number(&field("want"), &row.want)?,
            );
            let is_right = got == want || got.is_nan() && want.is_nan();
            if row.ok != is_right {
                let expected = format!("{is_right} (got {}, want {})", row.got, row.want);
                return self.refuse(field("ok"), expected, row.ok);
            }
        }
        for row in &report.saturation {
            self.number("saturation.limit", &row.limit)?;
            for bits in [&row.first, &row.right].into_iter().flatten() {
                self.number("saturation", bits)?;
            }
        }
        Ok(())
    }

    fn number(&self, field: &str, text: &str) -> Result<f32, ReportError> {
        from_hex(text).ok_or_else(|| {
            let expected = "0x and eight hexadecimal digits";
            self.report.impossible(field, expected, format!("{text:?}"))
        })
    }
}

/// What deciding the last candidates for a maximum can add to the inputs that were decided in MPFR.
const LAST_DECISIONS: u64 = CANDIDATES as u64;

/// A largest error as people read it.
fn shown(max_ulp: Option<f64>) -> String {
    max_ulp.map_or_else(|| "null".to_owned(), |max| max.to_string())
}

/// The number with these bits, `0x` and eight hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<f32> {
    let digits = text.strip_prefix("0x")?;
    let is_number = digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_number {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().map(f32::from_bits)
}
