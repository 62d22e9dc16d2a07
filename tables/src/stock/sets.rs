//! The sets of the stock files, in the order of their index.

use super::roster::function;
use crate::target::Target;

/// A set of the stock files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockSet {
    /// Its name.
    pub name: &'static str,
    /// Its functions with a table, and the N of their `_Np`.
    pub tables: &'static [(&'static str, u32)],
    /// Its functions without a table.
    pub residents: &'static [&'static str],
    /// The size of `<set>_bkt.bin`.
    pub bucket_bytes: usize,
    /// The size of `<set>_ctrl.bin`.
    pub control_bytes: usize,
}

const fn set(
    name: &'static str,
    tables: &'static [(&'static str, u32)],
    residents: &'static [&'static str],
    (bucket_bytes, control_bytes): (usize, usize),
) -> StockSet {
    StockSet {
        name,
        tables,
        residents,
        bucket_bytes,
        control_bytes,
    }
}

/// The residents of every `trainium` set. In `exp_and_others` the first eight stand between
/// its two tables and the others behind them; so they do in every set here (assumed).
const RESIDENTS: &[&str] = &[
    "identity",
    "copy",
    "leaky_relu",
    "parametric_relu",
    "abs",
    "sign",
    "memset_zero",
    "relu",
    "derivative_relu",
    "derivative_leaky_relu",
    "derivative_identity",
    "is_finite",
    "square",
];

/// How many of [`RESIDENTS`] stand before the second table.
const BEFORE_SECOND_TABLE: usize = 8;

#[rustfmt::skip]
const TRAINIUM: &[StockSet] = &[
    set("exp_and_others", &[("exp", 400), ("tanh", 4)],
        RESIDENTS, (30112, 2848)),
    set("softplus_and_others", &[("softplus", 40)],
        RESIDENTS, (28288, 1952)),
    set("sigmoid_and_others", &[("sigmoid", 40), ("tanh", 4), ("erf", 4), ("arctan", 4)],
        RESIDENTS, (38464, 2624)),
    set("sqrt_and_others", &[("sqrt", 65536)],
        RESIDENTS, (37408, 8128)),
    set("small", &[],
        RESIDENTS, (1664, 640)),
    set("natural_log", &[("ln", 40)],
        RESIDENTS, (40800, 4736)),
    set("natural_log_exp_and_others", &[("ln", 400), ("exp", 400)],
        RESIDENTS, (43200, 6400)),
    set("sigmoid_derivative", &[("derivative_sigmoid", 40)],
        RESIDENTS, (27296, 992)),
    set("tanh_and_derivative", &[("derivative_tanh", 400), ("tanh", 4)],
        RESIDENTS, (17952, 1568)),
    set("trig_and_small", &[("sin", 4), ("arctan", 4)],
        RESIDENTS, (9056, 1920)),
    set("gelu_and_others", &[("derivative_gelu", 40), ("gelu", 4), ("tanh", 4)],
        RESIDENTS, (25184, 2144)),
    set("gelu_apprx_tanh_and_others", &[("gelu_apprx_tanh", 40), ("tanh", 4)],
        RESIDENTS, (35488, 1824)),
    set("gelu_apprx_sigmoid_and_others", &[("gelu_apprx_sigmoid", 40), ("tanh", 4)],
        RESIDENTS, (38592, 1920)),
    set("reciprocal_and_small", &[("reciprocal", 400)],
        RESIDENTS, (34304, 3360)),
    set("reciprocal_sqrt_and_small", &[("reciprocal_sqrt", 40000)],
        RESIDENTS, (40256, 6560)),
    set("abs_reciprocal_sqrt_and_small", &[("abs_reciprocal_sqrt", 40000)],
        RESIDENTS, (40256, 6560)),
    set("mish_and_others", &[("mish", 4)],
        RESIDENTS, (36960, 1408)),
    set("erf_derivative", &[("derivative_erf", 400)],
        RESIDENTS, (16704, 960)),
    set("silu_and_others", &[("silu", 32), ("tanh", 4), ("sin", 4)],
        RESIDENTS, (36192, 2400)),
    set("derivative_silu_and_others", &[("derivative_silu", 32), ("tanh", 4), ("sin", 4)],
        RESIDENTS, (39392, 1984)),
    set("derivative_gelu_apprx_sigmoid_and_others", &[("derivative_gelu_apprx_sigmoid", 4096), ("tanh", 4)],
        RESIDENTS, (46304, 1600)),
];

#[rustfmt::skip]
const WITH_LN: &[StockSet] = &[
    set("exp_and_others", &[("exp", 400), ("tanh", 4)],
        &["identity", "leaky_relu", "parametric_relu", "relu", "abs", "sign"], (29216, 1248)),
    set("sigmoid_and_others", &[("sigmoid", 40), ("tanh", 4)],
        &["identity", "leaky_relu", "parametric_relu", "relu", "abs", "sign"], (29824, 592)),
    set("softplus_tanh_and_others", &[("softplus", 40), ("tanh", 4)],
        &["identity", "leaky_relu", "parametric_relu", "relu", "abs", "sign"], (30848, 1072)),
    set("sqrt_and_others", &[("sqrt", 65536)],
        &["identity", "leaky_relu", "parametric_relu", "relu", "sign", "abs", "square"], (36640, 3904)),
    set("small", &[],
        &["relu", "leaky_relu", "parametric_relu", "identity", "sign", "abs", "square"], (896, 160)),
    set("natural_log", &[("ln", 40)],
        &["abs"], (39264, 2080)),
    set("gelu_and_others", &[("gelu", 4), ("tanh", 4)],
        &["relu", "leaky_relu", "parametric_relu", "abs", "sign", "identity"], (20480, 752)),
    set("gelu_apprx_tanh_and_others", &[("gelu_apprx_tanh", 40), ("tanh", 4)],
        &["relu", "leaky_relu", "parametric_relu", "abs", "sign", "identity"], (34592, 736)),
    set("gelu_apprx_sigmoid_and_others", &[("gelu_apprx_sigmoid", 40), ("tanh", 4)],
        &["relu", "leaky_relu", "parametric_relu", "abs", "sign", "identity"], (37696, 784)),
    set("mish_and_small", &[("mish", 4)],
        &["relu", "leaky_relu", "parametric_relu", "sign", "abs", "identity"], (36064, 528)),
    set("reciprocal_and_small", &[("reciprocal", 400)],
        &["parametric_relu", "sign", "abs", "square"], (33152, 1424)),
    set("reciprocal_sqrt_and_small", &[("reciprocal_sqrt", 40000)],
        &["identity", "square", "abs", "sign"], (39104, 3056)),
    set("trig_and_small", &[("sin", 4), ("arctan", 4)],
        &["relu", "abs", "leaky_relu", "parametric_relu", "sign", "identity"], (8160, 784)),
    set("erf_and_others", &[("erf", 4), ("tanh", 4), ("sin", 4)],
        &["relu", "abs", "leaky_relu", "parametric_relu", "identity", "sign", "square"], (8480, 752)),
];

/// The sets of a target's stock files; none for a generation, which has no such files.
pub const fn sets(target: Target) -> &'static [StockSet] {
    match target {
        Target::StockTrainium => TRAINIUM,
        Target::StockWithLn => WITH_LN,
        _ => &[],
    }
}

impl StockSet {
    /// Its functions and their selectors, in the order in which their entries lie: the first
    /// table, eight residents, the other tables, the other residents. In `with_ln` sets no
    /// order is known, and it is the same.
    pub fn functions(&self) -> Vec<(&'static str, u32)> {
        let (first, others) = self.tables.split_at(self.tables.len().min(1));
        let early = self.residents.len().min(BEFORE_SECOND_TABLE);
        let (early, late) = self.residents.split_at(early);
        let resident = |name: &&'static str| (*name, 1);
        let first = first.iter().copied().chain(early.iter().map(resident));
        let others = others.iter().copied().chain(late.iter().map(resident));
        first.chain(others).collect()
    }

    /// The buckets that its functions need: `sum(lut_size + 4)`. `None` with a function that
    /// is not in the roster.
    pub fn bucket_count(&self) -> Option<usize> {
        let functions = self.functions();
        let needed = functions.iter().map(|(name, selector)| {
            let buckets = function(name)?.buckets(*selector)?;
            Some(buckets as usize + 4)
        });
        needed.sum()
    }

    /// The control words that its functions need.
    pub fn control_count(&self) -> Option<usize> {
        let functions = self.functions();
        let needed = functions
            .iter()
            .map(|(name, _)| Some(function(name)?.control_words as usize));
        needed.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Table;

    /// The catalogue explains the size of every file.
    #[test]
    fn sizes_are_those_of_the_files() {
        for (target, count) in [(Target::StockTrainium, 21), (Target::StockWithLn, 14)] {
            assert_eq!(sets(target).len(), count);
            for set in sets(target) {
                let bytes = |table| target.stride(table);
                let buckets = set.bucket_count().unwrap();
                let words = set.control_count().unwrap();
                assert_eq!(
                    buckets * bytes(Table::Bucket),
                    set.bucket_bytes,
                    "{}",
                    set.name
                );
                assert_eq!(
                    words * bytes(Table::Control),
                    set.control_bytes,
                    "{}",
                    set.name
                );
            }
        }
        assert_eq!(sets(Target::Cayman), []);
    }

    /// The starts that are known of one set.
    #[test]
    fn functions_lie_where_they_do_in_the_first_set() {
        let set = &sets(Target::StockTrainium)[0];
        let mut starts = Vec::new();
        let (mut bucket, mut word) = (0, 0);
        for (name, selector) in set.functions() {
            starts.push((name, bucket, word));
            let function = function(name).unwrap();
            bucket += function.buckets(selector).unwrap() + 4;
            word += function.control_words;
        }
        assert_eq!(
            starts,
            [
                ("exp", 0, 0),
                ("identity", 781, 52),
                ("copy", 785, 54),
                ("leaky_relu", 789, 56),
                ("parametric_relu", 793, 58),
                ("abs", 797, 58),
                ("sign", 801, 60),
                ("memset_zero", 805, 61),
                ("relu", 809, 62),
                ("tanh", 813, 64),
                ("derivative_relu", 921, 81),
                ("derivative_leaky_relu", 925, 83),
                ("derivative_identity", 929, 85),
                ("is_finite", 933, 87),
                ("square", 937, 88),
            ]
        );
        assert_eq!((bucket, word), (941, 89));
    }
}
