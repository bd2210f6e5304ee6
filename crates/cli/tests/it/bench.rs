//! The GPU workloads of the benchmark with small sizes: each runs and returns a number.

use serde_json::Value;
use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanthorn"))
        .arg("bench")
        .args(arguments)
        .output()
        .expect("the binary was built for this test")
}

#[test]
fn every_workload_of_a_gpu_runs_when_it_is_small() {
    // The command fails if a workload returns an error, or a result that is not finite.
    let output = bench(&["--sizes", "gpu", "--shrink", "256", "--seconds", "0", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let workloads = report["workloads"].as_array().expect("a list");
    for outcome in workloads {
        let name = outcome["name"].as_str().expect("a name");
        if name.ends_with("Tf32") {
            assert!(outcome["skipped"].is_string(), "{outcome}");
        } else {
            assert!(outcome["ms"].as_f64().is_some_and(|time| time > 0.0), "{outcome}");
            assert!(outcome["bytes"].as_f64().is_some_and(|bytes| bytes > 0.0), "{outcome}");
        }
    }
    assert_eq!(workloads.len(), 26);
    for limit in ["bandwidth", "float32", "bfloat16"] {
        assert!(report["limits"][limit].as_f64().is_some_and(|rate| rate > 0.0), "{}", report["limits"]);
    }
    // Computed by hand: 8192 / 256 = 32, and 32 rows of 32 numbers are 4096 bytes of float32 and
    // 2048 of bfloat16.
    let work = |name: &str, what: &str| {
        workloads.iter().find(|outcome| outcome["name"] == name).map(|outcome| outcome[what].clone())
    };
    assert_eq!(work("softmax", "bytes"), Some((2.0 * 4096.0).into()));
    assert_eq!(work("matmul8192", "operations"), Some((2.0 * 32.0 * 32.0 * 32.0).into()));
    assert_eq!(work("matmul8192Bf16", "bytes"), Some((3.0 * 2048.0).into()));
}

#[test]
fn every_workload_of_a_language_model_runs_when_it_is_small() {
    let output = bench(&["--sizes", "models", "--shrink", "16", "--seconds", "0", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let workloads = report["workloads"].as_array().expect("a list");
    assert_eq!(workloads.len(), 12);
    let of = |name: &str, what: &str| {
        workloads
            .iter()
            .find(|outcome| outcome["name"] == name)
            .and_then(|outcome| outcome[what].as_f64())
            .expect("a number")
    };
    assert!(workloads.iter().all(|outcome| outcome["ms"].as_f64().is_some_and(|time| time > 0.0)), "{text}");
    // Computed by hand: six layers of 64 with 128 hidden units, and a head of 512 rows.
    assert_eq!(of("token", "operations"), 2.0 * (6.0 * (4.0 * 4096.0 + 3.0 * 8192.0) + 512.0 * 64.0));
    // 32 numbers take 128 bytes, or 18.
    assert!(of("tokenQ4_0", "bytes") < of("token", "bytes") / 6.0);
    assert_eq!(of("prompt512", "operations"), 32.0 * of("token", "operations"));
    // Two heads that share keys and values. The 8,016 rows of the vocabulary are padded to a
    // multiple of 64.
    let layer = 2.0 * 128.0 * (128.0 + 64.0) + 3.0 * 128.0 * 512.0;
    assert_eq!(of("token1B", "operations"), 2.0 * (16.0 * layer + 8064.0 * 128.0));
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let refused = |arguments: &[&str], why: &str| {
        let output = bench(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(why), "{error}");
    };
    refused(&["--sizes", "gpu", "mnist"], "there is no workload \"mnist\"; there are read, copy");
    refused(&["--shrink", "2"], "--shrink is for --sizes gpu and models");
    refused(&["--sizes", "gpu", "--shrink", "0"], "0 is not in 1..");
}
