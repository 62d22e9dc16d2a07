//! `actforge inspect`: everything is there.

use crate::support::{line, set};

#[test]
fn text_holds_every_part() {
    let text = line("inspect {}", set()).succeeded().stdout;
    for part in [
        "set small, target cayman, datapath fma",
        "specification sha256 ",
        "function tanh, func id 6",
        "symmetry_opt_en",
        "negate the result of a folded input",
        "func_rslt_for_neg_inf",
        "control words",
        "saturation buckets",
        "--buckets lists them",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let one = line("inspect {} --function relu", set()).succeeded().stdout;
    assert!(
        one.contains("function relu") && !one.contains("function tanh"),
        "{one}"
    );
}

#[test]
fn buckets_are_listed_on_request() {
    let json = line("inspect {} --json --function tanh", set())
        .succeeded()
        .json();
    let function = &json["functions"][0];
    let buckets = function["buckets"].as_array().unwrap();
    assert!(!buckets.is_empty());
    let without = line("inspect {} --function tanh", set())
        .succeeded()
        .stdout
        .lines()
        .count();
    let with = line("inspect {} --function tanh --buckets", set())
        .succeeded()
        .stdout
        .lines()
        .count();
    // A title and a head instead of the line that says how to see them.
    assert_eq!(with, without + 1 + buckets.len());
}

#[test]
fn json_accounts_for_the_tables() {
    let json = line("inspect {} --json", set()).succeeded().json();
    assert_eq!(
        (json["name"].as_str(), json["target"].as_str()),
        (Some("small"), Some("cayman"))
    );
    assert_eq!(json["cam"].as_array().unwrap().len(), 2);
    let tanh = &json["functions"][1];
    assert_eq!(
        (tanh["name"].as_str(), tanh["target_ulp"].as_f64()),
        (Some("tanh"), Some(8.0))
    );
    let field = |name: &str| {
        let fields = tanh["profile"].as_array().unwrap().iter();
        fields
            .filter(|field| field["name"] == name)
            .map(|field| field["value"].clone())
            .next()
            .unwrap()
    };
    assert_eq!(field("func_rslt_for_pos_inf")["bits"], "0x3f800000");
    assert_eq!(field("symmetry_opt_en"), 1);
    for word in tanh["control_words"].as_array().unwrap() {
        let stored = u64::from_str_radix(&word["word"].as_str().unwrap()[2..], 16).unwrap();
        let [base, lsb, size] = ["base", "lsb", "size"].map(|key| word[key].as_u64().unwrap());
        assert_eq!(stored, base | lsb << 11 | size << 16);
    }
}

#[test]
fn unknown_functions_are_refused() {
    line("inspect {} --function gelu", set()).failed(2, &["no function \"gelu\"", "relu, tanh"]);
}
