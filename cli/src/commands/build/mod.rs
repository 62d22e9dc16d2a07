//! `actforge build`: from a specification, a list of functions or a model to a set.

mod explain;
mod model;
mod request;
mod summary;

use std::path::{Path, PathBuf};

use actforge_fit::{FitError, Observer};
use actforge_models::ModelNeeds;
use actforge_reference::Format;
use actforge_tables::container::{SPEC, sha256_hex};
use actforge_tables::{FunctionSet, SetError};
use clap::{ArgGroup, Args};

use self::request::RequestArguments;
pub(super) use self::request::checked_expressions;
use super::histogram::{GivenHistogram, Weighted, in_words};
use super::models;
use super::sets::{Earlier, earlier, replace_earlier, write_set, write_sets};
use super::tailored::{Common, PartError, parts, proven_inputs, reason_of_inputs};
use crate::args::{HistogramArgument, NamedExpression, parse_expression};
use crate::atomic::{check_beside, check_set_directory};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;
use crate::spec::{LONGEST_NAME, SetSpec, Spec};

/// Fit functions and pack them into a set
///
/// What to build comes from a specification file, from --functions, or from a model (an ONNX file or a Hugging Face
/// config.json) whose needs are listed first. The set is written as a directory, as a whole or not at all. What a model
/// needs is split if one set does not hold it, as `actforge plan` does; each set is then a directory below. A set that was built from the same specification by the same version is left as it is.
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
  inputs = [1.0, inf]        # what can come at all: an open range of ln, a root or a reciprocal is no wider
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

    /// For a model that one set does not hold: fail, instead of writing several sets below the directory
    #[arg(long, requires = "model")]
    one_set: bool,

    #[command(flatten)]
    histogram: HistogramArgument,

    /// Say what was decided and why; for a model also what bf16 results would need, and how far approximations in use are from
    /// its functions
    #[arg(long)]
    explain: bool,

    /// Show what would be built, and stop
    #[arg(long)]
    dry_run: bool,

    /// Build also when the set is there already. Several sets for a model take the place of what an earlier build of this
    /// name left in the directory, if nothing else is in it
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
    let Some(request) = asked(arguments, output)? else {
        if arguments.dry_run {
            return Ok(Exit::Success);
        }
        return Err(Failure::failed(
            "nothing to build: the model needs no function of the catalogue",
            "`actforge functions` lists the catalogue",
        ));
    };
    let spec = &request.spec;
    let names: Vec<&str> = spec
        .functions
        .iter()
        .map(|function| function.name.as_str())
        .collect();
    let histogram = GivenHistogram::read(&arguments.histogram, "what is built", &names)?;
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
    let is_one = request.model.is_none() || arguments.one_set;
    check_place(out, &spec.set.name, is_one, arguments.force)?;
    if !arguments.force
        && let Some(set) = unchanged(out, &hash)
    {
        summary::show(&set, output)?;
        let weighted = weigh(histogram.as_ref(), &[&set], output)?;
        output.line(format!(
            "unchanged: {} was built from this specification (--force builds again)",
            out.display()
        ))?;
        if arguments.explain {
            output.line("explanations are made while building: give --force too")?;
        }
        if arguments.json {
            output.json(&summary::as_json(&set, out, "unchanged", &weighted))?;
        }
        return Ok(Exit::Success);
    }
    output.flush()?;
    let built = build(spec, is_one, arguments.spec.is_some())?;
    write(&built, &spec.set.name, out, arguments.force)?;
    if arguments.explain {
        explain::show(&request, &built, output)?;
    }
    for one in &built {
        summary::show(&one.set, output)?;
        for line in &one.narrowed {
            output.line(format!("note: {line}"))?;
        }
    }
    let sets: Vec<&FunctionSet> = built.iter().map(|one| &one.set).collect();
    let weighted = weigh(histogram.as_ref(), &sets, output)?;
    if let [_, _, ..] = built.as_slice() {
        output.line(format!(
            "one set does not hold all of it: {} sets, each in a directory of its own, as `actforge plan --roster` takes them",
            built.len()
        ))?;
    }
    output.line(format!("written to {}", out.display()))?;
    if arguments.json {
        output.json(&summary::all_as_json(&sets, out, "written", &weighted))?;
    }
    Ok(Exit::Success)
}

/// What is to be built, and the model that it is for.
struct Request {
    spec: Spec,
    model: Option<ModelNeeds>,
}

/// A set that was built, by which specification and why so.
struct Built {
    set: FunctionSet,
    explanation: Vec<String>,
    narrowed: Vec<String>,
}

/// What to build; `None` when a model needs nothing of the catalogue.
fn asked(arguments: &Arguments, output: &mut Output) -> Result<Option<Request>, Failure> {
    let request = &arguments.request;
    let of = |spec| Some(Request { spec, model: None });
    if let Some(path) = &arguments.spec {
        return request::from_file(path).map(of);
    }
    let expressions = &arguments.expressions;
    if let Some(path) = &arguments.model {
        let model = models::read(path)?;
        let names = model::say_needs(path, &model, output)?;
        if names.is_empty() && expressions.is_empty() {
            return Ok(None);
        }
        let mut spec = request.for_functions(&names, expressions, "model")?;
        for function in &mut spec.functions {
            if function.range.is_none()
                && function.definition.is_none()
                && let Some(inputs) = proven_inputs(&model.program, &function.name)
            {
                function.inputs = Some([inputs.low, inputs.high]);
                output.line(reason_of_inputs(&function.name, &inputs))?;
            }
        }
        return Ok(Some(Request {
            spec,
            model: Some(model),
        }));
    }
    let mut names = arguments.functions.clone();
    names.extend(expressions.iter().map(|expression| expression.name.clone()));
    request
        .for_functions(
            &arguments.functions,
            expressions,
            &request::joined_name(&names),
        )
        .map(of)
}

/// Checks that what is built can be written, so that long work is not for nothing. How many sets there will be is not known yet.
fn check_place(out: &Path, name: &str, is_one: bool, force: bool) -> Result<(), Failure> {
    match earlier(out, name, false) {
        Ok(Earlier::Parts) if force && !is_one => check_beside(out),
        Ok(Earlier::Parts) if !is_one => Err(Failure::invalid(
            format!(
                "{}: expected a new or empty directory or a set, found sets of an earlier build",
                out.display()
            ),
            "--force replaces them",
        )),
        Err(failure) if force && !is_one => Err(failure),
        _ => check_set_directory(out),
    }
}

/// Writes one set as the directory, several as directories below it. Several are never put into the place of something else
/// without `force`.
fn write(built: &[Built], name: &str, out: &Path, force: bool) -> Result<(), Failure> {
    let sets: Vec<(String, &FunctionSet)> = built
        .iter()
        .map(|one| (one.set.name.clone(), &one.set))
        .collect();
    match (built, earlier(out, name, built.len() > 1)) {
        ([one], Ok(Earlier::Nothing | Earlier::Set)) => write_set(&one.set, out),
        (_, Ok(Earlier::Nothing)) => write_sets(&sets, out, false),
        (_, Ok(Earlier::Set | Earlier::Parts)) if force => replace_earlier(&sets, out),
        (_, Ok(Earlier::Set | Earlier::Parts)) => Err(Failure::invalid(
            format!(
                "{}: expected a new or empty directory for {} sets, found a set",
                out.display(),
                built.len()
            ),
            "give another directory, --force to replace it, or --one-set",
        )),
        (_, Err(failure)) => Err(failure),
    }
}

/// Says the mean errors where inputs fall.
fn weigh(
    histogram: Option<&GivenHistogram>,
    sets: &[&FunctionSet],
    output: &mut Output,
) -> Result<Vec<Weighted>, Failure> {
    let Some(histogram) = histogram else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    let mut names = Vec::new();
    for set in sets {
        for entry in &set.functions {
            names.push(entry.name.as_str());
            let progress = Progress::new();
            all.extend(histogram.weigh_one(set, &entry.name, Format::Fp32, &progress)?);
        }
    }
    for weighted in &all {
        output.line(format!(
            "{}: where its inputs fall: {}",
            weighted.function,
            in_words(&weighted.found)
        ))?;
    }
    histogram.say_without_bins(&names, output)?;
    Ok(all)
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
    let built = build(&spec, true, true)?.into_iter().next();
    let mut set = built
        .ok_or_else(|| Failure::internal("nothing was built"))?
        .set;
    set.record_spec(text.to_owned());
    Ok(set)
}

/// Builds what a specification asks for: as one set, or as several if it does not have to be one.
fn build(spec: &Spec, is_one: bool, from_file: bool) -> Result<Vec<Built>, Failure> {
    let common = Common {
        name: &spec.set.name,
        target: spec.set.target,
        datapath: spec.set.datapath,
        is_one,
    };
    let progress = Progress::new();
    let parts = parts(&common, &request::for_fit(spec), &progress);
    drop(progress);
    let parts = parts.map_err(|error| match error {
        PartError::Fit(error) => fit_failure(&error, from_file),
        PartError::Set(error @ SetError::Capacity { .. }) => {
            Failure::failed(error, IMPOSSIBLE_HINT)
        }
        PartError::Set(error) => Failure::internal(error),
    })?;
    let built = parts.into_iter().map(|part| {
        let mut set = part.set;
        // Each set is made again from what it holds.
        let own = Spec {
            set: SetSpec { name: set.name.clone(), ..spec.set.clone() },
            functions: spec
                .functions
                .iter()
                .filter(|function| set.function(&function.name).is_some())
                .cloned()
                .collect(),
        };
        if own.set.name.len() > LONGEST_NAME {
            return Err(Failure::usage(
                format!("--set-name: the name of one of several sets, {}, has more than {LONGEST_NAME} characters", own.set.name),
                "give a shorter --set-name",
            ));
        }
        set.record_spec(own.canonical());
        Ok(Built {
            set,
            explanation: part.explanation,
            narrowed: part.narrowed,
        })
    });
    built.collect()
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
