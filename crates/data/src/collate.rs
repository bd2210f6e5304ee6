//! From samples to a batch, and from a batch to tensors.

use crate::{HostArray, HostElement};
use lanthorn_tensor::{Device, Error, Result, Tensor};
use std::collections::BTreeMap;

/// Samples that can be collated into a batch, as `default_collate` does: numbers become an array,
/// arrays are stacked, and tuples, lists and maps are batched part by part. Text stays a list.
pub trait Collate: Sized {
    /// The type of the batch.
    type Batch: Send + 'static;

    /// Collates the samples.
    ///
    /// # Errors
    ///
    /// `shape` for arrays of different shapes, `argument` for lists or maps of different
    /// structures, and `dtype` for different types.
    fn collate(samples: Vec<Self>) -> Result<Self::Batch>;
}

/// A batch that can be uploaded to a device, part by part. Text stays text.
pub trait Upload {
    /// The same structure with tensors in place of arrays.
    type Tensors;

    /// Makes the tensors on a device.
    ///
    /// # Errors
    ///
    /// The error of the device.
    fn to(&self, device: &Device) -> Result<Self::Tensors>;
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Collate for $number {
            type Batch = HostArray;

            fn collate(samples: Vec<$number>) -> Result<HostArray> {
                array(samples)
            }
        }
    )* };
}

numbers!(bool u8 i32 f32 f64);

fn array<T: HostElement>(samples: Vec<T>) -> Result<HostArray> {
    let count = samples.len();
    HostArray::new(samples, [count])
}

impl Collate for HostArray {
    type Batch = HostArray;

    fn collate(samples: Vec<HostArray>) -> Result<HostArray> {
        HostArray::stack(&samples)
    }
}

impl Collate for String {
    type Batch = Vec<String>;

    fn collate(samples: Vec<String>) -> Result<Vec<String>> {
        Ok(samples)
    }
}

impl<T: Collate> Collate for Vec<T> {
    type Batch = Vec<T::Batch>;

    fn collate(samples: Vec<Vec<T>>) -> Result<Vec<T::Batch>> {
        let parts = samples.first().map_or(0, Vec::len);
        let mut columns: Vec<Vec<T>> = (0..parts).map(|_| Vec::with_capacity(samples.len())).collect();
        for sample in samples {
            if sample.len() != parts {
                let message =
                    format!("samples must have equally many parts: {parts} in the first, {} in another", sample.len());
                return Err(Error::shape("collate", message));
            }
            columns.iter_mut().zip(sample).for_each(|(column, part)| column.push(part));
        }
        columns.into_iter().map(T::collate).collect()
    }
}

impl<T: Collate, const N: usize> Collate for [T; N] {
    type Batch = [T::Batch; N];

    fn collate(samples: Vec<[T; N]>) -> Result<[T::Batch; N]> {
        let batches = Vec::collate(samples.into_iter().map(Vec::from).collect())?;
        batches.try_into().map_err(|_| Error::shape("collate", "there are no samples"))
    }
}

impl<T: Collate> Collate for BTreeMap<String, T> {
    type Batch = BTreeMap<String, T::Batch>;

    fn collate(samples: Vec<BTreeMap<String, T>>) -> Result<BTreeMap<String, T::Batch>> {
        let mut columns: BTreeMap<String, Vec<T>> = BTreeMap::new();
        let count = samples.len();
        for (name, part) in samples.into_iter().flatten() {
            columns.entry(name).or_default().push(part);
        }
        let batch = |(name, parts): (String, Vec<T>)| {
            if parts.len() != count {
                return Err(Error::argument(
                    "collate",
                    format!("only {} of {count} samples have {name:?}", parts.len()),
                ));
            }
            Ok((name, T::collate(parts)?))
        };
        columns.into_iter().map(batch).collect()
    }
}

impl Upload for HostArray {
    type Tensors = Tensor;

    fn to(&self, device: &Device) -> Result<Tensor> {
        self.to_tensor(device)
    }
}

impl Upload for String {
    type Tensors = String;

    fn to(&self, _: &Device) -> Result<String> {
        Ok(self.clone())
    }
}

impl<T: Upload> Upload for Vec<T> {
    type Tensors = Vec<T::Tensors>;

    fn to(&self, device: &Device) -> Result<Vec<T::Tensors>> {
        self.iter().map(|part| part.to(device)).collect()
    }
}

impl<T: Upload, const N: usize> Upload for [T; N] {
    type Tensors = [T::Tensors; N];

    fn to(&self, device: &Device) -> Result<[T::Tensors; N]> {
        let tensors: Vec<T::Tensors> = self.iter().map(|part| part.to(device)).collect::<Result<_>>()?;
        // N parts gave N results, so the conversion cannot lose one.
        tensors.try_into().map_err(|_| Error::shape("to", "a part is missing"))
    }
}

impl<T: Upload> Upload for BTreeMap<String, T> {
    type Tensors = BTreeMap<String, T::Tensors>;

    fn to(&self, device: &Device) -> Result<BTreeMap<String, T::Tensors>> {
        self.iter().map(|(name, part)| Ok((name.clone(), part.to(device)?))).collect()
    }
}

macro_rules! tuples {
    ($($name:ident $column:ident $index:tt),*) => {
        impl<$($name: Collate),*> Collate for ($($name,)*) {
            type Batch = ($($name::Batch,)*);

            fn collate(samples: Vec<($($name,)*)>) -> Result<Self::Batch> {
                $(let mut $column = Vec::with_capacity(samples.len());)*
                for sample in samples {
                    $($column.push(sample.$index);)*
                }
                Ok(($($name::collate($column)?,)*))
            }
        }

        impl<$($name: Upload),*> Upload for ($($name,)*) {
            type Tensors = ($($name::Tensors,)*);

            fn to(&self, device: &Device) -> Result<Self::Tensors> {
                Ok(($(self.$index.to(device)?,)*))
            }
        }
    };
}

tuples!(A a 0, B b 1);
tuples!(A a 0, B b 1, C c 2);
tuples!(A a 0, B b 1, C c 2, D d 3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_batched_part_by_part() {
        let sample = |value: i32| {
            let image = HostArray::new(vec![value as f32; 2], [1, 2]).unwrap();
            (image, value, BTreeMap::from([("name".to_string(), format!("n{value}"))]))
        };
        let (images, labels, names) = Collate::collate(vec![sample(1), sample(2), sample(3)]).unwrap();
        assert_eq!(images.shape(), [3, 1, 2]);
        assert_eq!(images.values::<f32>().unwrap(), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!(labels.values::<i32>().unwrap(), [1, 2, 3]);
        assert_eq!(names["name"], ["n1", "n2", "n3"]);
    }

    #[test]
    fn samples_that_differ_are_refused() {
        assert!(Collate::collate(vec![vec![1], vec![1, 2]]).unwrap_err().is_shape());
        let map = |name: &str| BTreeMap::from([(name.to_string(), 1.0f32)]);
        let error = Collate::collate(vec![map("a"), map("b")]).unwrap_err();
        assert_eq!(error.to_string(), "collate: only 1 of 2 samples have \"a\"");
    }

    #[test]
    fn batches_become_tensors() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        let batch: (HostArray, [HostArray; 2], Vec<String>) =
            Collate::collate(vec![(1.0f32, [1, 2], "a".to_string()), (2.0, [3, 4], "b".to_string())]).unwrap();
        let (x, [first, second], names): (_, [Tensor; 2], _) = batch.to(&device).unwrap();
        assert_eq!((x.shape().to_i64(), second.shape().to_i64()), (vec![2], vec![2]));
        assert_eq!(pollster::block_on(first.to_vec::<i32>()).unwrap(), [1, 3]);
        assert_eq!(names, ["a", "b"]);
    }
}
