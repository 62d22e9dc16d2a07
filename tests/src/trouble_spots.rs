//! The list of inputs at which activation implementations are publicly known to go wrong.

use actforge_reference::Format;

/// How a result is to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Exactly these bits; any NaN equals a NaN, and the zeros are equal.
    Special,
    /// In ulp of the format.
    Ulp,
}

/// One row of the list.
#[derive(Clone, Debug)]
pub struct TroubleSpot {
    /// Its name.
    pub id: String,
    /// The function.
    pub function: String,
    /// The format of input and output.
    pub format: Format,
    /// The input, in the format's encoding.
    pub input_bits: u32,
    /// The correctly rounded result, in the format's encoding.
    pub expected_bits: u32,
    /// How to compare.
    pub check: Check,
}

impl TroubleSpot {
    /// The input as binary32.
    pub fn input(&self) -> f32 {
        self.format.from_bits(self.input_bits)
    }

    /// The correctly rounded result as binary32.
    pub fn expected(&self) -> f32 {
        self.format.from_bits(self.expected_bits)
    }
}

/// All rows of `tests/data/trouble_spots.csv`.
///
/// # Panics
/// When a row does not have the fields that its heading names.
pub fn trouble_spots() -> Vec<TroubleSpot> {
    let text = include_str!("../data/trouble_spots.csv");
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("id,function,format,input_bits,expected_bits,check")
    );
    lines
        .map(|line| row(line).unwrap_or_else(|| panic!("trouble_spots.csv: `{line}`")))
        .collect()
}

fn row(line: &str) -> Option<TroubleSpot> {
    let fields: Vec<&str> = line.split(',').collect();
    let [id, function, format, input, expected, check] = fields.as_slice() else {
        return None;
    };
    Some(TroubleSpot {
        id: (*id).to_owned(),
        function: (*function).to_owned(),
        format: match *format {
            "f32" => Format::Fp32,
            "bf16" => Format::Bf16,
            "f16" => Format::Fp16,
            _ => return None,
        },
        input_bits: u32::from_str_radix(input, 16).ok()?,
        expected_bits: u32::from_str_radix(expected, 16).ok()?,
        check: match *check {
            "special" => Check::Special,
            "ulp" => Check::Ulp,
            _ => return None,
        },
    })
}
