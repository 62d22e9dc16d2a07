//! The functions of the stock files: ids, selectors and sizes.
//!
//! Selectors and numbers of buckets are those of the files. The control words follow from
//! the sizes of all `_ctrl.bin` together: exp, its neighbours in `exp_and_others` and the
//! sets of a single function settle the rest one after the other. Only where the residents'
//! twenty words lie is assumed in one point: `derivative_identity` has two, as `identity`.

/// A function of the stock files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StockFunction {
    /// Its bare name.
    pub name: &'static str,
    /// Its place in the compiler's enumeration, where it has one.
    pub ordinal: Option<u32>,
    /// Its id in `trainium` files, 8 bits.
    pub sunda_id: u8,
    /// Its id in `with_ln` files, 8 bits; the other one where it is not known.
    pub tonga_id: u8,
    /// N of `_Np`, in the variant that most sets hold.
    pub selector: u32,
    /// The buckets of its octaves in that variant; 0 for a function without a table.
    pub lut_size: u32,
    /// Its control words, the same in every variant.
    pub control_words: u32,
}

/// The second variant of the logarithm: selector and buckets.
const SMALL_LN: (&str, u32, u32) = ("ln", 400, 513);

const fn row(
    name: &'static str,
    ordinal: Option<u32>,
    ids: (u8, u8),
    (selector, lut_size): (u32, u32),
    control_words: u32,
) -> StockFunction {
    StockFunction {
        name,
        ordinal,
        sunda_id: ids.0,
        tonga_id: ids.1,
        selector,
        lut_size,
        control_words,
    }
}

// name, ordinal, (sunda id, tonga id), (selector, buckets), control words. Ids from 200 on, which are this
// project's own, stand for ids that are not known.
#[rustfmt::skip]
const FUNCTIONS: &[StockFunction] = &[
    row("identity", Some(0), (1, 1), (1, 0), 2),
    row("square", Some(1), (30, 30), (1, 0), 1),
    row("relu", Some(2), (2, 2), (1, 0), 2),
    row("leaky_relu", Some(3), (3, 3), (1, 0), 2),
    row("parametric_relu", Some(4), (4, 4), (1, 0), 0),
    row("sigmoid", Some(5), (5, 5), (40, 796), 11),
    row("tanh", Some(6), (6, 6), (4, 104), 17),
    row("exp", Some(7), (7, 7), (400, 777), 52),
    row("softplus", Some(8), (9, 9), (40, 828), 41),
    row("sqrt", Some(9), (8, 8), (65536, 1113), 234),
    row("reciprocal_sqrt", Some(10), (29, 29), (40000, 1202), 185),
    row("ln", Some(11), (10, 10), (40, 1219), 128),
    row("erf", Some(12), (21, 21), (4, 66), 7),
    row("sin", Some(13), (19, 19), (4, 55), 13),
    row("arctan", Some(14), (28, 28), (4, 168), 27),
    row("sign", Some(15), (31, 31), (1, 0), 1),
    row("gelu", Some(16), (23, 23), (4, 504), 21),
    row("mish", Some(17), (24, 24), (4, 1099), 24),
    row("gelu_apprx_tanh", Some(18), (25, 25), (40, 945), 20),
    row("gelu_apprx_sigmoid", Some(19), (26, 26), (40, 1042), 23),
    row("derivative_gelu_apprx_sigmoid", Some(20), (38, 38), (4096, 1283), 13),
    row("derivative_gelu", Some(21), (32, 32), (40, 115), 9),
    row("derivative_erf", Some(22), (22, 22), (400, 466), 10),
    row("copy", Some(23), (128, 128), (1, 0), 2),
    row("abs", Some(24), (33, 22), (1, 0), 2),
    row("reciprocal", Some(25), (129, 15), (400, 1016), 85),
    row("abs_reciprocal_sqrt", Some(26), (34, 34), (40000, 1202), 185),
    row("silu", Some(27), (36, 36), (32, 908), 25),
    row("derivative_silu", Some(28), (37, 37), (32, 1008), 12),
    row("is_finite", Some(29), (35, 35), (1, 0), 1),
    row("derivative_relu", None, (200, 200), (1, 0), 2),
    row("derivative_leaky_relu", None, (201, 201), (1, 0), 2),
    row("derivative_identity", None, (202, 202), (1, 0), 2),
    row("memset_zero", None, (130, 130), (1, 0), 1),
    row("derivative_sigmoid", None, (203, 203), (40, 797), 11),
    row("derivative_tanh", None, (204, 204), (400, 397), 12),
];

/// Every function of the stock files.
pub const fn functions() -> &'static [StockFunction] {
    FUNCTIONS
}

/// The stock function of this name.
pub fn function(name: &str) -> Option<&'static StockFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl StockFunction {
    /// The buckets of its octaves in the variant with this selector; `None` for a variant
    /// that no set holds.
    pub fn buckets(&self, selector: u32) -> Option<u32> {
        if (self.name, selector) == (SMALL_LN.0, SMALL_LN.1) {
            return Some(SMALL_LN.2);
        }
        (selector == self.selector).then_some(self.lut_size)
    }
}
