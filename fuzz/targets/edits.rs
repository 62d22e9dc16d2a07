//! Edits of good files, as bytes of an input.

/// The bytes after edits. Each is an offset of two bytes, a byte with two counts, how much goes (upper half) and how
/// much comes (lower half), and what comes.
pub fn edited(bytes: &[u8], mut edits: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while let [low, high, counts, rest @ ..] = edits {
        let (gone, come) = (usize::from(counts >> 4), usize::from(counts & 15));
        let (come, rest) = rest.split_at(come.min(rest.len()));
        let start = usize::from(u16::from_le_bytes([*low, *high])) % (bytes.len() + 1);
        let end = (start + gone).min(bytes.len());
        bytes.splice(start..end, come.iter().copied());
        edits = rest;
    }
    bytes
}
