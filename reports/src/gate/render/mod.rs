//! The forms of a result that other programs read: each from the stored result alone, with the same bytes each time.

mod github;
mod junit;
mod markdown;
mod sarif;

pub use github::annotations;
pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;

use super::result::Finding;
use super::witness::Witness;
use crate::number::six_decimals;

/// What a finding shows below its sentence: pairs of a word and a text, the same in every form.
pub fn details(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    if let Some(location) = &finding.location {
        let place = format!("{}:{}:{}", location.file, location.line, location.column);
        details.push(("rule", place));
    }
    if let Some(witness) = &finding.witness {
        of_witness(witness, &mut details);
    }
    if let Some(command) = &finding.reproduce {
        details.push(("reproduce", command.clone()));
    }
    details
}

fn of_witness(witness: &Witness, details: &mut Vec<(&'static str, String)>) {
    if let Some(other) = &witness.other {
        details.push(("beside", format!("{}: got {}", other.input, other.got)));
    }
    let bucket = match witness.bucket {
        Some(bucket) => format!(", bucket {bucket}"),
        None => String::new(),
    };
    details.push(("input", format!("{}{bucket}", witness.input)));
    details.push(("got", witness.got.to_string()));
    details.push(("want", witness.want.to_string()));
    if let Some(error) = witness.error_ulp {
        details.push(("error", format!("{} ulp", six_decimals(error))));
    }
}

#[cfg(test)]
mod tests;
