//! numerics.md once more, written step by step with other means than the engine's: fields
//! instead of magnitudes, branches instead of masks, f64 instead of fused instructions.

use super::Sample;
use actforge_tables::{Bucket, Datapath, RegionWord};

/// a * b + c rounded once, by way of f64: the product is exact, the sum is rounded to odd, and
/// 53 bits rounded to odd round to 24 as the exact sum does.
pub fn fused(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    if !sum.is_finite() {
        return sum as f32;
    }
    let added = sum - product;
    let error = (product - (sum - added)) + (c - added);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum as f32;
    }
    let odd = if (error > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    };
    odd as f32
}

/// Step 5 of the numerics. NaNs are not settled.
pub fn cubic(datapath: Datapath, bucket: &Bucket, s: f32) -> f32 {
    let [d0, d1, d2, d3] = bucket.d;
    let t = s - bucket.x0;
    match datapath {
        Datapath::Fma => fused(fused(fused(d3, t, d2), t, d1), t, d0),
        Datapath::MulAdd => {
            let mut r = d3;
            for d in [d2, d1, d0] {
                let product = r * t;
                r = product + d;
            }
            r
        }
        Datapath::Estrin => fused(fused(d3, t, d2), t * t, fused(d1, t, d0)),
        Datapath::Mixed => {
            let (d2, d3, wide) = (f64::from(d2), f64::from(d3), f64::from(t));
            let linear = t * d1;
            let r = f64::from(linear + d0) + (wide * wide) * d2;
            ((wide * wide * wide) * d3 + r) as f32
        }
    }
}

fn settled(r: f32) -> u32 {
    if r.is_nan() { 0x7fc0_0000 } else { r.to_bits() }
}

/// The result's bits for one input, with the default configuration in a datapath.
pub fn eval(sample: &Sample, datapath: Datapath, v: f32) -> u32 {
    let profile = &sample.profile;
    if profile.pwl_bypass {
        return v.to_bits();
    }
    let special = if v.is_nan() {
        Some(profile.func_rslt_for_nan)
    } else if v == f32::INFINITY {
        Some(profile.func_rslt_for_pos_inf)
    } else if v == f32::NEG_INFINITY {
        Some(profile.func_rslt_for_neg_inf)
    } else if v == 0.0 {
        Some(profile.func_rslt_for_zero)
    } else {
        None
    };
    if let Some(result) = special {
        return result.to_bits();
    }
    let s = match (profile.symmetry_opt_en, profile.symmetry_opt_use_neg_region) {
        (0, _) => v,
        (_, 0) => v.abs(),
        _ => -v.abs(),
    };
    let e = s.to_bits() >> 23 & 0xff;
    let m = s.to_bits() & 0x7f_ffff;
    let (large, large_thr, small, small_thr, base) = if s > 0.0 {
        (
            profile.large_pos,
            profile.large_pos_signal_threshold,
            profile.small_pos,
            profile.small_pos_signal_threshold,
            profile.pwl_control_base_pos,
        )
    } else {
        (
            profile.large_neg,
            profile.large_neg_signal_threshold,
            profile.small_neg,
            profile.small_neg_signal_threshold,
            profile.pwl_control_base_neg,
        )
    };
    let (large_thr, small_thr) = (u32::from(large_thr), u32::from(small_thr));
    let at_large = large.compare && m >= large.mantissa_threshold;
    let at_small = small.compare && m <= small.mantissa_threshold;
    let region = |region: RegionWord| region.control_word().bucket_index(s.to_bits());
    let index = if e > large_thr || (e == large_thr && at_large) {
        region(large)
    } else if e < small_thr || (e == small_thr && at_small) {
        region(small)
    } else {
        let word = u32::from(base) + e - u32::from(profile.exponent_offset);
        sample.control[word as usize].bucket_index(s.to_bits())
    };
    let mut r = cubic(datapath, &sample.buckets[index as usize], s);
    if s != v {
        if profile.func_sym_inv_sign != 0 {
            r = -r;
        }
        r += profile.symmetry_point;
    }
    settled(r)
}
