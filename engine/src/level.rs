//! Vector levels: running plain Rust with the vector instructions of the CPU at hand.
//!
//! Nothing here computes anything. A kernel is ordinary safe code whose loops the compiler
//! vectorises; dispatching it compiles a copy for each level, with that level's
//! instructions enabled. That is also the only reason for `unsafe` in this file: entering
//! a function compiled for a feature is undefined on a CPU without it. A [`Level`] can
//! only be obtained for a CPU that has its features, so holding one is the proof.
#![allow(unsafe_code)]

use core::fmt;

/// Work that can be compiled for several vector levels.
///
/// Implementors mark `run`, and every function it calls in its inner loops,
/// `#[inline(always)]`: code that is not inlined into the dispatching function does not
/// get the level's instructions.
///
/// ```
/// use actforge_engine::{Kernel, Level};
///
/// struct Greatest<'a>(&'a [f32]);
///
/// impl Kernel for Greatest<'_> {
///     type Output = f32;
///
///     #[inline(always)]
///     fn run(self) -> f32 {
///         self.0.iter().fold(f32::MIN, |greatest, v| if *v > greatest { *v } else { greatest })
///     }
/// }
///
/// assert_eq!(Level::detect().dispatch(Greatest(&[1.0, 3.0, 2.0])), 3.0);
/// ```
pub trait Kernel {
    /// What the work gives back.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// A set of vector instructions that this CPU has. The results do not depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(Features);

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Features {
    /// What every CPU of the compilation target has.
    Portable,
    /// avx2, fma, f16c: 8 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2Fma,
    /// The above and avx512f, avx512bw, avx512dq, avx512vl: 16 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// No instructions beyond those the program was compiled for.
    pub const PORTABLE: Self = Self(Features::Portable);

    /// The best level of this CPU.
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::PORTABLE)
    }

    /// Every level of this CPU, from the least to the best. The first is
    /// [`Level::PORTABLE`].
    pub fn available() -> impl Iterator<Item = Self> {
        let vector = Self::vector_levels();
        core::iter::once(Self::PORTABLE).chain(vector.into_iter().flatten())
    }

    /// The levels beyond the portable one, in order, where the CPU has them.
    #[cfg(target_arch = "x86_64")]
    fn vector_levels() -> [Option<Self>; 2] {
        let avx2_fma = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("f16c");
        let avx512 = avx2_fma
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl");
        [
            avx2_fma.then_some(Self(Features::Avx2Fma)),
            avx512.then_some(Self(Features::Avx512)),
        ]
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn vector_levels() -> [Option<Self>; 2] {
        [None, None]
    }

    /// A short name for reports and options: "portable", "avx2" or "avx512".
    pub fn name(self) -> &'static str {
        match self.0 {
            Features::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Features::Avx2Fma => "avx2",
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => "avx512",
        }
    }

    /// Runs a kernel with this level's instructions.
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Features::Portable => kernel.run(),
            // SAFETY: this value exists, so `vector_levels` found every feature that
            // the function enables.
            #[cfg(target_arch = "x86_64")]
            Features::Avx2Fma => unsafe { run_avx2_fma(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => unsafe { run_avx512(kernel) },
        }
    }

    /// Whether the level includes avx2, fma and f16c.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_avx2_fma(self) -> bool {
        match self.0 {
            Features::Portable => false,
            Features::Avx2Fma | Features::Avx512 => true,
        }
    }

    /// Whether the level includes the AVX-512 features it lists.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_avx512(self) -> bool {
        self.0 == Features::Avx512
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn run_avx2_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
