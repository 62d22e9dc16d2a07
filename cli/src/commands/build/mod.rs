//! `actforge build`: from a specification, a list of functions or a model to a set.

mod model;
mod request;
mod summary;

use std::path::{Path, PathBuf};

use actforge_fit::{BuiltSet, FitError, Observer, build_set};
use actforge_reports::SweepJudge;
use actforge_tables::container::{SPEC, sha256_hex};
use actforge_tables::{FunctionSet, SetError};
use clap::{ArgGroup, Args};

use self::request::RequestArguments;
pub(super) use self::request::checked_expressions;
use super::sets::write_set;
use crate::args::{NamedExpression, parse_expression};
use crate::atomic::check_set_directory;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;
use crate::spec::Spec;

/// Fit functions and pack them into a set
///
/// What to build comes from a specification file, from --functions, or from a model (an ONNX file or a Hugging Face
/// config.json) whose needs are listed first. The set is written as a directory, as a whole or not at all. A set that
/// was built from the same specification by the same version is left as it is.
///
/// With a target error (max_ulp) a function gets the fewest buckets that meet it, with a ceiling (buckets) the least
/// error; with neither, the functions share what the target has.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").args(["spec", "functions", "model", "expressions"]).required(true).multiple(true))]
#[command(after_help = "\
A specification:
  [set]
  name = \"core\"
  target = \"cayman\"          # the default
  datapath = \"fma\"           # the default; muladd, estrin, mixed

  [[function]]
  name = \"gelu\"
  dtype = \"fp32\"             # the default; bf16, fp16: the output type whose ulp counts
  max_ulp = 2.0              # target for the largest error
  buckets = 400              # ceiling for the number of buckets
  range = [-10.0, 10.0]      # valid range; all finite inputs without it
  method = \"accurate\"        # the default; minimax, taylor

  [[function]]
  name = \"my_act\"            # a function of your own
  expr = \"x * tanh(log1p(exp(a*x)))\"
  params = { a = 1.5 }

Examples:
  actforge build core.toml -o out
  actforge build --functions relu,gelu,tanh --target cayman -o out
  actforge build --functions tanh --buckets 256 -o out
  actforge build --functions exp --max-ulp 2 --range=-87,88 --explain -o out
  actforge build --expr 'my_act=x*tanh(log1p(exp(x)))' -o out
  actforge build --model config.json --dtype bf16 -o out
  actforge build --model model.onnx --dry-run")]
pub(crate) struct Arguments {
    /// Specification file (TOML)
    #[arg(value_name = "SPEC", conflicts_with_all = ["functions", "model", "expressions"])]
    spec: Option<PathBuf>,

    /// The functions, separated by commas; `actforge functions` lists them
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    functions: Vec<String>,

    /// The functions that this model needs: an ONNX file or a Hugging Face config.json
    #[arg(long, value_name = "FILE", conflicts_with = "functions")]
    model: Option<PathBuf>,

    /// A function of your own by its expression in x, as my_act=x*tanh(log1p(exp(x))); may be given several times
    #[arg(long = "expr", value_name = "NAME=EXPR", value_parser = parse_expression)]
    expressions: Vec<NamedExpression>,

    /// Directory of the set: new, empty, or a set, which is replaced
    #[arg(
        short = 'o',
        long = "out",
        value_name = "DIR",
        required_unless_present = "dry_run"
    )]
    out: Option<PathBuf>,

    #[command(flatten)]
    request: RequestArguments,

    /// Say what was decided and why
    #[arg(long)]
    explain: bool,

    /// Show what would be built, and stop
    #[arg(long)]
    dry_run: bool,

    /// Build also when the set is there already
    #[arg(long)]
    force: bool,

    /// Print what was built as JSON
    #[arg(long, conflicts_with_all = ["dry_run", "explain"])]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.json {
        output.be_quiet();
    }
    let Some(spec) = specification(arguments, output)? else {
        if arguments.dry_run {
            return Ok(Exit::Success);
        }
        return Err(Failure::failed(
            "nothing to build: the model needs no function of the catalogue",
            "`actforge functions` lists the catalogue",
        ));
    };
    let canonical = spec.canonical();
    let hash = sha256_hex(canonical.as_bytes());
    let out = match &arguments.out {
        Some(out) if !arguments.dry_run => out,
        _ => {
            output.text(canonical.as_bytes())?;
            output.line(format!(
                "\n# specification sha256 {hash}; nothing was built"
            ))?;
            return Ok(Exit::Success);
        }
    };
    check_set_directory(out)?;
    if !arguments.force
        && let Some(set) = unchanged(out, &hash)
    {
        summary::show(&set, output)?;
        output.line(format!(
            "unchanged: {} was built from this specification (--force builds again)",
            out.display()
        ))?;
        if arguments.explain {
            output.line("explanations are made while building: give --force too")?;
        }
        if arguments.json {
            output.json(&summary::as_json(&set, out, "unchanged"))?;
        }
        return Ok(Exit::Success);
    }
    output.flush()?;
    let (set, explanation, narrowed) = build(&spec, arguments.spec.is_some())?;
    write_set(&set, out)?;
    if arguments.explain {
        explanation.iter().try_for_each(|line| output.line(line))?;
    }
    summary::show(&set, output)?;
    for line in &narrowed {
        output.line(format!("note: {line}"))?;
    }
    output.line(format!("written to {}", out.display()))?;
    if arguments.json {
        output.json(&summary::as_json(&set, out, "written"))?;
    }
    Ok(Exit::Success)
}

/// What to build; `None` when a model needs nothing of the catalogue.
fn specification(arguments: &Arguments, output: &mut Output) -> Result<Option<Spec>, Failure> {
    let request = &arguments.request;
    if let Some(path) = &arguments.spec {
        return request::from_file(path).map(Some);
    }
    let expressions = &arguments.expressions;
    if let Some(path) = &arguments.model {
        let names = model::needed(path, output)?;
        if names.is_empty() && expressions.is_empty() {
            return Ok(None);
        }
        return request
            .for_functions(&names, expressions, "model")
            .map(Some);
    }
    let mut names = arguments.functions.clone();
    names.extend(expressions.iter().map(|expression| expression.name.clone()));
    request
        .for_functions(
            &arguments.functions,
            expressions,
            &request::joined_name(&names),
        )
        .map(Some)
}

/// The set in directory `path`, if this version built it from the specification with this hash. Anything that cannot
/// be read counts as changed.
fn unchanged(path: &Path, hash: &str) -> Option<FunctionSet> {
    let set = FunctionSet::read_dir(path).ok()?;
    let is_same =
        set.spec_hash.as_deref() == Some(hash) && set.tool_version == env!("CARGO_PKG_VERSION");
    // A set of before specifications were recorded gets its own.
    (is_same && set.spec.is_some()).then_some(set)
}

/// The set that the specification recorded in it gives; `path` is where the set came from.
pub(super) fn rebuild(path: &str, set: &FunctionSet, text: &str) -> Result<FunctionSet, Failure> {
    let file = format!("{path}/{SPEC}");
    let spec = Spec::parse(&file, text, &request::catalogue_names()).map_err(|error| {
        let hint = format!(
            "the set was built by actforge {}; this is {}",
            set.tool_version,
            env!("CARGO_PKG_VERSION")
        );
        Failure::invalid(error, hint)
    })?;
    let (mut built, _, _) = build(&spec, true)?;
    built.record_spec(text.to_owned());
    Ok(built)
}

fn build(spec: &Spec, from_file: bool) -> Result<(FunctionSet, Vec<String>, Vec<String>), Failure> {
    let progress = Progress::new();
    let judge = SweepJudge::new(spec.set.datapath);
    let built = build_set(&request::for_fit(spec), &judge, &progress);
    drop(progress);
    let BuiltSet {
        tables,
        explanation,
        narrowed,
    } = built.map_err(|error| fit_failure(&error, from_file))?;
    let set = FunctionSet::assemble(&spec.set.name, spec.set.target, spec.set.datapath, &tables);
    let mut set = set.map_err(|error| match error {
        SetError::Capacity { .. } => Failure::failed(error, IMPOSSIBLE_HINT),
        error => Failure::internal(error),
    })?;
    set.record_spec(spec.canonical());
    Ok((set, explanation, narrowed))
}

const IMPOSSIBLE_HINT: &str =
    "ask for fewer functions or a larger max_ulp, a narrower range, or a 16-bit dtype";

/// `from_file` says whether the request stood in a specification file, so that a wrong one is an invalid file.
pub(super) fn fit_failure(error: &FitError, from_file: bool) -> Failure {
    match error {
        error if error.is_impossible() => Failure::failed(error, IMPOSSIBLE_HINT),
        FitError::Define(_) => Failure::failed(
            error,
            "docs/expressions.md says what can be followed; a narrower range often helps",
        ),
        FitError::Surrogate(_) => Failure::failed(error, "give the function a narrower range"),
        FitError::Request { .. } if from_file => {
            Failure::invalid(error, "change the key in the specification")
        }
        FitError::Request { .. } => {
            Failure::usage(error, "`actforge build --help` explains the flags")
        }
        error => Failure::internal(error),
    }
}

impl Observer for Progress {
    fn stage(&self, function: &str, stage: &str, done: usize, total: usize) {
        self.show(&format!("{stage} {function}"), done as u64, total as u64);
    }
}
