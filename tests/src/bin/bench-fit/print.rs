//! Markdown.

/// Prints a heading.
pub(crate) fn heading(text: &str) {
    println!("\n## {text}\n");
}

/// Prints the first two rows of a table.
pub(crate) fn columns(titles: &[&str]) {
    println!("| {} |", titles.join(" | "));
    let rule: Vec<&str> = titles
        .iter()
        .enumerate()
        .map(|(k, _)| if k == 0 { "---" } else { "---:" })
        .collect();
    println!("|{}|", rule.join("|"));
}

/// Prints a row.
pub(crate) fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// A figure beside the one that is wanted at most, marked when it falls short.
pub(crate) fn at_most(value: f64, wanted: f64, decimals: usize) -> String {
    judged(format!("{value:.decimals$}"), value <= wanted)
}

/// A figure, marked when it falls short.
pub(crate) fn judged(text: String, good: bool) -> String {
    if good {
        text
    } else {
        format!("**{text}** (short)")
    }
}

/// The middle of some numbers; NaN without any.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => 0.5 * (values[count / 2 - 1] + values[count / 2]),
    }
}
