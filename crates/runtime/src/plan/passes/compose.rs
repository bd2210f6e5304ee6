//! Composition of layouts: reads through a view of an intermediate become reads of the
//! intermediate's operands.

use crate::plan::traced::{AffineIndex, BoundedIndex, Layout, Operand, Shape, Traced};

/// [`compose`] for operands.
pub(super) fn compose_operands(shape: &Shape, operands: &[&Operand], view: &Layout) -> Option<Vec<Operand>> {
    compose_reads(shape, operands, &[], view).map(|(operands, _)| operands)
}

/// [`compose`] for operands and affine indices. Affine indices, and the coordinates of bounded
/// indices, compose like offsets.
pub(super) fn compose_reads(
    shape: &Shape,
    operands: &[&Operand],
    affine: &[AffineIndex],
    view: &Layout,
) -> Option<(Vec<Operand>, Vec<AffineIndex>)> {
    let layout_of = |index: &BoundedIndex| Layout::new(shape.clone(), index.steps.iter().copied(), 0.into());
    let bounded: Vec<Layout> = operands.iter().flat_map(|operand| operand.bounded.iter().map(layout_of)).collect();
    let numbers: Vec<Layout> = affine.iter().map(|index| index.layout(shape)).collect();
    let layouts: Vec<&Layout> =
        operands.iter().map(|operand| &operand.layout).chain(&bounded).chain(&numbers).collect();
    let mut composed = compose(shape, &layouts, view)?;
    let numbers = composed.split_off(operands.len() + bounded.len());
    let mut composed_indices = composed.split_off(operands.len()).into_iter();
    let rebuilt = operands.iter().zip(composed).map(|(operand, layout)| {
        let indices = operand.bounded.iter().zip(composed_indices.by_ref());
        let index = |(index, layout): (&BoundedIndex, Layout)| BoundedIndex {
            steps: layout.strides().to_vec(),
            start: index.start + layout.offset(),
            ..index.clone()
        };
        Operand { layout, bounded: indices.map(index).collect(), ..(*operand).clone() }
    });
    let number = |(index, layout): (&AffineIndex, Layout)| AffineIndex {
        steps: layout.strides().to_vec(),
        start: index.start + layout.offset(),
    };
    Some((rebuilt.collect(), affine.iter().zip(numbers).map(number).collect()))
}

/// Operands over the iteration space of `view`, from `operands` over the iteration space `shape`
/// whose contiguous result `view` reads. `None` if the composition is not strided.
///
/// Strides and offset of the view count elements of the contiguous result. Each of its dimensions
/// must step along one dimension of `shape`, without a carry into the next. Dimensions that are
/// contiguous in every operand are merged first.
fn compose(shape: &Shape, operands: &[&Layout], view: &Layout) -> Option<Vec<Layout>> {
    let whole = Layout::contiguous(shape.clone());
    if view == &whole {
        return Some(operands.iter().map(|operand| (*operand).clone()).collect());
    }
    if view.shape().elements() == 0 || shape.elements() == 0 {
        return None;
    }
    let all: Vec<&Layout> = std::iter::once(&whole).chain(operands.iter().copied()).collect();
    let merged = Layout::coalesce(&all);
    let (whole, operands) = merged.split_first()?;
    let (sizes, steps) = (whole.shape(), whole.strides());

    // The index of the first element of the view, by dimension.
    let mut rest = view.offset();
    let mut start: Vec<Traced> = Vec::new();
    for (&size, &step) in sizes.iter().zip(steps) {
        let index = rest / step;
        start.push(index);
        rest -= index * step;
        if index >= size {
            return None;
        }
    }
    if rest != 0 {
        return None;
    }
    let mut reach = start.clone();
    let mut all_strides: Vec<Vec<Traced>> = vec![Vec::new(); operands.len()];
    for (&size, &stride) in view.shape().iter().zip(view.strides()) {
        if stride == 0 || size == 1 {
            all_strides.iter_mut().for_each(|strides| strides.push(0.into()));
            continue;
        }
        let step = stride.non_negative()?;
        // The outermost dimension whose stride divides the step of the view.
        let dim = (0..sizes.rank()).find(|&d| step >= steps[d] && step.is_multiple_of(steps[d]))?;
        let times = step / steps[dim];
        reach[dim] += times * (size - 1);
        if reach[dim] >= sizes[dim] {
            return None;
        }
        for (strides, operand) in all_strides.iter_mut().zip(operands) {
            strides.push(operand.strides()[dim] * times);
        }
    }
    let composed = operands.iter().zip(all_strides).map(|(operand, strides)| {
        let from: Traced = start.iter().zip(operand.strides()).map(|(&index, &stride)| index * stride).sum();
        Layout::new(view.shape().clone(), strides, operand.offset() + from)
    });
    Some(composed.collect())
}

#[cfg(test)]
mod tests {
    use crate::plan::traced::Constants;
    use proptest::prelude::*;

    type Shape = lanthorn_ir::Shape;
    type Layout = lanthorn_ir::Layout;

    fn compose(shape: &Shape, operands: &[&Layout], view: &Layout) -> Option<Vec<Layout>> {
        let operands: Vec<_> = operands.iter().map(|operand| operand.convert(&mut Constants)).collect();
        let operands: Vec<_> = operands.iter().collect();
        let composed = super::compose(&shape.convert(&mut Constants), &operands, &view.convert(&mut Constants));
        Some(composed?.iter().map(|layout| layout.convert(&mut Constants)).collect())
    }

    /// The contract of `compose`, checked element by element.
    fn agrees(shape: &Shape, operand: &Layout, view: &Layout) -> bool {
        let Some(composed) = compose(shape, &[operand], view) else { return true };
        let made: Vec<usize> = operand.offsets().collect();
        let through: Vec<usize> = view.offsets().map(|index| made[index]).collect();
        composed[0].offsets().collect::<Vec<_>>() == through
    }

    fn shape(dims: &[usize]) -> Shape {
        Shape::from_dims(dims.iter().copied())
    }

    #[test]
    fn the_common_views_compose() {
        let from = shape(&[4, 6]);
        let operand = Layout::contiguous(shape(&[6, 4])).permute(&[1, 0]);
        let whole = Layout::contiguous(from.clone());
        let row = Layout::contiguous(shape(&[6]));
        let spread = row.expand("test", &from).unwrap();
        for view in [
            whole.clone(),
            whole.permute(&[1, 0]),
            whole.slice(1, 2, 3, 1),
            whole.slice(0, 1, 2, 2),
            whole.select(0, 2),
        ] {
            assert!(compose(&from, &[&operand], &view).is_some(), "{view:?}");
            assert!(agrees(&from, &operand, &view) && agrees(&from, &spread, &view), "{view:?}");
        }
        // A flat view of a transposed product is not strided.
        assert!(compose(&from, &[&operand], &Layout::contiguous(shape(&[24]))).is_none());
        assert!(compose(&from, &[&whole], &Layout::contiguous(shape(&[24]))).is_some());
        assert!(compose(&from, &[&operand], &Layout::contiguous(shape(&[2, 2, 6]))).is_some());
    }

    proptest! {
        #[test]
        fn composing_is_reading_through(
            dims in prop::collection::vec(1usize..5, 1..4),
            swap in any::<bool>(),
            cuts in prop::collection::vec((0usize..4, 1usize..3), 3),
            lead in 1usize..3,
        ) {
            let from = shape(&dims);
            let mut reversed: Vec<usize> = dims.clone();
            reversed.reverse();
            let order: Vec<usize> = (0..dims.len()).rev().collect();
            let operand = if swap { Layout::contiguous(shape(&reversed)).permute(&order) } else { Layout::contiguous(from.clone()) };
            let mut view = Layout::contiguous(from.clone());
            for (d, (start, step)) in (0..dims.len()).zip(cuts) {
                let start = start.min(dims[d] - 1);
                view = view.slice(d, start, (dims[d] - start).div_ceil(step), step);
            }
            prop_assert!(agrees(&from, &operand, &view));
            let wide = Shape::from_dims(std::iter::once(lead).chain(view.shape().iter().copied()));
            prop_assert!(agrees(&from, &operand, &view.expand("test", &wide).unwrap()));
            prop_assert!(agrees(&from, &operand, &view.permute(&order)));
        }
    }
}
