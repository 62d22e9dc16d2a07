//! Colour, on a terminal alone: pipes and files hold plain text.

use std::ffi::OsStr;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

/// Whether a stream that is a terminal, or is not, gets colour.
///
/// `NO_COLOR` (<https://no-color.org>) with any value but the empty one, and a terminal that calls itself dumb, keep it
/// away.
fn wanted(is_terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    is_terminal && no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|name| name != "dumb")
}

/// Whether a stream of this process gets colour.
pub(crate) fn for_stream(stream: &impl IsTerminal) -> bool {
    let (no_color, term) = (std::env::var_os("NO_COLOR"), std::env::var_os("TERM"));
    wanted(stream.is_terminal(), no_color.as_deref(), term.as_deref())
}

/// Titles of tables.
pub(crate) const TITLE: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();

/// Text in a style.
pub(crate) fn styled(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// The words that say how something went, with their style. They stand at the beginning of a line.
const VERDICTS: [(&str, Style); 7] = [
    ("PASS", GOOD),
    ("FAIL", BAD),
    ("equal:", GOOD),
    ("unchanged:", GOOD),
    ("warning:", WARNING),
    ("actforge: error:", BAD),
    ("hint:", HINT),
];

/// The line with its verdict in colour, if it begins with one.
pub(crate) fn verdict(line: &str) -> String {
    for (word, style) in VERDICTS {
        if let Some(rest) = line.strip_prefix(word)
            && !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        {
            return format!("{}{rest}", styled(word, style));
        }
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_for_terminals_that_want_it() {
        let name = |text: &'static str| Some(OsStr::new(text));
        assert!(wanted(true, None, name("xterm")));
        assert!(wanted(true, name(""), None));
        assert!(!wanted(false, None, name("xterm")));
        assert!(!wanted(true, name("1"), name("xterm")));
        assert!(!wanted(true, None, name("dumb")));
    }

    #[test]
    fn verdicts_are_whole_words_at_the_beginning() {
        assert_eq!(
            verdict("FAIL: tanh"),
            "\u{1b}[1m\u{1b}[31mFAIL\u{1b}[0m: tanh"
        );
        assert_eq!(verdict("hint: do"), "\u{1b}[36mhint:\u{1b}[0m do");
        for plain in ["FAILED", "PASS_x", "tanh FAIL", "", "a line"] {
            assert_eq!(verdict(plain), plain);
        }
    }
}
