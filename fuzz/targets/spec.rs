//! The specification parser: no text makes it panic, a refusal is one line, and what it accepts means the same in its
//! canonical form.
#![no_main]

use actforge_cli::spec::Spec;
use libfuzzer_sys::fuzz_target;

const CATALOGUE: [&str; 5] = ["relu", "gelu", "sigmoid", "tanh", "exp"];

fuzz_target!(|text: &str| {
    match Spec::parse("spec.toml", text, &CATALOGUE) {
        Ok(spec) => {
            spec.check(&CATALOGUE)
                .expect("flags are judged as files are");
            let canonical = spec.canonical();
            let again = Spec::parse("canonical", &canonical, &CATALOGUE).expect("valid");
            assert_eq!(again, spec);
            assert_eq!(again.canonical(), canonical);
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
