//! Random functions that are valid, among them ones that no fit would make: fields extracted
//! from anywhere, regions with several buckets, thresholds that overlap.

use super::Sample;
use actforge_tables::{Bucket, ControlWord, Profile, RegionWord};
use proptest::prelude::*;

const POOL: u32 = 700;

/// Any float, special ones included, with ordinary ones in the majority.
pub fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -20.0_f32..20.0,
        2 => any::<u32>().prop_map(f32::from_bits),
        1 => prop::sample::select(vec![
            0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE,
            f32::from_bits(1), f32::from_bits(0x807f_ffff), f32::from_bits(0xff80_0001),
        ]),
    ]
}

fn bucket() -> impl Strategy<Value = Bucket> {
    let ordinary = [-2.0_f32..2.0, -2.0_f32..2.0, -2.0_f32..2.0, -2.0_f32..2.0];
    prop_oneof![
        8 => (ordinary, -4.0_f32..4.0).prop_map(|(d, x0)| Bucket { d, x0 }),
        1 => ([float(), float(), float(), float()], float()).prop_map(|(d, x0)| Bucket { d, x0 }),
        1 => float().prop_map(Bucket::constant),
    ]
}

/// A word whose field starts at or above `least_lsb`, so that runs do not get too short.
fn word(least_lsb: u8) -> impl Strategy<Value = ControlWord> {
    (least_lsb..32, 0_u8..=9, any::<u16>()).prop_map(|(lsb, size, place)| {
        let room = POOL - (1 << size);
        ControlWord {
            base: (u32::from(place) % (room + 1)) as u16,
            lsb,
            size,
        }
    })
}

/// Words as a fit makes them, and others.
fn octave() -> impl Strategy<Value = ControlWord> {
    prop_oneof![
        word(15),
        word(15).prop_map(|word| ControlWord::octave(word.base, word.size.min(7))),
    ]
}

fn region() -> impl Strategy<Value = RegionWord> {
    (word(22), 0_u32..1 << 23, any::<bool>(), any::<bool>()).prop_map(
        |(word, mantissa_threshold, compare, single)| {
            let size = if single { 0 } else { word.size };
            let word = ControlWord { size, ..word };
            RegionWord {
                control: word.encode().expect("in range"),
                mantissa_threshold,
                compare,
            }
        },
    )
}

/// A function with up to 24 octaves, anywhere in the exponent range.
pub fn sample() -> impl Strategy<Value = Sample> {
    let tables = (
        prop::collection::vec(octave(), 48),
        prop::collection::vec(bucket(), POOL as usize),
    );
    let shape = (0_u8..=231, 0_u8..24, 0_u8..24, 0_u8..24, 0_u8..24);
    let regions = [region(), region(), region(), region()];
    let fold = (0_u8..2, 0_u8..2, 0_u8..2, float());
    let specials = [float(), float(), float(), float()];
    (tables, shape, regions, fold, specials).prop_map(
        |((control, buckets), shape, regions, fold, specials)| {
            let (offset, small_pos, small_neg, large_pos, large_neg) = shape;
            Sample {
                profile: Profile {
                    symmetry_opt_en: fold.0,
                    symmetry_opt_use_neg_region: fold.1,
                    func_sym_inv_sign: fold.2,
                    symmetry_point: fold.3,
                    exponent_offset: offset,
                    small_pos_signal_threshold: offset + small_pos,
                    small_neg_signal_threshold: offset + small_neg,
                    large_pos_signal_threshold: offset + large_pos,
                    large_neg_signal_threshold: offset + large_neg,
                    pwl_control_base_pos: 0,
                    pwl_control_base_neg: 24,
                    large_pos: regions[0],
                    large_neg: regions[1],
                    small_pos: regions[2],
                    small_neg: regions[3],
                    func_rslt_for_zero: specials[0],
                    func_rslt_for_nan: specials[1],
                    func_rslt_for_pos_inf: specials[2],
                    func_rslt_for_neg_inf: specials[3],
                    ..Profile::default()
                },
                control,
                buckets,
            }
        },
    )
}
