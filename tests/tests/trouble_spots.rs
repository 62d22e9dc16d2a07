//! Inputs at which activation implementations are known to go wrong: the reference gets every one of them right.
//!
//! `data/trouble_spots.csv` is a copy of the project's shared list.

use actforge_reference::{Format, lookup};
use actforge_tests::trouble_spots::{Check, TroubleSpot, trouble_spots};

/// Functions of the list that are no activation of this hardware.
const NOT_IN_THE_CATALOGUE: [&str; 2] = ["erfc", "hardsigmoid6"];

#[test]
fn the_reference_rounds_every_trouble_spot_correctly() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for spot in trouble_spots() {
        let Ok(entry) = lookup(&spot.function) else {
            assert!(
                NOT_IN_THE_CATALOGUE.contains(&spot.function.as_str()),
                "{spot:?}"
            );
            continue;
        };
        checked += 1;
        let got = entry.function().round(spot.input(), spot.format).unwrap();
        if !agrees(&spot, got) {
            wrong.push(format!(
                "{}: expected {:x}, found {:x}",
                spot.id,
                spot.expected_bits,
                spot.format.to_bits(got)
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        checked >= 98,
        "only {checked} rows are of functions in the catalogue"
    );
}

/// NaNs of any kind agree, and zeros of either sign do.
fn agrees(spot: &TroubleSpot, got: f32) -> bool {
    let want = spot.expected();
    got == want || got.is_nan() && want.is_nan()
}

#[test]
fn the_list_has_rows_of_both_kinds_and_all_formats() {
    let spots = trouble_spots();
    for format in [Format::Fp32, Format::Bf16, Format::Fp16] {
        assert!(spots.iter().any(|spot| spot.format == format), "{format}");
    }
    assert!(spots.iter().any(|spot| spot.check == Check::Special));
    assert!(spots.iter().any(|spot| spot.check == Check::Ulp));
}
