//! Words of a file on one line of a terminal.

/// Text of a file in quotes: at most 60 characters, control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("{shown:?}")
}

/// Text with words of a file, fit for one line: control characters escaped, cut at `longest` characters.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let mut line = String::new();
    for character in text.chars().take(longest) {
        if character.is_control() {
            line.extend(character.escape_debug());
        } else {
            line.push(character);
        }
    }
    if text.chars().nth(longest).is_some() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_on_one_short_line() {
        assert_eq!(quoted("a\nb\u{1b}[31m"), "\"a\\nb\\u{1b}[31m\"");
        assert_eq!(quoted(&"x".repeat(1000)).len(), 60 + 3 + 2);
        assert_eq!(one_line("a\nb", 80), "a\\nb");
        assert_eq!(one_line("abc", 2), "ab...");
    }
}
