//! Cutting all inputs into pieces.

use actforge_engine::{Function, Route};
use actforge_reference::{Cell, Surrogate};

/// A contiguous stretch of inputs, of one sign and exponent, with one route through the engine and one
/// cell of the surrogate.
#[derive(Clone, Debug)]
pub(crate) struct Piece<'s> {
    /// The input of least magnitude, as bits.
    pub(crate) first: u32,
    /// The input of greatest magnitude, as bits.
    pub(crate) last: u32,
    /// The way through the engine.
    pub(crate) route: Route,
    /// What the function is there.
    pub(crate) cell: &'s Cell,
    /// Whether the input before the first one is judged, too, so that there is a step between the two.
    pub(crate) continues: bool,
}

impl Piece<'_> {
    /// The number of inputs.
    pub(crate) fn inputs(&self) -> u64 {
        u64::from(self.last - self.first) + 1
    }
}

/// A longer piece is cut, so that threads and shards share the work evenly.
const LONGEST: u32 = 1 << 20;

/// All pieces of the finite non-zero inputs that the surrogate covers, in ascending order of bits.
pub(crate) fn plan<'s>(function: &Function<'_>, surrogate: &'s Surrogate) -> Vec<Piece<'s>> {
    let mut pieces = Vec::new();
    for run in function.runs() {
        if matches!(
            run.route,
            Route::Zero | Route::Nan | Route::PosInf | Route::NegInf
        ) {
            continue;
        }
        for cell in surrogate.overlapping(run.first, run.last) {
            let (mut first, last) = (run.first.max(cell.first), run.last.min(cell.last));
            while last - first >= LONGEST {
                pieces.push(Piece {
                    first,
                    last: first + (LONGEST - 1),
                    route: run.route,
                    cell,
                    continues: false,
                });
                first += LONGEST;
            }
            pieces.push(Piece {
                first,
                last,
                route: run.route,
                cell,
                continues: false,
            });
        }
    }
    pieces
}
