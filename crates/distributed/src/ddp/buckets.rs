//! Groups gradients into buckets, each of which is averaged in one exchange.

use lanthorn_ir::DType;
use lanthorn_tensor::Tensor;

/// Parameters of one type whose gradients are averaged in one exchange.
pub(super) struct Bucket {
    pub dtype: DType,
    /// Indices into the model's parameters.
    pub parameters: Vec<usize>,
    /// The number of elements of all parameters.
    pub elements: usize,
}

/// Groups parameters into a first bucket of at most `first` bytes and further buckets of at most
/// `cap` bytes. A larger parameter is alone in its bucket. The order is the reverse of the model's,
/// in which the backward pass computes gradients.
pub(super) fn buckets(parameters: &[Tensor], first: usize, cap: usize) -> Vec<Bucket> {
    let mut full: Vec<Bucket> = Vec::new();
    let mut current: Option<Bucket> = None;
    for (index, parameter) in parameters.iter().enumerate().rev() {
        let (dtype, elements) = (parameter.dtype(), parameter.numel());
        let limit = if full.is_empty() { first } else { cap };
        let fits = |bucket: &Bucket| {
            bucket.dtype == dtype && (bucket.elements + elements).saturating_mul(dtype.size()) <= limit
        };
        match &mut current {
            Some(bucket) if fits(bucket) => {
                bucket.parameters.push(index);
                bucket.elements += elements;
            }
            _ => full.extend(current.replace(Bucket { dtype, parameters: vec![index], elements })),
        }
    }
    full.extend(current);
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_tensor::{Device, Tensor};

    #[test]
    fn buckets_are_filled_from_the_last_parameter_on() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        let sizes = [100, 10, 10, 3, 3, 3];
        let make = |(index, size): (usize, &i64)| {
            let dtype = if index == 1 { DType::F64 } else { DType::F32 };
            Tensor::full_with([*size], 0.0, dtype, Some(&device)).unwrap()
        };
        let parameters: Vec<Tensor> = sizes.iter().enumerate().map(make).collect();
        let found = buckets(&parameters, 24, 64);
        let indices: Vec<&[usize]> = found.iter().map(|bucket| &bucket.parameters[..]).collect();
        // 6 elements of 4 bytes fill the first bucket; 13 fill the next one; another type begins a
        // new bucket; the last parameter is larger than a bucket.
        assert_eq!(indices, [&[5, 4][..], &[3, 2], &[1], &[0]]);
        assert_eq!(found.iter().map(|bucket| bucket.elements).collect::<Vec<_>>(), [6, 13, 10, 100]);
    }
}
