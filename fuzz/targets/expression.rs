//! The expression parser: no text makes it panic, a refusal is one line with its place inside the text, and what it
//! accepts can be evaluated.
#![no_main]

use actforge_reference::{Definition, Expression};
use libfuzzer_sys::fuzz_target;
use rug::Float;

fuzz_target!(|text: &str| {
    let checked = Definition::new(text).check("f");
    match text.parse::<Expression>() {
        Ok(expression) => {
            assert!(checked.is_ok(), "{checked:?}");
            let _ = expression.evaluate(&Float::with_val(24, 0.7), 40);
        }
        Err(error) => {
            assert!(checked.is_err());
            assert!(!error.to_string().contains('\n'), "{error}");
            let [shown, caret] = error.drawing();
            assert!(caret.chars().count() <= shown.chars().count() + 1);
        }
    }
});
