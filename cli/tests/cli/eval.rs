//! `actforge eval`: known answers.

use crate::support::{line, set};

#[test]
fn relu_in_all_forms_of_input() {
    let run = line(
        "eval {} relu 0x1.8p3 0x41400000 12 -0x1p3 -1 --json -inf nan 0x80000001",
        set(),
    );
    let json = run.succeeded().json();
    let results = json["results"].as_array().unwrap();
    let of = |key: &str| {
        results
            .iter()
            .map(|result| result[key].as_str().unwrap_or("-").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("input_bits"),
        [
            "0x41400000",
            "0x41400000",
            "0x41400000",
            "0xc1000000",
            "0xbf800000",
            "0xff800000",
            "0x7fc00000",
            "0x80000001"
        ]
    );
    assert_eq!(
        of("result_bits"),
        [
            "0x41400000",
            "0x41400000",
            "0x41400000",
            "0x00000000",
            "0x00000000",
            "0x00000000",
            "0x7fc00000",
            "0x00000000"
        ]
    );
    assert_eq!(
        of("region")[..4],
        ["large_pos", "large_pos", "large_pos", "large_neg"]
    );
    assert_eq!(of("special")[5..7], ["neg_inf", "nan"]);
    assert!(
        results[5]["region"].is_null()
            && results[5]["bucket"].is_null()
            && results[5]["t_bits"].is_null()
    );
    assert_eq!(results[6]["reference"], "nan");
    assert!(results.iter().all(|result| result["error_ulp"] == 0.0));
}

#[test]
fn tanh_at_a_half() {
    let json = line("eval {} tanh 0.5 --json", set()).succeeded().json();
    let result = &json["results"][0];
    assert!((result["reference"].as_f64().unwrap() - 0.462_117_157_260_009_76).abs() < 1e-15);
    assert_eq!(result["rounded_bits"], "0x3eec9a9f");
    assert!(result["error_ulp"].as_f64().unwrap() <= 8.0);
    assert!(result["bucket"].is_u64() && result["t_bits"].as_str().unwrap().starts_with("0x"));
    assert_eq!(result["octave"], -1);
    let text = line("eval {} tanh 0.5", set()).succeeded().stdout;
    for part in [
        "tanh(0.5)",
        "0x3f000000  0.5  0x1p-1",
        "octave -1",
        "true value  0.4621171572600",
        "ulp of fp32",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn tanh_is_folded() {
    let json = line("eval {} tanh -0.5 0.5 --json", set())
        .succeeded()
        .json();
    let bits = |index: usize| {
        let text = json["results"][index]["result_bits"].as_str().unwrap();
        u32::from_str_radix(&text[2..], 16).unwrap()
    };
    assert_eq!(bits(0), bits(1) | 1 << 31);
    assert_ne!(
        json["results"][0]["unfolded"],
        json["results"][1]["unfolded"]
    );
}

#[test]
fn another_output_type_counts_in_its_own_ulp() {
    let json = line("eval {} tanh 0.5 --output bf16 --json", set())
        .succeeded()
        .json();
    let result = &json["results"][0];
    assert_eq!(
        (result["dtype"].as_str(), result["rounded_bits"].as_str()),
        (Some("bf16"), Some("0x3eed0000"))
    );
    assert!(result["error_ulp"].as_f64().unwrap() <= 0.5);
}

#[test]
fn wrong_inputs_and_functions() {
    line("eval {} tanh ten", set()).failed(2, &["'ten'", "expected an fp32 number"]);
    line("eval {} tanh 0x4120", set()).failed(2, &["0x4120"]);
    line("eval {} tanh", set()).failed(2, &["<X>"]);
    line("eval {} tanh 1 --jsno", set())
        .failed(2, &["--jsno", "hint: a similar argument exists: '--json'"]);
    line("eval {} tahn 1", set()).failed(2, &["no function \"tahn\"", "did you mean tanh?"]);
    line("eval {}/nowhere tanh 1", set()).failed(3, &["set.json"]);
}
