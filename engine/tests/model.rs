//! The engine against an independent model, step by step and as a whole.

mod support;

use actforge_engine::cubic;
use actforge_tables::{Bucket, Datapath};
use proptest::prelude::*;
use support::{model, random};

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// The hardware's or C library's fma, the one in software, and the model's.
#[test]
fn three_implementations_of_fma() {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    for round in 0..1_000_000 {
        let (a, b) = (f32::from_bits(next()), f32::from_bits(next()));
        let mut c = f32::from_bits(next());
        if round % 2 == 0 {
            // Near cancellation, where a second rounding would show.
            c = -(a * b) * (1.0 + (next() % 9) as f32 * f32::EPSILON);
        }
        let r = a.mul_add(b, c);
        assert!(same(r, libm::fmaf(a, b, c)), "{a:e} * {b:e} + {c:e}");
        assert!(same(r, model::fused(a, b, c)), "{a:e} * {b:e} + {c:e}");
    }
}

#[test]
fn samples_on_every_exponent() {
    for (name, sample) in support::all() {
        for datapath in Datapath::ALL {
            let function = sample.function(datapath).expect("valid");
            for high in 0..1 << 12 {
                for low in [0, 1, 0x3_1415, 0xf_fffe, 0xf_ffff] {
                    let v = f32::from_bits(high << 20 | low);
                    let expected = model::eval(&sample, datapath, v);
                    assert_eq!(
                        function.eval(v).to_bits(),
                        expected,
                        "{name} {datapath} {v:e}"
                    );
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn cubics(words: [u32; 5], s: u32, ordinary in prop::array::uniform6(-8.0_f32..8.0)) {
        let [d0, d1, d2, d3, x0, near] = ordinary;
        let ordinary = Bucket { d: [d0, d1, d2, d3], x0 };
        for datapath in Datapath::ALL {
            for (bucket, s) in [(Bucket::from_words(words), f32::from_bits(s)), (ordinary, near)] {
                let r = cubic(datapath, &bucket, s);
                prop_assert!(same(r, model::cubic(datapath, &bucket, s)), "{datapath} {bucket:?} {s}");
                prop_assert!(!r.is_nan() || r.to_bits() == 0x7fc0_0000);
            }
        }
    }

    #[test]
    fn random_functions(sample in random::sample(),
                        inputs in prop::collection::vec(random::float(), 50)) {
        for datapath in Datapath::ALL {
            let function = sample.function(datapath).expect("valid");
            for v in &inputs {
                prop_assert_eq!(function.eval(*v).to_bits(), model::eval(&sample, datapath, *v));
            }
        }
    }
}
