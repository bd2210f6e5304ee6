//! Programs with randomly changed JSON are rejected or read. A program that is read and saved is
//! read as the same program again.

use lanthorn_io::{Format, zip};
use lanthorn_program::{passes::optimize, pt2};
use proptest::prelude::*;
use std::{fs, ops::Range, path::PathBuf};

const FILES: [&str; 4] =
    ["espcn/dynamic.pt2", "torch_cond/dynamic.pt2", "torch_while/static.pt2", "pointnet/train.pt2"];
const MODEL: &str = "models/model.json";

/// Tokens that exporters rarely write.
const ODD: [&str; 12] = [
    "null",
    "true",
    "-1",
    "0",
    "9223372036854775807",
    "-9223372036854775808",
    "1e999",
    "0.5",
    "\"\"",
    "\"s0\"",
    "[]",
    "{}",
];

/// Returns the ranges of the scalars, arrays and objects in a JSON text.
fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'[' | b'{' => open.push(start),
            b']' | b'}' => found.extend(open.pop().map(|start| start..at)),
            b'"' => {
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                // Keys do not change.
                if !text[at..].trim_start().starts_with(':') {
                    found.push(start..at);
                }
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                let is_inside = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E');
                at += bytes[at..].iter().take_while(|byte| is_inside(byte)).count();
                found.push(start..at);
            }
            _ => {}
        }
    }
    found
}

/// Replaces the text of the model in an archive.
fn with_model(file: &[u8], change: impl FnOnce(&str) -> String) -> Vec<u8> {
    let archive = zip::Archive::open(file, Format::Program).unwrap();
    let mut writer = zip::Writer::new(Format::Program);
    let mut change = Some(change);
    for entry in archive.entries() {
        let content = archive.read(entry).unwrap();
        match change.take_if(|_| entry.name.ends_with(MODEL)) {
            Some(change) => writer.add(&entry.name, change(std::str::from_utf8(&content).unwrap()).as_bytes()),
            None => writer.add(&entry.name, &content),
        }
        .unwrap();
    }
    writer.finish().unwrap()
}

/// Replaces a value by another value of the text, or by an odd one.
fn mutate(text: &str, target: usize, source: usize, odd: Option<usize>) -> String {
    let values = values(text);
    let target = values[target % values.len()].clone();
    let new = odd.map_or_else(|| &text[values[source % values.len()].clone()], |index| ODD[index]);
    // Bounds the growth of the text, which could double in each change.
    let new = if new.len() > 20_000 { "[]" } else { new };
    format!("{}{new}{}", &text[..target.start], &text[target.end..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_programs_are_refused_or_saved_and_read_again(
        file in 0..FILES.len(),
        changes in prop::collection::vec((any::<usize>(), any::<usize>(), prop::option::of(0..ODD.len())), 1..4),
    ) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models").join(FILES[file]);
        let bytes = with_model(&fs::read(path).unwrap(), |text| {
            changes.iter().fold(text.to_string(), |text, &(target, source, odd)| mutate(&text, target, source, odd))
        });
        let Ok(mut program) = pt2::load(&bytes) else { return Ok(()) };
        optimize(&mut program.graph);
        let _ = (program.to_json(), program.graph.to_string());
        let Ok(saved) = pt2::save(&program) else { return Ok(()) };
        let again = pt2::load(&saved);
        prop_assert!(again.is_ok(), "{}", again.unwrap_err());
        prop_assert!(pt2::save(&again.unwrap()).unwrap() == saved, "the same program is another file");
    }
}

#[test]
fn a_file_of_the_same_text_is_the_same_program() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models").join(FILES[0]);
    let file = fs::read(path).unwrap();
    let same = with_model(&file, str::to_string);
    assert_eq!(pt2::load(&same).unwrap().to_json(), pt2::load(&file).unwrap().to_json());
}
