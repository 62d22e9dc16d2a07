//! The font, carried in the program so that plots look the same on every machine and need no system library.

use std::sync::OnceLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

use super::error::PlotError;

/// The families that an SVG asks for. Its viewer takes the first that it has: all three are cut to nearly the widths that
/// the layout is computed with.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// The font's ascent and descent together, in em: the rasteriser calls this the size of a font.
pub(super) const LINE_IN_EM: f64 = 2384.0 / 2048.0;

/// Makes the font known to the drawing library; cheap after the first call.
pub(super) fn register() -> Result<(), PlotError> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = *REGISTERED.get_or_init(|| {
        register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular()).is_ok()
            && register_font(FAMILY, FontStyle::Bold, dejavu::sans::bold()).is_ok()
    });
    if registered {
        Ok(())
    } else {
        Err(PlotError::Font {
            reason: "it cannot be parsed".to_owned(),
        })
    }
}

/// The font at `size`, which is in the unit of the drawing library.
pub(super) fn description(size: f64, bold: bool) -> FontDesc<'static> {
    let style = if bold {
        FontStyle::Bold
    } else {
        FontStyle::Normal
    };
    FontDesc::new(FontFamily::Name(FAMILY), size, style)
}

/// The width of a text whose em size is `em`.
pub(super) fn width(text: &str, em: f64, bold: bool) -> Result<f64, PlotError> {
    // The library answers in whole pixels: ask for a large size.
    const SCALE: f64 = 64.0;
    register()?;
    let ((left, _), (right, _)) = description(em * LINE_IN_EM * SCALE, bold)
        .layout_box(text)
        .map_err(|error| PlotError::Font {
            reason: error.to_string(),
        })?;
    Ok(f64::from(right - left) / SCALE)
}

/// The text, cut and marked with an ellipsis if it is wider than `limit`.
pub(super) fn fit(text: &str, em: f64, bold: bool, limit: f64) -> Result<String, PlotError> {
    if width(text, em, bold)? <= limit {
        return Ok(text.to_owned());
    }
    let mut kept: Vec<char> = text.chars().collect();
    while kept.pop().is_some() {
        let cut = format!("{}\u{2026}", kept.iter().collect::<String>().trim_end());
        if width(&cut, em, bold)? <= limit {
            return Ok(cut);
        }
    }
    Ok(String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_every_character_that_plots_use() {
        // A missing glyph is drawn as an empty box of one width: none of ours may have it.
        let missing = width("\u{e000}", 100.0, false).unwrap();
        for letter in "0123456789−·…≤=%,.()\u{a0}".chars() {
            let width = width(&letter.to_string(), 100.0, false).unwrap();
            assert!(width > 0.0 && width != missing, "{letter}");
        }
    }

    #[test]
    fn widths_scale_and_bold_is_wider() {
        let ten = width("error in ulp", 10.0, false).unwrap();
        let twenty = width("error in ulp", 20.0, false).unwrap();
        assert!((twenty - 2.0 * ten).abs() < 0.1);
        assert!(width("error in ulp", 10.0, true).unwrap() > ten);
    }

    #[test]
    fn long_texts_are_cut_to_the_limit() {
        let cut = fit("a name that goes on and on", 12.0, false, 60.0).unwrap();
        assert!(cut.ends_with('…') && width(&cut, 12.0, false).unwrap() <= 60.0);
        assert_eq!(fit("short", 12.0, false, 60.0).unwrap(), "short");
        assert_eq!(fit("short", 12.0, false, 1.0).unwrap(), "");
    }
}
