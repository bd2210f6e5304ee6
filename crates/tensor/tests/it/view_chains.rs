//! Random chains of views, with random writes through them, against a model of lists of offsets.

use crate::common::*;
use proptest::prelude::*;

/// A tensor, and the storage offset of each of its elements, in row-major order.
struct Pair {
    tensor: Tensor,
    shape: Vec<usize>,
    positions: Vec<usize>,
}

impl Pair {
    /// A view whose element at `index` is this one's at `from(index)`.
    fn view(&self, tensor: Tensor, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Pair {
        let elements: usize = shape.iter().product();
        let at = |mut linear: usize| {
            let mut index = vec![0; shape.len()];
            for d in (0..shape.len()).rev() {
                index[d] = linear % shape[d];
                linear /= shape[d];
            }
            let from = from(&index);
            self.positions[from.iter().zip(&self.shape).fold(0, |linear, (i, size)| linear * size + i)]
        };
        let positions = (0..elements).map(at).collect();
        Pair { tensor, shape, positions }
    }

    fn distinct(&self) -> bool {
        let mut positions = self.positions.clone();
        positions.sort_unstable();
        positions.dedup();
        positions.len() == self.positions.len()
    }
}

/// The view that three random numbers name; reshapes that would copy are left out.
fn step(from: &Pair, kind: u8, a: usize, b: usize) -> Result<Option<Pair>> {
    let (x, rank) = (&from.tensor, from.shape.len());
    let d = if rank == 0 { 0 } else { a % rank };
    let mut shape = from.shape.clone();
    Ok(match kind {
        0 if rank > 0 => {
            let e = b % rank;
            shape.swap(d, e);
            Some(from.view(x.transpose(d as i64, e as i64)?, shape, move |index| {
                let mut index = index.to_vec();
                index.swap(d, e);
                index
            }))
        }
        1 if rank > 0 && shape[d] > 0 => {
            let i = b % shape[d];
            shape.remove(d);
            Some(from.view(x.select(d as i64, i as i64)?, shape, move |index| {
                let mut index = index.to_vec();
                index.insert(d, i);
                index
            }))
        }
        2 if rank > 0 => {
            let (start, stride) = (b % (shape[d] + 1), 1 + a % 3);
            shape[d] = (shape[d] - start).div_ceil(stride);
            Some(from.view(x.slice(d as i64, start as i64, None, stride as i64)?, shape, move |index| {
                let mut index = index.to_vec();
                index[d] = start + index[d] * stride;
                index
            }))
        }
        3 if rank < 6 => {
            let position = b % (rank + 1);
            shape.insert(position, 1);
            Some(from.view(x.unsqueeze(position as i64)?, shape, move |index| {
                let mut index = index.to_vec();
                index.remove(position);
                index
            }))
        }
        4 if rank < 6 => {
            let ones: Vec<bool> = shape.iter().map(|&size| size == 1).collect();
            shape.iter_mut().filter(|size| **size == 1).for_each(|size| *size = 1 + a % 3);
            shape.insert(0, 1 + b % 2);
            let size: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
            Some(from.view(x.expand(size)?, shape, move |index| {
                index[1..].iter().zip(&ones).map(|(&i, &one)| if one { 0 } else { i }).collect()
            }))
        }
        5 => {
            let squeezed: Vec<usize> = shape.iter().copied().filter(|&size| size != 1).collect();
            let old = shape.clone();
            Some(from.view(x.squeeze(())?, squeezed, move |index| {
                let mut rest = index.iter();
                old.iter().map(|&size| if size == 1 { 0 } else { *rest.next().unwrap() }).collect()
            }))
        }
        _ => {
            let elements: usize = shape.iter().product();
            let factor = [1, 2, 3, 4, 6][a % 5];
            let split = if elements.is_multiple_of(factor) { vec![factor, elements / factor] } else { vec![elements] };
            let size: Vec<i64> = split.iter().map(|&size| size as i64).collect();
            let view = x.reshape(size)?;
            let shared = view.shares_storage_with(x);
            shared.then(|| Pair { tensor: view, shape: split, positions: from.positions.clone() })
        }
    })
}

/// Runs a chain on a tensor of these sizes, and compares every view with the model.
fn check(
    device: &Device,
    dims: Vec<usize>,
    steps: &[(u8, usize, usize, usize)],
    flush: bool,
) -> std::result::Result<(), TestCaseError> {
    let sizes: Vec<i64> = dims.iter().map(|&size| size as i64).collect();
    let values: Vec<f32> = (0..sizes.iter().product()).map(|i: i64| i as f32).collect();
    let base = Tensor::from_slice(&values, sizes, device).unwrap();
    let mut storage = read(&base);
    let mut views = vec![Pair { tensor: base.clone(), shape: dims, positions: (0..storage.len()).collect() }];
    for (round, &(kind, which, a, b)) in steps.iter().enumerate() {
        let from = &views[which % views.len()];
        if kind < 7 {
            if let Some(view) = step(from, kind, a, b).unwrap() {
                prop_assert_eq!(shape_of(&view.tensor), view.shape.clone());
                views.push(view);
            }
            continue;
        }
        let amount = round as f32 + 1.0;
        if from.positions.is_empty() {
            continue;
        }
        if !from.distinct() {
            prop_assert!(from.tensor.add_(f64::from(amount)).unwrap_err().is_argument());
        } else if kind == 7 {
            from.tensor.add_(f64::from(amount)).unwrap();
            from.positions.iter().for_each(|&position| storage[position] += amount);
        } else {
            // The source of the copy was computed from the same positions.
            let source = from.tensor.neg().unwrap();
            from.tensor.copy_(&source).unwrap();
            from.positions.iter().for_each(|&position| storage[position] = -storage[position]);
        }
        if flush {
            device.flush();
        }
    }
    for view in &views {
        let want: Vec<f32> = view.positions.iter().map(|&position| storage[position]).collect();
        prop_assert_eq!(read(&view.tensor), want);
    }
    prop_assert_eq!(read(&base), storage);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_view_names_the_elements_it_says(
        dims in prop::collection::vec(1usize..5, 0..4),
        steps in prop::collection::vec((0u8..9, 0usize..60, 0usize..60, 0usize..60), 1..14),
        flush in any::<bool>(),
        moved in 0usize..4,
    ) {
        let device = device();
        let larger = dims.iter().map(|size| size + 4).collect();
        // The same chain at other sizes, and with other positions in views of the same sizes, runs
        // on the plans of the first.
        let other: Vec<_> = steps.iter().map(|&(kind, which, a, b)| (kind, which, a, b + moved)).collect();
        check(&device, dims.clone(), &steps, flush)?;
        check(&device, larger, &steps, flush)?;
        check(&device, dims, &other, flush)?;
    }
}
