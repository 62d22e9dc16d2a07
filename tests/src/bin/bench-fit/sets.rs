//! Several functions in one set.

use std::error::Error;

use actforge_fit::FunctionRequest;
use actforge_reference::Format;

use crate::print::{at_most, columns, heading, judged, row};
use crate::table::{build, max_ulp};

/// What a model needs first.
const CORE: [&str; 5] = ["relu", "gelu", "sigmoid", "tanh", "exp"];

/// A whole model's functions.
const EIGHT: [&str; 8] = [
    "exp",
    "gelu",
    "gelu_apprx_tanh",
    "silu",
    "sigmoid",
    "softplus",
    "tanh",
    "erf",
];

/// A set and what is wanted of it.
struct Wanted {
    label: &'static str,
    requests: Vec<FunctionRequest>,
    max_ulp: f64,
    buckets: u32,
}

fn request(name: &str, dtype: Format, max_ulp: Option<f64>) -> FunctionRequest {
    FunctionRequest {
        dtype,
        max_ulp,
        ..FunctionRequest::new(name)
    }
}

/// Prints the sets.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    heading(
        "Sets (cayman: 2048 buckets, 128 control words; nothing shared but equal saturation buckets)",
    );
    columns(&[
        "set",
        "worst function, max ulp replayed",
        "wanted",
        "buckets",
        "wanted",
        "control words",
        "each function: max ulp (buckets)",
        "fit, s",
    ]);
    // tanh costs so little that it need not share the others' error; those get what it leaves.
    let core = CORE.map(|name| request(name, Format::Fp32, (name == "tanh").then_some(1.0)));
    let narrow = |names: &[&str], max_ulp: f64| {
        names
            .iter()
            .map(|name| request(name, Format::Bf16, Some(max_ulp)))
            .collect()
    };
    let sets = [
        Wanted {
            label: "core, fp32",
            requests: core.to_vec(),
            max_ulp: 26.0,
            buckets: 2048,
        },
        Wanted {
            label: "core, bf16",
            requests: narrow(&CORE, 0.51),
            max_ulp: 0.51,
            buckets: 950,
        },
        Wanted {
            label: "eight functions, bf16",
            requests: narrow(&EIGHT, 0.52),
            max_ulp: 0.52,
            buckets: 2048,
        },
    ];
    for set in sets {
        let measured = match build(set.requests) {
            Ok(measured) => measured,
            Err(error) => {
                println!("| {} | **{error}** (short) | | | | | | |", set.label);
                continue;
            }
        };
        let functions = &measured.functions;
        let worst = functions.iter().map(max_ulp).fold(0.0, f64::max);
        let buckets: u32 = functions.iter().map(|function| function.buckets).sum();
        let words: u32 = functions
            .iter()
            .map(|function| function.control_words)
            .sum();
        let each: Vec<String> = functions
            .iter()
            .map(|function| {
                format!(
                    "{} {:.4} ({})",
                    function.name,
                    max_ulp(function),
                    function.buckets
                )
            })
            .collect();
        row(&[
            set.label.to_owned(),
            at_most(worst, set.max_ulp, 4),
            set.max_ulp.to_string(),
            judged(buckets.to_string(), buckets <= set.buckets),
            set.buckets.to_string(),
            words.to_string(),
            each.join(", "),
            format!("{:.1}", measured.seconds),
        ]);
    }
    Ok(())
}
