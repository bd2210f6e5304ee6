//! The binary as a user runs it.

use std::process::{Command, Output};

fn lanthorn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanthorn")).args(arguments).output().expect("the binary was built for this test")
}

fn trains_on(device: &str) {
    let output = lanthorn(&["train", "digits", "--device", device]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&format!("device: {device}")), "{text}");
    let accuracy = text.lines().find_map(|line| line.strip_prefix("accuracy: ")).expect("the accuracy is printed");
    assert!(accuracy.parse::<f64>().expect("a number") >= 0.96, "{text}");
}

#[test]
fn trains_on_the_cpu() {
    trains_on("cpu");
}

#[test]
fn trains_on_webgpu() {
    trains_on("wgpu");
}

#[test]
fn a_device_that_does_not_exist_is_named() {
    let output = lanthorn(&["train", "digits", "--device", "abacus"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no device \"abacus\""));
}

#[test]
fn lists_the_operations() {
    let text = String::from_utf8_lossy(&lanthorn(&["ops"]).stdout).into_owned();
    let softmax = text.lines().find(|line| line.starts_with("softmax ")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = softmax.split_whitespace().collect();
    assert_eq!(words[1..4], ["composite", "fused_reduction", "autograd"], "{softmax}");
    assert!(softmax.contains("softmax(Tensor self, int dim"), "{softmax}");
    let page = String::from_utf8_lossy(&lanthorn(&["ops", "softsign", "--markdown"]).stdout).into_owned();
    assert!(
        page.contains("## `softsign`\n`softsign(Tensor self) -> Tensor`") && page.contains("which approaches -1 and 1"),
        "{page}"
    );
}
