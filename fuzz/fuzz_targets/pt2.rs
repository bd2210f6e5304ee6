//! Any bytes as an exported program, which is saved again and read, and any JSON as its graph. Use the files of `tests/models` as
//! the initial corpus.
#![no_main]

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    if let Ok(program) = lanthorn_program::pt2::load(file) {
        let _ = program.graph.to_string();
        if let Ok(saved) = lanthorn_program::pt2::save(&program) {
            lanthorn_program::pt2::load(&saved).expect("what is saved can be read");
        }
    }
    if let Ok(text) = std::str::from_utf8(file) {
        let _ = lanthorn_program::graph::Size::parse(text);
        let _ = lanthorn_program::graph::Tree::parse(text, &|_| None);
    }
});
