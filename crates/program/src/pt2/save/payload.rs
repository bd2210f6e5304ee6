//! The records of tensors. As in PyTorch's state dict, parameters and persistent buffers are
//! weights, and all others are constants. Tied entries share a record.

use super::{invalid, metas, string};
use crate::{
    ExportedProgram, Result, State, StateKind,
    graph::{Size, TensorMeta},
    json::Json,
};
use lanthorn_io::TensorData;
use rustc_hash::{FxHashMap, FxHashSet};

/// The tensors of a folder.
pub(super) struct Payload<'p> {
    /// The name of the entry that describes them.
    pub config_name: &'static str,
    /// The description by names of the state.
    pub config: Json,
    /// The entries and their bytes.
    pub records: Vec<(String, &'p [u8])>,
}

/// Parameters and persistent buffers.
pub(super) fn weights(program: &ExportedProgram) -> Result<Payload<'_>> {
    let is_weight = |kind| matches!(kind, StateKind::Parameter | StateKind::Buffer { persistent: true });
    payload(program, "data/weights", "weight", "data/weights/model_weights_config.json", is_weight)
}

/// Buffers that are not in the state dict, and constants.
pub(super) fn constants(program: &ExportedProgram) -> Result<Payload<'_>> {
    let is_constant = |kind| matches!(kind, StateKind::Constant | StateKind::Buffer { persistent: false });
    payload(program, "data/constants", "tensor", "data/constants/model_constants_config.json", is_constant)
}

fn payload<'p>(
    program: &'p ExportedProgram,
    folder: &str,
    prefix: &str,
    config_name: &'static str,
    has: impl Fn(StateKind) -> bool,
) -> Result<Payload<'p>> {
    let mut records = Vec::new();
    let mut known: FxHashMap<usize, String> = FxHashMap::default();
    let mut named = FxHashSet::default();
    let mut config = Vec::new();
    for state in program.state.iter().filter(|state| has(state.kind)) {
        if state.name.is_empty() || !named.insert(&state.name) {
            return Err(invalid(format!("the state has no name, or another entry's: {:?}", state.name)));
        }
        let tensor = program.tensors.get(state.tensor);
        let tensor = tensor.ok_or_else(|| invalid(format!("{} has no tensor", state.name)))?;
        let path = known.entry(state.tensor).or_insert_with(|| {
            let path = format!("{prefix}_{}", records.len());
            records.push((format!("{folder}/{path}"), tensor.bytes()));
            path
        });
        config.push((state.name.clone(), description(program, state, tensor, path)?));
    }
    Ok(Payload { config_name, config: Json::object([("config", Json::Object(config))]), records })
}

fn description(program: &ExportedProgram, state: &State, tensor: &TensorData, path: &str) -> Result<Json> {
    let sizes = tensor.shape().iter().map(|&size| Size::Int(size as i64)).collect();
    let meta = TensorMeta::contiguous(tensor.dtype(), sizes, state.requires_grad);
    Ok(Json::object([
        ("path_name", string(path)),
        ("is_param", Json::Bool(state.kind == StateKind::Parameter)),
        ("use_pickle", Json::Bool(false)),
        ("tensor_meta", metas::tensor(&state.name, &meta, program)?),
    ]))
}
