//! The parsers of budgets and of files of waivers: no text makes it panic, a refusal is one line, and what it accepts
//! can be tightened.
#![no_main]

use actforge_reports::budget::{Budgets, Demand, Tightening, tighten};
use libfuzzer_sys::fuzz_target;

/// Budgets that waivers can belong to.
const RULES: &str = "[[rule]]\nfunction = \"*\"\nmax_ulp = 1.0\n";

fuzz_target!(|text: &str| {
    let mut budgets = Budgets::parse("rules.toml", RULES).expect("budgets");
    if let Err(error) = budgets.add_waivers("waivers.toml", text) {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    match Budgets::parse("budgets.toml", text) {
        Ok(budgets) => {
            let mut changes = Vec::new();
            for (place, rule) in budgets.rules.iter().enumerate() {
                assert!(rule.line > 0 && !rule.given.is_empty());
                changes.extend(rule.given.iter().filter_map(|given| match given.demand {
                    Demand::Number(from) => Some(Tightening {
                        rule: place,
                        limit: given.limit,
                        from,
                        to: from,
                    }),
                    _ => None,
                }));
            }
            // The same numbers written again are the same budgets.
            let edited = tighten(text, &changes).expect("the rules are there");
            let again = Budgets::parse("budgets.toml", &edited).expect("still budgets");
            assert_eq!(again.rules.len(), budgets.rules.len());
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
