//! `actforge plan`: which sets a model loads, when, and what that costs.

mod budgets;
mod emit;
mod measure;
mod report;
mod roster;
mod tailored;

use std::path::PathBuf;

use actforge_models::plan::{Counting, fewest, greedy};
use actforge_reference::Format;
use actforge_tables::Target;
use clap::{Args, ValueEnum};

use crate::args::{HistogramArgument, InputArgument, target_parser};
use crate::commands::export::OutputDirectory;
use crate::commands::histogram::GivenHistogram;
use crate::commands::models;
use crate::commands::reports::read_budgets;
use crate::commands::tailored::{proven_inputs, reason_of_inputs};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::progress::Progress;
use budgets::Judged;
use report::{NamedPlan, Report};

/// Plan which function sets a model loads before which activation
///
/// The model is an ONNX file, a Hugging Face config.json (or the folder it is in), or a text with the names of functions in
/// the order in which they run. Its activations are planned twice for the sets of a roster: by the rule of the stock
/// compiler, and with the fewest loads (of equally few, the fewest bytes). Beside them stand sets made for this very model, if
/// possible one: with every function within 0.52 ulp of bf16, and with the best that one set allows in fp32.
///
/// Exactly one set is resident, and each load evicts it. Without --roster the sets are those of the vendor's files, whose
/// functions and sizes are known; --measure needs real tables, as `actforge stock` writes them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge plan model.onnx
  actforge plan config.json --target stock-with-ln --json
  actforge stock --target stock-trainium -o sets
  actforge plan model.onnx --roster sets --measure
  actforge plan model.onnx --budgets budgets.toml
  actforge plan model.onnx --histogram activations.csv
  actforge plan model.onnx --emit program")]
pub(crate) struct Arguments {
    /// The model
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Whose stock sets are planned for; generations take those of stock-trainium
    #[arg(long, value_name = "TARGET", value_parser = target_parser(), default_value = "stock-trainium")]
    target: Target,

    /// Plan for the sets in DIR instead: stock files (act_info.json), or one directory for each set, in the order of their
    /// names
    #[arg(long, value_name = "DIR", conflicts_with = "target")]
    roster: Option<PathBuf>,

    /// How often a loop repeats whose count the model does not say
    #[arg(long, value_name = "N", default_value_t = Counting::default().unknown_iterations, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: u64,

    /// Replay every function that a plan uses, in the set that it uses, and say the largest error
    #[arg(long, requires = "roster")]
    measure: bool,

    #[command(flatten)]
    input: InputArgument,

    /// A budgets file: its max_ulp and max_buckets are the ceilings of the sets made for the model, and what a plan does not
    /// keep of them ends with exit code 1
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,

    #[command(flatten)]
    histogram: HistogramArgument,

    /// List every activation with its node, and whether its table is for a range of inputs only
    #[arg(long)]
    places: bool,

    /// Leave out the sets made for this model, which have to be fitted
    #[arg(long)]
    no_tailored: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,

    /// Write the loads of a plan into DIR: instructions, their pseudo form, where each stands, and act_info.json
    #[arg(long, value_name = "DIR")]
    emit: Option<PathBuf>,

    /// The plan whose loads are written
    #[arg(long, value_name = "PLAN", default_value = "fewest", requires = "emit")]
    plan: Planner,

    /// Replace files that are there already
    #[arg(long, requires = "emit")]
    force: bool,
}

/// Who made a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Planner {
    /// The rule of the stock compiler
    Stock,
    /// The fewest loads
    Fewest,
    /// Sets made for the model, within 0.52 ulp of bf16
    Tailored,
    /// Sets made for the model, with the least error in fp32
    TailoredFp32,
}

impl Planner {
    const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Fewest => "fewest",
            Self::Tailored => "tailored",
            Self::TailoredFp32 => "tailored-fp32",
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let directory = arguments.emit.as_deref().map(OutputDirectory::check);
    let directory = directory.transpose()?;
    let model = models::read(&arguments.model)?;
    let names: Vec<&str> = model.program.functions.iter().map(String::as_str).collect();
    let histogram = GivenHistogram::read(&arguments.histogram, "the model", &names)?;
    if histogram.is_some() && arguments.no_tailored && arguments.roster.is_none() {
        return Err(Failure::usage(
            "--histogram: expected tables to measure, found none: the roster is only known by its sizes",
            "give a --roster of real tables, or leave out --no-tailored",
        ));
    }
    if arguments.budgets.is_some() && arguments.no_tailored && !arguments.measure {
        return Err(Failure::usage(
            "--budgets: expected tables to hold against it, found none: nothing is fitted or measured",
            "leave out --no-tailored, or give a --roster of real tables and --measure",
        ));
    }
    let is_made = matches!(arguments.plan, Planner::Tailored | Planner::TailoredFp32);
    if is_made && arguments.no_tailored {
        return Err(Failure::usage(
            format!(
                "--plan {}: expected a plan that is made, found --no-tailored",
                arguments.plan.name()
            ),
            "leave out --no-tailored, or write the plan stock or fewest",
        ));
    }
    let roster = roster::of(arguments.roster.as_deref(), arguments.target)?;
    let counting = Counting {
        unknown_iterations: arguments.iterations,
    };

    let program = &model.program;
    let best = fewest(program, &roster.roster, counting).map_err(|error| {
        Failure::failed(
            format!("{}: {error}", arguments.model.display()),
            "plan a part of the model",
        )
    })?;
    let mut plans = vec![
        NamedPlan::new(
            Planner::Stock.name(),
            &roster.roster,
            greedy(program, &roster.roster),
        ),
        NamedPlan::new(Planner::Fewest.name(), &roster.roster, best),
    ];
    let budgets = arguments.budgets.as_deref().map(read_budgets).transpose()?;
    let mut judged = budgets.as_ref().map(Judged::new);
    let mut tailored = Vec::new();
    if !arguments.no_tailored {
        for (planner, dtype) in [
            (Planner::Tailored, Format::Bf16),
            (Planner::TailoredFp32, Format::Fp32),
        ] {
            let mut functions = tailored::requests(program, dtype);
            if let Some(judged) = &mut judged {
                judged.set_ceilings(&mut functions);
            }
            let made = tailored::build(&functions, tailored::target(arguments.target));
            let made = made.map_err(|failure| Failure {
                hint: match &arguments.budgets {
                    Some(file) => format!(
                        "raise the limits of {}; --no-tailored leaves the sets for this model out",
                        file.display()
                    ),
                    None => failure.hint.clone(),
                },
                ..failure
            })?;
            if let (Some(judged), Some(made)) = (&mut judged, &made) {
                let sets = made.roster.sets.iter();
                sets.for_each(|set| judged.judge_set(planner.name(), set, dtype));
            }
            tailored.extend(made.map(|made| (planner, made)));
        }
    }
    if arguments.measure {
        let input = arguments.input.input;
        let measured = measure::measure(&mut plans, program, &roster, input)?;
        if let Some(judged) = &mut judged {
            judged.judge_measured(&measured, input);
        }
    }
    if let Some(judged) = &mut judged {
        let dtypes = if arguments.no_tailored {
            &[][..]
        } else {
            &[Format::Bf16, Format::Fp32]
        };
        judged.finish(&names, dtypes);
    }
    let exit = match &judged {
        Some(judged) if !judged.passed() => Exit::Failed,
        _ => Exit::Success,
    };
    for (planner, made) in &tailored {
        let roster = &made.roster.roster;
        let schedule = fewest(program, roster, counting).map_err(Failure::internal)?;
        plans.push(NamedPlan {
            worst: made.worst.clone(),
            ..NamedPlan::new(planner.name(), roster, schedule)
        });
    }
    let mut weighted = Vec::new();
    if let Some(histogram) = &histogram {
        let progress = Progress::new();
        for plan in &plans {
            let made = tailored
                .iter()
                .find(|(planner, _)| planner.name() == plan.name);
            let sets = made.map_or(&roster.sets, |(_, made)| &made.roster.sets);
            for (set, function) in plan.schedule.served(program) {
                let name = program.functions.get(function as usize);
                let Some((set, name)) = sets.get(usize::from(set)).zip(name) else {
                    continue;
                };
                let found = histogram.weigh_one(set, name, arguments.input.input, &progress)?;
                weighted.extend(found.map(|found| (plan.name, found)));
            }
        }
    }
    let report = Report {
        file: arguments.model.display().to_string(),
        model: &model,
        roster_name: &roster.name,
        roster: &roster.roster,
        counting,
        plans,
        weighted,
        budgets: judged.as_ref().map(Judged::to_json),
        has_places: arguments.places,
    };

    if let Some(directory) = &directory {
        let plan = report.plan(arguments.plan.name())?;
        let files = emit::files(&report, plan)?;
        directory.write(&files, arguments.force)?;
    }
    if arguments.json {
        output.json(&report.to_json())?;
        return Ok(exit);
    }
    report.show(output)?;
    if let Some(histogram) = &histogram {
        histogram.say_without_bins(&names, output)?;
    }
    for name in names.iter().filter(|_| !tailored.is_empty()) {
        if let Some(inputs) = proven_inputs(program, name) {
            output.line(reason_of_inputs(name, &inputs))?;
        }
    }
    for (planner, made) in &tailored {
        for line in &made.notes {
            output.line(format!("{}: {line}", planner.name()))?;
        }
    }
    if let Some(judged) = &judged {
        judged.show(output)?;
    }
    if let Some(directory) = &arguments.emit {
        output.line(format!(
            "loads of plan {} written to {}",
            arguments.plan.name(),
            directory.display()
        ))?;
    }
    Ok(exit)
}
