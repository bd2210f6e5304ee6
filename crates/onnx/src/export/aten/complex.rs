//! Complex numbers and Fourier transforms. As in ONNX, the last dimension holds pairs of real and
//! imaginary parts.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item, normal},
    },
    Call, Functions, check_count,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value, graph::Size};

pub const FUNCTIONS: Functions = &[
    ("_fft_c2c", by_number),
    ("_fft_c2r", to_real),
    ("_fft_r2c", by_number),
    ("complex", complex),
    ("complex_abs", complex_abs),
    ("complex_angle", complex_angle),
    ("complex_conj", complex_conj),
    ("complex_mul", complex_mul),
    ("fft_fft", transform),
    ("fft_fft2", transform),
    ("fft_fftn", transform),
    ("fft_ifft", transform),
    ("fft_ifft2", transform),
    ("fft_ifftn", transform),
    ("fft_irfft", to_real),
    ("fft_rfft", transform),
    ("fft_rfft2", transform),
    ("fft_rfftn", transform),
    ("imag", part),
    ("polar", polar),
    ("real", part),
    ("stft", stft),
    ("view_as_complex", pairs),
    ("view_as_real", pairs),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

fn pairs(_: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    tensor(call.tensor("self")?)
}

fn part(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let index = i64::from(call.base == "imag");
    tensor(exporter.part(&call.tensor("self")?, index)?)
}

fn complex(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (real, imag) = (call.tensor("real")?, call.tensor("imag")?);
    tensor(exporter.pair(&real, &imag)?)
}

fn complex_abs(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, last) = (call.tensor("self")?, exporter.ints(&[-1])?);
    tensor(exporter.op("ReduceL2", &[&item, &last], &[("keepdims", Attr::Int(0))]))
}

fn complex_angle(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let (real, imag) = (exporter.part(&item, 0)?, exporter.part(&item, 1)?);
    tensor(exporter.angle(&imag, &real, item.dtype()?)?)
}

fn complex_conj(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let signs = exporter.numbers(&[1.0, -1.0], vec![2], item.dtype()?)?;
    tensor(exporter.op("Mul", &[&item, &signs], &[]))
}

fn complex_mul(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (x, y) = (call.tensor("self")?, call.tensor("other")?);
    let [a, b] = [exporter.part(&x, 0)?, exporter.part(&x, 1)?];
    let [c, d] = [exporter.part(&y, 0)?, exporter.part(&y, 1)?];
    let mut mul = |x: &Item, y: &Item| exporter.op("Mul", &[x, y], &[]);
    let (ac, bd, ad, bc) = (mul(&a, &c), mul(&b, &d), mul(&a, &d), mul(&b, &c));
    let (real, imag) = (exporter.op("Sub", &[&ac, &bd], &[]), exporter.op("Add", &[&ad, &bc], &[]));
    tensor(exporter.pair(&real, &imag)?)
}

fn polar(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (abs, angle) = (call.tensor("abs")?, call.tensor("angle")?);
    let mut scaled = |function: &str| {
        let factor = exporter.op(function, &[&angle], &[]);
        exporter.op("Mul", &[&abs, &factor], &[])
    };
    let (real, imag) = (scaled("Cos"), scaled("Sin"));
    tensor(exporter.pair(&real, &imag)?)
}

/// The normalization of a transform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Norm {
    Backward,
    Ortho,
    Forward,
}

/// A transform along dimensions. If the result is complex and the argument is not, the argument is
/// real.
struct Transform {
    dims: Vec<i64>,
    lengths: Option<Vec<i64>>,
    inverse: bool,
    norm: Norm,
    is_real: bool,
    onesided: bool,
}

fn transform(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let onesided = call.base.starts_with("fft_rfft");
    let is_real = onesided;
    let rank = item.rank()? - i64::from(!is_real);
    let norm = match call.args.get("norm").as_str() {
        Some("ortho") => Norm::Ortho,
        Some("forward") => Norm::Forward,
        _ => Norm::Backward,
    };
    let dims = match call.args.get("dim") {
        Value::None => (0..rank).collect(),
        _ => call.ints("dim")?,
    };
    let name = if call.args.is_given("n") { "n" } else { "s" };
    let lengths = if call.args.is_given(name) { Some(call.ints(name)?) } else { None };
    let dims = dims.into_iter().map(|dim| normal(dim, rank)).collect::<Result<Vec<i64>>>()?;
    let inverse = call.base.starts_with("fft_ifft");
    tensor(exporter.apply_transform(item, &Transform { dims, lengths, inverse, norm, is_real, onesided })?)
}

/// Writes a transform to which others decompose; a number specifies its normalization.
fn by_number(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let is_real = call.base == "_fft_r2c";
    let inverse = !is_real && !call.args.bool("forward");
    let rank = item.rank()? - i64::from(!is_real);
    let norm = match (call.int("normalization")?, inverse) {
        (1, _) => Norm::Ortho,
        (0, false) | (2, true) => Norm::Backward,
        _ => Norm::Forward,
    };
    let dims = call.ints("dim")?.into_iter().map(|dim| normal(dim, rank)).collect::<Result<Vec<i64>>>()?;
    let onesided = is_real && call.args.bool("onesided");
    tensor(exporter.apply_transform(item, &Transform { dims, lengths: None, inverse, norm, is_real, onesided })?)
}

/// Writes an inverse transform with a real result. The missing half of the spectrum is the
/// conjugate of the given half.
fn to_real(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    let rank = item.rank()? - 1;
    let by_number = call.base == "_fft_c2r";
    let dims = call.ints("dim")?.into_iter().map(|dim| normal(dim, rank)).collect::<Result<Vec<i64>>>()?;
    let Some((&last, others)) = dims.split_last() else { return tensor(item) };
    let size = item.size(last)?;
    let length = match by_number {
        true => call.int("last_dim_size")?,
        false => call.int_or("n", 2 * (size - 1))?,
    };
    let norm = match (by_number, call.args.get("norm").as_str(), call.int_or("normalization", 2)?) {
        (true, _, 1) | (false, Some("ortho"), _) => Norm::Ortho,
        (true, _, 0) | (false, Some("forward"), _) => Norm::Forward,
        _ => Norm::Backward,
    };
    if length < 1 || size != length / 2 + 1 {
        return Err(Error::unsupported("of another length than the spectrum's"));
    }
    let source = item.clone();
    let inverse =
        |dims: Vec<i64>| Transform { dims, lengths: None, inverse: true, norm, is_real: false, onesided: false };
    if !others.is_empty() {
        item = exporter.apply_transform(item, &inverse(others.to_vec()))?;
    }
    let indices: Vec<i64> = (1..(length + 1) / 2).rev().collect();
    check_count(&[length])?;
    let indices = exporter.ints(&indices)?;
    let mirrored = exporter.op("Gather", &[&item, &indices], &[("axis", Attr::Int(last))]);
    let signs = exporter.numbers(&[1.0, -1.0], vec![2], source.dtype()?)?;
    let mirrored = exporter.op("Mul", &[&mirrored, &signs], &[]);
    let whole = exporter.concat(&[item, mirrored], last);
    let mut sizes = source.sizes()?.to_vec();
    sizes[last as usize] = Size::Int(length);
    let result = exporter.apply_transform(Item { sizes: Some(sizes.into()), ..whole }, &inverse(vec![last]))?;
    tensor(exporter.part(&result, 0)?)
}

/// Writes the spectra of overlapping frames of a signal.
fn stft(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let n_fft = call.int("n_fft")?;
    let hop = call.int_or("hop_length", n_fft / 4)?;
    let length = call.int_or("win_length", n_fft)?;
    if call.args.get("onesided").as_bool() == Some(false) {
        return Err(Error::unsupported("of both sides"));
    }
    let mut item = call.tensor("self")?;
    let dtype = item.dtype()?;
    let batched = item.rank()? > 1;
    let result = call.result()?;
    let count = result.size(-2)?;
    if !batched {
        item = exporter.unsqueeze(&item, &[0])?;
    }
    if call.args.bool("center") {
        let pads = exporter.ints(&[0, n_fft / 2, 0, n_fft / 2])?;
        let mode = match call.args.get("pad_mode").as_str() {
            Some("replicate") => "edge",
            Some("constant") => "constant",
            Some("circular") => "wrap",
            _ => "reflect",
        };
        item = exporter.op("Pad", &[&item, &pads], &[("mode", Attr::Str(mode.to_string()))]);
    }
    check_count(&[count, n_fft])?;
    let indices: Vec<f64> = (0..count).flat_map(|row| (0..n_fft).map(move |at| (row * hop + at) as f64)).collect();
    let indices = exporter.numbers(&indices, vec![count as usize, n_fft as usize], DType::I64)?;
    let mut frames = exporter.op("Gather", &[&item, &indices], &[("axis", Attr::Int(1))]);
    let left = (n_fft - length) / 2;
    let pads = exporter.ints(&[left, n_fft - length - left])?;
    if call.args.is_given("window") || length < n_fft {
        let window = match call.optional("window") {
            Some(window) => window,
            None => exporter.constant_of(1.0, &[length], dtype)?,
        };
        let window = if length < n_fft { exporter.op("Pad", &[&window, &pads], &[]) } else { window };
        frames = exporter.op("Mul", &[&frames, &window], &[]);
    }
    let column = exporter.unsqueeze(&frames, &[-1])?;
    let (none, axis) = (Item::none(), exporter.int(2)?);
    let mut spectra = exporter.op("DFT", &[&column, &none, &axis], &[("onesided", Attr::Int(1))]);
    if call.args.bool("normalized") {
        let scale = exporter.number(1.0 / (n_fft as f64).sqrt(), dtype)?;
        spectra = exporter.op("Mul", &[&spectra, &scale], &[]);
    }
    // [batch, frame, frequency, 2] to [batch, frequency, frame, 2].
    let spectra = exporter.op("Transpose", &[&spectra], &[("perm", Attr::Ints(vec![0, 2, 1, 3]))]);
    if batched {
        return tensor(spectra);
    }
    let first = exporter.ints(&[0])?;
    tensor(exporter.op("Squeeze", &[&spectra, &first], &[]))
}

impl Exporter<'_> {
    /// Returns the real or the imaginary parts.
    fn part(&mut self, item: &Item, index: i64) -> Result<Item> {
        let index = self.int(index)?;
        Ok(self.op("Gather", &[item, &index], &[("axis", Attr::Int(-1))]))
    }

    /// Joins real and imaginary parts to complex numbers.
    fn pair(&mut self, real: &Item, imag: &Item) -> Result<Item> {
        let (real, imag) = (self.unsqueeze(real, &[-1])?, self.unsqueeze(imag, &[-1])?);
        Ok(self.concat(&[real, imag], -1))
    }

    fn apply_transform(&mut self, item: Item, transform: &Transform) -> Result<Item> {
        let (source, dtype) = (item.clone(), item.dtype()?);
        let mut item = if transform.is_real { self.unsqueeze(&item, &[-1])? } else { item };
        let mut scale = 1.0;
        // A one-sided transform comes first, along the last dimension.
        for (index, &dim) in transform.dims.iter().enumerate().rev() {
            let is_first = index + 1 == transform.dims.len();
            let given = transform.lengths.as_ref().and_then(|lengths| lengths.get(index).copied());
            let given = given.filter(|&length| length > 0);
            let length = match given {
                Some(length) => self.int(length)?,
                None => Item::none(),
            };
            let axis = self.int(dim)?;
            let attributes = [
                ("inverse", Attr::Int(transform.inverse.into())),
                ("onesided", Attr::Int((transform.onesided && is_first).into())),
            ];
            item = self.op("DFT", &[&item, &length, &axis], &attributes);
            if transform.norm != Norm::Backward {
                let size = given.map_or_else(|| source.size(dim), Ok)? as f64;
                let factor = if transform.norm == Norm::Ortho { size.sqrt() } else { size };
                scale *= if transform.inverse { factor } else { 1.0 / factor };
            }
        }
        if scale == 1.0 {
            return Ok(item);
        }
        let scale = self.number(scale, dtype)?;
        Ok(self.op("Mul", &[&item, &scale], &[]))
    }
}
