//! Small tables for tests and measurements, built in plain sight: Taylor cubics.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod model;
pub mod random;

use actforge_engine::{EngineConfig, EngineError, Function, OwnRun};
use actforge_tables::{Bucket, ControlWord, Profile, RegionWord};

/// The tables of one function that has them to itself.
#[derive(Clone, Debug)]
pub struct Sample {
    pub profile: Profile,
    pub control: Vec<ControlWord>,
    pub buckets: Vec<Bucket>,
}

impl Sample {
    pub fn own(&self) -> OwnRun<'static> {
        OwnRun {
            control: 0..self.control.len(),
            buckets: 0..self.buckets.len(),
            shared: &[],
        }
    }

    pub fn function(&self, config: impl Into<EngineConfig>) -> Result<Function<'_>, EngineError> {
        Function::new(
            &self.profile,
            &self.control,
            &self.buckets,
            &self.own(),
            config.into(),
        )
    }

    /// Adds one octave's buckets and its control word. `stored` may be less than 2^size.
    fn add_octave(
        &mut self,
        sign: u32,
        octave: i32,
        size: u8,
        stored: u32,
        f: impl Fn(f64) -> [f64; 4],
    ) {
        let base = self.buckets.len() as u16;
        self.control.push(ControlWord::octave(base, size));
        let least = sign << 31 | ((octave + 127) as u32) << 23;
        for section in 0..stored {
            let lsb = 23 - u32::from(size);
            let first = least | section << lsb;
            let x0 = f32::from_bits(first + ((1 << lsb) - 1) / 2);
            let d = f(f64::from(x0)).map(|c| c as f32);
            self.buckets.push(Bucket { d, x0 });
        }
    }

    /// Adds a saturation bucket and gives the region word that points at it.
    fn region(&mut self, bucket: Bucket, mantissa_threshold: u32) -> RegionWord {
        self.buckets.push(bucket);
        RegionWord {
            control: self.buckets.len() as u32 - 1,
            mantissa_threshold,
            compare: true,
        }
    }
}

fn empty() -> Sample {
    Sample {
        profile: Profile {
            func_rslt_for_nan: f32::NAN,
            ..Profile::default()
        },
        control: Vec::new(),
        buckets: Vec::new(),
    }
}

/// The stock exp of formats.md (exp_400p).
pub fn exp() -> Sample {
    let taylor = |x: f64| {
        let y = x.exp();
        [y, y, y / 2.0, y / 6.0]
    };
    let mut sample = empty();
    for (sign, top) in [(1, 134), (0, 99)] {
        for octave in -19..=6 {
            let size = (octave + 2).max(0) as u8;
            let stored = if octave == 6 { top } else { 1 << size };
            sample.add_octave(sign, octave, size, stored, taylor);
        }
    }
    let unit = Bucket {
        d: [1.0, 1.0, 0.5, 1.0 / 6.0],
        x0: 0.0,
    };
    let small_pos = sample.region(unit, 0);
    let small_neg = sample.region(unit, 0);
    let large_pos = sample.region(Bucket::constant(f32::INFINITY), 3_240_472);
    let large_neg = sample.region(Bucket::constant(0.0), 4_362_891);
    sample.profile = Profile {
        exponent_offset: 108,
        small_pos_signal_threshold: 108,
        small_neg_signal_threshold: 108,
        large_pos_signal_threshold: 133,
        large_neg_signal_threshold: 133,
        pwl_control_base_neg: 0,
        pwl_control_base_pos: 26,
        large_pos,
        large_neg,
        small_pos,
        small_neg,
        func_rslt_for_zero: 1.0,
        func_rslt_for_pos_inf: f32::INFINITY,
        func_rslt_for_neg_inf: 0.0,
        ..sample.profile
    };
    sample
}

/// A folded function: one side stored, octaves -10..=4, regions that meet the table at
/// both ends.
fn folded(negative: bool, f: impl Fn(f64) -> [f64; 4], small: Bucket, large: f32) -> Sample {
    let mut sample = empty();
    for octave in -10..=4 {
        let size = (octave + 5).clamp(0, 6) as u8;
        let stored = if octave == 4 { 33 } else { 1 << size };
        sample.add_octave(negative.into(), octave, size, stored, &f);
    }
    let small = sample.region(small, 0);
    let large = sample.region(Bucket::constant(large), 0x40_1234);
    sample.profile = Profile {
        symmetry_opt_en: 1,
        symmetry_opt_use_neg_region: negative.into(),
        func_sym_inv_sign: 1,
        exponent_offset: 117,
        small_pos_signal_threshold: 117,
        small_neg_signal_threshold: 117,
        large_pos_signal_threshold: 131,
        large_neg_signal_threshold: 131,
        large_pos: large,
        large_neg: large,
        small_pos: small,
        small_neg: small,
        ..sample.profile
    };
    sample
}

/// tanh, which stores the positive side: tanh(-x) = -tanh(x).
pub fn tanh() -> Sample {
    let taylor = |x: f64| {
        let y = x.tanh();
        let slope = 1.0 - y * y;
        [y, slope, -y * slope, slope * (3.0 * y * y - 1.0) / 3.0]
    };
    let mut sample = folded(false, taylor, Bucket::linear(0.0, 1.0), 1.0);
    sample.profile.func_rslt_for_pos_inf = 1.0;
    sample.profile.func_rslt_for_neg_inf = -1.0;
    sample
}

/// sigmoid, which stores the negative side: sigmoid(x) = 1 - sigmoid(-x).
pub fn sigmoid() -> Sample {
    let taylor = |x: f64| {
        let y = 1.0 / (1.0 + (-x).exp());
        let slope = y * (1.0 - y);
        let second = slope * (1.0 - 2.0 * y);
        let third = slope * (1.0 - 6.0 * y + 6.0 * y * y);
        [y, slope, second / 2.0, third / 6.0]
    };
    let mut sample = folded(true, taylor, Bucket::linear(0.5, 0.25), 0.0);
    sample.profile.symmetry_point = 1.0;
    sample.profile.func_rslt_for_zero = 0.5;
    sample.profile.func_rslt_for_pos_inf = 1.0;
    sample
}

/// relu: no table, everything is large.
pub fn relu() -> Sample {
    let mut sample = empty();
    let large_pos = sample.region(Bucket::linear(0.0, 1.0), 0);
    let large_neg = sample.region(Bucket::constant(0.0), 0);
    sample.profile = Profile {
        large_pos,
        large_neg,
        func_rslt_for_pos_inf: f32::INFINITY,
        ..sample.profile
    };
    sample
}

/// Everything passes.
pub fn bypass() -> Sample {
    let mut sample = empty();
    sample.profile.pwl_bypass = true;
    sample
}

/// Every sample with its name.
pub fn all() -> Vec<(&'static str, Sample)> {
    vec![
        ("exp", exp()),
        ("tanh", tanh()),
        ("sigmoid", sigmoid()),
        ("relu", relu()),
        ("bypass", bypass()),
    ]
}
