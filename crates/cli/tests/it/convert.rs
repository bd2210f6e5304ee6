//! `lanthorn convert` as a user calls it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn convert(input: &Path, output: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanthorn"))
        .arg("convert")
        .arg(input)
        .arg(output)
        .arg("--optimize")
        .output()
        .unwrap()
}

fn inspect(file: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lanthorn")).arg("inspect").arg(file).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn test_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(path)
}

#[test]
fn programs_and_tensors_become_files_of_other_formats() {
    let folder = std::env::temp_dir().join(format!("lanthorn-convert-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = test_file("models/pointnet/train.pt2");
    let cases = [
        (program.clone(), "saved.pt2", "PyTorch program: "),
        (program.clone(), "saved.onnx", "ONNX"),
        (folder.join("saved.onnx"), "again.onnx", "ONNX"),
        (program, "state.safetensors", "safetensors: "),
        (test_file("pytorch/files/gpt.pt"), "gpt.npz", "npz: 31 tensors"),
        (test_file("pytorch/files/resnet.safetensors"), "resnet.pt", "PyTorch checkpoint: 44 tensors"),
    ];
    for (input, name, expected) in cases {
        let output = convert(&input, &folder.join(name));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let listing = inspect(&folder.join(name));
        assert!(listing.lines().last().unwrap().starts_with(expected), "{name}: {listing}");
    }
    assert!(inspect(&folder.join("state.safetensors")).contains("running_mean"));
    let refusals = [
        ("models/espcn/dynamic.pt2", "state.txt", "end the name in"),
        ("pytorch/files/gpt.pt", "gpt.pt2", "only a program"),
        ("pytorch/files/training.pt", "training.safetensors", "takes tensors by name"),
    ];
    for (input, name, reason) in refusals {
        let output = convert(&test_file(input), &folder.join(name));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(reason), "{said}");
        assert!(!folder.join(name).exists());
    }
    std::fs::remove_dir_all(folder).unwrap();
}
