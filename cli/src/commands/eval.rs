//! `actforge eval`: one input, step by step, next to the true value.

use std::borrow::Cow;
use std::path::PathBuf;

use actforge_engine::{EngineConfig, Function as Engine, Route, Trace};
use actforge_reference::{Format, Function, Truth, ulp_error};
use actforge_reports::document::quoted;
use actforge_reports::reference;
use actforge_tables::{DEFAULT_SLOPE, FunctionEntry};
use clap::Args;
use serde_json::{Value, json};

use super::sets::{check_alpha, function, read_set};
use crate::args::{AlphaArgument, DatapathArgument, format_parser, parse_input};
use crate::exit::{Exit, Failure};
use crate::numbers::{bits, decimal, decimal64, hex_float};
use crate::output::Output;

/// Evaluate inputs and show every step
///
/// For each input: the region, or octave and section, and so the bucket it leads to; t, its distance from the bucket's
/// breakpoint; the engine's result to the bit; the true value; and the error in ulp.
#[derive(Debug, Args)]
#[command(after_help = "\
An input is a decimal number (0.5, -1e-3, inf, nan), a hexadecimal one (0x1.8p3 is 12), or the bits of an fp32 number:
0x and exactly eight hexadecimal digits (0x41400000 is 12 too).

Examples:
  actforge eval out tanh 0.5 -1e-3
  actforge eval out exp 0x1.8p3 0x41400000 -inf
  actforge eval out gelu -0.75 --datapath mixed --json")]
pub(crate) struct Arguments {
    /// Directory of the set
    #[arg(value_name = "DIR")]
    set: PathBuf,

    /// The function
    #[arg(value_name = "FUNCTION")]
    function: String,

    /// The inputs
    #[arg(value_name = "X", required = true, value_parser = parse_input)]
    inputs: Vec<f32>,

    #[command(flatten)]
    datapath: DatapathArgument,

    /// Output type in whose ulp the error counts, instead of the function's own
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    output: Option<Format>,

    #[command(flatten)]
    alpha: AlphaArgument,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let stored = read_set(&arguments.set)?;
    check_alpha(&stored, arguments.alpha.alpha)?;
    let set = stored
        .with_slope(arguments.alpha.alpha.unwrap_or(DEFAULT_SLOPE))
        .map_err(|error| {
            let message = format!("{}: {error}", arguments.set.display());
            Failure::invalid(message, "build parametric_relu in a smaller set")
        })?;
    let entry = function(&set, &arguments.function)?;
    let config = EngineConfig::from(arguments.datapath.datapath.unwrap_or(set.datapath));
    let engine = Engine::from_set(&set, entry, config).map_err(|error| {
        Failure::invalid(
            format!(
                "{}: function {}: {error}",
                arguments.set.display(),
                quoted(&entry.name)
            ),
            "the set is damaged; build it again",
        )
    })?;
    let judge = Judge {
        function: reference(&entry.name, &entry.notes).ok(),
        format: match arguments.output {
            Some(format) => format,
            None => own_format(entry)?,
        },
    };
    let evaluated: Vec<Evaluated> = arguments
        .inputs
        .iter()
        .map(|input| judge.evaluate(engine.trace(*input)))
        .collect();
    if arguments.json {
        let results: Vec<Value> = evaluated.iter().map(Evaluated::as_json).collect();
        output.json(&json!({ "results": results }))?;
    } else {
        for one in &evaluated {
            one.print(&entry.name, output)?;
        }
    }
    Ok(Exit::Success)
}

fn own_format(entry: &FunctionEntry) -> Result<Format, Failure> {
    let Some(name) = &entry.notes.dtype else {
        return Ok(Format::Fp32);
    };
    name.parse().map_err(|error: String| {
        Failure::invalid(
            format!("set.json: function {}: dtype: {error}", entry.name),
            "build the set again",
        )
    })
}

/// What results are compared with.
struct Judge {
    /// None for a function that is not in the catalogue: then nothing is known of its values.
    function: Option<Cow<'static, Function>>,
    format: Format,
}

/// One input with everything there is to say about it.
struct Evaluated {
    trace: Trace,
    format: Format,
    reference: Option<Reference>,
}

/// The true value at an input.
struct Reference {
    /// To double precision.
    value: f64,
    /// Correctly rounded to the output format; `None` when that could not be decided.
    rounded: Option<f32>,
    /// The error of the result, after rounding it to the output format.
    error: f64,
}

/// Bits of the true value; far more than any error needs.
const PRECISION: u32 = 160;

impl Judge {
    fn evaluate(&self, trace: Trace) -> Evaluated {
        let reference = self.function.as_ref().map(|function| {
            let truth = function.enclose(trace.input, PRECISION);
            Reference {
                value: match &truth {
                    Truth::Undefined => f64::NAN,
                    Truth::Infinite { negative: true } => f64::NEG_INFINITY,
                    Truth::Infinite { negative: false } => f64::INFINITY,
                    Truth::Value(value) => value.low().to_f64(),
                },
                rounded: function.round(trace.input, self.format).ok(),
                error: ulp_error(self.format, self.format.round_f32(trace.result), &truth),
            }
        });
        Evaluated {
            trace,
            format: self.format,
            reference,
        }
    }
}

/// The name of a route that involves no cubic.
fn special(route: &Route) -> Option<&'static str> {
    match route {
        Route::Zero => Some("zero"),
        Route::Nan => Some("nan"),
        Route::PosInf => Some("pos_inf"),
        Route::NegInf => Some("neg_inf"),
        Route::Bypass => Some("bypass"),
        Route::Cubic { .. } => None,
    }
}

impl Evaluated {
    fn as_json(&self) -> Value {
        let Self {
            trace,
            format,
            reference,
        } = self;
        let reference = reference.as_ref();
        json!({
            "input_bits": bits(trace.input),
            "region": trace.region().map(|region| region.as_str()),
            "bucket": trace.bucket_index(),
            "t_bits": trace.t.map(bits),
            "result_bits": bits(trace.result),
            "reference": reference.map(|reference| number(reference.value)),
            "error_ulp": reference.map(|reference| number(reference.error)),
            "special": special(&trace.route),
            "octave": trace.octave(),
            "section": trace.section,
            "unfolded": trace.unfolded(),
            "dtype": format.name(),
            "rounded_bits": reference.and_then(|reference| reference.rounded).map(bits),
        })
    }

    fn print(&self, name: &str, output: &mut Output) -> Result<(), Failure> {
        let Self {
            trace,
            format,
            reference,
        } = self;
        output.line(format!("{name}({})", decimal(trace.input)))?;
        let mut row = |title: &str, text: String| output.line(format!("  {title:<11} {text}"));
        let both =
            |value: f32| format!("{}  {}  {}", bits(value), decimal(value), hex_float(value));
        row("input", both(trace.input))?;
        row("way", self.way())?;
        if let Some(t) = trace.t {
            row("t", both(t))?;
        }
        if let (true, Some(cubic)) = (trace.unfolded(), trace.cubic) {
            row("cubic", format!("{}, before unfolding", both(cubic)))?;
        }
        row("result", both(trace.result))?;
        let rounded = format.round_f32(trace.result);
        if rounded.to_bits() != trace.result.to_bits() && !rounded.is_nan() {
            row(&format!("in {}", format.name()), both(rounded))?;
        }
        match reference {
            None => row(
                "true value",
                format!("not known: {} is not in the catalogue", quoted(name)),
            )?,
            Some(reference) => {
                row("true value", decimal64(reference.value))?;
                if let Some(rounded) = reference.rounded {
                    row(
                        "right",
                        format!("{} (correctly rounded to {})", both(rounded), format.name()),
                    )?;
                }
                row(
                    "error",
                    format!("{:.6} ulp of {}", reference.error, format.name()),
                )?;
            }
        }
        Ok(())
    }

    fn way(&self) -> String {
        let trace = &self.trace;
        let bucket = trace.bucket_index().unwrap_or_default();
        let fold = if trace.unfolded() {
            ", reflected by the fold"
        } else {
            ""
        };
        match (
            special(&trace.route),
            trace.region(),
            trace.octave(),
            trace.section,
        ) {
            (Some("bypass"), ..) => "bypass: the result is the input".to_owned(),
            (Some(special), ..) => format!("special input {special}: no cubic"),
            (_, Some(region), ..) => format!("region {}, bucket {bucket}{fold}", region.as_str()),
            (_, _, Some(octave), section) => {
                format!(
                    "octave {octave}, section {}, bucket {bucket}{fold}",
                    section.unwrap_or_default()
                )
            }
            _ => format!("bucket {bucket}{fold}"),
        }
    }
}

/// A JSON number, or the names of what JSON has no number for.
fn number(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!(decimal64(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_has_no_number_for_has_a_name() {
        assert_eq!(number(0.5), json!(0.5));
        assert_eq!(number(f64::NAN), json!("nan"));
        assert_eq!(number(f64::NEG_INFINITY), json!("-inf"));
    }
}
