//! Writes the archives of `torch.export.save`.
//!
//! The files match PyTorch 2.15: the graph in JSON, and a raw record for each tensor, which tied
//! entries of the state share. The writer omits information that `torch.export.load` does not need:
//! how symbols depend on each other, and stack traces. The bytes depend only on the program.

mod arguments;
mod complex;
mod graph;
mod metas;
mod names;
mod payload;
mod samples;
mod signature;
mod targets;

use crate::{Error, ExportedProgram, Result, graph::Target, json::Json};
use graph::Writer;
use lanthorn_io::{Format, zip};

/// The version of the schema to write.
const SCHEMA: (i64, i64) = (super::SCHEMA_MAJOR, 20);

/// The version of ATen's operators.
const ATEN_VERSION: i64 = 10;

/// The version of PyTorch that writes such files.
const TORCH_VERSION: &str = "2.15.0";

/// The folder of all entries.
const ROOT: &str = "model";

/// Returns a file that `torch.export.load` reads.
///
/// # Errors
///
/// [`Error::Malformed`] for an invalid graph, for values without a description, and for names that
/// are not identifiers; [`Error::Unsupported`] for features that the format or PyTorch lacks;
/// [`Error::File`] beyond 4 GiB.
pub fn save(program: &ExportedProgram) -> Result<Vec<u8>> {
    program.check_graph()?;
    for node in &program.graph.nodes {
        if let Target::Operator { set, .. } = node.target {
            let message = format!("{} in a .pt2, which has PyTorch's operators; it is saved as .{set}", node.target);
            return Err(Error::unsupported(message));
        }
    }
    let model = model(program)?;
    let weights = payload::weights(program)?;
    let constants = payload::constants(program)?;
    let mut archive = zip::Writer::new(Format::Program);
    let mut add = |name: &str, bytes: &[u8]| archive.add(&format!("{ROOT}/{name}"), bytes);
    for payload in [&weights, &constants] {
        for (name, bytes) in &payload.records {
            add(name, bytes)?;
        }
        add(payload.config_name, payload.config.to_string().as_bytes())?;
    }
    add("models/model.json", model.to_string().as_bytes())?;
    add("data/sample_inputs/model.pt", &samples::inputs(program)?)?;
    add("archive_format", b"pt2")?;
    add("archive_version", b"0")?;
    add(".data/version", b"6\n")?;
    add("byteorder", b"little")?;
    Ok(archive.finish()?)
}

/// `models/model.json`.
fn model(program: &ExportedProgram) -> Result<Json> {
    let graph = Writer::new(program).program()?;
    let end = |end: Option<i64>| end.map_or(Json::Null, Json::Int);
    let mut ranges: Vec<(String, Json)> = Vec::new();
    for (symbol, range) in &program.ranges {
        metas::check_symbol(symbol)?;
        let range = Json::object([("min_val", end(range.min)), ("max_val", end(range.max))]);
        ranges.push((symbol.clone(), range));
    }
    ranges.sort_by(|(a, _), (b, _)| a.cmp(b));
    let module = Json::object([
        ("graph", graph),
        ("signature", signature::specs(program)?),
        ("module_call_graph", signature::module_calls(program)?),
        ("metadata", Json::Object(vec![])),
        ("treespec_namedtuple_fields", signature::named_tuples(program)),
    ]);
    let version = Json::object([("major", Json::Int(SCHEMA.0)), ("minor", Json::Int(SCHEMA.1))]);
    Ok(Json::object([
        ("graph_module", module),
        ("opset_version", Json::object([("aten", Json::Int(ATEN_VERSION))])),
        ("range_constraints", Json::Object(ranges)),
        ("schema_version", version),
        // The graph may contain in-place operators.
        ("verifiers", Json::Array(vec![string("TRAINING")])),
        ("torch_version", string(TORCH_VERSION)),
        ("guards_code", Json::Array(vec![])),
    ]))
}

fn string(text: impl Into<String>) -> Json {
    Json::Str(text.into())
}

/// Returns an object with one entry, which is the schema's form of a union.
fn union(key: &str, value: Json) -> Json {
    Json::Object(vec![(key.to_string(), value)])
}

/// `{"name": …}`
fn name_object(name: &str) -> Json {
    Json::object([("name", string(name))])
}

/// The error for a feature that PyTorch or its format lacks.
fn cannot_save(what: impl std::fmt::Display) -> Error {
    Error::unsupported(format!("save: {what}"))
}

/// The error for an invalid program.
fn invalid(what: impl std::fmt::Display) -> Error {
    Error::malformed(format!("save: {what}"))
}
