//! A window in numbers alone: what the passes rewrite before buffers are assigned.

use super::window::{Origin, Window};
use lanthorn_ir::{DType, Kernel};
use rustc_hash::FxHashSet;

/// One piece of work.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub op: &'static str,
    pub kernel: Kernel,
    /// For a kernel that updates its output: the value that the output holds before.
    pub base: Option<usize>,
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    /// Where each of its parameters stands among those of the window.
    pub params: Vec<usize>,
}

impl Work {
    /// Everything that the work reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().copied().chain(self.base)
    }

    /// Takes the work out, while others keep their places.
    pub fn empty(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
        self.base = None;
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    pub dtype: DType,
    pub elements: usize,
    /// Its place among the external values, if it was there before.
    pub external: Option<usize>,
    /// Whether somebody outside the window holds it.
    pub escapes: bool,
}

/// The work of a window, in an order that it can be done in.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub works: Vec<Work>,
    pub values: Vec<Info>,
    /// The values that each was recorded to be made from. Works that share a kernel do not thereby depend on one another: whom a failure concerns
    /// is what was recorded.
    pub sources: Vec<Vec<usize>>,
}

impl Graph {
    pub fn new(window: &Window) -> Graph {
        let mut params = 0;
        let works = window.nodes.iter().zip(&window.numbered).map(|(node, numbered)| {
            let first = params;
            params += node.params.len();
            Work {
                op: node.op,
                kernel: node.kernel.kernel.clone(),
                base: numbered.base,
                inputs: numbered.inputs.clone(),
                outputs: numbered.outputs.clone(),
                params: (first..params).collect(),
            }
        });
        let values = window.locals.iter().map(|local| Info {
            dtype: local.value.dtype(),
            elements: local.value.elements(),
            external: match local.origin {
                Origin::External(place) => Some(place),
                Origin::Node => None,
            },
            escapes: local.escapes,
        });
        let (works, values): (Vec<Work>, Vec<Info>) = (works.collect(), values.collect());
        let mut sources = vec![Vec::new(); values.len()];
        for work in &works {
            work.outputs.iter().for_each(|&output| sources[output] = work.reads().collect());
        }
        Graph { works, values, sources }
    }

    /// All that a value was recorded to be made from, and itself.
    pub fn origins(&self, value: usize) -> FxHashSet<usize> {
        let mut found = FxHashSet::from_iter([value]);
        let mut rest = vec![value];
        while let Some(value) = rest.pop() {
            rest.extend(self.sources[value].iter().copied().filter(|&source| found.insert(source)));
        }
        found
    }

    /// For each value the works that read it, in order; a work that reads it twice stands there once.
    pub fn readers(&self) -> Vec<Vec<usize>> {
        let mut readers = vec![Vec::new(); self.values.len()];
        for (place, work) in self.works.iter().enumerate() {
            for value in work.reads() {
                let list: &mut Vec<usize> = &mut readers[value];
                if list.last() != Some(&place) {
                    list.push(place);
                }
            }
        }
        readers
    }

    /// Puts `work` where the last of `members`, which it replaces, was; their places are in order. What reads their results and stood before that moves behind it. Gives
    /// the place of the first work that has changed.
    ///
    /// No member may need what such a reader makes.
    pub fn unite(&mut self, members: &[usize], work: Work) -> usize {
        let (first, last) = (members[0], members[members.len() - 1]);
        let mut made: FxHashSet<usize> = members.iter().flat_map(|&place| self.works[place].outputs.iter().copied()).collect();
        let between: Vec<Work> = self.works.drain(first..=last).collect();
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for (work, _) in between.into_iter().zip(first..).filter(|(_, place)| !members.contains(place)) {
            if work.reads().any(|value| made.contains(&value)) {
                made.extend(&work.outputs);
                behind.push(work);
            } else {
                before.push(work);
            }
        }
        before.push(work);
        before.extend(behind);
        self.works.splice(first..first, before);
        first
    }

    /// Drops works of whose results none escapes or is read.
    pub fn drop_dead(&mut self) {
        let mut needed: Vec<bool> = self.values.iter().map(|value| value.escapes).collect();
        let mut live: Vec<bool> = Vec::with_capacity(self.works.len());
        for work in self.works.iter().rev() {
            let alive = work.outputs.iter().any(|&value| needed[value]);
            if alive {
                work.reads().for_each(|value| needed[value] = true);
            }
            live.push(alive);
        }
        let mut live = live.into_iter().rev();
        self.works.retain(|_| live.next().unwrap_or(true));
    }
}
