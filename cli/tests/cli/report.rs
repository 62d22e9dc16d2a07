//! `actforge report` and `actforge diff --html`: pages, also in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Run, command, line, set};

/// The report of the shared set over a narrow type, made once.
fn replayed() -> &'static Path {
    static REPORT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = REPORT.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.json");
        let mut replay = command();
        replay
            .arg("replay")
            .arg(set())
            .args(["--input", "fp16", "--json"])
            .arg(&path);
        Run::from(replay.output().unwrap()).succeeded();
        (directory, path)
    });
    path
}

/// `actforge report` of the shared set by that report, with further arguments.
fn report(out: &Path, further: &[&str]) -> Run {
    let mut making = command();
    making
        .arg("report")
        .arg(set())
        .arg("--replay")
        .arg(replayed());
    making.args(further).arg("-o").arg(out);
    making.output().unwrap().into()
}

#[test]
fn a_page_of_a_set_holds_its_functions() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("new/report.html");
    let budgets = directory.path().join("budgets.toml");
    fs::write(
        &budgets,
        "[[rule]]\nfunction = \"*\"\ninput = \"fp16\"\nmax_ulp = 8.5\n",
    )
    .unwrap();
    let run = report(&page, &["--budgets", budgets.to_str().unwrap()]).succeeded();
    assert_eq!(run.stdout, format!("{}\n", page.display()));
    let text = fs::read_to_string(&page).unwrap();
    for said in [
        "Set small",
        ">tanh</h2>",
        ">relu</h2>",
        "budget 8.500 ulp",
        "65\u{a0}536",
        "actforge eval DIR tanh 0x",
    ] {
        assert!(text.contains(said), "{said}");
    }
    let other = directory.path().join("mixed.html");
    let mut making = command();
    making
        .arg("report")
        .arg(set())
        .args(["--input", "fp16", "--datapath", "mixed"]);
    making.args(["--function", "tanh", "-q", "-o"]).arg(&other);
    assert_eq!(Run::from(making.output().unwrap()).succeeded().stdout, "");
    let mixed = fs::read_to_string(&other).unwrap();
    assert!(
        mixed
            .contains("actforge replay DIR --function tanh --datapath mixed --input fp16 --json -")
    );
    assert!(!mixed.contains(">relu</h2>"));
    // Nothing of this machine, and the same bytes each time.
    assert!(!text.contains(directory.path().to_str().unwrap()));
    let again = report(Path::new("-"), &["--budgets", budgets.to_str().unwrap()]).succeeded();
    assert_eq!(again.stdout, text);
}

#[test]
fn what_does_not_go_together_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    report(here, &[]).failed(3, &["expected a file, found a directory"]);
    let page = here.join("page.html");
    report(&page, &["--replay", "x"]).failed(2, &["one report for each of 1 sets, found 2"]);
    let text = fs::read_to_string(replayed()).unwrap();
    let other = here.join("other.json");
    fs::write(
        &other,
        text.replace("\"set\": \"small\"", "\"set\": \"large\""),
    )
    .unwrap();
    let mut making = command();
    making
        .arg("report")
        .arg(set())
        .arg("--replay")
        .arg(&other)
        .arg("-o")
        .arg(&page);
    Run::from(making.output().unwrap()).failed(
        3,
        &["not a report of this set: set: expected small, found large"],
    );
    // The same name, and another build.
    let digest = "\"set_sha256\": \"";
    fs::write(&other, text.replace(digest, &format!("{digest}0"))).unwrap();
    let mut remaking = command();
    remaking
        .arg("report")
        .arg(set())
        .arg("--replay")
        .arg(&other)
        .arg("-o")
        .arg(&page);
    Run::from(remaking.output().unwrap()).failed(3, &["not a report of this set: set_sha256"]);
    assert!(!page.exists());
    line("report {}/missing -o x.html", here).failed(3, &["missing", "directory of a set"]);
}

#[test]
fn differences_as_a_page() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let text = fs::read_to_string(replayed()).unwrap();
    fs::write(here.join("old.json"), &text).unwrap();
    fs::write(
        here.join("new.json"),
        text.replacen("\"datapath\": \"fma\"", "\"datapath\": \"mixed\"", 1),
    )
    .unwrap();
    let run = line("diff {}/old.json {}/new.json --html {}/diff.html", here);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(
        run.stdout.contains("datapath: fma -> mixed"),
        "{}",
        run.stdout
    );
    let page = fs::read_to_string(here.join("diff.html")).unwrap();
    assert!(page.contains("Difference of reports") && page.contains("fma \u{2192} mixed"));
    let run = line("diff {}/old.json {}/old.json --html -", here).succeeded();
    assert!(
        run.stdout.starts_with("<!DOCTYPE html>") && run.stdout.contains("Equal: every figure.")
    );
    let text = format!("diff {0} {0} --html {{}}/sets.html", set().display());
    line(&text, here).succeeded();
    assert!(
        fs::read_to_string(here.join("sets.html"))
            .unwrap()
            .contains("Equal: every entry")
    );
    line("diff {}/old.json {}/old.json --json --html -", here).failed(2, &["standard output"]);
}

/// The browser, by `ACTFORGE_BROWSER` or by the names it usually has.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("ACTFORGE_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = std::env::split_paths(&path).flat_map(|directory| {
        ["chromium", "chromium-browser", "google-chrome"].map(|name| directory.join(name))
    });
    named.into_iter().chain(usual).find(|place| place.is_file())
}

/// How long the browser may take, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// Opens a page in a frame that leaves it `width` pixels, tries it out, and returns what was found. (A window of a
/// browser cannot be as narrow as a phone, a frame can.)
fn try_out(browser: &Path, page: &str, width: u32, further: &[&str]) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let script = include_str!("browser.js");
    let tried = page.replace("</body>", &format!("<script>{script}</script></body>"));
    fs::write(file("page.html"), tried).unwrap();
    let frame = format!(
        "<!DOCTYPE html><title>nothing</title><script>onmessage = event => {{ document.title = event.data; }}</script>\
         <iframe src=\"page.html\" style=\"border: 0; width: {width}px; height: 900px\"></iframe>"
    );
    fs::write(file("frame.html"), frame).unwrap();
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--hide-scrollbars",
        ])
        .args([
            "--disable-background-networking",
            "--enable-logging=stderr",
            "--dump-dom",
        ])
        .args(["--virtual-time-budget=10000", "--window-size=1400,1000"])
        .arg(format!("--user-data-dir={}", file("profile").display()))
        .args(further)
        .arg(format!("file://{}", file("frame.html").display()))
        .stdout(fs::File::create(file("dom")).unwrap())
        .stderr(fs::File::create(file("told")).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let told = fs::read(file("told")).unwrap();
    let told = String::from_utf8_lossy(&told);
    let complaints: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
    let dom = fs::read_to_string(file("dom")).unwrap();
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let title = title
        .unwrap()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&title).unwrap_or_else(|error| panic!("{error}: {title}: {told}"))
}

/// No error, no request, no text that is hard to read, no page wider than its window; sorting and stepping work.
#[test]
fn pages_work_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no chromium (ACTFORGE_BROWSER names one)");
        return;
    };
    let page = report(Path::new("-"), &[]).succeeded().stdout;
    for (width, further) in [(1280, [].as_slice()), (390, &["--force-dark-mode"])] {
        let found = try_out(&browser, &page, width, further);
        assert_eq!(
            (&found["width"], &found["overflow"]),
            (&width.into(), &0.into()),
            "{found}"
        );
        assert_eq!(found["loaded"], 0, "{found}");
        assert_eq!(found["contrast"], Value::Array(Vec::new()), "{found}");
        assert_eq!(found["dark"], !further.is_empty(), "{found}");
        assert_eq!(found["focusable"], 1, "{found}");
        assert_eq!(found["marked"], true, "{found}");
        let tip = found["tip"].as_str().unwrap();
        assert!(
            tip.starts_with("bucket ") && tip.contains(" max ulp "),
            "{tip}"
        );
        let column = |place: usize| -> Vec<f64> {
            let cells = found["sorted"][place].as_array().unwrap().iter();
            cells
                .map(|cell| cell.as_str().unwrap().parse().unwrap())
                .collect()
        };
        let (up, down) = (column(0), column(1));
        assert!(
            up.is_sorted() && down.iter().rev().is_sorted() && up.len() == 4,
            "{found}"
        );
    }
    // A page of differences, too.
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let text = fs::read_to_string(replayed()).unwrap();
    fs::write(here.join("old.json"), &text).unwrap();
    let edited = text.replacen("\"max_ulp\": 7", "\"max_ulp\": 6", 9);
    assert_ne!(edited, text);
    fs::write(here.join("new.json"), edited).unwrap();
    let page = line("diff {}/old.json {}/new.json --html -", here).stdout;
    assert!(page.contains("data-series=\"old\""));
    let found = try_out(&browser, &page, 390, &[]);
    assert_eq!(
        (&found["loaded"], &found["overflow"]),
        (&0.into(), &0.into()),
        "{found}"
    );
    assert_eq!(found["contrast"], Value::Array(Vec::new()), "{found}");
}
