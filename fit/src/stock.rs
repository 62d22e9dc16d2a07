//! The functions of the stock files, each in the size that it has there.

use actforge_tables::stock::assumed::{PARAMETRIC_RELU, default_notes, parametric_relu};
use actforge_tables::stock::{StockNotes, StockRange, stock_function};
use actforge_tables::{FunctionTable, Target};

use crate::documented::documented_exp;
use crate::error::FitError;
use crate::exact::{ExactSize, fit_exactly};
use crate::judge::Judge;
use crate::request::{FunctionRequest, Method, Observer};

/// How stock functions are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StockFit {
    /// The target whose files they are for.
    pub target: Target,
    /// How coefficients are found.
    pub method: Method,
    /// Whether a function whose octaves are documented is cut as the vendor cuts it: exp alone.
    pub documented_layout: bool,
    /// The inputs that a function without a value everywhere serves.
    pub range: StockRange,
}

/// Fits the function `<name>_<selector>p` in the buckets and control words of the stock files, with its stock notes. Of a
/// function without a value everywhere, the inputs that count are those of `how.range`.
///
/// # Errors
/// [`FitError`]; a variant that no stock set holds is [`FitError::Request`].
pub fn fit_stock_function(
    name: &str,
    selector: u32,
    how: StockFit,
    judge: &dyn Judge,
    observer: &dyn Observer,
) -> Result<FunctionTable, FitError> {
    let unknown = || FitError::Request {
        function: name.to_owned(),
        field: "selector",
        expected: "a variant that some stock set holds",
        found: selector.to_string(),
    };
    let stock = stock_function(name).ok_or_else(unknown)?;
    let buckets = stock.buckets(selector).ok_or_else(unknown)?;
    let mut table = if name == PARAMETRIC_RELU {
        parametric_relu()
    } else if name == "exp" && how.documented_layout {
        documented_exp(how.method, judge)?
    } else {
        let size = ExactSize {
            buckets: buckets as usize,
            control_words: stock.control_words as usize,
        };
        let request = FunctionRequest {
            range: how.range.of(name),
            method: how.method,
            ..FunctionRequest::new(name)
        };
        fit_exactly(&request, how.target, size, judge, observer)?
    };
    table.notes.stock = Some(StockNotes {
        selector,
        ..default_notes(name, table.stored_buckets(), &table.notes)
    });
    Ok(table)
}
