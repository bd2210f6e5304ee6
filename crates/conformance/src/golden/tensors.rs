//! Tensors of a golden file on a device.

use super::{
    call::Failure,
    file::{GoldenFile, Stored, TensorValue},
};
use lanthorn::{
    DType, Device, Tensor,
    samples::{from_bytes, to_bytes},
};
use std::borrow::Cow;

/// Makes a file's tensors on a device.
pub struct Loader<'a> {
    /// The source of the numbers.
    pub file: &'a GoldenFile,
    /// The device.
    pub device: &'a Device,
    /// The dtype that PyTorch ran all floating-point inputs in, whatever type they are stored as.
    pub float: Option<DType>,
    /// The inputs that require a gradient, in the file's order, as far as they exist.
    pub inputs: Vec<Option<Tensor>>,
}

impl<'a> Loader<'a> {
    /// Starts without tensors.
    pub fn new(file: &'a GoldenFile, device: &'a Device) -> Loader<'a> {
        Loader { file, device, float: None, inputs: vec![] }
    }

    /// The same for a sample that was run in `dtype`.
    pub fn in_type(file: &'a GoldenFile, device: &'a Device, dtype: &str) -> Loader<'a> {
        let float = DType::from_name(dtype).filter(|dtype| dtype.is_floating_point());
        Loader { float, ..Loader::new(file, device) }
    }

    /// The content of an argument, in the dtype of the run.
    pub fn stored(&self, value: &TensorValue) -> Result<Cow<'a, Stored>, Failure> {
        let stored = self.file.tensor(&value.name).map_err(Failure::Broken)?;
        let floating = stored.dtype.contains("float");
        Ok(match self.float.filter(|float| floating && float.name() != stored.dtype) {
            Some(float) => {
                let bytes = to_bytes(&numbers(stored), float);
                Cow::Owned(Stored { dtype: float.name(), shape: stored.shape.clone(), bytes })
            }
            None => Cow::Borrowed(stored),
        })
    }

    /// A tensor argument, with the strides of PyTorch's, as a leaf if it requires a gradient.
    pub fn argument(&mut self, value: &TensorValue) -> Result<Tensor, Failure> {
        let stored = self.stored(value)?;
        let tensor = match &value.strides {
            Some(strides) => upload_strided(&stored, strides, self.device)?,
            None => upload(&stored, stored.bytes.clone(), &stored.shape, self.device)?,
        };
        if let Some(index) = value.input {
            if self.inputs.len() <= index {
                self.inputs.resize(index + 1, None);
            }
            self.inputs[index] = Some(tensor.requires_grad_(true)?);
        }
        Ok(tensor)
    }

    /// A tensor for a gradient, in the dtype of the differentiated tensor.
    pub fn gradient(&self, name: &str, dtype: DType) -> Result<Tensor, Failure> {
        let stored = self.file.tensor(name).map_err(Failure::Broken)?;
        Ok(upload(stored, stored.bytes.clone(), &stored.shape, self.device)?.to(dtype)?)
    }
}

/// The dtype here for a golden dtype. Indices and sums of integers are int32 in this project, so
/// int64 is int32 too.
pub fn dtype(name: &str) -> Result<DType, Failure> {
    let name = if name == "int64" { "int32" } else { name };
    DType::from_name(name).ok_or_else(|| Failure::Missing(format!("there is no dtype {name}")))
}

/// The dtype of an argument: int64 if the device supports it.
pub fn dtype_argument(name: &str, device: &Device) -> Result<DType, Failure> {
    match DType::from_name(name) {
        Some(dtype) if name != "int64" || device.capabilities().dtypes.contains(&dtype) => Ok(dtype),
        _ => dtype(name),
    }
}

/// The elements as numbers. int8 and int16 are types that PyTorch stored and the project does not
/// have.
pub fn numbers(stored: &Stored) -> Vec<f64> {
    match (DType::from_name(stored.dtype), stored.dtype) {
        (Some(dtype), _) => from_bytes(&stored.bytes, dtype),
        (None, "int8") => stored.bytes.iter().map(|&byte| f64::from(byte as i8)).collect(),
        (None, _) => {
            stored.bytes.chunks_exact(2).map(|bytes| f64::from(i16::from_le_bytes([bytes[0], bytes[1]]))).collect()
        }
    }
}

fn int64(bytes: &[u8]) -> i64 {
    i64::from_le_bytes(bytes.try_into().expect("chunks of eight bytes"))
}

/// `bytes` of a stored type as a tensor; int64 becomes int32 where it fits.
pub fn upload(stored: &Stored, bytes: Vec<u8>, shape: &[usize], device: &Device) -> Result<Tensor, Failure> {
    let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    let (dtype, bytes) = match stored.dtype {
        "int64" => {
            let narrow: Option<Vec<i32>> = bytes.chunks_exact(8).map(|bytes| int64(bytes).try_into().ok()).collect();
            match (narrow, DType::from_name("int64")) {
                (Some(values), _) => (DType::I32, values.iter().flat_map(|value| value.to_ne_bytes()).collect()),
                (None, Some(wide)) if device.capabilities().dtypes.contains(&wide) => (wide, bytes),
                (None, _) => return Err(Failure::Skip("an int64 argument does not fit into int32".into())),
            }
        }
        name => (dtype(name)?, bytes),
    };
    Ok(Tensor::from_bytes(dtype, &bytes, shape, device)?)
}

/// A tensor with gaps, permuted or expanded, as PyTorch's was: a view of a larger one, whose other
/// elements are NaN or arbitrary numbers.
///
/// Strides that slicing, permuting and expanding cannot produce become contiguous.
fn upload_strided(stored: &Stored, strides: &[usize], device: &Device) -> Result<Tensor, Failure> {
    let contiguous = || upload(stored, stored.bytes.clone(), &stored.shape, device);
    let Some(nest) = Nest::of(&stored.shape, strides) else { return contiguous() };
    let elements: usize = stored.shape.iter().product();
    if elements == 0 {
        return contiguous();
    }
    let width = stored.bytes.len() / elements;
    let mut bytes = vec![if stored.dtype == "bool" { 1 } else { 0xff }; nest.buffer.iter().product::<usize>() * width];
    if stored.dtype == "int64" {
        bytes.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&(-7i64).to_le_bytes()));
    }
    for (position, element) in stored.bytes.chunks_exact(width).enumerate() {
        let mut rest = position;
        let offset: usize = stored
            .shape
            .iter()
            .zip(strides)
            .rev()
            .map(|(size, stride)| {
                let index = rest % size;
                rest /= size;
                index * stride
            })
            .sum();
        bytes[offset * width..][..width].copy_from_slice(element);
    }
    let mut tensor = upload(stored, bytes, &nest.buffer, device)?;
    for (dim, &size) in nest.sizes.iter().enumerate() {
        tensor = tensor.narrow(dim as i64, 0, size as i64)?;
    }
    tensor = tensor.select(-1, 0)?;
    tensor = tensor.permute(nest.order.iter().map(|&dim| dim as i64).collect::<Vec<_>>())?;
    for (dim, &stride) in strides.iter().enumerate() {
        if stride == 0 {
            tensor = tensor.unsqueeze(dim as i64)?;
        }
    }
    let shape: Vec<i64> = stored.shape.iter().map(|&size| size as i64).collect();
    Ok(tensor.expand(shape)?.detach())
}

/// The slices of a contiguous tensor that produce a strided one.
#[derive(Debug, PartialEq)]
struct Nest {
    /// The sizes of the contiguous tensor: one dimension for each stride, largest first, and one of
    /// unit stride.
    buffer: Vec<usize>,
    /// The slice of each.
    sizes: Vec<usize>,
    /// The dimension for each strided dimension.
    order: Vec<usize>,
}

impl Nest {
    /// `None` if dimensions overlap, or strides do not divide one another.
    fn of(shape: &[usize], strides: &[usize]) -> Option<Nest> {
        let moving: Vec<usize> = (0..shape.len()).filter(|&dim| strides[dim] > 0).collect();
        let mut slowest_first = moving.clone();
        slowest_first.sort_by_key(|&dim| std::cmp::Reverse((strides[dim], shape[dim])));
        let sizes: Vec<usize> = slowest_first.iter().map(|&dim| shape[dim]).collect();
        let mut buffer: Vec<usize> = sizes.first().copied().into_iter().collect();
        for pair in slowest_first.windows(2) {
            let (outer, inner) = (strides[pair[0]], strides[pair[1]]);
            if outer % inner != 0 || outer / inner < shape[pair[1]] {
                return None;
            }
            buffer.push(outer / inner);
        }
        buffer.push(slowest_first.last().map_or(1, |&dim| strides[dim]));
        let order =
            moving.iter().map(|dim| slowest_first.iter().position(|other| other == dim)).collect::<Option<_>>()?;
        Some(Nest { buffer, sizes, order })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollster::block_on;

    fn read(tensor: &Tensor) -> Vec<f32> {
        block_on(tensor.to_vec::<f32>()).unwrap()
    }

    fn lie(shape: &[usize], strides: &[usize]) -> (Tensor, Vec<f32>) {
        let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|value| value as f32).collect();
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let stored = Stored { dtype: "float32", shape: shape.to_vec(), bytes };
        (upload_strided(&stored, strides, &lanthorn::cpu()).unwrap(), values)
    }

    #[test]
    fn strides_are_pytorchs() {
        for (shape, strides) in [
            (&[3, 4][..], &[1, 3][..]),
            (&[2, 3], &[12, 2]),
            (&[4, 2, 3], &[3, 24, 1]),
            (&[5], &[3]),
            (&[2, 1, 3], &[6, 6, 2]),
        ] {
            let (tensor, values) = lie(shape, strides);
            assert_eq!(read(&tensor), values, "{shape:?} {strides:?}");
            assert_eq!(tensor.stride().iter().map(|&stride| stride as usize).collect::<Vec<_>>(), strides);
        }
    }

    #[test]
    fn expanded_and_overlapping() {
        let stored = Stored {
            dtype: "float32",
            shape: vec![2, 3],
            bytes: [1f32, 2.0, 3.0, 1.0, 2.0, 3.0].map(f32::to_le_bytes).concat(),
        };
        let expanded = upload_strided(&stored, &[0, 1], &lanthorn::cpu()).unwrap();
        assert_eq!((read(&expanded), expanded.stride()), (vec![1.0, 2.0, 3.0, 1.0, 2.0, 3.0], &[0isize, 1][..]));
        assert_eq!(Nest::of(&[3, 3], &[2, 1]), None);
        assert!(lie(&[3, 3], &[2, 1]).0.is_contiguous());
    }

    #[test]
    fn int64_becomes_int32_where_it_fits() {
        let stored = |value: i64| Stored { dtype: "int64", shape: vec![1], bytes: value.to_le_bytes().to_vec() };
        let upload = |stored: &Stored| upload(stored, stored.bytes.clone(), &[1], &lanthorn::cpu());
        let made = upload(&stored(-5)).ok().unwrap();
        assert_eq!((made.dtype(), block_on(made.item()).unwrap()), (DType::I32, -5.0));
        let wide = upload(&stored(1 << 40)).ok().unwrap();
        assert_eq!((wide.dtype(), block_on(wide.item()).unwrap()), (DType::I64, 1099511627776.0));
        assert_eq!(numbers(&stored(1 << 40)), [1099511627776.0]);
    }

    #[test]
    fn types_of_one_and_two_bytes_are_read() {
        let stored = |dtype, bits: u16| Stored { dtype, shape: vec![1], bytes: bits.to_le_bytes().to_vec() };
        assert_eq!(numbers(&stored("float16", 0xc000)), [-2.0]);
        assert_eq!(numbers(&stored("float16", 0x0001)), [2f64.powi(-24)]);
        assert_eq!(numbers(&stored("bfloat16", 0x3fc0)), [1.5]);
        assert_eq!(numbers(&stored("int16", 0xfffe)), [-2.0]);
        assert_eq!(numbers(&stored("int8", 0x02ff)), [-1.0, 2.0]);
    }
}
