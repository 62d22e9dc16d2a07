//! `actforge pareto`.

use serde_json::Value;

use crate::support::{actforge, line};

#[test]
fn a_front_is_a_table_and_four_files() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("fronts");
    let run = line("pareto tanh --dtype bf16 -o {}", &out).succeeded();
    assert!(run.stdout.starts_with("tanh, bf16 ulp\n"), "{}", run.stdout);

    let text = std::fs::read_to_string(out.join("pareto.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["target"], "cayman");
    let front = &json["fronts"][0];
    assert_eq!(front["function"], "tanh");
    let points: Vec<(u64, f64)> = front["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| {
            let buckets = point["buckets"].as_u64().unwrap();
            (buckets, point["max_ulp"].as_f64().unwrap())
        })
        .collect();
    assert!(points.len() > 3, "{points:?}");
    assert!(
        points
            .windows(2)
            .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1),
        "{points:?}"
    );
    // 13 buckets keep 0.51 ulp by minimax error alone.
    assert!(
        points
            .iter()
            .any(|(buckets, error)| *buckets < 32 && *error < 0.52),
        "{points:?}"
    );

    let csv = std::fs::read_to_string(out.join("pareto.csv")).unwrap();
    assert_eq!(csv.lines().count(), points.len() + 1);
    for name in ["pareto.png", "pareto.svg"] {
        assert!(out.join(name).is_file(), "{name}");
    }
}

#[test]
fn a_front_as_json_alone() {
    let run = actforge(["pareto", "relu", "--dtype", "bf16", "--json"]).succeeded();
    let json = run.json();
    assert_eq!(json["fronts"][0]["function"], "relu");
    // As many buckets as `build` says of the same table: saturation buckets with the same bits are stored once.
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let built = line("build --functions relu --dtype bf16 --json -o {}", &out).succeeded();
    let buckets = &built.json()["functions"][0]["buckets"];
    assert_eq!(json["fronts"][0]["points"][0]["buckets"], *buckets);
    assert_eq!(*buckets, 2);
}

#[test]
fn what_cannot_be_asked_is_said() {
    actforge(["pareto"]).failed(2, &["<FUNC>"]);
    actforge(["pareto", "tahn"]).failed(2, &["tahn"]);
    actforge(["pareto", "tanh", "--dtype", "fp64"]).failed(2, &["fp32", "bf16", "fp16"]);
}
