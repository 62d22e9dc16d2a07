//! The buckets of a function as a table whose rows know their places in the plots.

use super::table::{Cell, Row, TableView, Tone};
use super::text::{bits, bound, count, percent, ulp, witness};
use crate::plot::BucketPlace;
use crate::report::FunctionReport;

/// The table of the buckets; `id` is what plots call it by.
pub(super) fn bucket_table(
    function: &FunctionReport,
    places: &[BucketPlace],
    id: String,
) -> TableView {
    let mut table = TableView::new(
        format!("{} buckets", function.bucket_rows.len()),
        format!(
            "Buckets of {}; first and last are the inputs that each serves",
            function.name
        ),
        &[
            ">bucket",
            "region",
            "first",
            "last",
            ">inputs",
            ">max ulp",
            "at",
            "got \u{2192} want",
            ">floor",
            ">mean",
            ">rounded %",
            ">max absolute",
        ],
    );
    table.id = Some(id);
    for bucket in &function.bucket_rows {
        let group = &bucket.group;
        let [first, last] = match &bucket.reached {
            Some(ends) => [bits(&ends[0]), bits(&ends[1])],
            None => ["no input".to_owned(), String::new()],
        };
        let [at, got] = witness(group.max_ulp_at.as_ref());
        let tone = if group.max_ulp.is_none() {
            Tone::Bad
        } else {
            Tone::Plain
        };
        let absolute = bucket.max_absolute.as_ref();
        let cells = vec![
            Cell::from(bucket.index.to_string()),
            bucket.region.clone().unwrap_or_default().into(),
            first.into(),
            last.into(),
            count(group.inputs).into(),
            Cell::toned(ulp(group.max_ulp), tone),
            at.into(),
            got.into(),
            bound(bucket.lower_bound_ulp).into(),
            ulp(Some(group.mean_ulp)).into(),
            percent(group.correctly_rounded).into(),
            absolute
                .map_or_else(String::new, |extreme| format!("{:.3e}", extreme.error))
                .into(),
        ];
        let own = places.iter().filter(|place| place.bucket == bucket.index);
        let own: Vec<String> = own
            .map(|place| format!("{:.1} {:.1}", place.left, place.right))
            .collect();
        table.rows.push(Row {
            cells,
            places: own.join(","),
        });
    }
    table
}
