//! The C that `actforge export --format c` writes: compiled without a warning, it gives the engine's bits.
//!
//! The sets are the samples, and samples with random flips in every table: thresholds that overlap, comparisons off,
//! folds changed, coefficients that are NaN, fields extracted from low bits. What a set holds is beside the point here.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use actforge_engine::{EngineConfig, Function, Trace, parametric_relu};
use actforge_tables::export::c_source;
use actforge_tables::{Bucket, ControlWord, Datapath, FunctionSet, Profile, RegionKind};
use actforge_tests::random::Random;
use actforge_tests::samples;
use tempfile::TempDir;

/// The samples, as they fit the target: every kind of fold and region in the first, a great octave range in the second.
const SOUND: [&[&str]; 3] = [
    &[
        "relu", "sigmoid", "tanh", "sin", "gelu", "square", "abs", "exp",
    ],
    &["sqrt", "softplus", "silu"],
    &["derivative_silu", "relu"],
];

/// Damaged sets beside the sound ones.
const DAMAGED: u64 = 6;

fn sound(place: usize) -> FunctionSet {
    let mut set =
        samples::set(SOUND[place % SOUND.len()], Datapath::Mixed).expect("the samples fit");
    set.name = format!("sound.{place}");
    set
}

/// A set with many flips that leave it valid.
fn damaged(seed: u64) -> FunctionSet {
    let mut random = Random::new(seed);
    let mut set = sound(seed as usize);
    set.name = format!("damaged-{seed}");
    let mut flips = 0;
    while flips < 60 {
        let mut candidate = set.clone();
        if flip(&mut candidate, &mut random).is_some() && candidate.validate().is_ok() {
            set = candidate;
            flips += 1;
        }
    }
    set
}

/// One change somewhere; `None` when the choice hits nothing that exists.
fn flip(set: &mut FunctionSet, random: &mut Random) -> Option<()> {
    match random.below(4) {
        0 => {
            let place = random.below(set.buckets.len() as u32) as usize;
            let bucket = set.buckets.get_mut(place)?;
            let mut words = bucket.to_words();
            *words.get_mut(random.below(5) as usize)? ^= 1 << random.below(32);
            *bucket = Bucket::from_words(words);
        }
        1 => {
            let place = random.below(set.control.len() as u32) as usize;
            let word = set.control.get_mut(place)?;
            *word = ControlWord::decode(word.encode().ok()? ^ 1 << random.below(20)).ok()?;
        }
        2 => {
            let place = random.below(set.profiles.len() as u32) as usize;
            flip_profile(set.profiles.get_mut(place)?, random)?;
        }
        // All of them together in one function: the flips above rarely meet.
        _ => {
            let place = random.below(set.profiles.len() as u32) as usize;
            let profile = set.profiles.get_mut(place)?;
            for _ in 0..4 {
                flip_profile(profile, random)?;
            }
        }
    }
    Some(())
}

fn flip_profile(profile: &mut Profile, random: &mut Random) -> Option<()> {
    let kind = *RegionKind::ALL.get(random.below(4) as usize)?;
    match random.below(8) {
        0 => profile.region_mut(kind).compare ^= true,
        1 => profile.region_mut(kind).mantissa_threshold ^= 1 << random.below(23),
        2 => {
            let threshold = match kind {
                RegionKind::LargePositive => &mut profile.large_pos_signal_threshold,
                RegionKind::LargeNegative => &mut profile.large_neg_signal_threshold,
                RegionKind::SmallPositive => &mut profile.small_pos_signal_threshold,
                RegionKind::SmallNegative => &mut profile.small_neg_signal_threshold,
            };
            *threshold ^= 1 << random.below(8);
        }
        3 => profile.symmetry_point = f32::from_bits(random.bits()),
        4 => profile.func_sym_inv_sign ^= 1,
        5 => profile.symmetry_opt_use_neg_region ^= 1,
        6 => {
            let special = match random.below(4) {
                0 => &mut profile.func_rslt_for_zero,
                1 => &mut profile.func_rslt_for_nan,
                2 => &mut profile.func_rslt_for_pos_inf,
                _ => &mut profile.func_rslt_for_neg_inf,
            };
            *special = f32::from_bits(random.bits());
        }
        _ => match random.below(12) {
            0 => profile.pwl_bypass ^= true,
            _ => profile.symmetry_opt_en ^= 1,
        },
    }
    Some(())
}

/// The sets, and a program that evaluates in them.
struct Program {
    sets: Vec<FunctionSet>,
    path: PathBuf,
    _directory: TempDir,
}

/// What the program is asked: set, function, datapath and switches, input.
type Question = [u32; 4];

impl Program {
    fn build() -> Self {
        let sets: Vec<FunctionSet> = (0..SOUND.len())
            .map(sound)
            .chain((0..DAMAGED).map(damaged))
            .collect();
        let directory = tempfile::tempdir().expect("a directory");
        let mut sources = Vec::new();
        let mut main = String::new();
        let mut names = String::new();
        for set in &sets {
            for file in c_source(set).expect("a valid set") {
                fs::write(directory.path().join(&file.name), &file.bytes).expect("written");
                if file.name.ends_with(".c") && !sources.contains(&file.name) {
                    sources.push(file.name);
                }
            }
            let name = set.name.replace(['-', '.'], "_");
            main += &format!("#include \"set_{name}.h\"\n");
            names += &format!("&set_{name}, ");
        }
        main += &format!("static const struct actforge_set *const sets[] = {{{names}}};\n");
        main += include_str!("export/main.c");
        fs::write(directory.path().join("main.c"), main).expect("written");
        sources.push("main.c".to_owned());
        let path = directory.path().join("evaluate");
        let compiler = Command::new("cc")
            .current_dir(directory.path())
            .args("-std=c11 -Wall -Wextra -Werror -pedantic -O2 -ffp-contract=off".split(' '))
            .args(&sources)
            .arg("-o")
            .arg(&path)
            .arg("-lm")
            .output()
            .expect("make setup asks for cc");
        let complaints = String::from_utf8_lossy(&compiler.stderr);
        assert!(
            compiler.status.success() && complaints.is_empty(),
            "{complaints}"
        );
        Self {
            sets,
            path,
            _directory: directory,
        }
    }

    /// Result, bucket and status of each question.
    fn ask(&self, questions: &[Question]) -> Vec<[u32; 3]> {
        let bytes: Vec<u8> = questions
            .iter()
            .flatten()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let mut child = spawn(&self.path);
        let mut stdin = child.stdin.take().expect("a pipe");
        // Questions and answers flow at the same time: neither pipe fills up.
        let writer = std::thread::spawn(move || stdin.write_all(&bytes));
        let output = child.wait_with_output().expect("the program runs");
        writer.join().expect("no panic").expect("all was read");
        assert!(output.status.success(), "{}", output.status);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        let answers: Vec<[u32; 3]> = output
            .stdout
            .chunks_exact(12)
            .map(|answer| [0, 4, 8].map(|at| word(&answer[at..at + 4])))
            .collect();
        assert_eq!(answers.len(), questions.len());
        answers
    }

    /// Compares `inputs` of one function, all in one configuration.
    fn compare(&self, place: [usize; 2], config: EngineConfig, inputs: &[u32]) {
        let [set_index, index] = place;
        let set = &self.sets[set_index];
        let entry = &set.functions[index];
        let function = match Function::from_set(set, entry, config) {
            Ok(function) => function,
            // Without the branch a NaN may lead outside the table, which the engine refuses altogether.
            Err(error) => {
                assert!(!config.nan_branch, "{}: {error}", entry.name);
                return;
            }
        };
        let datapath = Datapath::ALL
            .iter()
            .position(|known| *known == config.datapath)
            .expect("one of all") as u32;
        let switches =
            datapath | u32::from(config.flush_subnormals) << 2 | u32::from(config.nan_branch) << 3;
        let questions: Vec<Question> = inputs
            .iter()
            .map(|input| [set_index as u32, index as u32, switches, *input])
            .collect();
        for (input, answer) in inputs.iter().zip(self.ask(&questions)) {
            let trace: Trace = function.trace(f32::from_bits(*input));
            let bucket = trace.bucket_index().unwrap_or(u32::MAX);
            assert_eq!(
                answer,
                [trace.result.to_bits(), bucket, 0],
                "set {}, function {}, {config:?}, input {input:#010x}, {:?}",
                set.name,
                entry.name,
                trace.route
            );
        }
    }
}

fn spawn(path: &Path) -> std::process::Child {
    Command::new(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Both ends, their neighbours and the middle of every run: buckets, regions, specials.
fn edges(set: &FunctionSet, index: usize) -> Vec<u32> {
    let entry = &set.functions[index];
    let function = Function::from_set(set, entry, EngineConfig::default()).expect("a valid set");
    let mut inputs = vec![0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0x0080_0000, 1];
    for run in function.runs().take(20_000) {
        let middle = run.first + (run.last - run.first) / 2;
        inputs.extend([
            run.first,
            run.last,
            middle,
            run.first.wrapping_add(1),
            run.last.wrapping_sub(1),
        ]);
    }
    inputs
}

/// `count` inputs, half of them any bits, half of them where tables are.
fn random_inputs(random: &mut Random, count: usize) -> Vec<u32> {
    (0..count)
        .map(|place| match place % 2 {
            0 => random.bits(),
            _ => random.between(-24.0, 24.0).to_bits(),
        })
        .collect()
}

/// Every function of every set in every datapath: all edges, and `count` random inputs a datapath.
fn agree(count: usize) {
    let program = Program::build();
    let mut random = Random::new(17);
    let places: Vec<[usize; 2]> = program
        .sets
        .iter()
        .enumerate()
        .flat_map(|(set, tables)| (0..tables.functions.len()).map(move |index| [set, index]))
        .collect();
    let share = count.div_ceil(places.len());
    for place in places {
        let edges = edges(&program.sets[place[0]], place[1]);
        for datapath in Datapath::ALL {
            let inputs = [edges.clone(), random_inputs(&mut random, share)].concat();
            program.compare(place, EngineConfig::from(datapath), &inputs);
        }
        // The other readings of the hardware, once each.
        for (flush_subnormals, nan_branch) in [(true, true), (false, false)] {
            let config = EngineConfig {
                datapath: Datapath::Fma,
                flush_subnormals,
                nan_branch,
            };
            program.compare(place, config, &edges);
        }
    }
}

#[test]
fn the_evaluator_gives_the_bits_of_the_engine() {
    agree(100_000);
}

#[test]
#[ignore = "minutes: 10^7 inputs in each datapath"]
fn the_evaluator_gives_the_bits_of_the_engine_on_ten_million_inputs() {
    agree(10_000_000);
}

#[test]
fn parametric_relu_has_its_slope_at_run_time() {
    let program = Program::build();
    let mut random = Random::new(3);
    let operands: Vec<[u32; 2]> = (0..10_000)
        .map(|_| [random.bits(), random.bits()])
        .collect();
    let questions: Vec<Question> = operands
        .iter()
        .map(|[v, alpha]| [u32::MAX, *alpha, 0, *v])
        .collect();
    for ([v, alpha], answer) in operands.iter().zip(program.ask(&questions)) {
        let expected = parametric_relu(f32::from_bits(*v), f32::from_bits(*alpha));
        assert_eq!(answer[0], expected.to_bits(), "{v:#010x} {alpha:#010x}");
    }
}

/// Names, the float interface and the look-up by an instruction's fields.
#[test]
fn functions_are_found_by_name_and_by_instruction() {
    let program = Program::build();
    let output = Command::new(&program.path).arg("find").output();
    let output = output.expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut expected = String::new();
    for set in &program.sets {
        for entry in &set.functions {
            let function = Function::from_set(set, entry, EngineConfig::from(set.datapath));
            let result = function.expect("a valid set").eval(0.5).to_bits();
            expected += &format!(
                "{} {} {} {result:08x}\n",
                set.name, entry.name, entry.func_id
            );
        }
    }
    assert_eq!(text, expected);
}
