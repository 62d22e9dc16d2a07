//! `actforge pareto`: what accuracy costs.

use std::path::{Path, PathBuf};

use actforge_fit::{FunctionRequest, front};
use actforge_reference::{Format, lookup};
use actforge_reports::SweepJudge;
use actforge_reports::plot::{
    FRONTS_FILE, Front, FrontPoint, PlotError, ReferencePoint, front_data, plot_fronts,
};
use actforge_tables::{Datapath, Target};
use clap::Args;
use serde_json::{Value, json};

use super::build::{checked_expressions, fit_failure};
use crate::args::{
    NamedExpression, datapath_parser, named_format, parse_expression, target_parser,
};
use crate::atomic::{OutputFile, check_directory};
use crate::exit::{Exit, Failure};
use crate::numbers::ulp;
use crate::output::{Output, Table, json_text};
use crate::progress::Progress;
use crate::spec::DTYPES;

/// Show what accuracy costs: buckets and control words against the largest error
///
/// Every row is a table that was built and measured over all finite inputs, and that no smaller one beats. Only tables
/// that the target can hold are built. Take the max ulp of a row as `actforge build --max-ulp` to get about that table.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  actforge pareto tanh
  actforge pareto exp gelu silu --dtype bf16 -o fronts
  actforge pareto --expr 'my_act=x*tanh(log1p(exp(x)))'

With -o the directory gets pareto.csv, pareto.json, pareto.png and pareto.svg.")]
pub(crate) struct Arguments {
    /// The functions; `actforge functions` lists them
    #[arg(value_name = "FUNC", required_unless_present = "expressions")]
    functions: Vec<String>,

    /// A function of your own by its expression in x; may be given several times
    #[arg(long = "expr", value_name = "NAME=EXPR", value_parser = parse_expression)]
    expressions: Vec<NamedExpression>,

    /// Output type whose ulp counts
    #[arg(long, value_name = "FORMAT", value_parser = named_format(DTYPES), default_value = "fp32")]
    dtype: Format,

    /// Hardware generation, whose capacities limit the tables
    #[arg(long, value_name = "TARGET", value_parser = target_parser(), default_value = "cayman")]
    target: Target,

    /// Rounding schedule of the cubic that buckets are fitted for
    #[arg(long, value_name = "DATAPATH", value_parser = datapath_parser(), default_value = "fma")]
    datapath: Datapath,

    /// Directory for the fronts as CSV, JSON and plot
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print the fronts as JSON
    #[arg(long)]
    json: bool,
}

/// A stock table whose error is known: it was replayed over every fp32 input of its octaves.
struct StockTable {
    function: &'static str,
    label: &'static str,
    /// Buckets, saturation buckets included.
    buckets: u32,
    max_ulp: f64,
}

/// The exp table of the stock firmware: 777 buckets by Taylor expansion about their midpoints and four saturation
/// buckets. `make bench-fit` fills the same layout by the same rule and measures it.
const STOCK: [StockTable; 1] = [StockTable {
    function: "exp",
    label: "stock exp",
    buckets: 781,
    max_ulp: 190.0,
}];

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut requests: Vec<FunctionRequest> = Vec::new();
    for name in distinct(&arguments.functions) {
        lookup(name)
            .map_err(|error| Failure::usage(error, "`actforge functions` lists the catalogue"))?;
        requests.push(FunctionRequest::new(name));
    }
    for function in checked_expressions(&arguments.expressions)? {
        requests.push(FunctionRequest {
            definition: function.definition,
            ..FunctionRequest::new(function.name)
        });
    }
    let files = arguments.out.as_deref().map(Files::check).transpose()?;
    if arguments.json {
        output.be_quiet();
    }
    let mut fronts = Vec::new();
    for request in requests {
        let front = one(arguments, request)?;
        show(&front, output)?;
        output.flush()?;
        fronts.push(front);
    }
    if let Some(files) = files {
        files.write(arguments, &fronts, output)?;
    }
    if arguments.json {
        output.json(&as_json(arguments, &fronts))?;
    }
    Ok(Exit::Success)
}

/// Where the fronts go.
struct Files<'a> {
    directory: &'a Path,
    csv: (PathBuf, OutputFile),
    json: (PathBuf, OutputFile),
}

impl<'a> Files<'a> {
    /// Checks that all can be written, before the work starts.
    fn check(directory: &'a Path) -> Result<Self, Failure> {
        check_directory(directory)?;
        let file = |extension: &str| {
            let path = directory.join(FRONTS_FILE).with_extension(extension);
            let file = OutputFile::check(&path)?;
            Ok::<_, Failure>((path, file))
        };
        Ok(Self {
            directory,
            csv: file("csv")?,
            json: file("json")?,
        })
    }

    fn write(
        &self,
        arguments: &Arguments,
        fronts: &[Front],
        output: &mut Output,
    ) -> Result<(), Failure> {
        let json = json_text(&as_json(arguments, fronts))?;
        let csv = front_data(fronts)
            .to_csv()
            .map_err(|error| Failure::internal(format!("CSV: {error}")))?;
        for ((path, file), text) in [(&self.csv, csv), (&self.json, json)] {
            file.write(text.as_bytes(), output)?;
            output.line(path.display())?;
        }
        let drawn = match plot_fronts(fronts, self.directory) {
            // Tables without any error have no place on a logarithmic axis.
            Err(PlotError::Nothing { .. }) => Vec::new(),
            drawn => drawn.map_err(plot_failure)?,
        };
        for path in drawn {
            output.line(path.display())?;
        }
        Ok(())
    }
}

/// Each name once, in the order given.
fn distinct(names: &[String]) -> Vec<&str> {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name.as_str()) {
            distinct.push(name);
        }
    }
    distinct
}

fn plot_failure(error: PlotError) -> Failure {
    match error {
        PlotError::Write { .. } => {
            Failure::invalid(error, "is there space, and may files be made there?")
        }
        error => Failure::internal(error),
    }
}

/// The front of one function.
fn one(arguments: &Arguments, request: FunctionRequest) -> Result<Front, Failure> {
    let request = FunctionRequest {
        dtype: arguments.dtype,
        ..request
    };
    let name = &request.name;
    let capacity = arguments.target.capacity();
    let judge = SweepJudge::new(arguments.datapath);
    let progress = Progress::new();
    let points = front(
        &request,
        capacity.bucket,
        capacity.control,
        &judge,
        &progress,
    );
    drop(progress);
    let points = points.map_err(|error| fit_failure(&error, false))?;
    if points.is_empty() {
        let message = format!(
            "{name}: no table within {} buckets and {} control words (target {}) keeps its error below 300 {} ulp",
            capacity.bucket, capacity.control, arguments.target, arguments.dtype
        );
        return Err(Failure::failed(
            message,
            "choose a target with more buckets, or a 16-bit dtype",
        ));
    }
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let points = points.iter().map(|point| FrontPoint {
        buckets: count(point.buckets),
        control_words: count(point.control_words),
        max_ulp: point.max_ulp,
        lower_bound_ulp: point.lower_bound_ulp,
    });
    // The stock tables were measured in fp32 ulp.
    let stock = STOCK
        .iter()
        .filter(|table| table.function == name && arguments.dtype == Format::Fp32);
    Ok(Front {
        name: name.to_owned(),
        dtype: arguments.dtype.name().to_owned(),
        points: points.collect(),
        reference_points: stock
            .map(|table| ReferencePoint {
                label: table.label.to_owned(),
                buckets: table.buckets,
                max_ulp: table.max_ulp,
            })
            .collect(),
    })
}

fn show(front: &Front, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{}, {} ulp", front.name, front.dtype))?;
    let mut table = Table::new(&[">buckets", ">control words", ">max ulp", ">floor", "note"]);
    for point in &front.points {
        table.row([
            point.buckets.to_string(),
            point.control_words.to_string(),
            ulp(point.max_ulp),
            point.lower_bound_ulp.map_or("-".to_owned(), ulp),
        ]);
    }
    for point in &front.reference_points {
        table.row([
            point.buckets.to_string(),
            "-".to_owned(),
            format!("{:.0}", point.max_ulp),
            "-".to_owned(),
            point.label.clone(),
        ]);
    }
    output.table(&table, 2)
}

fn as_json(arguments: &Arguments, fronts: &[Front]) -> Value {
    // Millionths of an ulp, as in reports.
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let fronts = fronts.iter().map(|front| {
        let points = front.points.iter().map(|point| {
            json!({
                "buckets": point.buckets,
                "control_words": point.control_words,
                "max_ulp": rounded(point.max_ulp),
                "lower_bound_ulp": point.lower_bound_ulp.map(rounded),
            })
        });
        let references = front.reference_points.iter().map(|point| {
            json!({
                "label": point.label,
                "buckets": point.buckets,
                "max_ulp": rounded(point.max_ulp),
            })
        });
        json!({
            "function": front.name,
            "dtype": front.dtype,
            "points": points.collect::<Vec<_>>(),
            "reference_points": references.collect::<Vec<_>>(),
        })
    });
    json!({
        "schema_version": 1,
        "target": arguments.target.as_str(),
        "datapath": arguments.datapath.as_str(),
        "fronts": fronts.collect::<Vec<_>>(),
    })
}
