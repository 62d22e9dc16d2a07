//! C11: the tables as constant data, and a reference evaluator.
//!
//! The evaluator is one fixed pair of files, `actforge.h` and `actforge.c`, which every set
//! shares: it is read, reviewed and compiled as C, not as text in a string.

use std::fmt::Write;

use super::{ExportError, ExportFile, identifier};
use crate::bucket::Bucket;
use crate::datapath::Datapath;
use crate::profile::{Profile, RegionKind};
use crate::set::{FunctionEntry, FunctionSet};
use crate::target::Table;

const HEADER: &str = include_str!("actforge.h");
const EVALUATOR: &str = include_str!("actforge.c");

/// `actforge.h` and `actforge.c`, which hold for every set, and `set_NAME.h` and
/// `set_NAME.c` with the data, a `const struct actforge_set set_NAME`.
///
/// # Errors
/// [`ExportError::Set`] if the set is not valid.
pub fn c_source(set: &FunctionSet) -> Result<Vec<ExportFile>, ExportError> {
    set.validate()?;
    let file = |name: String, text: String| ExportFile {
        name,
        bytes: text.into_bytes(),
    };
    let id = identifier(&set.name);
    Ok(vec![
        file("actforge.h".to_owned(), HEADER.to_owned()),
        file("actforge.c".to_owned(), EVALUATOR.to_owned()),
        file(format!("set_{id}.h"), declaration(set, &id)),
        file(format!("set_{id}.c"), data(set, &id)?),
    ])
}

/// A comment that says what the set is. Names of a valid set hold nothing that ends it.
fn title(set: &FunctionSet) -> String {
    format!(
        "/* Function set {}, target {}, datapath {}; built by actforge {}. */\n",
        set.name,
        set.target,
        set.datapath,
        identifier_of_version(&set.tool_version),
    )
}

/// A version as it may stand in a comment: it is free text of the manifest.
fn identifier_of_version(version: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || ".-+".contains(*c);
    version.chars().filter(allowed).take(64).collect()
}

fn declaration(set: &FunctionSet, id: &str) -> String {
    let guard = format!("ACTFORGE_SET_{}_H", id.to_ascii_uppercase());
    format!(
        "{}#ifndef {guard}\n#define {guard}\n\n#include \"actforge.h\"\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         extern const struct actforge_set set_{id};\n\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        title(set)
    )
}

fn data(set: &FunctionSet, id: &str) -> Result<String, ExportError> {
    let mut text = title(set);
    // Writing to a String cannot fail, here and below.
    let _ = write!(text, "#include \"set_{id}.h\"\n\n");
    buckets(&mut text, set);
    control(&mut text, set)?;
    cam(&mut text, set);
    functions(&mut text, set);
    let (words, pool) = (set.control.len(), set.buckets.len());
    let _ = write!(
        text,
        "const struct actforge_set set_{id} = {{\n    \
             .name = \"{}\",\n    \
             .target = \"{}\",\n    \
             .datapath = {},\n    \
             .function_count = {},\n    \
             .functions = functions,\n    \
             .cam = cam,\n    \
             .control_count = {words},\n    \
             .control = {},\n    \
             .bucket_count = {pool},\n    \
             .buckets = {},\n}};\n",
        set.name,
        set.target,
        datapath(set.datapath),
        set.functions.len(),
        if words == 0 { "NULL" } else { "control" },
        if pool == 0 { "NULL" } else { "buckets" },
    );
    Ok(text)
}

const fn datapath(datapath: Datapath) -> &'static str {
    match datapath {
        Datapath::Fma => "ACTFORGE_FMA",
        Datapath::MulAdd => "ACTFORGE_MULADD",
        Datapath::Estrin => "ACTFORGE_ESTRIN",
        Datapath::Mixed => "ACTFORGE_MIXED",
    }
}

/// The pool. C has no arrays without elements: then there is none.
fn buckets(text: &mut String, set: &FunctionSet) {
    if set.buckets.is_empty() {
        return;
    }
    let count = set.buckets.len();
    let _ = writeln!(
        text,
        "static const struct actforge_bucket buckets[{count}] = {{"
    );
    for (index, bucket) in set.buckets.iter().enumerate() {
        for function in &set.functions {
            if function.buckets.start == index && !function.buckets.is_empty() {
                let last = function.buckets.end - 1;
                let _ = writeln!(text, "    /* {index} to {last}: {} */", function.name);
            }
        }
        let Bucket { x0, .. } = bucket;
        let [d0, d1, d2, d3, x0_bits] = bucket.to_words();
        let _ = writeln!(
            text,
            "    {{{{{d0:#010x}, {d1:#010x}, {d2:#010x}, {d3:#010x}}}, {x0_bits:#010x}}}, /* {index}: x0 = {x0:?} */"
        );
    }
    text.push_str("};\n\n");
}

fn control(text: &mut String, set: &FunctionSet) -> Result<(), ExportError> {
    if set.control.is_empty() {
        return Ok(());
    }
    let count = set.control.len();
    let _ = writeln!(text, "static const uint32_t control[{count}] = {{");
    for (index, word) in set.control.iter().enumerate() {
        for function in &set.functions {
            if function.control.start == index && !function.control.is_empty() {
                let last = function.control.end - 1;
                let _ = writeln!(text, "    /* {index} to {last}: {} */", function.name);
            }
        }
        let bits = word
            .encode()
            .map_err(|source| ExportError::entry(Table::Control, index, source))?;
        let _ = writeln!(
            text,
            "    {bits:#010x}, /* {index}: base {}, lsb {}, size {} */",
            word.base, word.lsb, word.size
        );
    }
    text.push_str("};\n\n");
    Ok(())
}

fn cam(text: &mut String, set: &FunctionSet) {
    let count = set.cam.len();
    let _ = writeln!(
        text,
        "static const struct actforge_cam_entry cam[{count}] = {{"
    );
    for entry in &set.cam {
        let _ = writeln!(
            text,
            "    {{.opcode = {:#04x}, .func_id = {}, .opcode_mask = {:#04x}, .func_id_mask = {:#04x}, .valid = {}}},",
            entry.opcode, entry.func_id, entry.opcode_mask, entry.func_id_mask, entry.valid
        );
    }
    text.push_str("};\n\n");
}

fn functions(text: &mut String, set: &FunctionSet) {
    let count = set.functions.len();
    let _ = writeln!(
        text,
        "static const struct actforge_function functions[{count}] = {{"
    );
    for (entry, profile) in set.functions.iter().zip(&set.profiles) {
        function(text, entry, profile);
    }
    text.push_str("};\n\n");
}

fn function(text: &mut String, entry: &FunctionEntry, profile: &Profile) {
    let FunctionEntry { name, func_id, .. } = entry;
    let run = |run: &std::ops::Range<usize>| format!("{{{}, {}}}", run.start, run.len());
    let _ = write!(
        text,
        "    {{\n        .name = \"{name}\",\n        .func_id = {func_id},\n        .control = {},\n        .buckets = {},\n",
        run(&entry.control),
        run(&entry.buckets),
    );
    if !entry.shared.is_empty() {
        let runs: Vec<String> = entry.shared.iter().map(run).collect();
        let _ = write!(
            text,
            "        .shared = (const struct actforge_run[]){{{}}},\n        .shared_count = {},\n",
            runs.join(", "),
            runs.len(),
        );
    }
    text.push_str("        .profile = {\n");
    let mut field = |name: &str, value: String| {
        let _ = writeln!(text, "            .{name} = {value},");
    };
    field("pwl_bypass", profile.pwl_bypass.to_string());
    // A valid set has 0 or 1 in the three selectors.
    for (name, selector) in [
        ("symmetry_opt_en", profile.symmetry_opt_en),
        (
            "symmetry_opt_use_neg_region",
            profile.symmetry_opt_use_neg_region,
        ),
        ("func_sym_inv_sign", profile.func_sym_inv_sign),
    ] {
        field(name, (selector != 0).to_string());
    }
    field("symmetry_point", bits(profile.symmetry_point));
    for (name, value) in [
        ("exponent_offset", profile.exponent_offset),
        ("pwl_control_base_pos", profile.pwl_control_base_pos),
        ("pwl_control_base_neg", profile.pwl_control_base_neg),
    ] {
        field(name, value.to_string());
    }
    for kind in RegionKind::ALL {
        let word = profile.region(kind);
        let value = format!(
            "{{.pwl_control = {:#07x}, .mantissa_threshold = {:#08x}, .signal_threshold = {}, .mantissa_compare_enable = {}}}",
            word.control,
            word.mantissa_threshold,
            profile.threshold(kind),
            word.compare
        );
        field(kind.as_str(), value);
    }
    for (name, value) in [
        ("func_rslt_for_zero", profile.func_rslt_for_zero),
        ("func_rslt_for_nan", profile.func_rslt_for_nan),
        ("func_rslt_for_pos_inf", profile.func_rslt_for_pos_inf),
        ("func_rslt_for_neg_inf", profile.func_rslt_for_neg_inf),
    ] {
        field(name, bits(value));
    }
    text.push_str("        },\n    },\n");
}

fn bits(value: f32) -> String {
    format!("{:#010x}", value.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_cannot_end_the_comment() {
        assert_eq!(
            identifier_of_version("1.0 */ int main(void) {}"),
            "1.0intmainvoid"
        );
    }
}
