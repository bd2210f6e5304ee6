//! Converts a model to a program.

mod attributes;
mod blocks;
mod functions;
mod node;
mod scope;
mod state;
mod types;

use crate::{check, external::Source, operators::DOMAINS, proto::ModelProto};
use lanthorn_program::{
    Error, ExportedProgram, Input, InputKind, Output, OutputKind, Result, Shapes,
    graph::{Graph, Meta, Operand, Range, Ranges, Size, Symbols, TensorMeta, Tree},
};
use rustc_hash::FxHashSet;
use scope::Scope;
use state::{Finished, States};
use std::collections::BTreeSet;

/// Converts a model that [`check::check`] accepts. `external` reads elements outside of the file.
///
/// Inputs and results keep the model's names. Weights become parameters, running statistics of
/// batch norms become buffers, and sizes, axes and single numbers become constants.
///
/// # Errors
///
/// [`Error::MissingOperators`] lists all unknown operators with their versions and the names of
/// their nodes. Invalid models are [`Error::Malformed`], [`Error::Unsupported`] or
/// [`Error::Limit`].
pub fn convert(model: &ModelProto, external: &dyn Source) -> Result<ExportedProgram> {
    let graph = model.graph.as_ref().ok_or_else(|| Error::malformed("the model has no graph"))?;
    let opsets = check::opsets(&model.opset_import, "the model")?;
    let mut converter = Converter {
        external,
        functions: functions::index(model),
        scopes: vec![Scope::default()],
        states: States::default(),
        missing: Vec::new(),
        calls: 0,
        taken: FxHashSet::default(),
        read_inputs: BTreeSet::new(),
    };
    converter.initializers(graph);
    let mut names = Vec::new();
    for info in &graph.input {
        let name = info.name();
        // Old files list initializers among the inputs.
        if converter.scope().has_initializer(name) {
            continue;
        }
        let id = converter.define(name, types::meta(info))?;
        converter.scope().graph.inputs.push(id);
        names.push(name.to_string());
    }
    converter.body(graph, &opsets)?;
    let mut outputs = Vec::new();
    for output in &graph.output {
        let operand = converter.value(output.name())?;
        if let (Operand::Value(id), Some(meta)) = (&operand, types::meta(output)) {
            let own = &mut converter.scope().graph;
            own.metas.resize(own.names.len(), None);
            own.metas[*id].get_or_insert(meta);
        }
        outputs.push(operand);
    }
    converter.refuse_missing()?;
    let Converter { mut scopes, states, read_inputs, .. } = converter;
    let mut main = scopes.remove(0).graph;
    main.outputs = outputs;
    let mut inputs: Vec<Input> = names.iter().map(|_| Input { kind: InputKind::User }).collect();
    let ranges = ranges(&main);
    let Finished { state, tensors, values } = states.finish();
    main.metas.resize(main.names.len(), None);
    for (index, (id, dtype, shape)) in values.into_iter().enumerate() {
        main.inputs.push(id);
        let sizes = shape.into_iter().map(|size| Size::Int(size as i64)).collect();
        main.metas[id] = Some(TensorMeta::contiguous(dtype, sizes, state[index].requires_grad).into());
        inputs.push(Input { kind: InputKind::State(index) });
    }
    let result_names: Vec<String> = graph.output.iter().map(|output| output.name().to_string()).collect();
    let results = match &result_names[..] {
        [_] => Tree::Leaf,
        names => Tree::dict(names.iter().map(|name| (name.clone(), Tree::Leaf)).collect()),
    };
    let program = ExportedProgram {
        outputs: main.outputs.iter().map(|_| Output { kind: OutputKind::User }).collect(),
        graph: main,
        arguments: Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf; names.len()]), Tree::dict(vec![])]),
        argument_names: names,
        inputs,
        state,
        tensors,
        results,
        result_names,
        ranges,
        hints: Symbols::default(),
        read_inputs: read_inputs.into_iter().collect(),
        shapes: Shapes::Described,
        metadata: model.metadata_props.iter().map(|entry| (entry.key().into(), entry.value().into())).collect(),
    };
    program.check_graph()?;
    Ok(program)
}

/// Returns ranges that leave all symbols of a graph's inputs unbounded.
fn ranges(graph: &Graph) -> Ranges {
    let metas = graph.inputs.iter().filter_map(|&id| match graph.meta(id) {
        Some(Meta::Tensor(meta)) => Some(meta),
        _ => None,
    });
    let symbols = metas.flat_map(|meta| &meta.sizes).filter_map(|size| match size {
        Size::Symbol(name) => Some(name.clone()),
        _ => None,
    });
    symbols.map(|name| (name, Range { min: Some(0), max: None })).collect()
}

/// Builds the graphs of a program.
struct Converter<'m> {
    external: &'m dyn Source,
    functions: functions::Functions<'m>,
    /// The graphs that are being built, outermost first.
    scopes: Vec<Scope>,
    states: States,
    /// The unknown operators.
    missing: Vec<String>,
    /// The number of inlined function calls.
    calls: usize,
    /// The names of all values of the outermost graph.
    taken: FxHashSet<String>,
    /// The inputs of the outermost graph whose elements operators read.
    read_inputs: BTreeSet<usize>,
}

impl Converter<'_> {
    /// Returns the innermost graph.
    fn scope(&mut self) -> &mut Scope {
        // The stack always has the outermost graph.
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// Returns the operand of a name; an empty name is an omitted input.
    fn value(&mut self, name: &str) -> Result<Operand> {
        if name.is_empty() {
            return Ok(Operand::Constant(lanthorn_program::Value::None));
        }
        let found = self.find(self.scopes.len() - 1, name)?;
        found.ok_or_else(|| Error::malformed(format!("the value `{name}` is not defined")))
    }

    fn refuse_missing(&mut self) -> Result<()> {
        if self.missing.is_empty() {
            return Ok(());
        }
        self.missing.sort();
        self.missing.dedup();
        Err(Error::MissingOperators(std::mem::take(&mut self.missing)))
    }
}

/// Whether lanthorn knows the operators of a domain.
fn is_known_domain(domain: &str) -> bool {
    DOMAINS.contains(&domain)
}
