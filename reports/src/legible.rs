//! Text that XML and HTML may hold.

/// The text with a replacement character for each one that neither XML nor HTML may hold, escaped or not: controls other than
/// line feeds and tabs, and what is no character.
pub(crate) fn legible(text: &str) -> String {
    text.chars()
        .map(|letter| {
            if may_stand(letter) {
                letter
            } else {
                '\u{fffd}'
            }
        })
        .collect()
}

fn may_stand(letter: char) -> bool {
    let code = u32::from(letter);
    let is_none = code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code);
    matches!(letter, '\n' | '\t') || !letter.is_control() && !is_none
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_stand_is_replaced() {
        let fine = "a\n\tb \u{a0}\u{2192}\u{1f600}<&\"";
        assert_eq!(legible(fine), fine);
        assert_eq!(
            legible("\u{0}\u{1b}[1m\u{7f}\u{85}\u{fffe}\u{1ffff}\r"),
            "\u{fffd}\u{fffd}[1m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
