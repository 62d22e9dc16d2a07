//! Sizes and colours: the one place that decides how plots look.
//!
//! Lengths are in points: a PNG has one pixel a point, an SVG is drawn on a ten times finer grid.

/// Width of a plot.
pub(super) const WIDTH: f64 = 1200.0;
/// Height of a plot.
pub(super) const HEIGHT: f64 = 600.0;

/// Em size of the title.
pub(super) const TITLE: f64 = 20.0;
/// Em size of the line below it.
pub(super) const SUBTITLE: f64 = 13.0;
/// Em size of axis titles, the legend and notes in the plot.
pub(super) const TEXT: f64 = 13.0;
/// Em size of tick labels.
pub(super) const SMALL: f64 = 12.0;

/// Stroke of the lines that carry data.
pub(super) const DATA_STROKE: f64 = 1.5;
/// Stroke of axes and ticks.
pub(super) const AXIS_STROKE: f64 = 1.0;
/// Stroke of grid lines.
pub(super) const GRID_STROKE: f64 = 0.75;

/// A colour, opaque at alpha 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour {
    pub(super) red: u8,
    pub(super) green: u8,
    pub(super) blue: u8,
    pub(super) alpha: f64,
}

impl Colour {
    const fn rgb(hex: u32) -> Self {
        let [_, red, green, blue] = hex.to_be_bytes();
        Self {
            red,
            green,
            blue,
            alpha: 1.0,
        }
    }
}

/// Titles and everything that must be read.
pub(super) const INK: Colour = Colour::rgb(0x1f_24_28);
/// Tick labels and other text of the second rank.
pub(super) const FAINT_INK: Colour = Colour::rgb(0x57_60_6a);
/// Axes and ticks.
pub(super) const AXIS: Colour = Colour::rgb(0x8c_95_9f);
/// Grid lines.
pub(super) const GRID: Colour = Colour::rgb(0xe4_e7_eb);
/// Behind everything.
pub(super) const PAPER: Colour = Colour::rgb(0xff_ff_ff);
/// Behind text that crosses lines.
pub(super) const HALO: Colour = Colour {
    alpha: 0.75,
    ..PAPER
};
/// Behind the small and large regions.
pub(super) const REGION: Colour = Colour::rgb(0xf3_f1_ea);
/// The largest error of a bucket.
pub(super) const MAXIMUM: Colour = Colour::rgb(0x15_4f_8f);
/// Between half an ulp and the largest error of a bucket.
pub(super) const MAXIMUM_AREA: Colour = Colour {
    alpha: 0.16,
    ..Colour::rgb(0x15_4f_8f)
};
/// The mean error of a bucket.
pub(super) const MEAN: Colour = Colour::rgb(0x4a_90_d9);
/// The floor of the fit.
pub(super) const FLOOR: Colour = Colour::rgb(0xd9_74_00);
/// Half an ulp.
pub(super) const HALF_ULP: Colour = Colour::rgb(0x57_60_6a);
/// The worst input, and NaN where a number is right.
pub(super) const WORST: Colour = Colour::rgb(0xb4_12_3a);

/// What a budget allows.
pub(super) const BUDGET: Colour = Colour::rgb(0x00_7a_5a);
/// The function itself, behind what the table makes of it.
pub(super) const TRUTH: Colour = Colour::rgb(0xd4_86_2a);
/// The older of two tables.
pub(super) const OLDER: Colour = Colour::rgb(0xd5_7a_00);

/// The ends and the middle of the scale of the heat map: lightness falls all the way, so that it reads in print and with
/// any colour vision.
const HEAT: [Colour; 3] = [
    Colour::rgb(0xf6_f1_dc),
    Colour::rgb(0x5f_a3_c0),
    Colour::rgb(0x0c_24_4f),
];

/// The colour at a share from 0 to 1 of the scale of the heat map.
pub(super) fn heat(share: f64) -> Colour {
    let place = 2.0 * share.clamp(0.0, 1.0);
    let [low, middle, high] = HEAT;
    let (from, to, part) = if place < 1.0 {
        (low, middle, place)
    } else {
        (middle, high, place - 1.0)
    };
    let mix = |from: u8, to: u8| (f64::from(from) * (1.0 - part) + f64::from(to) * part) as u8;
    Colour {
        red: mix(from.red, to.red),
        green: mix(from.green, to.green),
        blue: mix(from.blue, to.blue),
        alpha: 1.0,
    }
}

/// One colour a front: the palette of Okabe and Ito without its yellow, which is too light for a line on white; told apart
/// with any colour vision.
pub(super) const FRONTS: [Colour; 7] = [
    Colour::rgb(0x00_72_b2),
    Colour::rgb(0xd5_5e_00),
    Colour::rgb(0x00_9e_73),
    Colour::rgb(0xcc_79_a7),
    Colour::rgb(0x56_b4_e9),
    Colour::rgb(0xe6_9f_00),
    Colour::rgb(0x4d_4d_4d),
];

/// A colour half way to the paper.
pub(super) fn lighter(colour: Colour) -> Colour {
    let mix = |part: u8| part / 2 + 127;
    Colour {
        red: mix(colour.red),
        green: mix(colour.green),
        blue: mix(colour.blue),
        alpha: colour.alpha,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The luminance of WCAG 2.
    fn luminance(colour: Colour) -> f64 {
        let channel = |part: u8| {
            let share = f64::from(part) / 255.0;
            if share <= 0.03928 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(colour.red)
            + 0.7152 * channel(colour.green)
            + 0.0722 * channel(colour.blue)
    }

    fn contrast(one: Colour, other: Colour) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn text_and_lines_stand_out_as_wcag_aa_asks() {
        for text in [INK, FAINT_INK, HALF_ULP] {
            assert!(
                contrast(text, PAPER) >= 4.5 && contrast(text, REGION) >= 4.5,
                "{text:?}"
            );
        }
        for line in [MAXIMUM, MEAN, FLOOR, WORST, BUDGET, OLDER] {
            assert!(
                contrast(line, PAPER) >= 3.0,
                "{line:?}: {}",
                contrast(line, PAPER)
            );
        }
        // The result lies on the function, the newer table on the older one.
        assert!(contrast(WORST, TRUTH) >= 2.0 && contrast(MAXIMUM, OLDER) >= 2.0);
    }

    #[test]
    fn the_scale_of_heat_gets_darker_all_the_way() {
        let lightness: Vec<f64> = (0..=20)
            .map(|k| luminance(heat(f64::from(k) / 20.0)))
            .collect();
        assert!(
            lightness.windows(2).all(|pair| pair[0] > pair[1]),
            "{lightness:?}"
        );
    }
}
