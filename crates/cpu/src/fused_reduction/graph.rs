//! The programs of all stages of a row as one graph with shared nodes, and the programs that are
//! extracted from it again.

use crate::block::{operands, remap};
use lanthorn_ir::expr::{CostModel, Instruction, Program, Type};
use rustc_hash::FxHashMap;

/// How often the value of a node changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Launch,
    Row,
    Element,
}

/// An input slot of the graph.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub level: Level,
    /// The cost of loading an element, in simple operations.
    pub cost: u32,
}

/// A node whose value is in a slot.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub node: usize,
    pub slot: usize,
}

/// The distinct steps of several programs, operands before users.
pub(super) struct Graph {
    slots: Vec<Slot>,
    /// How often each affine index changes.
    indices: Vec<Level>,
    steps: Vec<(Instruction, Type)>,
    numbers: FxHashMap<(Instruction, Type), usize>,
    levels: Vec<Level>,
    /// The cost of each node for one element, in simple operations, if no node is computed yet.
    costs: Vec<u32>,
}

impl Graph {
    pub fn new(slots: Vec<Slot>, indices: Vec<Level>) -> Graph {
        Graph { slots, indices, steps: vec![], numbers: FxHashMap::default(), levels: vec![], costs: vec![] }
    }

    /// Adds the steps of a program, and returns the nodes of its results.
    pub fn add(&mut self, program: &Program) -> Vec<usize> {
        let mut nodes = Vec::with_capacity(program.instructions.len());
        for (instruction, ty) in &program.instructions {
            nodes.push(self.node(remap(instruction, |operand| nodes[operand]), *ty));
        }
        program.outputs.iter().map(|&output| nodes[output]).collect()
    }

    fn node(&mut self, instruction: Instruction, ty: Type) -> usize {
        if let Some(&number) = self.numbers.get(&(instruction.clone(), ty)) {
            return number;
        }
        let below = operands(&instruction);
        let (level, own) = match instruction {
            Instruction::Input(slot) => (self.slots[slot].level, self.slots[slot].cost),
            Instruction::Index => (Level::Element, 1),
            Instruction::Affine(slot) => (self.indices[slot], 1),
            _ => (
                below.iter().map(|&node| self.levels[node]).max().unwrap_or(Level::Launch),
                CostModel::VECTOR_TIME.of(&instruction),
            ),
        };
        let varying = below.iter().filter(|&&node| self.levels[node] == Level::Element);
        self.costs.push(varying.fold(own, |sum, &node| sum.saturating_add(self.costs[node])));
        self.levels.push(level);
        self.steps.push((instruction.clone(), ty));
        self.numbers.insert((instruction, ty), self.steps.len() - 1);
        self.steps.len() - 1
    }

    pub fn level(&self, node: usize) -> Level {
        self.levels[node]
    }

    pub fn cost(&self, node: usize) -> u32 {
        self.costs[node]
    }

    pub fn ty(&self, node: usize) -> Type {
        self.steps[node].1
    }

    pub fn is_input(&self, node: usize) -> bool {
        matches!(self.steps[node].0, Instruction::Input(_))
    }

    /// The nodes of `roots` and their operands, in order, without the operands of leaves.
    pub fn below(&self, roots: &[usize], mut is_leaf: impl FnMut(usize) -> bool) -> Vec<usize> {
        let (mut seen, mut stack) = (vec![false; self.steps.len()], roots.to_vec());
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node], true) && !is_leaf(node) {
                stack.extend(operands(&self.steps[node].0));
            }
        }
        (0..seen.len()).filter(|&node| seen[node]).collect()
    }

    /// The program that computes `outputs` from slots with the values of `leaves`.
    pub fn program(&self, outputs: &[usize], leaves: &[Leaf]) -> Program {
        let leaf = |node: usize| leaves.iter().find(|leaf| leaf.node == node);
        let mut numbers = vec![0; self.steps.len()];
        let mut instructions = vec![];
        for node in self.below(outputs, |node| leaf(node).is_some()) {
            let (instruction, ty) = &self.steps[node];
            numbers[node] = instructions.len();
            instructions.push(match leaf(node) {
                Some(leaf) => (Instruction::Input(leaf.slot), *ty),
                None => (remap(instruction, |operand| numbers[operand]), *ty),
            });
        }
        Program { instructions, outputs: outputs.iter().map(|&output| numbers[output]).collect() }
    }
}
