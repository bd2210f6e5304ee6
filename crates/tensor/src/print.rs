//! Tensors as text, in the layout of PyTorch's `print`.
//!
//! `{}` prints the elements as PyTorch does, with the properties that are not the default: `dtype`,
//! `device`, and `requires_grad` or `grad_fn`. `{:?}` prints them with the shape, type and device
//! of every tensor. More than 1000 elements are summarized: three at both ends of each dimension,
//! and only these are read.
//!
//! A device that cannot be read without waiting, such as a GPU, prints the shape in place of the
//! elements. Rejected: to wait for it, which a page cannot do, and which would make a line of
//! logging synchronize a training step. Printing reads, and so runs the recorded work, as any read
//! does.

use crate::{DType, Result, Tensor, no_grad, samples::from_bytes};
use std::{
    fmt,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

/// The number of elements above which a tensor is summarized.
const THRESHOLD: usize = 1000;

/// The number of elements at each end of a dimension of a summarized tensor.
const EDGE: usize = 3;

/// The width of a line.
const LINE_WIDTH: usize = 80;

/// The digits of a float.
const PRECISION: usize = 4;

/// The elements of a tensor that are printed, as text of one width.
struct Elements {
    /// The printed sizes: the ends of the dimensions, if there are more elements.
    shape: Vec<usize>,
    /// Of which dimensions only the ends are printed.
    ends: Vec<bool>,
    texts: Vec<String>,
    /// The width of an element in a line; NaN, infinity and -0 may be wider.
    width: usize,
}

impl Elements {
    /// Reads the elements that are printed; `None` if that would have to wait.
    fn read(tensor: &Tensor) -> Result<Option<Elements>> {
        if !tensor.device().capabilities().sync_read {
            return Ok(None);
        }
        let summarized = tensor.numel() > THRESHOLD;
        let ends: Vec<bool> = tensor.shape().iter().map(|&size| summarized && size > 2 * EDGE).collect();
        let shown = no_grad(|| of_ends(tensor, &ends))?;
        let read = pin!(shown.to_bytes());
        let Poll::Ready(bytes) = read.poll(&mut Context::from_waker(Waker::noop())) else { return Ok(None) };
        let (texts, width) = texts(&bytes?, tensor.dtype());
        Ok(Some(Elements { shape: shown.shape().to_vec(), ends, texts, width }))
    }

    /// The nested lists from dimension `dim` on of the elements from index `from` on, with `indent`
    /// spaces before each line but the first.
    fn write(&self, text: &mut String, dim: usize, from: usize, indent: usize) {
        let Some(&size) = self.shape.get(dim) else { return text.push_str(&self.texts[from]) };
        let inner = &self.shape[dim + 1..];
        let step: usize = inner.iter().product();
        let mut positions: Vec<Option<usize>> = (0..size).map(|index| Some(from + index * step)).collect();
        if self.ends[dim] {
            positions.insert(EDGE, None);
        }
        let next_line = format!(",{}{}", "\n".repeat(inner.len().max(1)), " ".repeat(indent + 1));
        let in_line = if inner.is_empty() { (LINE_WIDTH.saturating_sub(indent) / (self.width + 2)).max(1) } else { 1 };
        text.push('[');
        for (index, position) in positions.into_iter().enumerate() {
            match index {
                0 => {}
                _ if index % in_line == 0 => text.push_str(&next_line),
                _ => text.push_str(", "),
            }
            match position {
                Some(position) => self.write(text, dim + 1, position, indent + 1),
                None => text.push_str(if inner.is_empty() { " ..." } else { "..." }),
            }
        }
        text.push(']');
    }
}

/// The tensor with only the ends of these dimensions. The longest is cut first, so that little is
/// computed.
fn of_ends(tensor: &Tensor, ends: &[bool]) -> Result<Tensor> {
    let mut dims: Vec<usize> = (0..tensor.rank()).filter(|&dim| ends[dim]).collect();
    dims.sort_by_key(|&dim| std::cmp::Reverse(tensor.shape()[dim]));
    let mut shown = tensor.detach();
    for dim in dims {
        let (dim, size, edge) = (dim as i64, tensor.shape()[dim] as i64, EDGE as i64);
        shown = Tensor::cat(&[shown.narrow(dim, 0, edge)?, shown.narrow(dim, size - edge, edge)?], dim)?;
    }
    Ok(shown)
}

/// The elements as text, right-aligned to a width.
fn texts(bytes: &[u8], dtype: DType) -> (Vec<String>, usize) {
    let (texts, width) = match dtype {
        _ if dtype.is_floating_point() => floats(&from_bytes(bytes, dtype)),
        _ => {
            let texts: Vec<String> = match dtype {
                DType::I64 => bytemuck::pod_collect_to_vec::<u8, i64>(bytes).iter().map(i64::to_string).collect(),
                DType::Bool => bytes.iter().map(|&byte| if byte == 0 { "False" } else { "True" }.to_string()).collect(),
                _ => from_bytes(bytes, dtype).iter().map(|value| format!("{value:.0}")).collect(),
            };
            let width = texts.iter().map(String::len).max().unwrap_or(1);
            (texts, width)
        }
    };
    (texts.into_iter().map(|text| format!("{text:>width$}")).collect(), width)
}

/// Floats in the notation that PyTorch chooses for all of them: whole numbers, decimals, or powers
/// of ten. Only the finite numbers other than 0 determine the width.
fn floats(values: &[f64]) -> (Vec<String>, usize) {
    let is_number = |value: f64| value.is_finite() && value != 0.0;
    let numbers = || values.iter().copied().filter(|&value| is_number(value));
    let largest = numbers().fold(0.0f64, |largest, value| largest.max(value.abs()));
    let smallest = numbers().fold(f64::INFINITY, |smallest, value| smallest.min(value.abs()));
    let whole = numbers().all(|value| value.fract() == 0.0);
    let powers = largest > 0.0 && (largest / smallest > 1000.0 || largest > 1e8 || smallest < 1e-4);
    let text = |value: f64| match value {
        _ if value.is_nan() => "nan".to_string(),
        _ if value.is_infinite() => format!("{value}"),
        _ if powers => scientific(value),
        _ if whole => format!("{value:.0}."),
        _ => format!("{value:.PRECISION$}"),
    };
    let texts: Vec<String> = values.iter().map(|&value| text(value)).collect();
    let width = texts.iter().zip(values).filter(|(_, value)| is_number(**value)).map(|(text, _)| text.len()).max();
    (texts, width.unwrap_or(1))
}

/// `1.5000e-07`, as C prints it.
fn scientific(value: f64) -> String {
    let text = format!("{value:.PRECISION$e}");
    // Rust always prints an exponent.
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(("+", exponent), |digits| ("-", digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `tensor(`, the elements, and the suffixes, on a new line where they do not fit.
fn write(f: &mut fmt::Formatter<'_>, tensor: &Tensor, suffixes: Vec<String>) -> fmt::Result {
    const PREFIX: &str = "tensor(";
    let mut text = PREFIX.to_string();
    match tensor.numel() {
        0 => text.push_str("[]"),
        _ => match Elements::read(tensor) {
            Ok(Some(elements)) => elements.write(&mut text, 0, 0, PREFIX.len()),
            Ok(None) => text.push_str("..."),
            Err(error) => text.push_str(&format!("<{error}>")),
        },
    }
    // As PyTorch counts: two more than the line has, until a suffix begins one.
    let mut line = text.len() - text.rfind('\n').map_or(0, |end| end + 1) + 2;
    for suffix in suffixes {
        if line + suffix.len() + 2 > LINE_WIDTH {
            text.push_str(&format!(",\n{}{suffix}", " ".repeat(PREFIX.len())));
            line = PREFIX.len() + suffix.len();
        } else {
            text.push_str(&format!(", {suffix}"));
            line += suffix.len() + 2;
        }
    }
    write!(f, "{text})")
}

/// The suffix for the autograd graph: `requires_grad` or `grad_fn`.
fn graph(tensor: &Tensor) -> Option<String> {
    match tensor.grad_fn() {
        Some(node) => Some(format!("grad_fn=<{}>", node.name())),
        None => tensor.requires_grad().then(|| "requires_grad=True".to_string()),
    }
}

/// The tensor as PyTorch prints it; see the module's documentation for a device that must be waited
/// for.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.5, -3.0, 4.0], [2, 2], &device)?;
/// assert_eq!(x.to_string(), "tensor([[ 1.0000,  2.5000],\n        [-3.0000,  4.0000]])");
/// assert_eq!(format!("{:?}", x.sum((), false)?), "tensor(4.5000, shape=[], dtype=float32, device=cpu)");
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let readable = self.device().capabilities().sync_read;
        let mut suffixes = Vec::new();
        if !readable || (self.numel() == 0 && self.rank() != 1) {
            let sizes: Vec<String> = self.shape().iter().map(usize::to_string).collect();
            suffixes.push(format!("size=({}{})", sizes.join(", "), if sizes.len() == 1 { "," } else { "" }));
        }
        // PyTorch's defaults; integers are int64 there.
        if ![DType::F32, DType::I64, DType::Bool].contains(&self.dtype()) {
            suffixes.push(format!("dtype={}", self.dtype()));
        }
        if !readable {
            suffixes.push(format!("device={}", self.device().name()));
        }
        suffixes.extend(graph(self));
        write(f, self, suffixes)
    }
}

/// The elements as [`Display`](fmt::Display) prints them, with shape, type and device.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = [
            format!("shape={}", self.shape()),
            format!("dtype={}", self.dtype()),
            format!("device={}", self.device().name()),
        ];
        write(f, self, own.into_iter().chain(graph(self)).collect())
    }
}
