//! "Did you mean": the known word nearest to a misspelt one.

/// Longer words are not misspelt keys; comparing them would only cost time.
const LONGEST: usize = 64;

/// The candidate that `word` is most likely a misspelling of, if any is near enough.
///
/// Near means an edit distance (insertions, deletions, substitutions, swaps of neighbours; letter case and `-`
/// for `_` are free) of at most a third of the longer word. The first of equally near candidates wins.
pub fn did_you_mean<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let word = plain(word);
    candidates
        .iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&word, &plain(candidate)),
                *candidate,
            )
        })
        .filter(|(distance, candidate)| {
            *distance * 3 <= word.chars().count().max(candidate.chars().count())
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn plain(word: &str) -> String {
    word.to_lowercase().replace(['-', ' '], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 5] = ["max_ulp", "buckets", "range", "tanh", "gelu"];

    #[test]
    fn finds_the_nearest_word() {
        assert_eq!(did_you_mean("max_upl", &WORDS), Some("max_ulp"));
        assert_eq!(did_you_mean("Max-ULP", &WORDS), Some("max_ulp"));
        assert_eq!(did_you_mean("bucket", &WORDS), Some("buckets"));
        assert_eq!(did_you_mean("tahn", &WORDS), Some("tanh"));
    }

    #[test]
    fn says_nothing_when_nothing_is_near() {
        assert_eq!(did_you_mean("colour", &WORDS), None);
        assert_eq!(did_you_mean("", &WORDS), None);
        assert_eq!(did_you_mean(&"gelu".repeat(100), &WORDS), None);
        assert_eq!(did_you_mean("gelu", &[]), None);
    }
}
