//! The text of a specification that its hash is taken over.

use std::fmt::Write;

use actforge_reference::{Definition, GivenLimits};

use super::Spec;

pub(super) fn canonical(spec: &Spec) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text, spec);
    text
}

fn write(text: &mut String, spec: &Spec) -> std::fmt::Result {
    writeln!(text, "[set]")?;
    writeln!(text, "name = \"{}\"", spec.set.name)?;
    writeln!(text, "target = \"{}\"", spec.set.target.as_str())?;
    writeln!(text, "datapath = \"{}\"", spec.set.datapath.as_str())?;
    for function in &spec.functions {
        writeln!(text, "\n[[function]]")?;
        writeln!(text, "name = \"{}\"", function.name)?;
        if let Some(definition) = &function.definition {
            write_definition(text, definition)?;
        }
        writeln!(text, "dtype = \"{}\"", function.dtype.name())?;
        if let Some(max_ulp) = function.max_ulp {
            // Debug gives the shortest decimal that reads back as the same number, and always a TOML float.
            writeln!(text, "max_ulp = {max_ulp:?}")?;
        }
        if let Some(buckets) = function.buckets {
            writeln!(text, "buckets = {buckets}")?;
        }
        for (key, range) in [("range", function.range), ("inputs", function.inputs)] {
            if let Some([lowest, highest]) = range {
                writeln!(
                    text,
                    "{key} = [\"0x{:08x}\", \"0x{:08x}\"]",
                    lowest.to_bits(),
                    highest.to_bits()
                )?;
            }
        }
        writeln!(text, "method = \"{}\"", function.method.as_str())?;
    }
    Ok(())
}

fn write_definition(text: &mut String, definition: &Definition) -> std::fmt::Result {
    // An expression that was checked holds nothing that a string would have to escape, and neither do names.
    writeln!(text, "expr = \"{}\"", definition.expression)?;
    if !definition.params.is_empty() {
        let params = definition.params.iter();
        let params: Vec<String> = params
            .map(|(name, value)| format!("{name} = \"{value}\""))
            .collect();
        writeln!(text, "params = {{ {} }}", params.join(", "))?;
    }
    let GivenLimits {
        zero,
        pos_inf,
        neg_inf,
    } = definition.limits;
    let given: Vec<String> = [("zero", zero), ("pos_inf", pos_inf), ("neg_inf", neg_inf)]
        .into_iter()
        .filter_map(|(key, limit)| Some(format!("{key} = \"0x{:08x}\"", limit?.to_bits())))
        .collect();
    if !given.is_empty() {
        writeln!(text, "limits = {{ {} }}", given.join(", "))?;
    }
    Ok(())
}
