//! Decides which stage computes each value of a row, and which values are kept for later stages.
//!
//! A value that is constant along a row is computed once a row: a layer norm computes one square
//! root for each row, not one for each element. If several stages need a value of each element and
//! computing it is expensive, the first stage keeps it: a softmax computes each exponential once.

use super::graph::{Graph, Leaf, Level, Slot};
use lanthorn_ir::{
    Error, Result,
    expr::{Instruction, Program, Type},
    kernel::{self, AffineIndex},
};

/// The cost in simple operations from which on a value is kept, because keeping it takes a store
/// and one or more loads.
const KEPT_FROM: u32 = 4;

/// The stages of a row. In all programs the slots of operands come first, then the slots of `rows`,
/// then the slots of `kept`.
pub(super) struct Plan {
    /// The types of the values of a row: the results of the reductions, then the other values that
    /// are computed once a row.
    pub rows: Vec<Type>,
    /// The types of the values that are kept for each element.
    pub kept: Vec<Type>,
    pub reductions: Vec<Stage>,
    pub elements: Stage,
    /// The row results.
    pub results: Program,
}

/// One pass over the elements.
pub(super) struct Stage {
    /// The program that runs for each row before the stage, and the numbers of the row values that
    /// it computes.
    pub before: (Program, Vec<usize>),
    /// The program of each element. Its outputs are the results, then the kept values.
    pub program: Program,
    /// The numbers of the kept values.
    pub keeps: Vec<usize>,
}

/// The nodes of a stage.
struct Nodes {
    outputs: Vec<usize>,
    /// The row values that the stage needs first.
    before: Vec<usize>,
}

struct Planner {
    graph: Graph,
    operands: usize,
    /// The nodes of row values and of kept values, by number.
    rows: Vec<usize>,
    kept: Vec<usize>,
    /// For each node, the first stage that computes it, among the stages so far.
    computed: Vec<Option<usize>>,
}

impl Planner {
    /// Determines which row values, and which values of earlier stages, a stage needs.
    fn visit(&mut self, stage: usize, outputs: Vec<usize>) -> Nodes {
        let (mut before, mut kept) = (vec![], vec![]);
        let seen = self.graph.below(&outputs, |node| match self.graph.level(node) {
            Level::Launch => true,
            Level::Row if self.graph.is_input(node) => true,
            Level::Row => {
                before.push(node);
                true
            }
            Level::Element => {
                let earlier = self.computed.get(node).copied().flatten().is_some_and(|earlier| earlier < stage);
                let keeps = earlier && self.graph.cost(node) >= KEPT_FROM;
                if keeps {
                    kept.push(node);
                }
                keeps
            }
        });
        before.retain(|node| !self.rows.contains(node));
        self.rows.extend(&before);
        kept.retain(|node| !self.kept.contains(node));
        self.kept.extend(kept);
        for node in seen.into_iter().filter(|&node| self.graph.level(node) == Level::Element) {
            if node >= self.computed.len() {
                self.computed.resize(node + 1, None);
            }
            self.computed[node].get_or_insert(stage);
        }
        Nodes { outputs, before }
    }

    /// The slots of row values, except those in `without`.
    fn row_slots(&self, without: &[usize]) -> Vec<Leaf> {
        let slots = self.rows.iter().zip(self.operands..);
        slots.filter(|(node, _)| !without.contains(node)).map(|(&node, slot)| Leaf { node, slot }).collect()
    }

    fn stage(&self, number: usize, nodes: &Nodes, later_rows: &[usize]) -> Stage {
        let unknown: Vec<usize> = nodes.before.iter().chain(later_rows).copied().collect();
        let before = self.graph.program(&nodes.before, &self.row_slots(&unknown));
        let numbers = nodes.before.iter().filter_map(|node| self.rows.iter().position(|row| row == node)).collect();
        let mut leaves = self.row_slots(later_rows);
        let mut keeps = vec![];
        let mut outputs = nodes.outputs.clone();
        for (slot, &node) in self.kept.iter().enumerate() {
            let computed = self.computed[node];
            if computed < Some(number) {
                leaves.push(Leaf { node, slot: self.operands + self.rows.len() + slot });
            } else if computed == Some(number) {
                keeps.push(slot);
                outputs.push(node);
            }
        }
        Stage { before: (before, numbers), program: self.graph.program(&outputs, &leaves), keeps }
    }
}

/// Returns an error for a program that reads the results of reductions from number `known` on.
fn check_reads(op: &str, program: &Program, slots: usize) -> Result<()> {
    let beyond =
        |(instruction, _): &(Instruction, Type)| matches!(instruction, Instruction::Input(slot) if *slot >= slots);
    match program.instructions.iter().any(beyond) {
        true => Err(Error::kernel(op, "a program of a row reads a slot that has no value yet")),
        false => Ok(()),
    }
}

impl Plan {
    /// Plans the stages. `operands` describes how each operand varies.
    pub fn new(op: &str, kernel: &kernel::FusedReduction, operands: Vec<Slot>) -> Result<Plan> {
        let (inputs, results) = (operands.len(), kernel.reductions.len());
        let (split, shape) = (kernel.outer.rank(), kernel.target.shape());
        let level = |index: &AffineIndex| match index.varies(shape, split..shape.rank()) {
            true => Level::Element,
            false if index.varies(shape, 0..split) => Level::Row,
            false => Level::Launch,
        };
        let indices = kernel.indices.iter().map(level).collect();
        let mut slots = operands;
        slots.extend(std::iter::repeat_n(Slot { level: Level::Row, cost: 0 }, results));
        let mut planner = Planner {
            graph: Graph::new(slots, indices),
            operands: inputs,
            rows: vec![],
            kept: vec![],
            computed: vec![],
        };
        for j in 0..results {
            let result =
                Program { instructions: vec![(Instruction::Input(inputs + j), kernel.result(j))], outputs: vec![0] };
            let node = planner.graph.add(&result);
            planner.rows.extend(node);
        }
        let mut stages = Vec::with_capacity(results);
        for (j, (_, program)) in kernel.reductions.iter().enumerate() {
            check_reads(op, program, inputs + j)?;
            let outputs = planner.graph.add(program);
            stages.push(planner.visit(j, outputs));
        }
        check_reads(op, &kernel.elements, inputs + results)?;
        check_reads(op, &kernel.rows, inputs + results)?;
        let outputs = planner.graph.add(&kernel.elements);
        let elements = planner.visit(results, outputs);
        let of_rows = planner.graph.add(&kernel.rows);
        if of_rows.iter().any(|&node| planner.graph.level(node) == Level::Element) {
            return Err(Error::kernel(op, "a result of a row that varies within the row"));
        }
        // A stage may not use values that are computed for later stages.
        let mut later: Vec<usize> = elements.before.clone();
        let last = planner.stage(results, &elements, &[]);
        let mut reductions = Vec::with_capacity(results);
        for (j, nodes) in stages.iter().enumerate().rev() {
            later.push(planner.rows[j]);
            reductions.insert(0, planner.stage(j, nodes, &later));
            later.extend(&nodes.before);
        }
        let ty = |nodes: &[usize]| nodes.iter().map(|&node| planner.graph.ty(node)).collect();
        Ok(Plan {
            rows: ty(&planner.rows),
            kept: ty(&planner.kept),
            reductions,
            elements: last,
            results: planner.graph.program(&of_rows, &planner.row_slots(&[])),
        })
    }
}
