//! Random numbers that are the same in every run.

/// A small generator (splitmix64): tests must not depend on the day.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with its own stream.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(limit)) >> 32) as u32
    }

    /// A number in `low..high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        let share = f64::from(self.bits()) / 4_294_967_296.0;
        (f64::from(low) + share * (f64::from(high) - f64::from(low))) as f32
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
