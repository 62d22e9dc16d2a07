//! Which functions frameworks compute in place of others.

/// A function, and those that are in use as approximations of it, the closest first.
pub const APPROXIMATIONS: [(&str, &[&str]); 3] = [
    ("gelu", &["gelu_apprx_tanh", "gelu_apprx_sigmoid"]),
    ("silu", &["hard_swish"]),
    ("sigmoid", &["hard_sigmoid"]),
];

/// The functions in use as approximations of one.
pub fn approximations_of(function: &str) -> &'static [&'static str] {
    let known = APPROXIMATIONS.iter().find(|(exact, _)| *exact == function);
    known.map_or(&[], |(_, approximations)| approximations)
}
