//! A kernel over a batch of problems: the same computation for each of them, in one launch.
//!
//! A batch is one dimension or several before all others. Every kind has dimensions that it treats
//! independently, so the new dimensions join these, and each buffer gets a distance between
//! problems, which is 0 for a buffer that all problems share. This is all that `vmap` needs of a
//! kernel.

use super::{
    AffineIndex, BoundedIndex, Contract, Copy, Gather, Horizontal, Kernel, Linalg, Map, Operand, Pointwise, Reduce,
    Scan, Scatter, Sort, Store,
};
use crate::{
    Layout, Shape,
    expr::{Expr, Instruction, Program, Type},
};

/// A batch of problems for [`Kernel::batch`]: one dimension or several, outermost first.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The number of problems along each dimension.
    pub sizes: &'a [usize],
    /// For each input buffer the distance between problems along each dimension, in its elements,
    /// which are bytes for numbers in blocks; 0 where problems share the elements.
    pub strides: &'a [Vec<usize>],
    /// The distances between problems in the buffer that the kernel updates.
    pub base: &'a [usize],
    /// For each dimension the number of problems that the linear index counts from one problem to
    /// the next, as random numbers want; 0 where it starts again in every problem.
    pub index: &'a [usize],
}

impl Kernel {
    /// The kernel over the problems of a batch. Every output has the batch as its first dimensions.
    ///
    /// `None` for the kinds whose outputs have another order, or whose numbers a batch does not
    /// describe: attention, recurrent cells, custom kernels, and the fusions that a planner makes.
    ///
    /// ```
    /// use lanthorn_ir::{DType, Kernel, Layout, Shape, kernel::{Batch, Sort}};
    /// let source = Layout::contiguous(Shape::from_dims([3]));
    /// let sort = Kernel::Sort(Sort { dtype: DType::F32, source, dim: 0, descending: false });
    /// let batch = Batch { sizes: &[4], strides: &[vec![3]], base: &[0], index: &[0] };
    /// let outputs = [Shape::from_dims([4, 3]), Shape::from_dims([4, 3])];
    /// assert_eq!(sort.batch(batch).unwrap().shapes(), outputs);
    /// ```
    pub fn batch(&self, batch: Batch<'_>) -> Option<Kernel> {
        Some(match self {
            Kernel::Map(map) => Kernel::Map(batch.map(map)),
            Kernel::Reduce(reduce) => Kernel::Reduce(batch.reduce(reduce)),
            Kernel::Contract(contract) => Kernel::Contract(batch.contract(contract)),
            Kernel::Gather(gather) => Kernel::Gather(batch.gather(gather)),
            Kernel::Scatter(scatter) => Kernel::Scatter(batch.scatter(scatter)),
            Kernel::Scan(scan) => Kernel::Scan(batch.scan(scan)),
            Kernel::Sort(sort) => Kernel::Sort(Sort {
                source: batch.layout(&sort.source, &batch.strides[0]),
                dim: sort.dim + batch.rank(),
                ..sort.clone()
            }),
            Kernel::Copy(copy) => Kernel::Copy(Copy {
                dtype: copy.dtype,
                source: batch.layout(&copy.source, &batch.strides[0]),
                target: batch.layout(&copy.target, batch.base),
            }),
            Kernel::Linalg(linalg) => {
                Kernel::Linalg(Linalg { batch: batch.problems() * linalg.batch, ..linalg.clone() })
            }
            Kernel::Maps(maps) => match &maps.parts[..] {
                [Pointwise::Store(store)] => Kernel::Maps(Horizontal::new(vec![Pointwise::Store(batch.store(store))])),
                _ => return None,
            },
            Kernel::FusedReduction(_)
            | Kernel::Contracts(_)
            | Kernel::Attention(_)
            | Kernel::Recurrent(_)
            | Kernel::Custom(_) => return None,
        })
    }
}

impl Batch<'_> {
    fn rank(&self) -> usize {
        self.sizes.len()
    }

    fn problems(&self) -> usize {
        self.sizes.iter().product()
    }

    fn shape(&self, shape: &Shape) -> Shape {
        Shape::from_dims(self.sizes.iter().chain(shape.iter()).copied())
    }

    fn layout(&self, layout: &Layout, strides: &[usize]) -> Layout {
        let strides = strides.iter().map(|&stride| stride as isize).chain(layout.strides().iter().copied());
        Layout::new(self.shape(layout.shape()), strides, layout.offset())
    }

    /// Steps of an affine function over the batch and the dimensions of the kernel.
    fn steps(&self, batch: &[usize], own: &[isize]) -> Vec<isize> {
        batch.iter().map(|&step| step as isize).chain(own.iter().copied()).collect()
    }

    /// Steps of a function that does not depend on the problem.
    fn constant_steps(&self, own: &[isize]) -> Vec<isize> {
        self.steps(&vec![0; self.rank()], own)
    }

    fn operand(&self, operand: &Operand, strides: &[usize]) -> Operand {
        let bounded =
            |bounded: &BoundedIndex| BoundedIndex { steps: self.constant_steps(&bounded.steps), ..bounded.clone() };
        let numbers = |&stride: &usize| match operand.encoding.format() {
            Some(format) => stride / format.bytes() * format.elements(),
            None => stride,
        };
        let strides: Vec<usize> = strides.iter().map(numbers).collect();
        Operand {
            layout: self.layout(&operand.layout, &strides),
            bounded: operand.bounded.iter().map(bounded).collect(),
            ..operand.clone()
        }
    }

    /// The operands of inputs `first` and later ones.
    fn operands(&self, operands: &[Operand], first: usize) -> Vec<Operand> {
        let strides = &self.strides[first..];
        operands.iter().zip(strides).map(|(operand, strides)| self.operand(operand, strides)).collect()
    }

    /// The affine indices and the program of a kernel over `space`.
    fn program(&self, program: &Program, indices: &[AffineIndex], space: &Shape) -> (Program, Vec<AffineIndex>) {
        let constant =
            |index: &AffineIndex| AffineIndex { steps: self.constant_steps(&index.steps), start: index.start };
        let mut indices: Vec<AffineIndex> = indices.iter().map(constant).collect();
        if self.is_index_linear() || !program.uses_linear_index() {
            return (program.clone(), indices);
        }
        let counted: Vec<usize> = self.index.iter().map(|problems| problems * space.elements()).collect();
        indices.push(AffineIndex { steps: self.steps(&counted, &space.contiguous_strides()), start: 0 });
        let index = Expr::affine(indices.len() - 1).cast(Type::U32);
        let mut inputs: Vec<Expr> = vec![];
        for (instruction, ty) in &program.instructions {
            if let Instruction::Input(slot) = *instruction {
                while inputs.len() <= slot {
                    inputs.push(Expr::input(inputs.len(), *ty));
                }
                inputs[slot] = Expr::input(slot, *ty);
            }
        }
        (Program::new(&program.over(&inputs, 0, &index)), indices)
    }

    /// Whether the linear index of the batched kernel is already the wanted one.
    fn is_index_linear(&self) -> bool {
        let following = |dim: usize| self.sizes[dim + 1..].iter().product::<usize>();
        self.index.iter().enumerate().all(|(dim, &problems)| self.sizes[dim] == 1 || problems == following(dim))
    }

    fn map(&self, map: &Map) -> Map {
        let (program, indices) = self.program(&map.program, &map.indices, &map.shape);
        Map {
            shape: self.shape(&map.shape),
            inputs: self.operands(&map.inputs, 0),
            indices,
            params: map.params.clone(),
            program,
            dtypes: map.dtypes.clone(),
        }
    }

    fn reduce(&self, reduce: &Reduce) -> Reduce {
        let space = Shape::from_dims(reduce.outer.iter().chain(reduce.inner.iter()).copied());
        let (prologue, indices) = self.program(&reduce.prologue, &reduce.indices, &space);
        let mut epilogue = reduce.epilogue.clone();
        epilogue.inputs = self.operands(&epilogue.inputs, reduce.inputs.len());
        Reduce {
            outer: self.shape(&reduce.outer),
            inputs: self.operands(&reduce.inputs, 0),
            indices,
            prologue,
            epilogue,
            ..reduce.clone()
        }
    }

    /// A right operand that all problems share multiplies their rows as one matrix.
    fn contract(&self, contract: &Contract) -> Contract {
        let is_shared = self.strides[1].iter().all(|&stride| stride == 0) && contract.batch.rank() == 0;
        let [a, b] = [(&contract.a, &self.strides[0]), (&contract.b, &self.strides[1])];
        let mut epilogue = contract.epilogue.clone();
        epilogue.inputs = self.operands(&epilogue.inputs, contract.epilogue_start());
        let plain = contract.prologues.iter().all(Option::is_none);
        debug_assert!(plain, "an operation records products without prologues");
        if is_shared {
            let (m, a) = (self.shape(&contract.m), self.operand(a.0, a.1));
            return Contract { m, a, epilogue, ..contract.clone() };
        }
        Contract {
            batch: self.shape(&contract.batch),
            a: self.operand(a.0, a.1),
            b: self.operand(b.0, b.1),
            epilogue,
            ..contract.clone()
        }
    }

    fn gather(&self, gather: &Gather) -> Gather {
        Gather {
            shape: self.shape(&gather.shape),
            source: self.layout(&gather.source, &self.strides[0]),
            index: self.layout(&gather.index, &self.strides[1]),
            ..gather.clone()
        }
    }

    fn scatter(&self, scatter: &Scatter) -> Scatter {
        Scatter {
            shape: self.shape(&scatter.shape),
            dim: scatter.dim + self.rank(),
            source: self.layout(&scatter.source, &self.strides[0]),
            index: self.layout(&scatter.index, &self.strides[1]),
            output: self.shape(&scatter.output),
            ..scatter.clone()
        }
    }

    fn scan(&self, scan: &Scan) -> Scan {
        let (prologue, indices) = self.program(&scan.prologue, &scan.indices, &scan.shape);
        Scan {
            shape: self.shape(&scan.shape),
            dim: scan.dim + self.rank(),
            inputs: self.operands(&scan.inputs, 0),
            indices,
            prologue,
            ..scan.clone()
        }
    }

    fn store(&self, store: &Store) -> Store {
        Store {
            map: self.map(&store.map),
            target: self.layout(&store.target, self.base),
            output: self.shape(&store.output),
            ..store.clone()
        }
    }
}
