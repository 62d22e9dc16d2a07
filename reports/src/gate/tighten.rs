//! From what was measured to the numbers that a budgets file could hold.

use super::plan::Plan;
use super::result::{GateResult, Outcome, Source};
use crate::budget::{Demand, Tightening};

/// The limits of rules that every check keeps with something to spare, with the worst that was measured of each.
/// `result` is that of `plan`.
pub fn tightenings(plan: &Plan<'_>, result: &GateResult) -> Vec<Tightening> {
    let mut tightenings = Vec::new();
    for (place, rule) in plan.budgets.rules.iter().enumerate() {
        for given in &rule.given {
            let Demand::Number(from) = given.demand else {
                continue;
            };
            let limit = given.limit;
            // Every check that has its limit from here; one that fails or is waived keeps the number where it is.
            let measured: Option<Vec<f64>> = plan
                .checks
                .iter()
                .zip(&result.checks)
                .filter(|(check, _)| {
                    let mut chosen = check.limits.iter();
                    chosen.any(|chosen| chosen.rule == place && chosen.given.limit == limit)
                })
                .map(|(_, found)| {
                    let mut limits = found.limits.iter();
                    let own =
                        limits.find(|own| own.limit == limit && own.source == Source::Rule)?;
                    own.measured.filter(|_| own.outcome == Outcome::Kept)
                })
                .collect();
            let worst = measured
                .unwrap_or_default()
                .into_iter()
                .reduce(
                    |one, other| {
                        if limit.keeps(one, other) { other } else { one }
                    },
                );
            if let Some(to) = worst.filter(|to| *to != from && limit.keeps(*to, from)) {
                tightenings.push(Tightening {
                    rule: place,
                    limit,
                    from,
                    to,
                });
            }
        }
    }
    tightenings
}
