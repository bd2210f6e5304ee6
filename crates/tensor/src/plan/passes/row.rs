//! Rows: reductions and maps over the same rows become one kernel.
//!
//! A softmax is a maximum, a sum of exponentials and a quotient; recorded, these are two reductions and two maps that read one another's results. Where a
//! reduction's result is read back along the rows that it came from, a cluster grows from it: every later map and reduction over the same rows
//! joins, unless it needs something that is made from the cluster outside of it. Forward and backward meet in one cluster where nothing lies between them, as
//! in a cross entropy.
//!
//! What works outside of the cluster read, and what escapes, is written; everything else exists inside the kernel only.

use super::{
    super::graph::{Graph, Work},
    MAX_STEPS,
    compose::compose_operands,
    gathered::{Gathered, name, place},
};
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{Expr, Node, Program},
    kernel::{FusedReduction, Map, Operand, Reduce, ReduceOp},
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest row that one workgroup should work on: beyond it a reduction in two passes fills a GPU better.
const LONGEST_ROW: usize = 1 << 16;

/// Finds clusters and makes each a kernel.
pub(super) fn fuse(graph: &mut Graph, max_bindings: usize) {
    let mut place = 0;
    while place < graph.works.len() {
        match find(graph, place, max_bindings) {
            Some(cluster) => place = graph.unite(&cluster.members, cluster.work),
            None => place += 1,
        }
    }
    graph.drop_dead();
}

/// The rows that a cluster works on.
#[derive(Clone)]
struct Rows {
    outer: Shape,
    inner: Shape,
    /// Where each element lies in a contiguous tensor of all elements; over `outer` followed by `inner`.
    target: Layout,
}

impl Rows {
    fn count(&self) -> usize {
        self.outer.elements()
    }

    fn length(&self) -> usize {
        self.inner.elements()
    }

    /// The iteration space.
    fn space(&self) -> &Shape {
        self.target.shape()
    }

    /// An operand over `outer`, as one over the iteration space.
    fn along(&self, operand: Operand) -> Operand {
        let missing = self.inner.rank();
        let strides = operand.layout.strides().iter().copied().chain(std::iter::repeat_n(0, missing));
        let layout = Layout::new(self.space().clone(), strides, operand.layout.offset());
        let mut windows = operand.bounded.clone();
        windows.iter_mut().for_each(|window| window.steps.extend(std::iter::repeat_n(0, missing)));
        Operand { layout, bounded: windows, ..operand }
    }

    /// Whether an operand over the iteration space reads, at every element, the value of its row.
    fn reads_row(&self, operand: &Operand) -> bool {
        let whole = self.along(Operand::new(operand.dtype, Layout::contiguous(self.outer.clone())));
        operand.is_strided() && same_walk(&operand.layout, &whole.layout)
    }

    /// Whether an operand over the iteration space reads, at every element, that element.
    fn reads_element(&self, operand: &Operand) -> bool {
        operand.is_strided() && same_walk(&operand.layout, &self.target)
    }
}

/// Whether two layouts of one shape name the same places.
fn same_walk(a: &Layout, b: &Layout) -> bool {
    let steps = a.strides().iter().zip(b.strides());
    a.offset() == b.offset() && a.shape().iter().zip(steps).all(|(&size, (a, b))| size == 1 || a == b)
}

/// How the dimensions of `layout`, which reads a contiguous tensor of `rows`, part into those that number the rows and those along them.
fn partition(layout: &Layout, rows: usize) -> Option<(Vec<usize>, Vec<usize>)> {
    let moving = (0..layout.shape().rank()).filter(|&d| layout.shape()[d] > 1);
    let (outer, inner): (Vec<usize>, Vec<usize>) = moving.partition(|&d| layout.strides()[d] != 0);
    let walk = Layout::new(
        Shape::from_dims(outer.iter().map(|&d| layout.shape()[d])),
        outer.iter().map(|&d| layout.strides()[d]),
        layout.offset(),
    );
    walk.covers(rows).then_some((outer, inner))
}

/// The rows of a cluster around the reduction at `place`, as the first work says that reads its result along the rows.
fn rows_of(graph: &Graph, place: usize, reduce: &Reduce) -> Option<Rows> {
    let (count, length) = (reduce.outer.elements(), reduce.inner.elements());
    if length <= 1 || count == 0 || length > LONGEST_ROW {
        return None;
    }
    let results = &graph.works[place].outputs;
    graph.works[place + 1..].iter().find_map(|reader| {
        let operands = reader.kernel.operands();
        let (operand, _) = operands.iter().zip(&reader.inputs).find(|(_, value)| results.contains(value))?;
        let elements = operand.shape().elements();
        if elements != count * length || !operand.is_strided() {
            return None;
        }
        match &reader.kernel {
            Kernel::Map(map) => {
                let (outer, inner) = partition(&operand.layout, count)?;
                let sizes = |dims: &[usize]| Shape::from_dims(dims.iter().map(|&d| map.shape[d]));
                let order: Vec<usize> = outer.iter().chain(&inner).copied().collect();
                let whole = Layout::contiguous(map.shape.clone());
                let target = Layout::new(sizes(&order), order.iter().map(|&d| whole.strides()[d]), 0);
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

/// Whether a value of the cluster is one a row or one an element.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Row,
    Element,
}

/// Works that become one kernel.
#[derive(Clone)]
struct Cluster {
    rows: Rows,
    /// The places of the works.
    members: Vec<usize>,
    gathered: Gathered,
    reductions: Vec<(ReduceOp, Expr)>,
    /// What the cluster makes, in order.
    made: Vec<(usize, DType, Level, Expr)>,
    /// Where each value stands among `made`.
    known: FxHashMap<usize, usize>,
}

/// The slot of the first reduction while the number of operands is not known.
const REDUCTIONS: usize = 1 << 20;

/// The cluster around the reduction at `place`, if there is one of at least two works that the device can run.
fn find(graph: &Graph, place: usize, max_bindings: usize) -> Option<Finished> {
    let Kernel::Reduce(reduce) = &graph.works[place].kernel else { return None };
    let rows = rows_of(graph, place, reduce)?;
    let makers: Vec<usize> = (0..place)
        .filter(|&at| {
            let work = &graph.works[at];
            matches!(&work.kernel, Kernel::Map(map) if map.shape.elements() == rows.count() * rows.length())
                && work.outputs.iter().any(|output| graph.works[place].inputs.contains(output))
        })
        .collect();
    let with_makers: Vec<usize> = makers.iter().copied().chain([place]).collect();
    let attempts = if makers.is_empty() { vec![vec![place]] } else { vec![with_makers, vec![place]] };
    attempts.into_iter().find_map(|seeds| {
        let mut most = usize::MAX;
        loop {
            let cluster = grow(graph, &rows, &seeds, most)?;
            let members = cluster.members.len();
            match cluster.finish(graph) {
                Some(finished) if finished.work.inputs.len() + finished.work.outputs.len() <= max_bindings => {
                    return Some(finished);
                }
                _ if members > seeds.len().max(2) => most = members - 1,
                _ => return None,
            }
        }
    })
}

/// The cluster of the `seeds`, which must all join, and of at most `most` works.
fn grow(graph: &Graph, rows: &Rows, seeds: &[usize], most: usize) -> Option<Cluster> {
    let mut cluster = Cluster {
        rows: rows.clone(),
        members: vec![],
        gathered: Gathered::default(),
        reductions: vec![],
        made: vec![],
        known: FxHashMap::default(),
    };
    // Values that are made from the cluster's outside of it.
    let mut tainted: FxHashSet<usize> = FxHashSet::default();
    for (place, work) in graph.works.iter().enumerate().skip(*seeds.first()?) {
        let seed = seeds.contains(&place);
        let (mut from_cluster, mut from_outside) = (false, false);
        for value in work.reads() {
            from_cluster |= cluster.known.contains_key(&value);
            from_outside |= tainted.contains(&value);
        }
        let wanted = (seed || from_cluster) && !from_outside && cluster.members.len() < most;
        if let Some(joined) = wanted.then(|| cluster.with(place, work)).flatten() {
            cluster = joined;
        } else if seed {
            return None;
        } else if from_cluster || from_outside {
            tainted.extend(&work.outputs);
        }
    }
    (cluster.members.len() > 1 && !cluster.reductions.is_empty()).then_some(cluster)
}

impl Cluster {
    fn with(&self, place: usize, work: &Work) -> Option<Cluster> {
        let mut joined = self.clone();
        match &work.kernel {
            Kernel::Map(map) => joined.join_map(work, map)?,
            Kernel::Reduce(reduce) => joined.join_reduce(work, reduce)?,
            _ => return None,
        }
        joined.members.push(place);
        Some(joined)
    }

    /// An operand over the iteration space as an expression; `None` if it reads a value of the cluster in another way than as its row's or element's.
    fn operand(&mut self, operand: Operand, value: usize) -> Option<Expr> {
        let Some(&at) = self.known.get(&value) else { return Some(self.gathered.operand(operand, value)) };
        let (_, _, level, expr) = &self.made[at];
        let reads_it = match level {
            Level::Row => self.rows.reads_row(&operand),
            Level::Element => self.rows.reads_element(&operand),
        };
        reads_it.then(|| expr.clone())
    }

    /// The operands of a work, whose space `shape` is walked by `view`, as expressions.
    fn operands(&mut self, shape: &Shape, operands: &[Operand], values: &[usize], view: &Layout) -> Option<Vec<Expr>> {
        let operands: Vec<&Operand> = operands.iter().collect();
        let composed = compose_operands(shape, &operands, view)?;
        let rows = self.rows.clone();
        let per_row = view.shape().rank() < rows.space().rank();
        let widen = |operand: Operand| if per_row { rows.along(operand) } else { operand };
        composed.into_iter().zip(values).map(|(operand, &value)| self.operand(widen(operand), value)).collect()
    }

    fn make(&mut self, work: &Work, dtypes: &[DType], level: Level, results: Vec<Expr>) {
        for ((&output, &dtype), expr) in work.outputs.iter().zip(dtypes).zip(results) {
            self.known.insert(output, self.made.len());
            self.made.push((output, dtype, level, expr));
        }
    }

    fn join_map(&mut self, work: &Work, map: &Map) -> Option<()> {
        let elements = map.shape.elements();
        let (view, level) = if elements == self.rows.count() * self.rows.length() {
            (self.rows.target.clone(), Level::Element)
        } else if elements == self.rows.count() {
            (Layout::contiguous(self.rows.outer.clone()), Level::Row)
        } else {
            return None;
        };
        if level == Level::Row && map.program.uses_index() {
            return None;
        }
        // The kernel's index counts along the rows, the map's in its own order.
        let index = if view.covers(elements) { Expr::index() } else { place(&view) };
        let slots = self.operands(&map.shape, &map.inputs, &work.inputs, &view)?;
        let first_param = self.gathered.params(work);
        let results = map.program.over(&slots, first_param, &index);
        self.make(work, &map.dtypes, level, results);
        Some(())
    }

    fn join_reduce(&mut self, work: &Work, reduce: &Reduce) -> Option<()> {
        if reduce.outer.elements() != self.rows.count() || reduce.inner.elements() != self.rows.length() {
            return None;
        }
        if reduce.epilogue.program.uses_index() {
            return None;
        }
        let space = Shape::from_dims(reduce.outer.iter().chain(reduce.inner.iter()).copied());
        let walk = Layout::contiguous(self.rows.space().clone());
        let (before, after) = work.inputs.split_at(reduce.inputs.len());
        let slots = self.operands(&space, &reduce.inputs, before, &walk)?;
        let first_param = self.gathered.params(work);
        let value = reduce.prologue.over(&slots, first_param, &Expr::index()).swap_remove(0);
        let result = Expr::input(REDUCTIONS + self.reductions.len(), reduce.result());
        self.reductions.push((reduce.op, value));
        let rows = Layout::contiguous(self.rows.outer.clone());
        let mut slots = vec![result];
        slots.extend(self.operands(&reduce.outer, &reduce.epilogue.inputs, after, &rows)?);
        let results = reduce.epilogue.program.over(&slots, first_param, &Expr::index());
        self.make(work, &reduce.epilogue.dtypes, Level::Row, results);
        Some(())
    }

    /// The kernel, which writes what is needed outside of the cluster.
    fn finish(self, graph: &Graph) -> Option<Finished> {
        let outside = graph.works.iter().enumerate().filter(|(place, _)| !self.members.contains(place));
        let read: FxHashSet<usize> = outside.flat_map(|(_, work)| work.reads()).collect();
        let needed = |value: usize| graph.values[value].escapes || read.contains(&value);
        let operands = self.gathered.operands.len();
        let placed = |expr: &Expr| {
            expr.rewrite(|expr| match expr.node() {
                Node::Input(slot) if *slot >= REDUCTIONS => Some(Expr::input(operands + slot - REDUCTIONS, expr.ty())),
                _ => None,
            })
        };
        let of = |level: Level| {
            let made = self.made.iter().filter(move |(value, _, at, _)| *at == level && needed(*value));
            let parts: Vec<(usize, DType, Expr)> = made.map(|(value, dtype, _, expr)| (*value, *dtype, placed(expr))).collect();
            parts
        };
        let (rows, elements) = (of(Level::Row), of(Level::Element));
        let program = |parts: &[(usize, DType, Expr)]| Program::new(&parts.iter().map(|part| part.2.clone()).collect::<Vec<_>>());
        let dtypes = |parts: &[(usize, DType, Expr)]| parts.iter().map(|part| part.1).collect::<Vec<_>>();
        let kernel = FusedReduction {
            outer: self.rows.outer.clone(),
            inner: self.rows.inner.clone(),
            inputs: self.gathered.operands.clone(),
            params: self.gathered.types.clone(),
            reductions: self.reductions.iter().map(|(op, value)| (*op, Program::new(&[placed(value)]))).collect(),
            rows: program(&rows),
            row_dtypes: dtypes(&rows),
            elements: program(&elements),
            element_dtypes: dtypes(&elements),
            target: self.rows.target.clone(),
        };
        let programs = kernel.reductions.iter().map(|(_, program)| program).chain([&kernel.rows, &kernel.elements]);
        if programs.map(|program| program.instructions.len()).max() > Some(MAX_STEPS) {
            return None;
        }
        let work = Work {
            op: name(self.members.iter().map(|&place| &graph.works[place])),
            kernel: Kernel::FusedReduction(kernel),
            base: None,
            inputs: self.gathered.values.clone(),
            outputs: rows.iter().chain(&elements).map(|part| part.0).collect(),
            params: self.gathered.params.clone(),
        };
        Some(Finished { work, members: self.members })
    }
}

/// A cluster's kernel, and the places of the works that it replaces.
struct Finished {
    work: Work,
    members: Vec<usize>,
}
