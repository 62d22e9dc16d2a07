//! The text of a specification that its hash is taken over.

use std::fmt::Write;

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
        writeln!(text, "dtype = \"{}\"", function.dtype.name())?;
        if let Some(max_ulp) = function.max_ulp {
            // Debug gives the shortest decimal that reads back as the same number, and always a TOML float.
            writeln!(text, "max_ulp = {max_ulp:?}")?;
        }
        if let Some(buckets) = function.buckets {
            writeln!(text, "buckets = {buckets}")?;
        }
        if let Some([lowest, highest]) = function.range {
            writeln!(
                text,
                "range = [\"0x{:08x}\", \"0x{:08x}\"]",
                lowest.to_bits(),
                highest.to_bits()
            )?;
        }
        writeln!(text, "method = \"{}\"", function.method.as_str())?;
    }
    Ok(())
}
