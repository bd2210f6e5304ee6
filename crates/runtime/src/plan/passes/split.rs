//! Split iteration spaces: the same order of elements, with a dimension split in several.
//!
//! A consumer over `[B, H * D]` of a tensor that was computed over `[H, B, D]` cannot read it by
//! strides, but a consumer over `[B, H, D]` can. A split changes no order, and every strided access
//! can be split.

use crate::plan::traced::{
    AffineIndex, BoundedIndex, Contract, Epilogue, Kernel, Layout, Map, Operand, Prologue, Reduce, Shape, Traced,
};

/// The sizes into which one dimension is split, outermost first.
pub(super) type Factors = Vec<Traced>;

/// The split of the dimensions of `view`, which reads a contiguous tensor of `sizes`, after which
/// each dimension steps along one of `sizes`. `None` if no split helps.
pub(super) fn factors(view: &Layout, sizes: &Shape) -> Option<Vec<Factors>> {
    let (steps, one) = (sizes.contiguous_strides(), Traced::from(1));
    let split = |(&size, &stride): (&Traced, &Traced)| -> Option<Factors> {
        let mut factors = Factors::new();
        let (mut rest, mut stride) = (size, stride.non_negative()?);
        while rest > one && stride != 0 {
            let dim = (0..sizes.rank()).find(|&d| sizes[d] > one && stride.is_multiple_of(steps[d]))?;
            let times = stride / steps[dim];
            let here = if sizes[dim].is_multiple_of(times) { (sizes[dim] / times).min(rest) } else { rest };
            if here <= one || !rest.is_multiple_of(here) {
                break;
            }
            factors.insert(0, here);
            rest = rest / here;
            stride *= here;
        }
        if rest > one || factors.is_empty() {
            factors.insert(0, rest);
        }
        Some(factors)
    };
    let all: Option<Vec<Factors>> = view.shape().iter().zip(view.strides()).map(split).collect();
    all.filter(|all| all.iter().any(|factors| factors.len() > 1))
}

fn split_shape(shape: &Shape, factors: &[Factors]) -> Shape {
    debug_assert_eq!(shape.rank(), factors.len());
    Shape::from_dims(factors.iter().flatten().copied())
}

fn split_strides<'a>(strides: &'a [Traced], factors: &'a [Factors]) -> impl Iterator<Item = Traced> + 'a {
    strides.iter().zip(factors).flat_map(|(&stride, factors)| {
        (0..factors.len()).map(move |at| stride * factors[at + 1..].iter().copied().product::<Traced>())
    })
}

fn split_operand(operand: &Operand, factors: &[Factors]) -> Operand {
    let layout = &operand.layout;
    let bound =
        |bound: &BoundedIndex| BoundedIndex { steps: split_strides(&bound.steps, factors).collect(), ..bound.clone() };
    Operand {
        layout: Layout::new(
            split_shape(layout.shape(), factors),
            split_strides(layout.strides(), factors),
            layout.offset(),
        ),
        bounded: operand.bounded.iter().map(bound).collect(),
        ..operand.clone()
    }
}

fn split_all(operands: &[Operand], factors: &[Factors]) -> Vec<Operand> {
    operands.iter().map(|operand| split_operand(operand, factors)).collect()
}

fn split_indices(indices: &[AffineIndex], factors: &[Factors]) -> Vec<AffineIndex> {
    let split =
        |index: &AffineIndex| AffineIndex { steps: split_strides(&index.steps, factors).collect(), start: index.start };
    indices.iter().map(split).collect()
}

fn split_epilogue(epilogue: &Epilogue, factors: &[Factors]) -> Epilogue {
    Epilogue { inputs: split_all(&epilogue.inputs, factors), ..epilogue.clone() }
}

/// Dimensions that are not split.
fn unsplit(shape: &Shape) -> Vec<Factors> {
    shape.iter().map(|&size| vec![size]).collect()
}

/// The kernel with the iteration space of input `input` split by `factors`. `None` for kinds
/// without one, or if the rank grows too large.
pub(super) fn split(kernel: &Kernel, input: usize, factors: &[Factors]) -> Option<Kernel> {
    const MAX_RANK: usize = 12;
    if factors.iter().map(|factors| factors.len()).sum::<usize>() > MAX_RANK {
        return None;
    }
    match kernel {
        Kernel::Map(map) => {
            let (shape, inputs) = (split_shape(&map.shape, factors), split_all(&map.inputs, factors));
            let indices = split_indices(&map.indices, factors);
            Some(Kernel::Map(Map { shape, inputs, indices, ..map.clone() }))
        }
        Kernel::Reduce(reduce) => {
            let (outer, inner) = factors.split_at(reduce.outer.rank());
            Some(Kernel::Reduce(Reduce {
                outer: split_shape(&reduce.outer, outer),
                inner: split_shape(&reduce.inner, inner),
                inputs: split_all(&reduce.inputs, factors),
                indices: split_indices(&reduce.indices, factors),
                epilogue: split_epilogue(&reduce.epilogue, outer),
                ..reduce.clone()
            }))
        }
        Kernel::Contract(contract) => {
            let (batch, rest) = factors.split_at(contract.batch.rank());
            let (batch, m, n, k) = if input == 0 {
                let (m, k) = rest.split_at(contract.m.rank());
                (batch.to_vec(), m.to_vec(), unsplit(&contract.n), k.to_vec())
            } else {
                let (k, n) = rest.split_at(contract.k.rank());
                (batch.to_vec(), unsplit(&contract.m), n.to_vec(), k.to_vec())
            };
            Some(Kernel::Contract(Contract {
                batch: split_shape(&contract.batch, &batch),
                m: split_shape(&contract.m, &m),
                n: split_shape(&contract.n, &n),
                k: split_shape(&contract.k, &k),
                a: split_operand(&contract.a, &[&batch[..], &m, &k].concat()),
                b: split_operand(&contract.b, &[&batch[..], &k, &n].concat()),
                prologues: {
                    let [left, right] = &contract.prologues;
                    let split = |prologue: &Prologue, factors: &[Factors]| {
                        Box::new(Prologue { inputs: split_all(&prologue.inputs, factors), ..prologue.clone() })
                    };
                    [
                        left.as_ref().map(|prologue| split(prologue, &[&batch[..], &m, &k].concat())),
                        right.as_ref().map(|prologue| split(prologue, &[&batch[..], &k, &n].concat())),
                    ]
                },
                epilogue: split_epilogue(&contract.epilogue, &[&batch[..], &m, &n].concat()),
                ..contract.clone()
            }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::traced::Constants;
    use lanthorn_ir::DType;

    fn numbers(numbers: [usize; 2]) -> Factors {
        numbers.map(Traced::from).to_vec()
    }

    fn shape(dims: &[usize]) -> Shape {
        Shape::from_dims(dims.iter().map(|&size| size.into()))
    }

    #[test]
    fn merged_dimensions_are_taken_apart_again() {
        let view = Layout::contiguous(shape(&[6, 20]));
        let found = factors(&view, &shape(&[2, 3, 4, 5])).unwrap();
        assert_eq!(found.iter().map(|factors| factors.to_vec()).collect::<Vec<_>>(), [[2, 3], [4, 5]].map(numbers));
        assert!(factors(&view, &shape(&[6, 20])).is_none());
        assert!(factors(&view, &shape(&[120])).is_none());
    }

    #[test]
    fn a_split_walk_is_the_same_walk() {
        let operand = Operand::new(DType::F32, Layout::contiguous(shape(&[6, 20])).permute(&[1, 0]));
        let split = split_operand(&operand, &[[4, 5], [3, 2]].map(numbers));
        let offsets = |operand: &Operand| operand.convert(&mut Constants).offsets().collect::<Vec<_>>();
        assert_eq!(offsets(&split), offsets(&operand));
    }
}
