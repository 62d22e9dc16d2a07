//! The model reader and the planners: no bytes make them panic, every line the reader says is a short one whatever
//! names the file holds, and no plan runs an activation without its function.
#![no_main]

use actforge_models::parse;
use actforge_models::plan::{Counting, Roster, fewest, greedy};
use actforge_tables::Target;
use actforge_tables::stock::stock_sets;
use libfuzzer_sys::fuzz_target;

const LONGEST_LINE: usize = 1000;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = Vec::new();
    match parse("model", bytes.to_vec()) {
        Ok(found) => {
            let roster = Roster::of_stock(stock_sets(Target::StockTrainium)).unwrap();
            let stock = greedy(&found.program, &roster);
            stock.check(&found.program, &roster).unwrap();
            let counting = Counting::default();
            if let Ok(best) = fewest(&found.program, &roster, counting) {
                best.check(&found.program, &roster).unwrap();
                assert!(best.cost(&roster, counting) <= stock.cost(&roster, counting));
            }
            for need in found.needs {
                lines.push(need.function);
                lines.extend(need.reasons);
            }
            for activation in found.unknown {
                lines.push(activation.name);
                lines.extend(activation.reasons);
            }
            lines.extend(found.program.functions);
            lines.extend(found.program.reasons);
            lines.extend(
                found
                    .program
                    .uses
                    .into_iter()
                    .map(|place| place.node.into()),
            );
        }
        Err(error) => lines.push(error.to_string()),
    }
    for line in lines {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(line.len() <= LONGEST_LINE, "{line:?}");
    }
});
