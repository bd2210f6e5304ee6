//! From a model to a program.

mod attributes;
mod blocks;
mod functions;
mod node;
mod scope;
mod state;
mod types;

use crate::{external::Source, operators::DOMAINS, proto::ModelProto};
use lanthorn_program::{
    Error, ExportedProgram, Input, InputKind, Output, OutputKind, Result,
    graph::{Operand, Range, Ranges, Symbols, Tree},
};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;
use state::States;

/// The deepest nesting of graphs and functions.
const MAX_DEPTH: usize = 24;

/// The versions of operator sets by domain.
type Versions = FxHashMap<String, i64>;

/// The program of a model. `external` gives the elements that are outside of the file.
///
/// Inputs and results have the model's names. Weights are parameters, the running statistics of batch
/// norms are buffers; sizes, axes and single numbers are constants.
///
/// # Errors
///
/// [`Error::MissingOperators`] with all operators that are not known, their versions and the names of
/// their nodes; [`Error::Malformed`], [`Error::Unsupported`] and [`Error::Limit`] for other models.
pub fn convert(model: &ModelProto, external: &dyn Source) -> Result<ExportedProgram> {
    let graph = model.graph.as_ref().ok_or_else(|| Error::malformed("the model has no graph"))?;
    let versions = functions::versions(&model.opset_import)?;
    let mut converter = Converter {
        external,
        functions: functions::index(model)?,
        scopes: vec![Scope::default()],
        states: States::default(),
        missing: Vec::new(),
        nodes: 0,
        calls: 0,
        taken: FxHashSet::default(),
    };
    converter.initializers(graph);
    let mut inputs = Vec::new();
    for info in &graph.input {
        let name = info.name();
        // Old files list initializers among the inputs.
        if converter.scope().has_initializer(name) {
            continue;
        }
        let id = converter.define(name, types::meta(info))?;
        converter.scope().graph.inputs.push(id);
        inputs.push((name.to_string(), types::meta(info)));
    }
    converter.body(graph, &versions, 0)?;
    let mut outputs = Vec::new();
    for output in &graph.output {
        outputs.push(converter.value(output.name())?);
    }
    converter.refuse_missing()?;
    let Converter { mut scopes, states, .. } = converter;
    let mut main = scopes.remove(0).graph;
    main.outputs = outputs;
    let mut all: Vec<Input> = inputs
        .iter()
        .map(|(name, meta)| Input {
            name: name.clone(),
            kind: InputKind::User,
            sizes: types::sizes(meta.as_ref()),
            dtype: types::dtype(meta.as_ref()),
        })
        .collect();
    let ranges = ranges(&all);
    let (state, tensors, ids) = states.finish();
    for (index, entry) in state.iter().enumerate() {
        main.inputs.push(ids[index]);
        all.push(Input { name: entry.name.clone(), kind: InputKind::State(index), sizes: None, dtype: None });
    }
    let names: Vec<String> = graph.output.iter().map(|output| output.name().to_string()).collect();
    let results = match &names[..] {
        [_] => Tree::Leaf,
        names => Tree::dict(names.iter().map(|name| (name.clone(), Tree::Leaf)).collect()),
    };
    let program = ExportedProgram {
        outputs: main.outputs.iter().map(|_| Output { kind: OutputKind::User }).collect(),
        graph: main,
        arguments: Tree::Tuple(vec![Tree::Tuple(vec![Tree::Leaf; inputs.len()]), Tree::dict(vec![])]),
        argument_names: inputs.into_iter().map(|(name, _)| name).collect(),
        inputs: all,
        state,
        tensors,
        results,
        result_names: names,
        ranges,
        hints: Symbols::default(),
    };
    program.check_graph()?;
    Ok(program)
}

/// A symbol may be any size.
fn ranges(inputs: &[Input]) -> Ranges {
    let sizes = inputs.iter().flat_map(|input| input.sizes.iter().flatten());
    let symbols = sizes.filter_map(|size| match size {
        lanthorn_program::graph::Size::Symbol(name) => Some(name.clone()),
        _ => None,
    });
    symbols.map(|name| (name, Range { min: Some(0), max: None })).collect()
}

/// Builds the graphs of a program.
struct Converter<'m> {
    external: &'m dyn Source,
    functions: functions::Functions<'m>,
    /// The graphs that are being built, the outermost first.
    scopes: Vec<Scope>,
    states: States,
    /// Operators that are not known.
    missing: Vec<String>,
    nodes: usize,
    /// The number of calls of functions.
    calls: usize,
    /// The names of all values of the outermost graph.
    taken: FxHashSet<String>,
}

impl Converter<'_> {
    /// The innermost graph that is being built.
    fn scope(&mut self) -> &mut Scope {
        // There is the outermost one at least.
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// The operand of a name; an omitted input for an empty one.
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

/// Whether a domain's operators are known.
fn is_known_domain(domain: &str) -> bool {
    DOMAINS.contains(&domain)
}
