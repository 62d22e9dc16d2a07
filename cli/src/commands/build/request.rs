//! What is asked for: from a file, or from the flags that hold the same keys.

use std::path::Path;

use actforge_fit::{FunctionRequest, Method as FitMethod};
use actforge_reference::{Definition, Format, catalogue};
use actforge_tables::{Datapath, Target};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::args::{NamedExpression, datapath_parser, named_format, parse_range, target_parser};
use crate::exit::Failure;
use crate::spec::{
    DTYPES, EVERY_FUNCTION_ONCE, FunctionSpec, LONGEST_NAME, Method, SetSpec, Spec, SpecError,
};

/// The keys of a specification as flags. Those of `[[function]]` hold for every function that is built.
#[derive(Debug, Args)]
pub(super) struct RequestArguments {
    /// Name of the set [default: the functions' names, or `model`]
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "spec",
        help_heading = "Instead of a specification"
    )]
    set_name: Option<String>,

    /// Hardware generation [default: cayman]
    #[arg(long, value_name = "TARGET", value_parser = target_parser(), conflicts_with = "spec",
          help_heading = "Instead of a specification")]
    target: Option<Target>,

    /// Rounding schedule of the cubic that buckets are fitted for [default: fma]
    #[arg(long, value_name = "DATAPATH", value_parser = datapath_parser(), conflicts_with = "spec",
          help_heading = "Instead of a specification")]
    datapath: Option<Datapath>,

    /// Output type whose ulp counts, of every function [default: fp32]
    #[arg(long, value_name = "FORMAT", value_parser = named_format(DTYPES), conflicts_with = "spec",
          help_heading = "Instead of a specification")]
    dtype: Option<Format>,

    /// Target for the largest error of every function, in ulp: the fewest buckets that meet it
    #[arg(
        long,
        value_name = "ULP",
        conflicts_with = "spec",
        help_heading = "Instead of a specification"
    )]
    max_ulp: Option<f64>,

    /// Ceiling for the buckets of every function, each on its own: the least error within it
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "spec",
        help_heading = "Instead of a specification"
    )]
    buckets: Option<u16>,

    /// Valid range of every function; `-inf` or `inf` leaves a side open
    #[arg(long, value_name = "LOWEST,HIGHEST", value_parser = parse_range, allow_hyphen_values = true,
          conflicts_with = "spec", help_heading = "Instead of a specification")]
    range: Option<[f32; 2]>,

    /// How the cubics of every function are fitted [default: accurate]
    #[arg(long, value_name = "METHOD", value_parser = method_parser(), conflicts_with = "spec",
          help_heading = "Instead of a specification")]
    method: Option<Method>,
}

fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::as_str)).try_map(|name| {
        Method::ALL
            .into_iter()
            .find(|method| method.as_str() == name)
            .ok_or("no method of this name")
    })
}

impl RequestArguments {
    /// The specification for these functions, checked by the rules for files.
    pub(super) fn for_functions(
        &self,
        names: &[String],
        expressions: &[NamedExpression],
        set_name: &str,
    ) -> Result<Spec, Failure> {
        let mut set = SetSpec::new(self.set_name.as_deref().unwrap_or(set_name));
        set.target = self.target.unwrap_or(set.target);
        set.datapath = self.datapath.unwrap_or(set.datapath);
        let named = names.iter().map(|name| (name.trim(), None));
        let defined = expressions.iter().map(|one| {
            (
                one.name.as_str(),
                Some(Definition::new(one.expression.clone())),
            )
        });
        let function = |(name, definition): (&str, Option<Definition>)| {
            let mut function = FunctionSpec::new(name);
            function.definition = definition;
            function.dtype = self.dtype.unwrap_or(function.dtype);
            function.max_ulp = self.max_ulp;
            function.buckets = self.buckets;
            function.range = self.range;
            function.method = self.method.unwrap_or(function.method);
            function
        };
        let spec = Spec {
            set,
            functions: named.chain(defined).map(function).collect(),
        };
        check(&spec)?;
        Ok(spec)
    }
}

/// Checks a specification that was put together from flags.
fn check(spec: &Spec) -> Result<(), Failure> {
    spec.check(&catalogue_names()).map_err(|error| {
        let drawing = error.drawing().to_vec();
        let hint = match &error {
            _ if !drawing.is_empty() => EXPRESSION_HINT,
            SpecError::Flags { error, .. } if error.expected == EVERY_FUNCTION_ONCE => {
                "leave one of the two out"
            }
            SpecError::Flags { key, .. }
                if key.starts_with("function[") && key.ends_with(".name") =>
            {
                "`actforge functions` lists the catalogue"
            }
            _ => "`actforge build --help` explains the flags",
        };
        Failure::usage(error, hint).with_drawing(&drawing)
    })
}

/// Functions that the command line gives by expression, checked as those of a file are.
pub(crate) fn checked_expressions(
    expressions: &[NamedExpression],
) -> Result<Vec<FunctionSpec>, Failure> {
    let function = |one: &NamedExpression| FunctionSpec {
        definition: Some(Definition::new(one.expression.clone())),
        ..FunctionSpec::new(one.name.clone())
    };
    let spec = Spec {
        set: SetSpec::new("expressions"),
        functions: expressions.iter().map(function).collect(),
    };
    if !spec.functions.is_empty() {
        check(&spec)?;
    }
    Ok(spec.functions)
}

const EXPRESSION_HINT: &str = "docs/expressions.md lists what an expression may hold";

/// Reads a specification file.
pub(super) fn from_file(path: &Path) -> Result<Spec, Failure> {
    Spec::read(path, &catalogue_names()).map_err(|error| {
        let drawing = error.drawing().to_vec();
        let hint = if drawing.is_empty() {
            "`actforge build --help` shows a specification with all its keys"
        } else {
            EXPRESSION_HINT
        };
        Failure::invalid(error, hint).with_drawing(&drawing)
    })
}

/// The names of all functions there are.
pub(super) fn catalogue_names() -> Vec<&'static str> {
    catalogue()
        .iter()
        .map(|entry| entry.function().name())
        .collect()
}

/// A set's name made of its functions' names, where that is one. Names that are not are complained of as functions.
pub(super) fn joined_name(functions: &[String]) -> String {
    let names: Vec<&str> = functions.iter().map(|name| name.trim()).collect();
    let joined = names.join("-");
    let fits = (1..=LONGEST_NAME).contains(&joined.len());
    let is_plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    };
    if fits && joined.bytes().all(is_plain) {
        joined
    } else {
        format!("{}-functions", names.len())
    }
}

/// The functions as the fit wants them.
pub(super) fn for_fit(spec: &Spec) -> Vec<FunctionRequest> {
    let function = |function: &FunctionSpec| FunctionRequest {
        name: function.name.clone(),
        definition: function.definition.clone(),
        dtype: function.dtype,
        max_ulp: function.max_ulp,
        buckets: function.buckets.map(u32::from),
        // An open end is the last finite number: infinities are special inputs of every table.
        range: (function.range)
            .map(|[lowest, highest]| (lowest.max(f32::MIN), highest.min(f32::MAX))),
        inputs: function.inputs.map(|[lowest, highest]| (lowest, highest)),
        method: match function.method {
            Method::Accurate => FitMethod::Accurate,
            Method::Minimax => FitMethod::Minimax,
            Method::Taylor => FitMethod::Taylor,
        },
    };
    spec.functions.iter().map(function).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags() -> RequestArguments {
        RequestArguments {
            set_name: None,
            target: None,
            datapath: None,
            dtype: None,
            max_ulp: None,
            buckets: None,
            range: None,
            method: None,
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn flags_hold_for_every_function() {
        let flags = RequestArguments {
            max_ulp: Some(2.0),
            dtype: Some(Format::Bf16),
            ..flags()
        };
        let spec = flags
            .for_functions(&names(&["relu", " tanh"]), &[], "relu-tanh")
            .unwrap();
        assert_eq!(spec.set, SetSpec::new("relu-tanh"));
        for function in &spec.functions {
            assert_eq!(
                (function.max_ulp, function.dtype),
                (Some(2.0), Format::Bf16)
            );
        }
        assert_eq!(spec.functions[1].name, "tanh");
    }

    #[test]
    fn what_a_file_may_not_hold_flags_may_not_either() {
        let failure = flags()
            .for_functions(&names(&["tnah"]), &[], "x")
            .unwrap_err();
        assert_eq!(failure.exit.code(), 2);
        assert!(
            failure.message.contains("did you mean tanh?"),
            "{}",
            failure.message
        );
        let flags = RequestArguments {
            max_ulp: Some(-1.0),
            ..flags()
        };
        assert!(flags.for_functions(&names(&["tanh"]), &[], "x").is_err());
    }

    #[test]
    fn names_of_sets_stay_within_their_length() {
        assert_eq!(joined_name(&names(&["relu", "tanh"])), "relu-tanh");
        assert_eq!(joined_name(&names(&["TANH"])), "1-functions");
        let many: Vec<String> = catalogue_names().into_iter().map(str::to_owned).collect();
        assert_eq!(joined_name(&many), format!("{}-functions", many.len()));
    }
}
