//! Pointwise kernels.

use crate::{
    BLOCK, Builder, Dialect, Plan, Slot, Target, blocks,
    buffer::{Access, Element, packed_loop, turns},
    builder::{First, Launch, Position},
    indent,
    indexing::{Lanes, Space, Unit, positions},
    is_short, prelude,
};
use lanthorn_ir::{
    Result,
    kernel::{Map, Operand, Pointwise},
};

const WGSL: [&str; 2] = [include_str!("../shaders/map/map.wgsl"), include_str!("../shaders/map/section.wgsl")];
const CUDA: [&str; 2] = [include_str!("../shaders/map/map.cu"), include_str!("../shaders/map/section.cu")];

// This text is valid in both languages.
const INDEXED: &str = include_str!("../shaders/map/indexed.wgsl");

/// The plan of kernels that share a launch. Each kernel has a range of the workgroups.
pub(super) fn plan(parts: &[Pointwise], launch: &Launch, target: &Target) -> Result<Plan> {
    let mut builder = Builder::of(target.language, launch)?;
    let firsts = First::of(parts);
    let mut sections: Vec<Section> = Vec::with_capacity(parts.len());
    for (part, &first) in parts.iter().zip(&firsts) {
        builder.first = first;
        sections.push(Section::read(&mut builder, part)?);
    }
    let (mut body, mut groups) = (String::new(), 0);
    for ((part, section), &first) in parts.iter().zip(sections).zip(&firsts) {
        builder.first = first;
        let (text, taken) = section.write(&mut builder, part, groups, target)?;
        body.push_str(&text);
        groups += taken;
    }
    if groups == 0 {
        return Ok(Plan::default());
    }
    let body = indent(&body, 1);
    let [template, _] = target.language.pick(WGSL, CUDA);
    let threads = target.language.pick(64, BLOCK);
    Ok(Plan {
        passes: vec![builder.finish("", template, &[("sections", &body)], [groups, threads], target)?],
        scratch_bytes: 0,
    })
}

/// One kernel of a launch while the shader is assembled. A shader binds all its inputs before its
/// outputs.
struct Section {
    /// Statements for one step.
    body: String,
    /// The elements of each result in a step.
    results: Vec<Vec<String>>,
    vec4: bool,
    /// The target index of an indexed store.
    store_index: Option<String>,
}

/// How threads access the words of a kernel's outputs. In an indexed store several threads may
/// write one word.
fn access(part: &Pointwise) -> Access {
    if matches!(part, Pointwise::Store(_)) { Access::Shared } else { Access::Plain }
}

impl Section {
    fn read(builder: &mut Builder, part: &Pointwise) -> Result<Section> {
        let map = part.map();
        builder.access = access(part);
        // The index of a store has a cursor, as operands have.
        let target = match part {
            Pointwise::Map(_) => None,
            Pointwise::Store(store) => Some(Operand::new(store.dtype(), store.target.clone())),
        };
        let operands = map.inputs.iter().cloned().chain(target).collect();
        let mut space = Space::with_indices(&[&map.shape], operands, &map.indices);
        let vec4 = !matches!(part, Pointwise::Store(_)) && is_short([&map.program]) && space.by_vec4(0);
        let indexer = space.bind(builder);
        let mut body = indexer.coordinates(0, "i", "c");
        let mut loads = Vec::new();
        for operand in 0..map.inputs.len() {
            let buffer = indexer.reads(builder, operand, Slot::Input(operand))?;
            let cursor = indexer.advance(&indexer.start(operand), operand, 0, "i", "c");
            loads.push(indexer.load(builder, operand, &buffer, &cursor, &format!("x{operand}"), &mut body));
        }
        let walked = |at: usize| indexer.advance(&indexer.start(at), at, 0, "i", "c");
        let (mut store_index, mut first_index) = (None, map.inputs.len());
        if matches!(part, Pointwise::Store(_)) {
            store_index = Some(walked(first_index).offset());
            first_index += 1;
        }
        let index = |at: usize| indexer.index(at, &walked(at));
        let indices: Vec<Vec<String>> = (first_index..first_index + map.indices.len()).map(index).collect();
        let mut results = vec![Vec::new(); map.dtypes.len()];
        for (lane, linear) in positions(if vec4 { Unit::Vector } else { Unit::One }, "i").iter().enumerate() {
            let input = |slot: usize| loads[slot][lane].clone();
            let at = Position { linear, affine: &|slot| indices[slot][lane].clone() };
            let (statements, values) = builder.print_at(&map.program, &input, at, &format!("v{lane}_"))?;
            body.push_str(&statements);
            for (output, (&dtype, value)) in map.dtypes.iter().zip(&values).enumerate() {
                results[output].push(builder.language.output(
                    dtype,
                    &map.program,
                    output,
                    value,
                    &mut builder.functions,
                )?);
            }
        }
        Ok(Section { body, results, vec4, store_index })
    }

    /// The statements for the workgroups from `before` on, and the number of workgroups.
    fn write(self, builder: &mut Builder, part: &Pointwise, before: usize, target: &Target) -> Result<(String, usize)> {
        builder.access = access(part);
        let elements = part.map().shape.elements();
        let (body, steps) = match part {
            Pointwise::Map(map) => self.stores(builder, map, target)?,
            Pointwise::Store(store) => {
                let element = Element::of(target.language, store.dtype());
                let buffer = builder.writes(element, Lanes::One, Slot::Output(0))?;
                let [extent, stride] = [store.extent, store.stride].map(|number| builder.count(number));
                let store_index = self.store_index.unwrap_or_default();
                let stored = buffer.store("stored", &self.results[0][0]);
                let values = [
                    ("index", self.results[1][0].as_str()),
                    ("extent", &extent),
                    ("store_start", &store_index),
                    ("stride", &stride),
                    ("store", &indent(&stored, 1)),
                ];
                (self.body + &prelude::fill(INDEXED, &values), elements)
            }
        };
        // A few elements are spread over many threads. For many elements, each thread processes
        // several, which saves index arithmetic and scheduling.
        let enough = if target.software { 64 } else { 16_384 };
        let per_thread = (steps / (64 * enough)).clamp(1, if target.software { 64 } else { 8 });
        let groups = target.language.pick(steps.div_ceil(64 * per_thread), blocks(steps));
        let body = indent(&body, 2);
        let counts = [before, groups, per_thread, steps].map(|value| builder.count(value));
        let names = ["before", "groups", "per_thread", "steps"].into_iter().zip(counts.iter().map(String::as_str));
        let values: Vec<(&str, &str)> = names.chain([("body", body.as_str()), ("threads", "256u")]).collect();
        let [_, section] = target.language.pick(WGSL, CUDA);
        Ok((prelude::fill(section, &values), groups))
    }

    /// The statements that compute and store a step of a map, and the number of steps.
    fn stores(mut self, builder: &mut Builder, map: &Map, target: &Target) -> Result<(String, usize)> {
        let lanes = if self.vec4 { Lanes::Vector } else { Lanes::One };
        let mut outputs = Vec::with_capacity(map.dtypes.len());
        for (slot, (&dtype, values)) in map.dtypes.iter().zip(&self.results).enumerate() {
            let element = Element::of(target.language, dtype);
            let buffer = builder.writes(element, lanes, Slot::Output(slot))?;
            outputs.push((buffer, lanes.gather(element.ty()?, values)));
        }
        let elements = map.shape.elements();
        let turns = if self.vec4 { 1 } else { turns(target.language, &map.dtypes) };
        let steps = if self.vec4 { elements / 4 } else { elements.div_ceil(turns) };
        if turns > 1 {
            self.body = packed_loop(turns, &outputs, &builder.count(elements), &self.body);
        } else {
            outputs.iter().for_each(|(buffer, element)| self.body.push_str(&buffer.store("i", element)));
        }
        Ok((self.body, steps))
    }
}
