//! How a run ends: five exit codes, and for a failure one line that says what is wrong and one that helps.

use std::io::Write;
use std::process::ExitCode;

use crate::colour;

/// The exit codes. Scripts rely on them, so a code never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything that was asked for was done, and every check passed.
    Success,
    /// A budget is exceeded, a check failed, or a request cannot be met.
    Failed,
    /// The command line is wrong.
    Usage,
    /// A file or directory cannot be read or written, or its content is not valid.
    Invalid,
    /// A bug in actforge.
    Internal,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Invalid => 3,
            Self::Internal => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command ended early: what the user is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What is wrong: the place, what was expected and what was found.
    pub(crate) message: String,
    /// Lines between the two that show the place of the fault; mostly none.
    pub(crate) drawing: Vec<String>,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Failure {
    /// A check that failed or a request that cannot be met.
    pub(crate) fn failed(message: impl ToString, hint: impl ToString) -> Self {
        Self::new(Exit::Failed, message, hint)
    }

    /// A wrong command line.
    pub(crate) fn usage(message: impl ToString, hint: impl ToString) -> Self {
        Self::new(Exit::Usage, message, hint)
    }

    /// Something that cannot be read or written, or whose content is not valid.
    pub(crate) fn invalid(message: impl ToString, hint: impl ToString) -> Self {
        Self::new(Exit::Invalid, message, hint)
    }

    /// A state that a bug alone can lead to.
    pub(crate) fn internal(message: impl ToString) -> Self {
        Self::new(Exit::Internal, message, BUG_HINT)
    }

    fn new(exit: Exit, message: impl ToString, hint: impl ToString) -> Self {
        Self {
            exit,
            message: message.to_string(),
            drawing: Vec::new(),
            hint: hint.to_string(),
        }
    }

    /// The same failure with lines that show where it is.
    pub(crate) fn with_drawing(self, drawing: &[String]) -> Self {
        Self {
            drawing: drawing.to_vec(),
            ..self
        }
    }

    /// Writes the two lines, and a drawing between them where there is one. Nothing is left to do when standard error is closed.
    pub(crate) fn print(&self, sink: &mut impl Write, has_colour: bool) {
        let shown = |line: String| {
            if has_colour {
                colour::verdict(&line)
            } else {
                line
            }
        };
        let message = shown(format!("actforge: error: {}", one_line(&self.message)));
        let hint = shown(format!("hint: {}", one_line(&self.hint)));
        let _ = writeln!(sink, "{message}");
        for line in &self.drawing {
            let shown: String = line
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            let _ = writeln!(sink, "  {shown}");
        }
        let _ = writeln!(sink, "{hint}");
    }
}

const BUG_HINT: &str = "this is a bug in actforge, your files are as they were; please report the command and this line";

/// Messages quote file names and library errors, either of which may contain line breaks.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control());
    let words: Vec<&str> = words
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    words.join(" ")
}

/// Makes a panic say its one line instead of the usual message; [`crate::run`] then ends with [`Exit::Internal`].
///
/// Threads of a pool can panic together: only the first one speaks.
pub(crate) fn install_panic_hook() {
    static FIRST: std::sync::Once = std::sync::Once::new();
    std::panic::set_hook(Box::new(|info| {
        FIRST.call_once(|| {
            let payload = info.payload();
            let payload = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("unknown cause");
            let place = info
                .location()
                .map(|at| format!("{}:{}", at.file(), at.line()));
            panic_failure(payload, place.as_deref()).print(&mut std::io::stderr().lock(), false);
        });
    }));
}

fn panic_failure(payload: &str, place: Option<&str>) -> Failure {
    let place = place.unwrap_or("unknown place");
    Failure::internal(format!("internal error at {place}: {payload}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_two_lines_whatever_it_quotes() {
        let mut text = Vec::new();
        Failure::invalid("a\nb\r\n  c: \u{1b}[1mbad", "try\tagain").print(&mut text, false);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "actforge: error: a b c: [1mbad\nhint: try again\n");
    }

    #[test]
    fn a_panic_becomes_an_internal_error() {
        let failure = panic_failure("index out of bounds", Some("fit/src/x.rs:3"));
        assert_eq!(failure.exit.code(), 4);
        assert_eq!(
            failure.message,
            "internal error at fit/src/x.rs:3: index out of bounds"
        );
    }

    #[test]
    fn codes_are_those_of_the_manual() {
        let all = [
            Exit::Success,
            Exit::Failed,
            Exit::Usage,
            Exit::Invalid,
            Exit::Internal,
        ];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 3, 4]);
    }
}
