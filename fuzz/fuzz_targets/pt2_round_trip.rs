//! A program that could be read is written, read and written again: both files are the same.
#![no_main]

use lanthorn_program::pt2::{load, save};

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let Ok(program) = load(file) else { return };
    let _ = program.to_json();
    // What the format or PyTorch lacks cannot be written.
    let Ok(written) = save(&program) else { return };
    let read = load(&written).unwrap_or_else(|error| panic!("{error}"));
    assert!(save(&read).is_ok_and(|again| again == written));
});
