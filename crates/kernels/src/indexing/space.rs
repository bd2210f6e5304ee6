//! Operands before text is generated: which dimensions merge, and how many elements a step takes.

use super::{
    ANY, BLOCK_VECTORS, Lanes, Unit,
    indexer::Indexer,
    source::Source,
    term::{Dimensions, Step, Term, scale},
};
use crate::Builder;
use lanthorn_ir::{
    DType, Layout, Shape,
    kernel::{AffineIndex, Operand},
};
use std::ops::Range;

/// Operands over an iteration space. Its dimensions are divided into groups, and dimensions of a
/// group are merged as far as all operands allow.
pub(crate) struct Space {
    groups: Vec<Group>,
    operands: Vec<Operand>,
    /// The number of operands that read a buffer. The operands after them are affine indices, whose
    /// offset is the value.
    stored: usize,
    /// Whether elements are moved unchanged.
    moving: bool,
    lanes: Vec<Lanes>,
    /// The group that is processed four elements at a time.
    vec4: Option<usize>,
    /// Whether a step processes eight times four elements.
    blocks: bool,
}

struct Group {
    sizes: Vec<usize>,
    /// For each operand and each of its functions: the steps of the offset, then of the bounded
    /// indices.
    steps: Vec<Vec<Vec<isize>>>,
}

/// The functions of an operand, restricted to a range of dimensions.
fn functions(operand: &Operand, range: &Range<usize>) -> Vec<Vec<isize>> {
    let strided = operand.layout.strides()[range.clone()].to_vec();
    std::iter::once(strided).chain(operand.bounded.iter().map(|bound| bound.steps[range.clone()].to_vec())).collect()
}

impl Space {
    /// The shape of the operands is the concatenation of `groups`.
    pub(crate) fn new(groups: &[&Shape], operands: Vec<Operand>) -> Space {
        let mut start = 0;
        let cut = |shape: &&Shape| {
            let range = start..start + shape.rank();
            start = range.end;
            let all: Vec<_> = operands.iter().map(|operand| functions(operand, &range)).collect();
            let mut layouts = vec![Layout::contiguous((*shape).clone())];
            layouts.extend(all.iter().flatten().map(|steps| Layout::new((*shape).clone(), steps.iter().copied(), 0)));
            let merged = Layout::coalesce(&layouts.iter().collect::<Vec<_>>());
            let mut rest = merged[1..].iter().map(|layout| layout.strides().to_vec());
            let steps = all.iter().map(|functions| rest.by_ref().take(functions.len()).collect()).collect();
            Group { sizes: merged[0].shape().to_vec(), steps }
        };
        let groups = groups.iter().map(cut).collect();
        let lanes = vec![Lanes::One; operands.len()];
        Space { groups, stored: operands.len(), operands, moving: false, lanes, vec4: None, blocks: false }
    }

    /// [`Space::new`] with affine indices after the operands. [`Indexer::index`] returns their
    /// values.
    pub(crate) fn with_indices(groups: &[&Shape], mut operands: Vec<Operand>, indices: &[AffineIndex]) -> Space {
        let shape = Shape::from_dims(groups.iter().flat_map(|group| group.iter().copied()));
        let stored = operands.len();
        // A start below zero wraps around, as the arithmetic of the kernel does.
        let layout =
            |index: &AffineIndex| Layout::new(shape.clone(), index.steps.iter().copied(), index.start as usize);
        operands.extend(indices.iter().map(|index| Operand::new(ANY, layout(index))));
        Space { stored, ..Space::new(groups, operands) }
    }

    /// Operands whose elements are moved unchanged, over one group.
    pub(crate) fn moving(dtype: DType, layouts: &[&Layout]) -> Space {
        let operands = layouts.iter().map(|&layout| Operand::new(dtype, layout.clone())).collect();
        Space { moving: true, ..Space::new(&[layouts[0].shape()], operands) }
    }

    /// Whether an operand is contiguous along a group: one element per step of its linear index.
    pub(crate) fn is_in_order(&self, operand: usize, group: usize) -> bool {
        let Group { sizes, steps } = &self.groups[group];
        self.operands[operand].is_strided() && scale(sizes, &steps[operand][0]) == Some(1)
    }

    /// Processes the last dimension of a group four elements at a time, if its size is a multiple
    /// of four. The index of the group then counts vec4s.
    pub(crate) fn by_vec4(&mut self, group: usize) -> bool {
        if self.groups[group].sizes.last().is_none_or(|size| !size.is_multiple_of(4)) {
            return false;
        }
        for operand in 0..self.operands.len() {
            let last = |steps: &Vec<isize>| steps.last().copied().unwrap_or(0);
            let along: Vec<isize> = self.groups[group].steps[operand].iter().map(last).collect();
            self.lanes[operand] = match along[..] {
                [1] if operand < self.stored && self.is_aligned(operand, group, true) => Lanes::Vector,
                _ if along.iter().all(|&step| step == 0) => Lanes::Broadcast,
                _ => Lanes::Strided,
            };
            if self.lanes[operand] == Lanes::Vector {
                self.count_in(operand, 4);
            }
        }
        self.vec4 = Some(group);
        true
    }

    /// [`Space::by_vec4`], with 32 elements at a time if operands have blocks along the group and
    /// `by_blocks` allows it. The index of the group then counts steps, which have as many elements
    /// as the returned unit.
    pub(crate) fn by_units(&mut self, group: usize, by_blocks: bool) -> Unit {
        if !self.by_vec4(group) {
            return Unit::One;
        }
        let vectors = |steps: &[isize]| steps.iter().all(|step| step.unsigned_abs().is_multiple_of(BLOCK_VECTORS));
        let Group { sizes, .. } = &self.groups[group];
        let whole = matches!(sizes[..], [size] if size.is_multiple_of(Unit::Block.elements()));
        let is_block = |operand: &usize| {
            let others = || self.groups.iter().enumerate().filter(|(at, _)| *at != group);
            self.operands[*operand].encoding.is_blocks()
                && self.lanes[*operand] == Lanes::Vector
                && self.operands[*operand].layout.offset().is_multiple_of(BLOCK_VECTORS)
                && others().all(|(_, other)| vectors(&other.steps[*operand][0]))
        };
        let operands: Vec<usize> = (0..self.stored).filter(is_block).collect();
        if !by_blocks || !whole || operands.is_empty() || self.stored < self.operands.len() {
            return Unit::Vector;
        }
        for operand in operands {
            self.lanes[operand] = Lanes::Block;
            self.count_in(operand, BLOCK_VECTORS);
        }
        self.blocks = true;
        Unit::Block
    }

    /// Whether an operand is constant along a group.
    pub(crate) fn is_still(&self, operand: usize, group: usize) -> bool {
        self.groups[group].steps[operand].iter().flatten().all(|&step| step == 0)
    }

    /// Whether an operand can be read as vec4s along a group: it is contiguous there, and aligned
    /// in all other groups.
    pub(crate) fn has_vectors(&self, operand: usize, group: usize) -> bool {
        self.is_in_order(operand, group)
            && self.groups[group].sizes.iter().product::<usize>().is_multiple_of(4)
            && self.is_aligned(operand, group, false)
    }

    /// Reads an operand as vec4s along a group, which [`Space::has_vectors`] allows. Its offset
    /// then counts vec4s.
    pub(crate) fn by_vectors(&mut self, operand: usize, group: usize) {
        self.count_in(operand, 4);
        // The kernel adds the term of this group itself, in units of vec4s.
        self.groups[group].steps[operand][0].iter_mut().for_each(|step| *step = 0);
        self.lanes[operand] = Lanes::Vector;
    }

    /// Reads operands four elements at a time, with any step, along a group in which the others are
    /// constant.
    pub(crate) fn by_steps_of_four(&mut self, operands: &[usize], group: usize) -> bool {
        let fits = self.groups[group].sizes.last().is_some_and(|size| size.is_multiple_of(4));
        if fits {
            operands.iter().for_each(|&operand| self.lanes[operand] = Lanes::Strided);
            self.vec4 = Some(group);
        }
        fits
    }

    /// Whether the offset of an operand is a multiple of four at every index of the other groups
    /// and, if `in_group`, at the start of every run along the last dimension of the group.
    fn is_aligned(&self, operand: usize, group: usize, in_group: bool) -> bool {
        let aligned = |(at, other): (usize, &Group)| {
            let steps = &other.steps[operand][0];
            let counted = match at == group {
                false => steps.len(),
                true if in_group => steps.len().saturating_sub(1),
                true => 0,
            };
            steps[..counted].iter().all(|step| step % 4 == 0)
        };
        let operand = &self.operands[operand];
        operand.is_strided() && operand.layout.offset().is_multiple_of(4) && self.groups.iter().enumerate().all(aligned)
    }

    /// Makes the offset of an operand count units of `each`. A step of 1 is one unit along the
    /// group of vectors.
    fn count_in(&mut self, operand: usize, each: usize) {
        for group in &mut self.groups {
            group.steps[operand][0].iter_mut().filter(|step| **step != 1).for_each(|step| *step /= each as isize);
        }
        let layout = &self.operands[operand].layout;
        self.operands[operand].layout =
            Layout::new(layout.shape().clone(), layout.strides().to_vec(), layout.offset() / each);
    }

    /// Makes the numbers that are data arguments of the kernel.
    pub(crate) fn bind(self, builder: &mut Builder) -> Indexer {
        let Space { mut groups, operands, moving, lanes, vec4, blocks, .. } = self;
        let mut lane_steps = vec![Vec::new(); operands.len()];
        if let Some(group) = vec4.map(|at| &mut groups[at])
            && let Some(size) = group.sizes.last_mut()
        {
            *size /= 4;
            for (operand, functions) in
                group.steps.iter_mut().enumerate().filter(|(operand, _)| lanes[*operand] == Lanes::Strided)
            {
                for last in functions.iter_mut().filter_map(|steps| steps.last_mut()) {
                    lane_steps[operand].push(Step::new(*last, builder));
                    *last *= 4;
                }
            }
        }
        let bind = |group: Group, builder: &mut Builder| {
            let mut terms = Vec::new();
            for functions in &group.steps {
                terms
                    .push(functions.iter().map(|steps| Term::new(&group.sizes, steps, builder)).collect::<Vec<Term>>());
            }
            let taken_apart = terms.iter().flatten().any(|term| matches!(term, Term::Coordinates(_)));
            let inner = group.sizes.iter().skip(1);
            // A group without elements has no coordinates, but the kernel divides by its sizes
            // before its loop, and not every processor allows a divisor of 0.
            let sizes = if taken_apart { inner.map(|&size| builder.count(size.max(1))).collect() } else { Vec::new() };
            Dimensions { sizes, terms, taken_apart }
        };
        let groups = groups.into_iter().map(|group| bind(group, builder)).collect();
        let sources = operands.iter().zip(lanes).zip(lane_steps);
        let sources =
            sources.map(|((operand, lanes), steps)| Source::new(operand, moving, lanes, steps, builder)).collect();
        Indexer { groups, sources, blocks }
    }
}
