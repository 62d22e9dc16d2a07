//! The report as CSV.

#[allow(dead_code)]
mod sample;

use actforge_reports::octave_csv::{bucket_csv, octave_csv};

#[test]
fn one_row_an_octave_in_the_order_of_the_report() {
    let report = sample::small_report();
    let text = octave_csv(&report).unwrap();
    assert_eq!(
        text,
        "function,dtype,sign,exponent,buckets,inputs,max_ulp,max_ulp_at,got,want,lower_bound_ulp,mean_ulp,correctly_rounded,non_monotone\n\
         tanh,fp32,negative,0,2,8388608,0.6,0xbfa00000,0xbf000001,0xbf000000,0.58,0.25,0.97,3\n\
         tanh,fp32,positive,0,2,8388608,0.6,0xbfa00000,0xbf000001,0xbf000000,0.58,0.25,0.97,3\n"
    );
}

#[test]
fn one_row_a_bucket() {
    let text = bucket_csv(&sample::small_report()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "function,dtype,bucket,region,first,last,inputs,max_ulp,max_ulp_at,got,want,lower_bound_ulp,mean_ulp,correctly_rounded",
            "tanh,fp32,10,,0xbf800000,0xbfbfffff,4194304,0.6,0xbfa00000,0xbf000001,0xbf000000,0.58,0.25,0.97",
        ]
    );
    assert!(
        lines[3].starts_with("tanh,fp32,12,small_pos,0x00000001,0x3f7fffff,"),
        "{text}"
    );
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_nan_is_said_and_an_unreached_bucket_is_empty() {
    let mut report = sample::small_report();
    let group = &mut report.functions[0].octaves[0].group;
    (group.max_ulp, group.max_ulp_at) = (None, None);
    let text = octave_csv(&report).unwrap();
    assert!(
        text.lines().nth(1).unwrap().contains(",8388608,nan,,,,"),
        "{text}"
    );

    let bucket = &mut report.functions[0].bucket_rows[0];
    (bucket.reached, bucket.group.inputs) = (None, 0);
    (bucket.group.max_ulp, bucket.group.max_ulp_at) = (None, None);
    let text = bucket_csv(&report).unwrap();
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .starts_with("tanh,fp32,10,,,,0,,,,,"),
        "{text}"
    );
}

#[test]
fn text_is_quoted_where_needed() {
    let mut report = sample::small_report();
    report.functions[0].name = "a,\"b\"".to_owned();
    let text = octave_csv(&report).unwrap();
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .starts_with("\"a,\"\"b\"\"\",fp32,"),
        "{text}"
    );
}

#[test]
fn no_functions_give_the_header_alone() {
    let report = sample::report(&[]);
    assert_eq!(octave_csv(&report).unwrap().lines().count(), 1);
    assert_eq!(bucket_csv(&report).unwrap().lines().count(), 1);
}
