//! Known answers: the stock exp of formats.md and the folds of numerics.md.

mod support;

use actforge_engine::{EngineConfig, EngineError, OwnRun, Route, cubic, parametric_relu};
use actforge_tables::{Bucket, Datapath, RegionKind};

#[test]
fn stock_exp_at_a_half() {
    let sample = support::exp();
    // Sizes and words as the stock file has them.
    assert_eq!(sample.buckets.len(), 781);
    assert_eq!(sample.control.len(), 52);
    assert_eq!(sample.buckets[424].x0.to_bits(), 0x3f1f_ffff);
    assert_eq!(sample.buckets[424].d[0].to_bits(), 0x3fef_22ae);
    assert_eq!(
        sample.buckets[0].to_words(),
        [
            0x3f7f_ffd0,
            0x3f7f_ffd0,
            0x3eff_ffd0,
            0x3e2a_aa8b,
            0xb63f_ffff
        ]
    );
    assert_eq!(sample.control[25].encode(), Ok(0x0008_7910));
    for datapath in Datapath::ALL {
        let function = sample.function(datapath).expect("valid");
        let trace = function.trace(0.5);
        assert_eq!(trace.input.to_bits(), 0x3f00_0000);
        assert_eq!(trace.octave(), Some(-1));
        assert_eq!(trace.section, Some(0));
        assert_eq!(trace.bucket_index(), Some(424));
        assert_eq!(trace.region(), None);
        assert!(!trace.unfolded());
        assert_eq!(trace.t, Some(0.5 - f32::from_bits(0x3f1f_ffff)));
        assert_eq!(trace.result, 1.648_702_7, "{datapath}");
        assert_eq!(function.eval(0.5), trace.result);
    }
}

#[test]
fn stock_exp_regions_and_specials() {
    let sample = support::exp();
    let function = sample.function(Datapath::Fma).expect("valid");
    let region = |v| function.trace(v).region();
    // Exactly 2^-19 is still small, the next float is not.
    let edge = f32::from_bits(108 << 23);
    assert_eq!(region(edge), Some(RegionKind::SmallPositive));
    assert_eq!(region(-edge), Some(RegionKind::SmallNegative));
    assert_eq!(region(edge.next_up()), None);
    assert_eq!(region((-edge).next_down()), None);
    // The first large input on either side.
    let large = f32::from_bits(133 << 23 | 3_240_472);
    assert_eq!(region(large), Some(RegionKind::LargePositive));
    assert_eq!(function.eval(large), f32::INFINITY);
    assert_eq!(region(large.next_down()), None);
    let large = -f32::from_bits(133 << 23 | 4_362_891);
    assert_eq!(region(large), Some(RegionKind::LargeNegative));
    assert_eq!(function.eval(large).to_bits(), 0);
    assert_eq!(region(large.next_up()), None);
    for (v, route, result) in [
        (0.0, Route::Zero, 1.0),
        (-0.0, Route::Zero, 1.0),
        (f32::INFINITY, Route::PosInf, f32::INFINITY),
        (f32::NEG_INFINITY, Route::NegInf, 0.0),
    ] {
        assert_eq!(function.route(v), route);
        assert_eq!(function.eval(v), result);
    }
    for bits in [
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
        0xff80_0001,
        0xffff_ffff,
    ] {
        assert_eq!(function.route(f32::from_bits(bits)), Route::Nan);
        assert!(function.eval(f32::from_bits(bits)).is_nan());
    }
}

/// sigmoid stores the negative side, tanh the positive one.
#[test]
fn folds() {
    for datapath in Datapath::ALL {
        let sample = support::sigmoid();
        let sigmoid = sample.function(datapath).expect("valid");
        let sample = support::tanh();
        let tanh = sample.function(datapath).expect("valid");
        for step in 1..400 {
            let x = step as f32 * 0.05;
            let trace = sigmoid.trace(x);
            assert_eq!(trace.folded, Some(-x));
            assert!(trace.unfolded());
            assert_eq!(trace.result, 1.0 - sigmoid.eval(-x));
            assert!((f64::from(trace.result) - 1.0 / (1.0 + f64::from(-x).exp())).abs() < 1e-4);
            let trace = tanh.trace(-x);
            assert_eq!(trace.folded, Some(x));
            assert!(trace.unfolded());
            assert_eq!(trace.result, -tanh.eval(x));
            assert!((f64::from(trace.result) - f64::from(-x).tanh()).abs() < 1e-3);
        }
    }
}

/// An even function folds without a change of sign; the point is added all the same.
#[test]
fn unfolding_without_inversion() {
    let mut sample = support::tanh();
    sample.profile.func_sym_inv_sign = 0;
    sample.profile.symmetry_point = 0.25;
    let function = sample.function(Datapath::Fma).expect("valid");
    assert_eq!(function.eval(-2.0), function.eval(2.0) + 0.25);
}

#[test]
fn a_nan_without_the_branch_takes_the_large_region() {
    let sample = support::exp();
    let config = EngineConfig {
        nan_branch: false,
        ..EngineConfig::default()
    };
    let function = sample.function(config).expect("valid");
    for (bits, region) in [
        (0x7fc0_1234, RegionKind::LargePositive),
        (0xff80_0001, RegionKind::LargeNegative),
    ] {
        let trace = function.trace(f32::from_bits(bits));
        assert_eq!(trace.region(), Some(region));
        assert_eq!(trace.result.to_bits(), 0x7fc0_0000);
    }
    // NaNs that run off the table are found when the function is built.
    let mut open = support::relu();
    for threshold in [
        &mut open.profile.small_pos_signal_threshold,
        &mut open.profile.large_pos_signal_threshold,
    ] {
        *threshold = 255;
    }
    open.profile.small_pos = open.profile.large_pos;
    open.profile.large_pos.mantissa_threshold = 0x40_0000;
    assert!(open.function(Datapath::Fma).is_ok());
    assert!(matches!(
        open.function(config),
        Err(EngineError::ControlIndex { octave: 128, .. })
    ));
}

#[test]
fn flushing_acts_on_inputs_and_results() {
    let sample = support::exp();
    let config = EngineConfig {
        flush_subnormals: true,
        ..EngineConfig::default()
    };
    let flushed = sample.function(config).expect("valid");
    let kept = sample.function(Datapath::Fma).expect("valid");
    let subnormal = f32::from_bits(0x007f_ffff);
    assert_eq!(flushed.route(-subnormal), Route::Zero);
    assert!(matches!(kept.route(-subnormal), Route::Cubic { .. }));
    assert!(kept.eval(-90.0).is_subnormal());
    assert_eq!(flushed.eval(-90.0).to_bits(), 0);
    assert_eq!(flushed.eval(-80.0), kept.eval(-80.0));
}

#[test]
fn bypass_passes_every_bit() {
    let sample = support::bypass();
    let function = sample.function(Datapath::Fma).expect("valid");
    for bits in [0, 0x8000_0000, 1, 0x7f80_0001, 0xffff_ffff, 0x3f80_0000] {
        assert_eq!(function.eval(f32::from_bits(bits)).to_bits(), bits);
    }
}

#[test]
fn parametric_relu_has_its_slope_at_run_time() {
    assert_eq!(parametric_relu(2.0, 0.25), 2.0);
    assert_eq!(parametric_relu(-2.0, 0.25), -0.5);
    assert_eq!(parametric_relu(f32::INFINITY, 0.25), f32::INFINITY);
    assert_eq!(parametric_relu(-f32::NAN, 0.25).to_bits(), 0x7fc0_0000);
}

/// Everything that could lead an input astray is an error of construction.
#[test]
fn what_leaves_the_run_is_refused() {
    let good = support::exp();
    let mut bad = good.clone();
    bad.control.truncate(51);
    assert_eq!(
        bad.function(Datapath::Fma)
            .err()
            .map(|e| e.to_string())
            .as_deref(),
        Some("positive octave 6: expected a control word in 0..51, found index 51")
    );
    let mut bad = good.clone();
    bad.profile.exponent_offset = 109;
    assert!(matches!(
        bad.function(Datapath::Fma),
        Err(EngineError::ControlIndex {
            side: "negative",
            found: -1,
            ..
        })
    ));
    let mut bad = good.clone();
    bad.control[51].base = 700;
    assert!(matches!(
        bad.function(Datapath::Fma),
        Err(EngineError::BucketIndex {
            octave: 6,
            found: 798,
            ..
        })
    ));
    let mut bad = good.clone();
    bad.profile.large_neg.control = 781;
    assert!(matches!(
        bad.function(Datapath::Fma),
        Err(EngineError::RegionIndex {
            region: RegionKind::LargeNegative,
            found: 781,
            ..
        })
    ));
    let mut bad = good.clone();
    bad.profile.symmetry_opt_en = 2;
    assert!(matches!(
        bad.function(Datapath::Fma),
        Err(EngineError::Field {
            field: "symmetry_opt_en",
            found: 2,
            ..
        })
    ));
    let own = OwnRun {
        control: 0..53,
        ..good.own()
    };
    let refused = actforge_engine::Function::new(
        &good.profile,
        &good.control,
        &good.buckets,
        &own,
        EngineConfig::default(),
    );
    assert!(matches!(
        refused,
        Err(EngineError::OwnRun {
            table: "control",
            ..
        })
    ));
}

/// Saturation buckets serve inputs up to the largest float. Estrin squares t, and zero
/// times the overflowed square is a NaN: so that schedule is defined, and it is settled.
#[test]
fn constant_buckets_far_out() {
    let bucket = Bucket::constant(f32::INFINITY);
    for datapath in Datapath::ALL {
        for s in [-1e19, -1.0, 1e-45, 3.5, 1e19] {
            assert_eq!(cubic(datapath, &bucket, s), f32::INFINITY);
        }
        let far = cubic(datapath, &bucket, f32::MAX);
        match datapath {
            Datapath::Estrin => assert_eq!(far.to_bits(), 0x7fc0_0000),
            _ => assert_eq!(far, f32::INFINITY),
        }
    }
}
