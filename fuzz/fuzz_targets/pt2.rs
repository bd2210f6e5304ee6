//! Any bytes as an exported program, and any text as its graph, in an archive without tensors. Use the
//! files of `tests/models`, and their entries `models/model.json`, as the initial corpus.
#![no_main]

use lanthorn_io::{Format, zip};
use lanthorn_program::{graph, passes::optimize, pt2};

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    read(file);
    let Ok(text) = std::str::from_utf8(file) else { return };
    let _ = graph::Size::parse(text);
    let _ = graph::Tree::parse(text, &|_| None);
    let mut archive = zip::Writer::new(Format::Program);
    let entries = [
        ("model/models/model.json", file),
        ("model/data/weights/model_weights_config.json", br#"{"config":{}}"#),
        ("model/data/constants/model_constants_config.json", br#"{"config":{}}"#),
    ];
    if entries.iter().all(|(name, content)| archive.add(name, content).is_ok())
        && let Ok(archive) = archive.finish()
    {
        read(&archive);
    }
});

fn read(file: &[u8]) {
    let Ok(mut program) = pt2::load(file) else { return };
    optimize(&mut program.graph);
    let _ = (program.graph.to_string(), program.to_json());
    // What the format or PyTorch lacks cannot be written.
    let Ok(written) = pt2::save(&program) else { return };
    let again = pt2::load(&written).unwrap_or_else(|error| panic!("{error}"));
    assert!(pt2::save(&again).is_ok_and(|again| again == written));
}
