//! The functions of the roster, each in the size that the stock files give it.

use actforge_fit::{
    ExactSize, FitError, FunctionRequest, Method, Observer, documented_exp, fit_exactly,
};
use actforge_reports::SweepJudge;
use actforge_tables::stock::assumed::{PARAMETRIC_RELU, default_notes, parametric_relu};
use actforge_tables::stock::{StockNotes, stock_function, stock_range};
use actforge_tables::{Datapath, FunctionTable, Target};

use super::StockLayout;

/// A function in one of its stock sizes, `<func>_<N>p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) selector: u32,
}

/// How functions are fitted.
pub(super) struct Fits<'a> {
    target: Target,
    method: Method,
    layout: StockLayout,
    judge: SweepJudge,
    observer: &'a dyn Observer,
}

impl<'a> Fits<'a> {
    pub(super) fn new(
        target: Target,
        method: Method,
        layout: StockLayout,
        observer: &'a dyn Observer,
    ) -> Self {
        Self {
            target,
            method,
            layout,
            judge: SweepJudge::new(Datapath::default()),
            observer,
        }
    }

    /// The table of a function, with its stock notes.
    pub(super) fn table(&self, variant: Variant) -> Result<FunctionTable, FitError> {
        let mut table = self.fitted(variant)?;
        table.notes.stock = Some(StockNotes {
            selector: variant.selector,
            ..default_notes(variant.name, table.stored_buckets(), &table.notes)
        });
        Ok(table)
    }

    fn fitted(&self, variant: Variant) -> Result<FunctionTable, FitError> {
        if variant.name == PARAMETRIC_RELU {
            return Ok(parametric_relu());
        }
        if variant.name == "exp" && self.layout == StockLayout::Documented {
            return documented_exp(self.method, &self.judge);
        }
        let stock = stock_function(variant.name);
        let buckets = stock.and_then(|stock| stock.buckets(variant.selector));
        let size = ExactSize {
            buckets: buckets.unwrap_or_default() as usize,
            control_words: stock.map_or(0, |stock| stock.control_words as usize),
        };
        let request = FunctionRequest {
            range: stock_range(variant.name),
            method: self.method,
            ..FunctionRequest::new(variant.name)
        };
        fit_exactly(&request, self.target, size, &self.judge, self.observer)
    }
}
