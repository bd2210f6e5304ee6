//! Fused reductions: reductions and maps over the same rows become one kernel.
//!
//! A softmax is a maximum, a sum of exponentials and a quotient, recorded as two reductions and two
//! maps. If the result of a reduction is broadcast back along its rows, a cluster grows from it:
//! every later map and reduction over the same rows joins, unless it depends on a node outside of
//! the cluster that depends on the cluster. If nothing is between them, forward and backward share
//! a cluster, as in a cross entropy.
//!
//! Only values with consumers outside of the cluster, and escaping values, are stored.

use super::{
    super::graph::{Graph, Node},
    MAX_INSTRUCTIONS,
    compose::compose_reads,
    fused_inputs::{FusedInputs, name},
};
use crate::plan::traced::{AffineIndex, FusedReduction, Kernel, Layout, Map, Operand, Reduce, Shape, Traced};
use lanthorn_ir::{
    DType,
    expr::{Expr, Node as ExprNode, Program, Type},
    kernel::ReduceOp,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum length of a row for one workgroup. For longer rows a two-pass reduction fills a GPU
/// better.
pub(super) const MAX_ROW: usize = 1 << 16;

/// Finds clusters and fuses each.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    let mut id = 0;
    while id < graph.nodes.len() {
        match find(graph, id, max_bindings) {
            Some(cluster) => id = graph.fuse_nodes(&cluster.members, cluster.node),
            None => id += 1,
        }
    }
    graph.eliminate_dead_nodes();
}

/// The rows of a cluster.
#[derive(Clone)]
struct Rows {
    outer: Shape,
    inner: Shape,
    /// The layout of the elements in a contiguous tensor, over `outer` followed by `inner`.
    target: Layout,
}

impl Rows {
    fn count(&self) -> Traced {
        self.outer.elements()
    }

    fn length(&self) -> Traced {
        self.inner.elements()
    }

    /// The iteration space.
    fn space(&self) -> &Shape {
        self.target.shape()
    }

    /// An operand over `outer`, broadcast over the iteration space.
    fn along(&self, operand: Operand) -> Operand {
        along(self.space(), operand)
    }

    /// Whether an operand over the iteration space reads its row's value at every element.
    fn reads_row(&self, operand: &Operand) -> bool {
        let whole = self.along(Operand::new(operand.encoding, Layout::contiguous(self.outer.clone())));
        operand.is_strided() && have_same_offsets(&operand.layout, &whole.layout)
    }

    /// Whether an operand over the iteration space reads the same element at every element.
    fn reads_element(&self, operand: &Operand) -> bool {
        operand.is_strided() && have_same_offsets(&operand.layout, &self.target)
    }
}

/// An operand over the first dimensions of `space`, broadcast over all of them.
pub(super) fn along(space: &Shape, operand: Operand) -> Operand {
    let missing = space.rank() - operand.shape().rank();
    let strides = operand.layout.strides().iter().copied().chain(std::iter::repeat_n(Traced::from(0), missing));
    let layout = Layout::new(space.clone(), strides, operand.layout.offset());
    let mut bounded = operand.bounded.clone();
    bounded.iter_mut().for_each(|bound| bound.steps.extend(std::iter::repeat_n(Traced::from(0), missing)));
    Operand { layout, bounded, ..operand }
}

/// Whether two layouts of one shape have the same offsets.
fn have_same_offsets(a: &Layout, b: &Layout) -> bool {
    let steps = a.strides().iter().zip(b.strides());
    a.offset() == b.offset() && a.shape().iter().zip(steps).all(|(&size, (a, b))| size == 1 || a == b)
}

/// The outer and inner dimensions of `layout`, which reads a contiguous tensor of `rows`.
fn partition(layout: &Layout, rows: Traced) -> Option<(Vec<usize>, Vec<usize>)> {
    let moving = (0..layout.shape().rank()).filter(|&d| layout.shape()[d] > Traced::from(1));
    let (outer, inner): (Vec<usize>, Vec<usize>) = moving.partition(|&d| layout.strides()[d] != 0);
    let walk = Layout::new(
        Shape::from_dims(outer.iter().map(|&d| layout.shape()[d])),
        outer.iter().map(|&d| layout.strides()[d]),
        layout.offset(),
    );
    walk.covers(rows).then_some((outer, inner))
}

/// The rows of a cluster around the reduction `id`, derived from the first consumer that broadcasts
/// its result along the rows.
fn rows_of(graph: &Graph, id: usize, reduce: &Reduce) -> Option<Rows> {
    let (count, length) = (reduce.outer.elements(), reduce.inner.elements());
    if length <= Traced::from(1) || count == 0 || length > Traced::from(MAX_ROW) {
        return None;
    }
    let results = &graph.nodes[id].outputs;
    graph.nodes[id + 1..].iter().find_map(|consumer| {
        let operands = consumer.kernel.operands();
        let (operand, _) = operands.iter().zip(&consumer.inputs).find(|(_, value)| results.contains(value))?;
        let elements = operand.shape().elements();
        if elements != count * length || !operand.is_strided() {
            return None;
        }
        match &consumer.kernel {
            Kernel::Map(map) => {
                let (outer, inner) = partition(&operand.layout, count)?;
                let sizes = |dims: &[usize]| Shape::from_dims(dims.iter().map(|&d| map.shape[d]));
                let order: Vec<usize> = outer.iter().chain(&inner).copied().collect();
                let whole = Layout::contiguous(map.shape.clone());
                let target = Layout::new(sizes(&order), order.iter().map(|&d| whole.strides()[d]), 0.into());
                Some(Rows { outer: sizes(&outer), inner: sizes(&inner), target })
            }
            Kernel::Reduce(second) if second.inner.elements() == length => {
                let (outer, inner) = (reduce.outer.clone(), reduce.inner.clone());
                let space = Shape::from_dims(outer.iter().chain(inner.iter()).copied());
                Some(Rows { outer, inner, target: Layout::contiguous(space) })
            }
            _ => None,
        }
    })
}

/// Whether a value of the cluster has one element for each row, or one for each element.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Row,
    Element,
}

/// Nodes that become one kernel.
#[derive(Clone)]
struct Cluster {
    rows: Rows,
    /// The ids of the nodes.
    members: Vec<usize>,
    fused: FusedInputs,
    reductions: Vec<(ReduceOp, Expr)>,
    /// The values that the cluster computes, in order.
    made: Vec<(usize, DType, Level, Expr)>,
    /// The index of each value in `made`.
    known: FxHashMap<usize, usize>,
}

/// The slot of the first reduction, while the number of operands is not known.
const REDUCTIONS: usize = 1 << 20;

/// The kernel of the cluster around the reduction `id`, if it has at least two nodes and the device
/// supports it.
fn find(graph: &Graph, id: usize, max_bindings: usize) -> Option<Finished> {
    let Kernel::Reduce(reduce) = &graph.nodes[id].kernel else { return None };
    let rows = rows_of(graph, id, reduce)?;
    let producers: Vec<usize> = (0..id)
        .filter(|&at| {
            let node = &graph.nodes[at];
            matches!(&node.kernel, Kernel::Map(map) if map.shape.elements() == rows.count() * rows.length())
                && node.outputs.iter().any(|output| graph.nodes[id].inputs.contains(output))
        })
        .collect();
    let with_producers: Vec<usize> = producers.iter().copied().chain([id]).collect();
    let attempts = if producers.is_empty() { vec![vec![id]] } else { vec![with_producers, vec![id]] };
    attempts.into_iter().find_map(|seeds| {
        let mut most = usize::MAX;
        loop {
            let cluster = grow(graph, &rows, &seeds, most)?;
            let members = cluster.members.len();
            match cluster.finish(graph) {
                Some(finished) if finished.node.bindings() <= max_bindings => {
                    return Some(finished);
                }
                _ if members > seeds.len().max(2) => most = members - 1,
                _ => return None,
            }
        }
    })
}

/// The cluster of the `seeds`, which must all join, with at most `most` nodes.
fn grow(graph: &Graph, rows: &Rows, seeds: &[usize], most: usize) -> Option<Cluster> {
    let mut cluster = Cluster {
        rows: rows.clone(),
        members: vec![],
        fused: FusedInputs::default(),
        reductions: vec![],
        made: vec![],
        known: FxHashMap::default(),
    };
    // Values that nodes outside of the cluster compute from its values.
    let mut tainted: FxHashSet<usize> = FxHashSet::default();
    for (id, node) in graph.nodes.iter().enumerate().skip(*seeds.first()?) {
        let seed = seeds.contains(&id);
        let (mut from_cluster, mut from_outside) = (false, false);
        for value in node.reads() {
            from_cluster |= cluster.known.contains_key(&value);
            from_outside |= tainted.contains(&value);
        }
        let wanted = (seed || from_cluster) && !from_outside && cluster.members.len() < most;
        if let Some(joined) = wanted.then(|| cluster.with(id, node)).flatten() {
            cluster = joined;
        } else if seed {
            return None;
        } else if from_cluster || from_outside {
            tainted.extend(&node.outputs);
        }
    }
    (cluster.members.len() > 1 && !cluster.reductions.is_empty()).then_some(cluster)
}

impl Cluster {
    fn with(&self, id: usize, node: &Node) -> Option<Cluster> {
        let mut joined = self.clone();
        match &node.kernel {
            Kernel::Map(map) => joined.join_map(node, map)?,
            Kernel::Reduce(reduce) => joined.join_reduce(node, reduce)?,
            _ => return None,
        }
        joined.members.push(id);
        Some(joined)
    }

    /// An operand over the iteration space as an expression. `None` if it reads a value of the
    /// cluster, but neither its row's value nor the same element.
    fn operand(&mut self, operand: Operand, value: usize) -> Option<Expr> {
        let Some(&at) = self.known.get(&value) else { return Some(self.fused.operand(operand, value)) };
        let (_, _, level, expr) = &self.made[at];
        let reads_it = !operand.encoding.is_blocks()
            && match level {
                Level::Row => self.rows.reads_row(&operand),
                Level::Element => self.rows.reads_element(&operand),
            };
        reads_it.then(|| expr.clone())
    }

    /// The operands and affine indices of a node over `shape`, read through `view`, as expressions.
    fn reads(
        &mut self,
        shape: &Shape,
        operands: &[Operand],
        indices: &[AffineIndex],
        values: &[usize],
        view: &Layout,
    ) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let operands: Vec<&Operand> = operands.iter().collect();
        let (composed, indices) = compose_reads(shape, &operands, indices, view)?;
        let rows = self.rows.clone();
        let per_row = view.shape().rank() < rows.space().rank();
        let widen = |operand: Operand| if per_row { rows.along(operand) } else { operand };
        let slots = composed.into_iter().zip(values).map(|(operand, &value)| self.operand(widen(operand), value));
        let slots = slots.collect::<Option<_>>()?;
        Some((slots, indices.into_iter().map(|index| self.index(index)).collect()))
    }

    /// An affine index over the iteration space, or over its rows only.
    fn index(&mut self, mut index: AffineIndex) -> Expr {
        index.steps.resize(self.rows.space().rank(), 0.into());
        self.fused.index(index)
    }

    fn make(&mut self, node: &Node, dtypes: &[DType], level: Level, results: Vec<Expr>) {
        for ((&output, &dtype), expr) in node.outputs.iter().zip(dtypes).zip(results) {
            self.known.insert(output, self.made.len());
            self.made.push((output, dtype, level, expr));
        }
    }

    fn join_map(&mut self, node: &Node, map: &Map) -> Option<()> {
        let elements = map.shape.elements();
        let (view, level) = if elements == self.rows.count() * self.rows.length() {
            (self.rows.target.clone(), Level::Element)
        } else if elements == self.rows.count() {
            (Layout::contiguous(self.rows.outer.clone()), Level::Row)
        } else {
            return None;
        };
        // The index of the kernel counts along the rows. The index of the map counts in its own
        // order.
        let index = if !map.program.uses_linear_index() || (level == Level::Element && view.covers(elements)) {
            Expr::index()
        } else {
            self.index(AffineIndex::offset(&view)).cast(Type::U32)
        };
        let (slots, indices) = self.reads(&map.shape, &map.inputs, &map.indices, &node.inputs, &view)?;
        let first_param = self.fused.params(node);
        let results = map.program.over_indices(&slots, first_param, &index, &indices);
        self.make(node, &map.dtypes, level, results);
        Some(())
    }

    fn join_reduce(&mut self, node: &Node, reduce: &Reduce) -> Option<()> {
        if reduce.outer.elements() != self.rows.count() || reduce.inner.elements() != self.rows.length() {
            return None;
        }
        if reduce.epilogue.program.uses_index() {
            return None;
        }
        let space = Shape::from_dims(reduce.outer.iter().chain(reduce.inner.iter()).copied());
        let walk = Layout::contiguous(self.rows.space().clone());
        let (before, after) = node.inputs.split_at(reduce.inputs.len());
        let (slots, indices) = self.reads(&space, &reduce.inputs, &reduce.indices, before, &walk)?;
        let first_param = self.fused.params(node);
        let value = reduce.prologue.over_indices(&slots, first_param, &Expr::index(), &indices).swap_remove(0);
        let result = Expr::input(REDUCTIONS + self.reductions.len(), reduce.result());
        self.reductions.push((reduce.op, value));
        let rows = Layout::contiguous(self.rows.outer.clone());
        let mut slots = vec![result];
        slots.extend(self.reads(&reduce.outer, &reduce.epilogue.inputs, &[], after, &rows)?.0);
        let results = reduce.epilogue.program.over(&slots, first_param, &Expr::index());
        self.make(node, &reduce.epilogue.dtypes, Level::Row, results);
        Some(())
    }

    /// The kernel. It stores the values that are needed outside of the cluster.
    fn finish(self, graph: &Graph) -> Option<Finished> {
        let outside = graph.nodes.iter().enumerate().filter(|(id, _)| !self.members.contains(id));
        let read: FxHashSet<usize> = outside.flat_map(|(_, node)| node.reads()).collect();
        let needed = |value: usize| graph.values[value].escapes || read.contains(&value);
        let operands = self.fused.operands.len();
        let placed = |expr: &Expr| {
            expr.rewrite(|expr| match expr.node() {
                ExprNode::Input(slot) if *slot >= REDUCTIONS => {
                    Some(Expr::input(operands + slot - REDUCTIONS, expr.ty()))
                }
                _ => None,
            })
        };
        let of = |level: Level| {
            let made = self.made.iter().filter(move |(value, _, at, _)| *at == level && needed(*value));
            let parts: Vec<(usize, DType, Expr)> =
                made.map(|(value, dtype, _, expr)| (*value, *dtype, placed(expr))).collect();
            parts
        };
        let (rows, elements) = (of(Level::Row), of(Level::Element));
        let program =
            |parts: &[(usize, DType, Expr)]| Program::new(&parts.iter().map(|part| part.2.clone()).collect::<Vec<_>>());
        let dtypes = |parts: &[(usize, DType, Expr)]| parts.iter().map(|part| part.1).collect::<Vec<_>>();
        let kernel = FusedReduction {
            outer: self.rows.outer.clone(),
            inner: self.rows.inner.clone(),
            inputs: self.fused.operands.clone(),
            indices: self.fused.indices.clone(),
            params: self.fused.types.clone(),
            reductions: self.reductions.iter().map(|(op, value)| (*op, Program::new(&[placed(value)]))).collect(),
            rows: program(&rows),
            row_dtypes: dtypes(&rows),
            elements: program(&elements),
            element_dtypes: dtypes(&elements),
            target: self.rows.target.clone(),
        };
        let programs = kernel.reductions.iter().map(|(_, program)| program).chain([&kernel.rows, &kernel.elements]);
        if programs.map(|program| program.instructions.len()).max() > Some(MAX_INSTRUCTIONS) {
            return None;
        }
        let node = Node {
            op: name(self.members.iter().map(|&id| &graph.nodes[id])),
            kernel: Kernel::FusedReduction(kernel),
            bases: vec![],
            inputs: self.fused.values.clone(),
            outputs: rows.iter().chain(&elements).map(|part| part.0).collect(),
            params: self.fused.params.clone(),
        };
        Some(Finished { node, members: self.members })
    }
}

/// The node of a cluster, and the ids of the nodes that it replaces.
struct Finished {
    node: Node,
    members: Vec<usize>,
}
