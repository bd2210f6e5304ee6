//! Tests of the runner: errors in a file, or in the list of known misses, are noticed.

use lanthorn_conformance::golden::{
    self, GoldenReport, Strictness,
    known::{KnownMiss, parse},
};
use serde_json::{Value as Json, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A copy of one golden file in a separate folder.
struct Copy {
    folder: PathBuf,
    name: &'static str,
}

impl Copy {
    fn of(name: &'static str, test: &str) -> Copy {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        fs::create_dir_all(&folder).unwrap();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/ops");
        for ending in ["json", "safetensors"] {
            let file = format!("{name}.{ending}");
            fs::copy(from.join(&file), folder.join(&file)).unwrap();
        }
        Copy { folder, name }
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    fn edit(&self, change: impl FnOnce(&mut Json)) {
        let mut json: Json = serde_json::from_slice(&fs::read(self.path("json")).unwrap()).unwrap();
        change(&mut json);
        fs::write(self.path("json"), json.to_string()).unwrap();
    }

    fn json(&self) -> Json {
        serde_json::from_slice(&fs::read(self.path("json")).unwrap()).unwrap()
    }

    /// Adds to the first element of a float32 tensor.
    fn perturb(&self, tensor: &str, amount: f32) {
        let mut bytes = fs::read(self.path("safetensors")).unwrap();
        let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let json: Json = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
        assert_eq!(json[tensor]["dtype"], "F32");
        let at = 8 + header + json[tensor]["data_offsets"][0].as_u64().unwrap() as usize;
        let element = &mut bytes[at..at + 4];
        let value = f32::from_le_bytes(element.try_into().unwrap());
        element.copy_from_slice(&(value + amount).to_le_bytes());
        fs::write(self.path("safetensors"), bytes).unwrap();
    }

    fn run(&self, known: &[KnownMiss]) -> GoldenReport {
        golden::check(&self.folder, &|| Ok(lanthorn::cpu()), Strictness::Strict, known, |_| true).unwrap()
    }
}

#[test]
fn a_file_as_it_is_holds() {
    let report = Copy::of("sin", "golden_as_it_is").run(&[]);
    assert_eq!((report.failed_count(), report.skipped_count()), (0, 0), "{report}");
    assert!(report.passed_count() >= 20, "{report}");
}

#[test]
fn a_wrong_value_fails_where_it_is_used() {
    let copy = Copy::of("sin", "golden_wrong_value");
    copy.perturb(copy.json()["samples"][0]["out"]["ref"].as_str().unwrap(), 1e-4);
    let failures = copy.run(&[]).failures();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].starts_with("sin/0/value: element 0 of"), "{failures:?}");
    assert!(failures[1].starts_with("sin/0/in_place: element 0 of"), "{failures:?}");
}

#[test]
fn a_wrong_gradient_fails() {
    let copy = Copy::of("matmul", "golden_wrong_gradient");
    copy.perturb(copy.json()["samples"][0]["gin"][1].as_str().unwrap(), 1e-3);
    let failures = copy.run(&[]).failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].starts_with("matmul/0/gradient: of input 1: element 0 of"), "{failures:?}");
}

#[test]
fn a_wrong_double_gradient_fails() {
    let copy = Copy::of("exp", "golden_wrong_double_gradient");
    let samples = copy.json()["samples"].clone();
    let sample = samples.as_array().unwrap().iter().find(|sample| sample.get("gradgrad").is_some()).unwrap();
    copy.perturb(sample["gradgrad"]["ggout"][0].as_str().unwrap(), 0.01);
    let failures = copy.run(&[]).failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].contains("/double_gradient: of input 1"), "{failures:?}");
}

#[test]
fn a_call_that_ought_to_throw_and_does_not_fails() {
    let copy = Copy::of("mm", "golden_no_error");
    copy.edit(|json| {
        let good = json["samples"][0]["args"].clone();
        json["errors"] = json!([{"args": good, "kwargs": {}, "torch_says": "no"}]);
    });
    let failures = copy.run(&[]).failures();
    assert_eq!(failures, ["mm/0/error: must throw; PyTorch says \"no\""]);
}

#[test]
fn an_op_that_is_missing_fails_every_check() {
    let copy = Copy::of("mm", "golden_missing");
    let checks = copy.run(&[]).passed_count();
    copy.edit(|json| json["op"] = "no_such_op".into());
    let report = copy.run(&[]);
    assert_eq!((report.passed_count(), report.failed_count(), report.skipped_count()), (0, checks, 0));
    assert!(report.failures().iter().all(|line| line.ends_with("there is no op no_such_op")));
}

#[test]
fn known_misses_are_skipped_while_they_fail_and_fail_once_they_pass() {
    let copy = Copy::of("sin", "golden_known");
    copy.perturb(copy.json()["samples"][0]["out"]["ref"].as_str().unwrap(), 1e-4);
    let known = parse("sin/0/*: a number was changed\nsin/1/value: nothing was", "cpu").unwrap();
    let report = copy.run(&known);
    // The value and the in-place form of sample 0 are wrong; its gradient and sample 1 are right.
    assert_eq!(report.skipped_count(), 2, "{report}");
    let failures = report.failures();
    assert!(failures.iter().all(|line| line.contains("remove it from the list of known misses")), "{failures:?}");
    assert!(
        failures.iter().any(|line| line.starts_with("sin/0/gradient"))
            && failures.iter().any(|line| line.starts_with("sin/1/value"))
    );
    assert_eq!(report.stale().count(), 2);
    assert_eq!(report.to_json("cpu", "strict")["skipped"], 2);
}

#[test]
fn a_file_that_cannot_be_read_fails() {
    let copy = Copy::of("sin", "golden_broken");
    fs::write(copy.path("safetensors"), b"short").unwrap();
    assert_eq!(copy.run(&[]).failed_count(), 1);
    copy.edit(|json| json["samples"] = "none".into());
    assert!(copy.run(&[]).failures()[0].starts_with("sin.json: "));
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden_empty");
    fs::create_dir_all(&empty).unwrap();
    let none = golden::check(&empty, &|| Ok(lanthorn::cpu()), Strictness::Strict, &[], |_| true);
    assert!(none.unwrap_err().contains("there are no golden files here"));
}
