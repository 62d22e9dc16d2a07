//! Sets, functions and rules that do not match each other.

use super::{Break, NOTHING, check, ending};

#[test]
fn functions_sets_and_rules_that_do_not_match() {
    let failed = ending(1);
    check(&[
        failed(
            "a function without a rule",
            |release| {
                release.replace("budgets.toml", "function = \"*\"", "function = \"relu\"");
            },
            &[
                "function-without-rule  sigmoid of set wide has no rule",
                "function-without-rule  exp of set wide has no rule",
            ],
        ),
        failed(
            "a rule for a function that is not there",
            |release| {
                release.add("[[rule]]\nfunction = \"silu\"\ninput = \"bf16\"\nmax_ulp = 2");
            },
            &[
                "budgets.toml:20:1",
                "rule-unused  no function of small, wide is covered by the rule for silu, over all bf16",
            ],
        ),
        failed(
            "a misspelt function",
            |release| {
                release.add("[[rule]]\nfunction = \"tahn\"\ninput = \"bf16\"\nmax_ulp = 2");
            },
            &["the rule for tahn, over all bf16 (did you mean tanh?)"],
        ),
        failed(
            "a rule for another set",
            |release| {
                release.add(
                    "[[rule]]\nfunction = \"tanh\"\nset = \"wide\"\ninput = \"bf16\"\nmax_ulp = 2",
                );
            },
            &["rule-unused", "the rule for tanh of set wide"],
        ),
        failed(
            "a rule for an output type that no function has",
            |release| {
                release.add(
                    "[[rule]]\nfunction = \"*\"\ndtype = \"fp16\"\ninput = \"bf16\"\nmax_ulp = 2",
                );
            },
            &[
                "rule-unused",
                "the rule for every function, fp16, over all bf16",
            ],
        ),
        failed(
            "a missing function",
            |release| {
                release.replace(
                    "budgets.toml",
                    "[\"relu\", \"tanh\"]",
                    "[\"relu\", \"tanh\", \"gelu\"]",
                );
            },
            &[
                "function-missing  set small has no function gelu",
                "budgets.toml:2:",
            ],
        ),
        failed(
            "a function that is not listed",
            |release| {
                release.replace("budgets.toml", "[\"relu\", \"tanh\"]", "[\"tanh\"]");
            },
            &["function-unlisted  set small holds relu, which is not listed for it"],
        ),
        failed(
            "a missing set",
            |release| release.replace("budgets.toml", "[set.wide]", "[set.wide]\n[set.attention]"),
            &["set-missing  no set attention was given"],
        ),
        failed(
            "a set that is not listed",
            |release| {
                release.replace("budgets.toml", "[set.wide]\ntarget = \"cayman\"\n", "");
            },
            &["set-unlisted  set wide is not among those that budgets.toml lists"],
        ),
        failed(
            "the wrong target",
            |release| {
                release.replace(
                    "budgets.toml",
                    "[set.wide]\ntarget = \"cayman\"",
                    "[set.wide]\ntarget = \"sunda\"",
                );
            },
            &["wrong-target  set wide: expected target sunda, found cayman"],
        ),
        failed(
            "the wrong datapath",
            |release| release.replace("budgets.toml", "\"fma\"", "\"mixed\""),
            &["wrong-datapath  set small: expected datapath mixed, found fma"],
        ),
        failed(
            "nothing to check",
            |release| {
                release.write(
                    "budgets.toml",
                    "[[rule]]\nfunction = \"gelu\"\nmax_ulp = 1\n",
                );
            },
            &[
                "nothing-checked  nothing was checked",
                "rule-unused",
                "FAIL: 6 findings in 0 checks",
            ],
        ),
        Break {
            name: "functions without a rule, where that is allowed",
            edit: |release| {
                release.replace("budgets.toml", "function = \"*\"", "function = \"relu\"");
                release.add("[gate]\nunlisted = \"allow\"");
            },
            arguments: NOTHING,
            code: 0,
            says: &[
                "note  not-checked  exp of set wide has no rule",
                "PASS: 2 checks",
            ],
        },
    ]);
}
