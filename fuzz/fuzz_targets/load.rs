//! Any bytes as a file of any format. Use the files of `tests/pytorch/files` as the initial corpus.
#![no_main]

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    let _ = lanthorn_io::inspect(file);
    let _ = lanthorn_io::load(file);
});
