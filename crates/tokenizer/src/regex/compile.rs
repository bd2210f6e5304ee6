//! Programs of expressions.

use super::parse::{Assertion, Node, RepeatKind};
use crate::{Error, Result};

/// The most instructions of a program.
const SIZE_LIMIT: usize = 20_000;

/// One step of a program. Targets are indices of instructions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Instruction {
    Char(char),
    Class(usize),
    /// A character of a set, repeated: the inner loop of nearly all expressions.
    RepeatClass {
        class: usize,
        min: u32,
        max: u32,
        kind: RepeatKind,
    },
    /// Tries the first target, then the second.
    Fork(usize, usize),
    Jump(usize),
    Assert(Assertion),
    /// A look-around, whose program follows up to `Done`; then the target.
    Look {
        behind: Option<Widths>,
        negative: bool,
        target: usize,
    },
    /// A program up to `Done` whose match is final, without backtracking; then the target.
    Atomic {
        target: usize,
    },
    Done,
}

/// The numbers of characters that a look-behind can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Widths {
    pub(super) min: u32,
    pub(super) max: u32,
}

/// The program of an expression, which ends in `Done`.
pub(super) fn compile(node: &Node) -> Result<Vec<Instruction>> {
    let mut compiler = Compiler { program: Vec::new() };
    compiler.node(node)?;
    compiler.push(Instruction::Done)?;
    Ok(compiler.program)
}

struct Compiler {
    program: Vec<Instruction>,
}

impl Compiler {
    fn push(&mut self, instruction: Instruction) -> Result<usize> {
        if self.program.len() >= SIZE_LIMIT {
            return Err(Error::unsupported("an expression that is too large"));
        }
        self.program.push(instruction);
        Ok(self.program.len() - 1)
    }

    fn here(&self) -> usize {
        self.program.len()
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        match node {
            Node::Char(character) => self.push(Instruction::Char(*character)).map(drop),
            Node::Class(class) => self.push(Instruction::Class(*class)).map(drop),
            Node::Concat(all) => all.iter().try_for_each(|node| self.node(node)),
            Node::Alternatives(all) => self.alternatives(all),
            Node::Repeat { node, min, max, kind } => self.repeat(node, *min, *max, *kind),
            Node::Assert(assertion) => self.push(Instruction::Assert(*assertion)).map(drop),
            Node::Look { node, behind, negative } => {
                let behind = if *behind { Some(widths(node)?) } else { None };
                self.inner(node, |target| Instruction::Look { behind, negative: *negative, target })
            }
            Node::Atomic(node) => self.inner(node, |target| Instruction::Atomic { target }),
        }
    }

    /// A program within the program.
    fn inner(&mut self, node: &Node, instruction: impl Fn(usize) -> Instruction) -> Result<()> {
        let at = self.push(instruction(0))?;
        self.node(node)?;
        self.push(Instruction::Done)?;
        self.program[at] = instruction(self.here());
        Ok(())
    }

    fn alternatives(&mut self, all: &[Node]) -> Result<()> {
        let mut jumps = Vec::new();
        for (index, node) in all.iter().enumerate() {
            if index + 1 == all.len() {
                self.node(node)?;
                break;
            }
            let fork = self.push(Instruction::Fork(0, 0))?;
            self.node(node)?;
            jumps.push(self.push(Instruction::Jump(0))?);
            self.program[fork] = Instruction::Fork(fork + 1, self.here());
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.program[jump] = Instruction::Jump(end));
        Ok(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, kind: RepeatKind) -> Result<()> {
        if let Node::Class(class) = node {
            let max = max.unwrap_or(u32::MAX);
            return self.push(Instruction::RepeatClass { class: *class, min, max, kind }).map(drop);
        }
        if kind == RepeatKind::Possessive {
            let greedy = Node::Repeat { node: Box::new(node.clone()), min, max, kind: RepeatKind::Greedy };
            return self.inner(&greedy, |target| Instruction::Atomic { target });
        }
        for _ in 0..min {
            self.node(node)?;
        }
        match max {
            None => self.star(node, kind),
            Some(max) => self.optional(node, max.saturating_sub(min), kind),
        }
    }

    fn star(&mut self, node: &Node, kind: RepeatKind) -> Result<()> {
        if min_width(node) == 0 {
            return Err(Error::unsupported("an unlimited repeat of an expression that can match nothing"));
        }
        let fork = self.push(Instruction::Fork(0, 0))?;
        self.node(node)?;
        self.push(Instruction::Jump(fork))?;
        self.program[fork] = fork_instruction(kind, fork + 1, self.here());
        Ok(())
    }

    fn optional(&mut self, node: &Node, count: u32, kind: RepeatKind) -> Result<()> {
        let mut forks = Vec::new();
        for _ in 0..count {
            forks.push(self.push(Instruction::Fork(0, 0))?);
            self.node(node)?;
        }
        let end = self.here();
        forks.into_iter().for_each(|fork| self.program[fork] = fork_instruction(kind, fork + 1, end));
        Ok(())
    }
}

fn fork_instruction(kind: RepeatKind, body: usize, after: usize) -> Instruction {
    if kind == RepeatKind::Lazy { Instruction::Fork(after, body) } else { Instruction::Fork(body, after) }
}

/// The fewest characters of a match.
fn min_width(node: &Node) -> u32 {
    match node {
        Node::Char(_) | Node::Class(_) => 1,
        Node::Concat(all) => all.iter().map(min_width).fold(0, u32::saturating_add),
        Node::Alternatives(all) => all.iter().map(min_width).min().unwrap_or(0),
        Node::Repeat { node, min, .. } => min_width(node).saturating_mul(*min),
        Node::Atomic(node) => min_width(node),
        Node::Look { .. } | Node::Assert(_) => 0,
    }
}

/// The most characters of a match; `None` without a limit.
fn max_width(node: &Node) -> Option<u32> {
    Some(match node {
        Node::Char(_) | Node::Class(_) => 1,
        Node::Concat(all) => all.iter().map(max_width).try_fold(0u32, |sum, width| Some(sum.saturating_add(width?)))?,
        Node::Alternatives(all) => all.iter().map(max_width).try_fold(0u32, |most, width| Some(most.max(width?)))?,
        Node::Repeat { node, max, .. } => max_width(node)?.saturating_mul((*max)?),
        Node::Atomic(node) => max_width(node)?,
        Node::Look { .. } | Node::Assert(_) => 0,
    })
}

fn widths(node: &Node) -> Result<Widths> {
    let max = max_width(node).ok_or_else(|| Error::unsupported("a look-behind of any length"))?;
    Ok(Widths { min: min_width(node), max })
}
