//! The content of a file is written, read back, and compared.
#![no_main]

use lanthorn_io::{load, pytorch};

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let Ok(value) = load(file) else { return };
    let Ok(written) = pytorch::save(&value) else { return };
    // Compared as written bytes, because NaN does not equal itself.
    let read = load(&written).unwrap_or_else(|error| panic!("{error}"));
    assert!(pytorch::save(&read).is_ok_and(|again| again == written));
});
