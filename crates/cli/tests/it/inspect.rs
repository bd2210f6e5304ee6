//! `lanthorn inspect` as a user calls it.

use std::{
    path::Path,
    process::{Command, Output},
};

fn inspect(file: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanthorn")).arg("inspect").arg(file).args(options).output().unwrap()
}

fn pytorch_file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pytorch/files").join(name)
}

/// Returns the columns of the line that begins with this name.
fn row(output: &Output, name: &str) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let line = text
        .lines()
        .find(|line| line.split("  ").next() == Some(name))
        .unwrap_or_else(|| panic!("no {name} in\n{text}"));
    line.split("  ").map(|column| column.trim().to_string()).filter(|column| !column.is_empty()).collect()
}

#[test]
fn lists_the_tensors_of_every_format() {
    let cases = [
        ("resnet.safetensors", vec!["fc.weight", "float32", "[10, 8]", "320"], "safetensors: 44 tensors"),
        ("gpt.pt", vec!["h.0.mask", "bool", "[8, 8]", "64"], "PyTorch checkpoint: 31 tensors"),
        ("deflated.npz", vec!["fortran3", "int16", "[2, 3, 4]", "48"], "npz: 8 tensors"),
        ("quantized.gguf", vec!["Q4_K", "Q4_K", "[2, 512]", "576"], "GGUF: 15 tensors"),
    ];
    for (file, expected, total) in cases {
        let output = inspect(&pytorch_file(file), &[]);
        assert!(output.status.success(), "{file}");
        assert_eq!(row(&output, expected[0]), expected, "{file}");
        assert!(String::from_utf8_lossy(&output.stdout).lines().last().unwrap().starts_with(total), "{file}");
    }
}

#[test]
fn prints_metadata_where_it_is_wanted() {
    let output = inspect(&pytorch_file("training.pt"), &["--metadata"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("optimizer.param_groups.0.betas.1: 0.999\n"), "{text}");
}

#[test]
fn says_why_a_file_is_refused() {
    let whole = std::fs::read(pytorch_file("resnet.safetensors")).unwrap();
    let folder = std::env::temp_dir().join(format!("lanthorn-inspect-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let truncated = folder.join("truncated.safetensors");
    std::fs::write(&truncated, &whole[..whole.len() - 1]).unwrap();
    let text = folder.join("text.pt");
    std::fs::write(&text, "no tensors").unwrap();
    let cases = [
        (truncated, "safetensors: malformed at byte 11671: the file has 11671 bytes, its header tells of 11672"),
        (pytorch_file("refused.pt"), "not supported: the checkpoint holds a pathlib.PurePosixPath"),
        (pytorch_file("objects.npy"), "not supported: an array of element type \"|O\""),
        (text, "the file is none of safetensors"),
        (folder.join("absent"), "No such file"),
    ];
    for (file, reason) in cases {
        let output = inspect(&file, &[]);
        assert_eq!(output.status.code(), Some(1), "{}", file.display());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(reason), "{said}");
        assert!(output.stdout.is_empty(), "{}", file.display());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Returns a safetensors file of one float32 element with this name, shape and metadata.
fn one_element(name: &str, shape: &str, note: &str) -> Vec<u8> {
    let header = format!(
        r#"{{"__metadata__":{{"note":"{note}"}},"{name}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[0,4]}}}}"#
    );
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 4]].concat()
}

#[test]
fn texts_and_shapes_of_any_length_are_shortened() {
    let file = std::env::temp_dir().join(format!("lanthorn-inspect-long-{}.safetensors", std::process::id()));
    let dimensions = vec!["1"; 1_000_000].join(",");
    for (name, shape, note) in [
        ("weight", dimensions.as_str(), "short"),
        (&"n".repeat(1_000_000), "1", "short"),
        (&"\u{1}".repeat(100_000).replace('\u{1}', "\\u0001"), "1", "short"),
        ("weight", "1", &"m".repeat(1_000_000)),
    ] {
        std::fs::write(&file, one_element(name, shape, note)).unwrap();
        let output = inspect(&file, &["--metadata"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.len() < 6000 && text.ends_with("safetensors: 1 tensors, 4 bytes\n"), "{}", text.len());
        assert!(text.contains("characters) ..."), "{text}");
    }
    // A message that quotes the file is shortened too.
    std::fs::write(&file, one_element("weight", &dimensions.replace('1', "2"), "short")).unwrap();
    let output = inspect(&file, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.len() < 2000, "{} bytes", output.stderr.len());
    std::fs::remove_file(file).unwrap();
}
