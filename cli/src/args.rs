//! The command line: the tree of commands, and the options that several of them share.
//!
//! The options of one command stand in its own module, next to the code they steer.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use actforge_reference::Format;
use actforge_reports::{ReplayOptions, Shard};
use actforge_tables::{Datapath, Target};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::commands::{
    build, completions, diff, eval, export, functions, gate, import, inspect, lint, merge, pareto,
    plan, plot, release, replay, report, stock, verify,
};
use crate::exit::Failure;
use crate::spec::{one_line, parse_fp32};

const ABOUT: &str =
    "Activation tables for an accelerator engine: fitted, packed, replayed over every input, gated";

const LONG_ABOUT: &str = "\
actforge builds activation tables: it fits each function with cubics (buckets), packs them into the four tables \
that the engine loads (a function set), replays every one of the 2^32 fp32 inputs against the exact function, and \
gates the result with budgets.

An error is counted in ulp: |result - value| / ulp(value), with value the real number. A correctly rounded result \
has at most 0.5.";

const AFTER_HELP: &str = "\
A first session:
  actforge functions                                   which functions there are
  actforge build --functions relu,tanh -o out          fit and pack two of them
  actforge replay out                                  measure every input
  actforge report out -o report.html                   the same as a page to look at
  actforge eval out tanh 0.5                           follow one input
  actforge gate out --budgets budgets.toml             pass or fail
  actforge release out -o out.tar.zst                  pack it, for actforge verify to check

Exit codes:
  0  done, and every check passed
  1  a budget or check failed, or a request cannot be met
  2  wrong usage
  3  a file cannot be read or written, or its content is not valid
  4  internal error";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "actforge", version, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct CommandLine {
    /// Show no text and no progress, only errors, and the files and the JSON that are asked for
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, in the order of a session.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Functions(functions::Arguments),
    Build(Box<build::Arguments>),
    Replay(replay::Arguments),
    Plot(plot::Arguments),
    Report(report::Arguments),
    Gate(gate::Arguments),
    Inspect(inspect::Arguments),
    Eval(eval::Arguments),
    Diff(diff::Arguments),
    Merge(merge::Arguments),
    Pareto(pareto::Arguments),
    Export(export::Arguments),
    Import(import::Arguments),
    Lint(lint::Arguments),
    Verify(verify::Arguments),
    Release(release::Arguments),
    Stock(stock::Arguments),
    Plan(plan::Arguments),
    Completions(completions::Arguments),
}

impl CommandLine {
    /// The command line as clap sees it, for completions.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }
}

/// How a set is replayed; shared by the commands that do so.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Only this function; may be given several times
    #[arg(long = "function", value_name = "NAME")]
    pub(crate) functions: Vec<String>,

    #[command(flatten)]
    pub(crate) datapath: DatapathArgument,

    /// Output type in whose ulp errors count, instead of each function's own
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) output: Option<Format>,

    #[command(flatten)]
    pub(crate) input: InputArgument,

    /// Only inputs from LOWEST to HIGHEST, and the special ones
    #[arg(long, value_name = "LOWEST,HIGHEST", value_parser = parse_range, allow_hyphen_values = true)]
    pub(crate) range: Option<[f32; 2]>,
    #[command(flatten)]
    pub(crate) alpha: AlphaArgument,
}

/// The operand of `parametric_relu`.
#[derive(Debug, Args)]
pub(crate) struct AlphaArgument {
    /// Slope of parametric_relu for negative inputs, which its instruction brings at run time; 0.25 if not given
    #[arg(long, value_name = "SLOPE", allow_negative_numbers = true, value_parser = parse_alpha)]
    pub(crate) alpha: Option<f32>,
}

fn parse_alpha(text: &str) -> Result<f32, String> {
    let number: Result<f32, _> = text.trim().parse();
    match number {
        Ok(slope) if slope.is_finite() => Ok(slope),
        _ => Err("expected a finite number".to_owned()),
    }
}

/// Another datapath than the set's.
#[derive(Debug, Args)]
pub(crate) struct DatapathArgument {
    /// Evaluate the cubics in this rounding schedule instead of the set's own
    ///
    /// fma: Horner's rule in three fused multiply-adds. muladd: Horner's rule, every product and sum rounded. estrin:
    /// two halves, then joined. mixed: the vendor's reference simulator, partly in double precision.
    #[arg(long, value_name = "DATAPATH", value_parser = datapath_parser())]
    pub(crate) datapath: Option<Datapath>,
}

/// The type whose values are the inputs.
#[derive(Debug, Args)]
pub(crate) struct InputArgument {
    /// Type of the inputs; all of its values are replayed: 2^32 of fp32, 2^16 of bf16 and fp16
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), default_value = "fp32")]
    pub(crate) input: Format,
}

impl ReplayArguments {
    pub(crate) fn options(&self) -> ReplayOptions {
        let mut functions: Vec<String> = Vec::new();
        for name in &self.functions {
            if !functions.contains(name) {
                functions.push(name.clone());
            }
        }
        ReplayOptions {
            functions,
            datapath: self.datapath.datapath,
            output: self.output,
            input: self.input.input,
            range: self.range,
            slope: self.alpha.alpha,
            ..ReplayOptions::default()
        }
    }
}

/// Where inputs really fall.
#[derive(Debug, Args)]
pub(crate) struct HistogramArgument {
    /// Where inputs really fall: bins as CSV (function,lower,upper,count). Says the mean error there, beside the
    /// largest
    ///
    /// The count of a bin is spread evenly over its real numbers, and a number weighs as much as rounds to it. A bin of
    /// one point is the number nearest to it. Weight where the function is not made for, and weight in bins with an
    /// infinite end, is in no mean; how much that is is said.
    #[arg(long, value_name = "FILE")]
    pub(crate) histogram: Option<PathBuf>,
}

/// The files a report can be written to.
#[derive(Debug, Args)]
pub(crate) struct ReportFiles {
    /// Write the report as JSON to FILE; `-` is standard output, without the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write one row per octave as CSV to FILE; `-` is standard output, without the table
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

/// A datapath by name.
pub(crate) fn datapath_parser() -> impl TypedValueParser<Value = Datapath> {
    PossibleValuesParser::new(Datapath::ALL.map(Datapath::as_str))
        .try_map(|name| name.parse::<Datapath>())
}

/// A target by name.
pub(crate) fn target_parser() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(Target::as_str))
        .try_map(|name| name.parse::<Target>())
}

/// A number format by name.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = Format> {
    named_format(Format::ALL)
}

/// One of some number formats by name.
pub(crate) fn named_format<const N: usize>(
    formats: [Format; N],
) -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(formats.map(Format::name)).try_map(|name| name.parse::<Format>())
}

/// A part of a replay, `I/N`.
pub(crate) fn parse_shard(text: &str) -> Result<Shard, String> {
    text.parse()
}

/// One fp32 input in any of its three forms.
pub(crate) fn parse_input(text: &str) -> Result<f32, String> {
    parse_fp32(text).map_err(|error| error.to_string())
}

/// A function by expression, as the command line gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedExpression {
    /// The name it gets.
    pub(crate) name: String,
    /// The formula in x.
    pub(crate) expression: String,
}

/// A function by expression, `NAME=EXPR`.
pub(crate) fn parse_expression(text: &str) -> Result<NamedExpression, String> {
    let (name, expression) = text
        .split_once('=')
        .ok_or_else(|| format!("expected NAME=EXPR, found `{text}`"))?;
    Ok(NamedExpression {
        name: name.trim().to_owned(),
        expression: one_line(expression),
    })
}

/// A range of inputs, `LOWEST,HIGHEST`.
pub(crate) fn parse_range(text: &str) -> Result<[f32; 2], String> {
    let (lowest, highest) = text
        .split_once(',')
        .ok_or_else(|| format!("expected LOWEST,HIGHEST, found `{text}`"))?;
    let range = [parse_input(lowest)?, parse_input(highest)?];
    if range[0] <= range[1] {
        Ok(range)
    } else {
        Err("expected two numbers, the smaller one first".to_owned())
    }
}

/// Keeps negative inputs of `eval` from being taken for options: clap knows decimal ones, but not `-0x1.8p3` or `-inf`.
///
/// A blank in front is enough, since numbers are read without the blanks around them; options stay what they are, also
/// between and after the inputs.
pub(crate) fn protect_negative_inputs(
    arguments: impl IntoIterator<Item = OsString>,
) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|command| command == "eval") {
        for argument in arguments.iter_mut().skip(2) {
            let negative = argument
                .to_str()
                .filter(|text| text.starts_with('-') && parse_fp32(text).is_ok());
            if let Some(text) = negative {
                *argument = format!(" {text}").into();
            }
        }
    }
    arguments
}

/// What clap has to say about a wrong command line, as our two lines; `named` is its first word.
pub(crate) fn usage_failure(error: &clap::Error, named: &OsStr) -> Failure {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first.trim().trim_start_matches("error:");
    let message: Vec<&str> = message.split_whitespace().collect();
    let tip = paragraphs.find_map(|paragraph| {
        paragraph
            .trim()
            .strip_prefix("tip:")
            .map(|tip| tip.split("\n").next().unwrap_or(tip))
    });
    let hint = tip.map_or_else(
        || format!("`{} --help` explains", command_in_usage(&text, named)),
        |tip| tip.trim().to_owned(),
    );
    Failure::usage(message.join(" "), hint)
}

/// The command that clap shows the usage of: `actforge` or `actforge replay`. About a value it shows none: then it is
/// the command that was `named`.
fn command_in_usage(text: &str, named: &OsStr) -> String {
    let usage = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Usage: "));
    let Some(usage) = usage else {
        let definition = CommandLine::definition();
        let command = definition.find_subcommand(named);
        return command.map_or_else(
            || "actforge".to_owned(),
            |command| format!("actforge {}", command.get_name()),
        );
    };
    let is_name = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words = usage.split_whitespace().take_while(is_name);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: &[&str]) -> Failure {
        let named = arguments.get(1).map(OsStr::new).unwrap_or_default();
        usage_failure(&CommandLine::try_parse_from(arguments).unwrap_err(), named)
    }

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::definition().debug_assert();
    }

    #[test]
    fn usage_errors_are_one_line_and_keep_the_tip() {
        let failure = refused(&["actforge", "replay", "out", "--jsno", "x"]);
        assert_eq!(failure.message, "unexpected argument '--jsno' found");
        assert_eq!(failure.hint, "a similar argument exists: '--json'");
        let failure = refused(&["actforge", "replay", "out", "--datapath", "fam"]);
        assert!(
            failure
                .message
                .contains("[possible values: fma, muladd, estrin, mixed]"),
            "{}",
            failure.message
        );
        assert_eq!(failure.hint, "`actforge replay --help` explains");
        let failure = refused(&["actforge", "plot"]);
        assert_eq!(
            failure.message,
            "the following required arguments were not provided: --out <DIR> <DIR|REPORT>"
        );
        assert_eq!(failure.hint, "`actforge plot --help` explains");
        let failure = refused(&["actforge", "build", "--buckets", "many"]);
        assert_eq!(failure.hint, "`actforge build --help` explains");
        let failure = refused(&["actforge", "biuld"]);
        assert!(!failure.hint.contains("biuld"), "{}", failure.hint);
    }

    #[test]
    fn negative_inputs_are_not_options() {
        let line = [
            "actforge", "eval", "out", "tanh", "-1", "-0x1.8p3", "--json", "-inf", "--jsno",
        ];
        let protected = protect_negative_inputs(line.map(OsString::from));
        assert_eq!(
            protected[4..],
            [" -1", " -0x1.8p3", "--json", " -inf", "--jsno"]
        );
        let other = ["actforge", "build", "--range", "-1"].map(OsString::from);
        assert_eq!(protect_negative_inputs(other.clone()), other);
    }

    #[test]
    fn ranges_are_two_inputs() {
        assert_eq!(parse_range("-8,0x1.8p3"), Ok([-8.0, 12.0]));
        assert_eq!(parse_range("-inf,0"), Ok([f32::NEG_INFINITY, 0.0]));
        assert_eq!(parse_range("2,2"), Ok([2.0, 2.0]));
        assert!(parse_range("8").unwrap_err().contains("LOWEST,HIGHEST"));
        assert!(parse_range("1,ten").unwrap_err().contains("\"ten\""));
        for backwards in ["5,1", "nan,1", "1,nan"] {
            assert!(
                parse_range(backwards)
                    .unwrap_err()
                    .contains("smaller one first"),
                "{backwards}"
            );
        }
    }
}
