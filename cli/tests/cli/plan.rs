//! `actforge plan`: loads of a model, as text, as JSON and as instructions.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::line;

const MLP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/models/mlp.onnx");
const BERT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../examples/models/bert-tiny-config.json"
);

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A plan of a report, by its name.
fn plan<'r>(report: &'r Value, name: &str) -> &'r Value {
    let plans = report["plans"].as_array().unwrap();
    plans.iter().find(|plan| plan["name"] == name).unwrap()
}

#[test]
fn both_plans_stand_side_by_side() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    // tanh is in the first set as well as beside sigmoid: only the second plan looks ahead.
    fs::write(here.join("list"), "relu tanh sigmoid tanh\n").unwrap();
    let shown = line("plan --no-tailored {}/list", here).succeeded().stdout;
    for expected in [
        "(list of functions): 4 activations",
        "tanh           2  exp_and_others, sigmoid_and_others and 7 more",
        "stock      2      2  79168",
        "fewest     1      1  43808",
        "fewest: sigmoid_and_others",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let report = line("plan --no-tailored {}/list --json", here)
        .succeeded()
        .stdout;
    let report = json(&report);
    assert_eq!(report["roster"]["sets"], 21);
    let best = plan(&report, "fewest");
    // Buckets and control words as in the files, and 17 profiles and CAM entries.
    assert_eq!(best["sets"][0]["bytes"], 38464 + 2624 + 17 * (128 + 32));
    assert_eq!(best["first_run"]["loads"], 1);
    assert_eq!(best["further_runs"]["loads"], 0);
    assert_eq!(plan(&report, "stock")["further_runs"]["loads"], 2);
    assert_eq!(best["worst"], Value::Null);
}

#[test]
fn one_of_something_is_not_called_several() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    fs::write(here.join("list"), "tanh\n").unwrap();
    fs::write(
        here.join("budgets.toml"),
        "[[rule]]\nfunction = \"tanh\"\ninput = \"bf16\"\nmax_ulp = 8.0\n",
    )
    .unwrap();
    line("build --functions tanh --max-ulp 8 -o {}/sets/tanh", here).succeeded();
    let of = |options: &str| {
        let run = line(
            &format!("plan --no-tailored --iterations 1 --roster {{}}/sets {options}"),
            here,
        );
        run.succeeded().stdout
    };
    let shown = of("{}/list --measure --input bf16 --budgets {}/budgets.toml");
    for expected in [
        "(list of functions): 1 activation\n",
        "(1 set); a loop of unknown length counts 1 time\n",
        "2 of 2 promises of",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    fs::write(
        here.join("config.json"),
        r#"{"hidden_act": "tanh", "pooler_act": "relu", "num_layers": 2}"#,
    )
    .unwrap();
    let shown = line("plan --no-tailored {}/config.json", here)
        .succeeded()
        .stdout;
    assert!(shown.contains("): 2 activations\n"), "{shown}");
}

#[test]
fn a_number_of_layers_that_is_none_is_refused() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    fs::write(
        here.join("config.json"),
        r#"{"text_config": {"hidden_act": "gelu", "num_hidden_layers": -3}}"#,
    )
    .unwrap();
    for command in ["plan --no-tailored", "build --dry-run --model"] {
        line(&format!("{command} {{}}/config.json"), here).failed(
            3,
            &["config.json: text_config.num_hidden_layers: expected a whole number of layers from 1 to 1000000000, found -3", "leave the key out"],
        );
    }
}

#[test]
fn what_is_missing_or_has_a_limited_range_is_said() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    fs::write(here.join("list"), "hard_swish log relu\n").unwrap();
    let shown = line("plan --no-tailored {}/list --target stock-with-ln", here)
        .succeeded()
        .stdout;
    assert!(
        shown.contains("in no set of the roster, not planned: hard_swish"),
        "{shown}"
    );
    assert!(shown.contains("ln is fitted for inputs"), "{shown}");
    let shown = line("plan --no-tailored {}/list --places", here)
        .succeeded()
        .stdout;
    assert!(
        shown.contains("ln          limited  line 1  list"),
        "{shown}"
    );
    let report = json(
        &line("plan --no-tailored {}/list --places --json", here)
            .succeeded()
            .stdout,
    );
    assert_eq!(report["places"][1]["limited"], true);
    assert_eq!(report["places"][2]["limited"], false);
    line("plan --no-tailored {}/list --emit {}/program", here).failed(
        1,
        &["hard_swish, used at 1 place, is in no set", "--roster"],
    );
    assert!(!here.join("program").exists());
}

#[test]
fn loads_are_written_as_instructions() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    let files = |name: &str| here.join("program").join(name);
    line(
        &format!("plan --no-tailored {MLP} --emit {{}}/program"),
        here,
    )
    .succeeded();
    let loads = fs::read(files("loads.bin")).unwrap();
    let pseudo = fs::read(files("pseudo_loads.bin")).unwrap();
    let document = json(&fs::read_to_string(files("loads.json")).unwrap());
    let rows = document["loads"].as_array().unwrap();
    assert_eq!(document["container_features"][0]["bit"], "0x40");
    assert_eq!((rows.len(), loads.len(), pseudo.len()), (6, 6 * 64, 6 * 64));
    let info = json(&fs::read_to_string(files("act_info.json")).unwrap());
    for (row, (load, pseudo)) in rows.iter().zip(loads.chunks(64).zip(pseudo.chunks(64))) {
        assert_eq!(load[0], 0x23);
        assert_eq!(u64::from(load[35]), row["set"].as_u64().unwrap());
        assert_eq!(pseudo[0], 0xc6);
        let name = row["name"].as_str().unwrap();
        assert_eq!(&pseudo[12..12 + name.len()], name.as_bytes());
        let listed = &info["act_func_sets"][usize::from(load[35])];
        assert_eq!(listed["name"], name);
        let function = row["function"].as_str().unwrap();
        assert!(listed["act"][function].is_number(), "{row}");
    }
    line(
        &format!("plan --no-tailored {MLP} --emit {{}}/program"),
        here,
    )
    .failed(3, &["is there already"]);
    for made in ["tailored", "tailored-fp32"] {
        line(
            &format!("plan --no-tailored {MLP} --emit {{}}/other --plan {made}"),
            here,
        )
        .failed(2, &["found --no-tailored"]);
    }
    fs::write(here.join("unknown"), r#"{"hidden_act": "nope"}"#).unwrap();
    line("plan {}/unknown --emit {}/other --plan tailored", here)
        .failed(1, &["there is no plan tailored"]);
    assert!(!here.join("other").exists());
    line(
        &format!("plan --no-tailored {MLP} --emit {{}}/program --plan stock --force"),
        here,
    )
    .succeeded();
}

#[test]
fn loops_count_as_often_as_they_repeat() {
    let here = tempfile::tempdir().unwrap();
    let report = line(&format!("plan --no-tailored {BERT} --json"), here.path()).succeeded();
    let report = json(&report.stdout);
    let best = plan(&report, "fewest");
    assert_eq!(best["loops"][0]["iterations"], 2);
    assert_eq!(best["loops"][0]["each"]["loads"], 5);
    assert_eq!(best["first_run"]["loads"], 11);
}

#[test]
fn a_roster_of_sets_is_planned_for_and_measured() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    let build = |functions: &str, name: &str| {
        let target = "--target stock-with-ln --max-ulp 8";
        line(
            &format!(
                "build --functions {functions} {target} --set-name {name} -o {{}}/sets/{name}"
            ),
            here,
        )
        .succeeded();
    };
    build("tanh,relu", "a-small");
    build("abs,square", "b-residents");
    line(
        "export --format stock {}/sets/a-small {}/sets/b-residents -o {}/stock",
        here,
    )
    .succeeded();
    fs::write(here.join("list"), "relu tanh square abs tanh\n").unwrap();
    let of = |roster: &str| {
        let run = line(
            &format!(
                "plan --no-tailored {{}}/list --roster {{}}/{roster} --measure --input bf16 --json"
            ),
            here,
        );
        json(&run.succeeded().stdout)
    };
    let (sets, stock) = (of("sets"), of("stock"));
    assert_eq!(sets["plans"], stock["plans"]);
    let best = plan(&sets, "fewest");
    assert_eq!(best["first_run"]["loads"], 3);
    assert_eq!(best["worst"]["function"], "tanh");
    let worst = best["worst"]["ulp"].as_f64().unwrap();
    assert!(worst > 0.5 && worst < 8.0, "{worst}");
    line("plan --no-tailored {}/list --measure", here).failed(2, &["--roster"]);
    fs::create_dir(here.join("empty")).unwrap();
    line("plan --no-tailored {}/list --roster {}/empty", here)
        .failed(3, &["found no act_info.json"]);
}

#[test]
fn folders_are_read_by_their_configuration() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("model");
    fs::create_dir(&folder).unwrap();
    let missing = line("plan --no-tailored {}/model", here.path());
    missing.failed(3, &["config.json: cannot be read"]);
    fs::copy(Path::new(BERT), folder.join("config.json")).unwrap();
    let mut weights = 8u64.to_le_bytes().to_vec();
    weights.extend_from_slice(b"{\"a\": 1}");
    fs::write(folder.join("model.safetensors"), weights).unwrap();
    for path in ["{}/model", "{}/model/model.safetensors"] {
        let shown = line(&format!("plan --no-tailored {path}"), here.path())
            .succeeded()
            .stdout;
        assert!(
            shown.contains("(Hugging Face configuration): 6 activations"),
            "{shown}"
        );
    }
    fs::remove_file(folder.join("config.json")).unwrap();
    line("plan --no-tailored {}/model/model.safetensors", here.path())
        .failed(3, &["no config.json beside it"]);
}

#[test]
fn sets_made_for_the_model_are_loaded_once() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    fs::write(here.join("list"), "relu\nreciprocal\nln\nrelu\n").unwrap();
    let shown = line("plan {}/list --json", here).succeeded().stdout;
    let report = json(&shown);
    let tailored = plan(&report, "tailored");
    assert_eq!(tailored["first_run"]["loads"], 1);
    assert_eq!(tailored["further_runs"]["loads"], 0);
    assert!(tailored["worst"]["ulp"].as_f64().unwrap() <= 0.52);
    assert!(
        plan(&report, "stock")["first_run"]["loads"]
            .as_u64()
            .unwrap()
            > 1
    );
    let text = line("plan {}/list", here).succeeded().stdout;
    assert!(
        text.contains("tailored: ln is made for inputs from"),
        "{text}"
    );
}

#[test]
fn plans_say_the_mean_error_where_inputs_fall() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    fs::write(here.join("list"), "relu\ntanh\n").unwrap();
    let bins = here.join("bins.csv");
    fs::write(
        &bins,
        "function,lower,upper,count\ntanh,-2,-1,1\ntanh,0.5,4,3\n",
    )
    .unwrap();
    let shown = line("plan {}/list --histogram {}/bins.csv", here)
        .succeeded()
        .stdout;
    assert!(
        shown.contains("tailored: tanh in tailored-0, where its inputs fall: mean error 0.2"),
        "{shown}"
    );
    assert!(shown.contains("bins.csv has no bins of relu"), "{shown}");
    let report = line("plan {}/list --histogram {}/bins.csv --json", here)
        .succeeded()
        .json();
    let weighted = &plan(&report, "tailored")["weighted"][0];
    assert_eq!(
        (&weighted["function"], &weighted["set"]),
        (&"tanh".into(), &"tailored-0".into())
    );
    let mean = weighted["weighted"]["mean_ulp"].as_f64().unwrap();
    assert!(mean > 0.2 && mean < 0.3, "{mean}");
    assert_eq!(plan(&report, "stock")["weighted"], serde_json::json!([]));
    line("plan {}/list --histogram {}/bins.csv --no-tailored", here).failed(2, &["--roster"]);
    fs::write(&bins, "function,lower,upper,count\nexp,-2,-1,1\n").unwrap();
    line("plan {}/list --histogram {}/bins.csv", here).failed(
        3,
        &[
            "bins of functions of the model, found bins of \"exp\"",
            "it has relu, tanh",
        ],
    );
}

#[test]
fn budgets_are_the_ceilings_of_the_sets_made_for_a_model() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    fs::write(here.join("list"), "relu\ntanh\nln\n").unwrap();
    let write = |text: &str| fs::write(here.join("budgets.toml"), text).unwrap();
    write(concat!(
        "[[rule]]\nfunction = \"*\"\nmax_ulp = 8.0\nmean_ulp = 0.5\n\n",
        "[[rule]]\nfunction = \"relu\"\ndtype = \"fp32\"\nmax_ulp = 0.0\nmax_buckets = 10\n\n",
        "[[rule]]\nfunction = \"tanh\"\ndtype = \"bf16\"\nmax_ulp = 0.6\n\n",
        "[[rule]]\nfunction = \"tanh\"\nrange = [-1.0, 1.0]\nmax_ulp = 4.0\n\n",
        "[[rule]]\nfunction = \"gelu\"\nmax_ulp = 4.0\n",
    ));
    let run = line("plan {}/list --budgets {}/budgets.toml", here)
        .succeeded()
        .stdout;
    for expected in [
        "budgets: tanh: 4 fp32 ulp, which a rule asks of a range, is kept over all inputs",
        "budgets: no ceiling of a fit: mean_ulp of the rule for every function, over all fp32",
        "budgets: the model has no function \"gelu\" (",
        // Both plans: three functions over all inputs, and tanh over its range. In fp32 also the buckets of relu.
        "PASS: 9 of 9 promises of",
    ] {
        assert!(run.contains(expected), "{expected}: {run}");
    }
    let report = line("plan {}/list --budgets {}/budgets.toml --json", here)
        .succeeded()
        .json();
    let worst = plan(&report, "tailored")["worst"]["ulp"].as_f64().unwrap();
    assert!(worst > 0.6 && worst <= 8.0, "{worst}");
    let worst = plan(&report, "tailored-fp32")["worst"]["ulp"]
        .as_f64()
        .unwrap();
    assert!(worst > 4.0 && worst <= 8.0, "{worst}");
    assert_eq!(report["budgets"]["passed"], true);

    // A roster that is measured breaks what its sets cannot keep.
    line("build --functions tanh --max-ulp 8 -o {}/sets/tanh", here).succeeded();
    fs::write(here.join("list"), "tanh\n").unwrap();
    write("[[rule]]\nfunction = \"tanh\"\ninput = \"bf16\"\nmax_ulp = 1.0\n");
    let run = line(
        "plan {}/list --no-tailored --roster {}/sets --measure --input bf16 --budgets {}/budgets.toml",
        here,
    );
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(1), ""),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("FAIL  stock: tanh in tanh, fp32 over all bf16: max_ulp "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("at most 1 allowed (") && run.stdout.contains("budgets.toml:4:11)"),
        "{}",
        run.stdout
    );

    line("plan {}/list --no-tailored --budgets {}/budgets.toml", here).failed(2, &["--measure"]);
    // What cannot be met ends with 1 as well, what is no budgets file with 3.
    fs::write(here.join("list"), "exp\n").unwrap();
    write("[[rule]]\nfunction = \"exp\"\ndtype = \"fp32\"\nmax_ulp = 0.6\n");
    line("plan {}/list --budgets {}/budgets.toml", here).failed(1, &["exp at 0.6 fp32 ulp"]);
    write("[[rule]]\nfunktion = \"tanh\"\n");
    line("plan {}/list --budgets {}/budgets.toml", here).failed(3, &["budgets.toml:2:1"]);
}

#[test]
fn inputs_that_a_graph_proves_are_said() {
    let here = tempfile::tempdir().unwrap();
    let shown = line(&format!("plan {MLP} --no-tailored --places"), here.path())
        .succeeded()
        .stdout;
    assert!(shown.contains("reciprocal       1.0 to 16.25"), "{shown}");
    assert!(shown.contains("exp              -inf to 0.0"), "{shown}");
    assert!(
        shown.contains("reciprocal_sqrt  limited, 9.953976e-6 to inf"),
        "{shown}"
    );
    // The sum of a softmax is no place to look at.
    assert!(!shown.contains("reciprocal is fitted for"), "{shown}");
    let report = line(
        &format!("plan {MLP} --no-tailored --places --json"),
        here.path(),
    )
    .succeeded()
    .json();
    let places = report["places"].as_array().unwrap();
    let inputs = &places
        .iter()
        .find(|place| place["function"] == "reciprocal")
        .unwrap()["inputs"];
    assert_eq!(
        (&inputs["low"], &inputs["high"]),
        (&Value::from(1.0), &Value::from(16.25))
    );
    assert_eq!(
        inputs["since"],
        "a softmax has exp(0) in its sum, and at most 8 numbers"
    );
    let exponential = places.iter().find(|place| place["function"] == "exp");
    assert_eq!(exponential.unwrap()["inputs"]["low"], Value::Null);
    // They go into what is built.
    let shown = line(&format!("build --model {MLP} --dry-run"), here.path())
        .succeeded()
        .stdout;
    assert!(
        shown.contains(
            "reciprocal: inputs from 1.0 to 16.25, since a softmax has exp(0) in its sum"
        ),
        "{shown}"
    );
    assert!(
        shown.contains(
            "name = \"reciprocal\"\ndtype = \"fp32\"\ninputs = [\"0x3f800000\", \"0x41820000\"]"
        ),
        "{shown}"
    );
    let shown = line(
        &format!("build --model {MLP} --dry-run --range 0.5,2"),
        here.path(),
    )
    .succeeded()
    .stdout;
    assert!(!shown.contains("inputs ="), "{shown}");
}
