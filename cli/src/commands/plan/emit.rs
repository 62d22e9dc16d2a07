//! The loads of a plan as files.

use actforge_models::plan::{DYNAMIC_TABLES, load_points, pseudo_load, table_load};
use actforge_tables::stock::{ACT_INFO, act_info};
use serde_json::json;

use super::report::{NamedPlan, Report};
use crate::commands::export::ExportFile;
use crate::exit::Failure;
use crate::numbers::counted;
use crate::output::json_text;

/// `loads.bin` (instructions 0x23), `pseudo_loads.bin` (their form 0xC6), `loads.json` (where each stands) and the
/// `act_info.json` of the roster.
pub(super) fn files(report: &Report<'_>, plan: &NamedPlan<'_>) -> Result<Vec<ExportFile>, Failure> {
    let missing = report.unserved();
    if let Some((name, places)) = missing.first() {
        return Err(Failure::failed(
            format!(
                "{}: {name}, used at {}, is in no set of roster {}",
                report.file,
                counted(*places, "place"),
                report.roster_name
            ),
            "give a --roster whose sets hold every function; without --emit what they hold is planned",
        ));
    }
    let program = &report.model.program;
    let points = load_points(&plan.schedule, program, plan.roster);
    let mut loads = Vec::new();
    let mut pseudo_loads = Vec::new();
    let mut rows = Vec::new();
    for point in &points {
        loads.extend(table_load(point.set));
        let pseudo = pseudo_load(&point.name);
        // A name without room has no pseudo form: zeros keep the places of the others.
        pseudo_loads.extend(pseudo.as_ref().unwrap_or(&[0; 64]));
        let place = point
            .before
            .and_then(|place| program.uses.get(place as usize));
        let function = place.and_then(|place| program.functions.get(place.function as usize));
        rows.push(json!({
            "set": point.set,
            "name": point.name,
            "before": place.map(|place| place.node.as_ref()),
            "function": function,
            "loops": point.loops,
            "choices": point.choices,
            "has_pseudo_form": pseudo.is_ok(),
        }));
    }
    let (feature, bit) = DYNAMIC_TABLES;
    let document = json!({
        "schema_version": 1,
        "plan": plan.name,
        "container_features": [{ "name": feature, "bit": format!("{bit:#x}") }],
        "loads": rows,
    });
    let sets: Vec<_> = plan
        .roster
        .sets()
        .iter()
        .map(|set| (set.name.clone(), set.functions.clone()))
        .collect();
    let info = act_info(&sets).map_err(Failure::internal)?;
    Ok(vec![
        ExportFile::new("loads.bin", loads),
        ExportFile::new("pseudo_loads.bin", pseudo_loads),
        ExportFile::new("loads.json", json_text(&document)?),
        ExportFile::new(ACT_INFO, info),
    ])
}
