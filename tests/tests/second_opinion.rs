//! MPFR against a second implementation: `data/second_opinion.csv` holds results that mpmath computed, by other formulas
//! (`data/second_opinion.py` says how, and made the file).

use actforge_reference::{Format, catalogue, lookup};

#[test]
fn mpfr_and_mpmath_agree_on_every_result() {
    let text = include_str!("../data/second_opinion.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("function,format,input_bits,result_bits"));
    let mut wrong = Vec::new();
    let mut rows_of = std::collections::BTreeMap::<&str, usize>::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, format, input, result] = fields.as_slice() else {
            panic!("second_opinion.csv: `{line}`");
        };
        let format: Format = format.parse().unwrap();
        let [input, result] =
            [input, result].map(|hex| f32::from_bits(u32::from_str_radix(hex, 16).unwrap()));
        let got = lookup(name)
            .unwrap()
            .function()
            .round(input, format)
            .unwrap();
        *rows_of.entry(name).or_default() += 1;
        if got != result && !(got.is_nan() && result.is_nan()) {
            wrong.push(format!("{line}: found {:08x}", got.to_bits()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for entry in catalogue() {
        let name = entry.function().name();
        let rows = rows_of.get(name).copied().unwrap_or_default();
        assert!(rows >= 80, "{name}: {rows} rows");
    }
}
