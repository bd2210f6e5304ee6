//! `lanthorn run` and the readers of the commands' output, as a user calls them.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

fn test_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(path)
}

fn lanthorn(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanthorn"));
    command.args(arguments);
    command
}

fn words(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_program_is_computed_without_a_file_for_its_results() {
    let (program, inputs) = (test_file("models/espcn/dynamic.pt2"), test_file("models/espcn/io-dynamic.safetensors"));
    let (program, inputs) = (program.to_str().unwrap(), inputs.to_str().unwrap());
    let output = lanthorn(&["run", program, "--inputs", inputs]).output().unwrap();
    let (out, err) = words(&output);
    assert!(output.status.success() && out.starts_with("outputs.") && out.contains(": float32 ["), "{out}{err}");
    // Without its input nothing can be computed.
    let output = lanthorn(&["run", program]).output().unwrap();
    let (out, err) = words(&output);
    assert!(!output.status.success() && !err.is_empty(), "{out}{err}");
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn a_reader_that_goes_ends_a_command_quietly() {
    let file = test_file("pytorch/files/gpt.pt");
    let file = file.to_str().unwrap();
    for arguments in
        [&["inspect", file, "--metadata"][..], &["ops"], &["ops", "--markdown"], &["modules"], &["optimizers"]]
    {
        let mut child = lanthorn(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        // The pipe is closed after the first line, or before it.
        if arguments[0] != "modules" {
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        }
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), words(&output).1), (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn values_of_other_classes_are_left_out_and_listed() {
    let file = test_file("pytorch/old/objects.pt");
    let file = file.to_str().unwrap();
    assert!(words(&lanthorn(&["inspect", file]).output().unwrap()).1.contains("argparse.Namespace (args)"));
    let (out, _) = words(&lanthorn(&["inspect", file, "--tensors-only"]).output().unwrap());
    assert!(
        out.contains("left out: args argparse.Namespace\n") && out.contains("PyTorch checkpoint: 2 tensors"),
        "{out}"
    );
    let made = std::env::temp_dir().join(format!("lanthorn-left-out-{}.pt", std::process::id()));
    let output = lanthorn(&["convert", file, made.to_str().unwrap(), "--tensors-only"]).output().unwrap();
    assert!(
        output.status.success() && words(&output).1.contains("left out: when datetime.date"),
        "{:?}",
        words(&output)
    );
    assert!(lanthorn(&["inspect", made.to_str().unwrap()]).output().unwrap().status.success());
    std::fs::remove_file(made).unwrap();
}
