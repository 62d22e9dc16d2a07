//! The budgets parser: no text makes it panic, a refusal is one line, and what it accepts can be asked and checked.
#![no_main]

use actforge_reports::budget::{Budgets, Measured};
use libfuzzer_sys::fuzz_target;

const MEASURED: Measured = Measured {
    max_ulp: None,
    mean_ulp: Some(0.25),
    buckets: 4,
    correctly_rounded: 1.0,
};

fuzz_target!(|text: &str| {
    match Budgets::parse("budgets.toml", text) {
        Ok(budgets) => {
            for breach in budgets
                .limits("tanh")
                .map(|limits| limits.check(&MEASURED))
                .into_iter()
                .flatten()
            {
                assert!(!breach.to_string().contains('\n'));
            }
            let unused = budgets.unused(&["tanh"]);
            assert!(unused.iter().all(|budget| budget.function != "tanh"));
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
