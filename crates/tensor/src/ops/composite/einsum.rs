//! Einstein summation, and products that are special cases of it.

use crate::{
    Error, Ints, Result, Tensor,
    ops::{
        Op,
        leaf::{
            contract::{Term, contract},
            strided::region_read,
        },
    },
    samples::{self, SampleArg},
    scalar::OptionalInts,
};
use lanthorn_ir::{Layout, Shape};
use lanthorn_macros::op;

/// The name of the first dimension of an ellipsis. The names before it are the letters, capitals
/// first.
const ELLIPSIS: usize = 52;

/// The product of `terms` summed over every name that `output` does not contain.
///
/// Two terms at a time are contracted, and names that no other term and not `output` needs are
/// summed. `path` selects the pairs; by default they are the pairs with the smallest result.
pub(crate) fn evaluate(
    op: &'static str,
    mut terms: Vec<Term>,
    output: &[usize],
    path: Option<&[i64]>,
) -> Result<Tensor> {
    drop_broadcast(op, &mut terms)?;
    let mut path = path.map(<[i64]>::iter);
    for at in 0..terms.len() {
        let sums =
            |name: &usize| !output.contains(name) && terms.iter().filter(|term| term.names.contains(name)).count() == 1;
        let Term { tensor, names } = terms[at].clone();
        let (gone, kept): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&d| sums(&names[d]));
        if !gone.is_empty() {
            let dims: Vec<i64> = gone.into_iter().map(|d| d as i64).collect();
            let sum = tensor.sum(dims, false)?.to(tensor.dtype())?;
            terms[at] = Term { tensor: sum, names: kept.into_iter().map(|d| names[d]).collect() };
        }
    }
    while terms.len() > 1 {
        let (i, j) = match &mut path {
            Some(path) => step(op, terms.len(), path.next(), path.next())?,
            None => cheapest(&terms, output),
        };
        let (b, a) = (terms.remove(j), terms.remove(i));
        let kept: Vec<usize> = if terms.is_empty() {
            output.to_vec()
        } else {
            remaining(&a, &b, |name| output.contains(&name) || terms.iter().any(|term| term.names.contains(&name)))
        };
        let tensor = contract(op, &a, &b, &kept)?;
        terms.push(Term { tensor, names: kept });
    }
    match terms.pop() {
        Some(term) => term.permute(output),
        None => Err(Error::argument(op, "expected at least one tensor")),
    }
}

/// The names of the product of two terms that `wanted` accepts.
fn remaining(a: &Term, b: &Term, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    let of_b = b.names.iter().filter(|name| !a.names.contains(name));
    a.names.iter().chain(of_b).copied().filter(|&name| wanted(name)).collect()
}

/// Removes each dimension of size 1 whose name has a larger size in another term.
fn drop_broadcast(op: &str, terms: &mut [Term]) -> Result<()> {
    let mut sizes: Vec<usize> = Vec::new();
    for term in terms.iter() {
        for (&name, &size) in term.names.iter().zip(term.tensor.shape().iter()) {
            sizes.resize(sizes.len().max(name + 1), 1);
            match sizes[name] {
                1 => sizes[name] = size,
                known if size == 1 || size == known => {}
                known => {
                    let shapes: Vec<String> = terms.iter().map(|term| term.tensor.shape().to_string()).collect();
                    return Err(Error::shape(
                        op,
                        format!("sizes {known} and {size} do not fit together in {}", shapes.join(" x ")),
                    ));
                }
            }
        }
    }
    for term in terms {
        let goes = |d: usize| term.tensor.shape()[d] == 1 && sizes[term.names[d]] != 1;
        let (gone, kept): (Vec<usize>, Vec<usize>) = (0..term.names.len()).partition(|&d| goes(d));
        if !gone.is_empty() {
            let tensor = term.tensor.squeeze(gone.into_iter().map(|d| d as i64).collect::<Vec<_>>())?;
            *term = Term { tensor, names: kept.into_iter().map(|d| term.names[d]).collect() };
        }
    }
    Ok(())
}

/// The two positions of a step of a path, the smaller first.
fn step(op: &str, terms: usize, first: Option<&i64>, second: Option<&i64>) -> Result<(usize, usize)> {
    let position = |at: Option<&i64>| at.and_then(|&at| usize::try_from(at).ok()).filter(|&at| at < terms);
    match (position(first), position(second)) {
        (Some(i), Some(j)) if i != j => Ok((i.min(j), i.max(j))),
        _ => Err(Error::argument(
            op,
            format!("the path must name two of the {terms} tensors that are left at each step"),
        )),
    }
}

/// The two terms whose product is smallest relative to their own sizes.
fn cheapest(terms: &[Term], output: &[usize]) -> (usize, usize) {
    let pairs = (0..terms.len()).flat_map(|i| (i + 1..terms.len()).map(move |j| (i, j)));
    let left = |&(i, j): &(usize, usize)| {
        let (a, b) = (&terms[i], &terms[j]);
        let elsewhere =
            |name| (0..terms.len()).any(|other| other != i && other != j && terms[other].names.contains(&name));
        let size = |&name: &usize| {
            let term = if a.names.contains(&name) { a } else { b };
            term.names.iter().position(|&own| own == name).map_or(1, |d| term.tensor.shape()[d] as i128)
        };
        let made = remaining(a, b, |name| output.contains(&name) || elsewhere(name));
        let product = made.iter().map(size).fold(1i128, i128::saturating_mul);
        product - a.tensor.numel() as i128 - b.tensor.numel() as i128
    };
    pairs.min_by_key(left).unwrap_or((0, 1))
}

/// The names of the letters of a part of an equation; `None` for an ellipsis.
fn subscripts(text: &str) -> Result<Vec<Option<usize>>> {
    let (mut names, mut rest) = (Vec::new(), text.trim_start());
    while let Some(letter) = rest.chars().next() {
        let name = match letter {
            'A'..='Z' => Some(letter as usize - 'A' as usize),
            'a'..='z' => Some(letter as usize - 'a' as usize + ELLIPSIS / 2),
            '.' if rest.starts_with("...") && !names.contains(&None) => None,
            _ => {
                let message = format!("{text:?} must be letters with at most one ellipsis");
                return Err(Error::argument("einsum", message));
            }
        };
        names.push(name);
        rest = rest[if name.is_some() { 1 } else { 3 }..].trim_start();
    }
    Ok(names)
}

/// `x` with the dimensions of a repeated name replaced by their diagonal.
fn diagonals(x: &Tensor, names: &[usize]) -> Result<Term> {
    let mut kept: Vec<usize> = Vec::new();
    for &name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    if kept.len() == names.len() {
        return Ok(Term { tensor: x.clone(), names: kept });
    }
    let x = x.contiguous()?;
    let (mut sizes, mut strides) = (vec![0; kept.len()], vec![0; kept.len()]);
    for (d, name) in names.iter().enumerate() {
        let at = kept.iter().position(|own| own == name).unwrap_or(0);
        if strides[at] != 0 && sizes[at] != x.shape()[d] {
            let message =
                format!("a letter stands for sizes {} and {} of shape {}", sizes[at], x.shape()[d], x.shape());
            return Err(Error::shape("einsum", message));
        }
        sizes[at] = x.shape()[d];
        strides[at] += x.layout().strides()[d];
    }
    let layout = Layout::new(Shape::from_dims(sizes), strides, x.layout().offset());
    Ok(Term { tensor: region_read(&x, &layout)?, names: kept })
}

/// Einstein summation, as `torch.einsum`.
///
/// Each letter of `equation` names a dimension; equal names have equal sizes, or size 1, which
/// broadcasts. `...` is any number of dimensions that broadcast. The names after `->` are the
/// dimensions of the result, and every other name is summed. Without `->` the result has the
/// dimensions of the ellipsis and the letters that appear once, in alphabetical order. A letter
/// that appears twice in one tensor selects its diagonal. The tensors are contracted pairwise in a
/// greedy order, or in the order of `path`: two positions in the list a step, whose product is
/// appended to the list.
///
/// Shapes: `"bij,bjk->bik"` of `[b, n, m]` and `[b, m, k]` is `[b, n, k]`.
///
/// Errors: `argument` if the equation or the path does not parse or does not fit the tensors;
/// `shape` if sizes of one letter differ; `dtype` if the types of two contracted tensors differ.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(Tensor::einsum("ii", &[x.clone()])?.item())?, 5.0);
/// assert_eq!(pollster::block_on(Tensor::einsum("ij,kj->ik", &[x.clone(), x])?.to_vec::<f32>())?, [5.0, 11.0, 11.0, 25.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
    autocast = lower,
    samples = || {
        let call = |equation: &str, shapes: &[&[i64]]| {
            let specs = shapes.iter().map(|shape| samples::spec(shape, crate::DType::F32, -1.0, 1.0)).collect();
            vec![samples::text(equation), SampleArg::Tensors(specs)]
        };
        samples::calls([
            call("iji->j", &[&[2, 3, 2]]),
            call("b...ik,b...kj", &[&[2, 1, 3, 4], &[2, 3, 4, 2]]),
            call("abk,cka,k->cb", &[&[2, 3, 4], &[5, 4, 1], &[4]]),
            call("i...,j->...ji", &[&[3, 2], &[2]]),
        ])
    }
)]
fn einsum(equation: &str, tensors: &[Tensor], path: &OptionalInts) -> Result<Tensor> {
    let fail = |message: String| Err(Error::argument("einsum", message));
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(subscripts(right)?)),
        None => (equation, None),
    };
    let inputs: Vec<Vec<Option<usize>>> = left.split(',').map(subscripts).collect::<Result<_>>()?;
    if inputs.len() != tensors.len() {
        return fail(format!("{equation:?} is about {} tensors, {} were given", inputs.len(), tensors.len()));
    }
    // The number of dimensions of each ellipsis.
    let mut widths = Vec::new();
    for (input, tensor) in inputs.iter().zip(tensors) {
        let letters = input.iter().flatten().count();
        match tensor.rank().checked_sub(letters) {
            Some(width) if width == 0 || input.contains(&None) => widths.push(width),
            _ => return fail(format!("{equation:?} has {letters} letters for a tensor of shape {}", tensor.shape())),
        }
    }
    let widest = widths.iter().copied().max().unwrap_or(0);
    // Ellipses align at the last dimension.
    let expand = |names: &[Option<usize>], width: usize| -> Vec<usize> {
        let names =
            names.iter().map(|name| name.map_or(ELLIPSIS + widest - width..ELLIPSIS + widest, |name| name..name + 1));
        names.flatten().collect()
    };
    let named: Vec<Vec<usize>> = inputs.iter().zip(&widths).map(|(input, &width)| expand(input, width)).collect();
    let count = |name: usize| named.iter().flatten().filter(|&&own| own == name).count();
    let output = match right {
        Some(right) => expand(&right, widest),
        None => (ELLIPSIS..ELLIPSIS + widest).chain((0..ELLIPSIS).filter(|&name| count(name) == 1)).collect(),
    };
    for (at, &name) in output.iter().enumerate() {
        if count(name) == 0 || output[..at].contains(&name) {
            return fail(format!("each letter after \"->\" in {equation:?} must stand there once, and before it"));
        }
    }
    if path.as_slice().is_some_and(|path| path.len() != 2 * (tensors.len() - 1)) {
        return fail(format!("a path of {} tensors has {} positions", tensors.len(), 2 * (tensors.len() - 1)));
    }
    let terms = tensors.iter().zip(&named).map(|(tensor, names)| diagonals(tensor, names)).collect::<Result<_>>()?;
    evaluate("einsum", terms, &output, path.as_slice())
}

impl Tensor {
    /// [`einsum`](Tensor::einsum) with numbers from 0 to 51 instead of letters, capitals first, and
    /// `None` for an ellipsis: `torch.einsum(x, [0, 1], y, [1, 2], [0, 2])`.
    ///
    /// # Errors
    ///
    /// `argument` for numbers beyond 51, and the errors of [`einsum`](Tensor::einsum).
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// # use lanthorn_tensor::Tensor;
    /// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
    /// let product = Tensor::einsum_sublists(&[(&x, &[Some(0), Some(1)]), (&x, &[Some(1), Some(2)])], Some(&[Some(0), Some(2)]))?;
    /// assert_eq!(pollster::block_on(product.to_vec::<f32>())?, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn einsum_sublists(operands: &[(&Tensor, &[Option<i64>])], output: Option<&[Option<i64>]>) -> Result<Tensor> {
        let inputs = operands.iter().map(|(_, sublist)| letters(sublist)).collect::<Result<Vec<_>>>()?.join(",");
        let equation = match output {
            Some(output) => format!("{inputs}->{}", letters(output)?),
            None => inputs,
        };
        let tensors: Vec<Tensor> = operands.iter().map(|(tensor, _)| (*tensor).clone()).collect();
        Tensor::einsum(&equation, &tensors)
    }
}

/// The letters of a sublist.
fn letters(sublist: &[Option<i64>]) -> Result<String> {
    let letter = |name: &Option<i64>| match name.map(u8::try_from) {
        None => Ok("...".to_string()),
        Some(Ok(name @ 0..26)) => Ok(char::from(b'A' + name).to_string()),
        Some(Ok(name @ 26..52)) => Ok(char::from(b'a' + name - 26).to_string()),
        _ => Err(Error::argument("einsum", format!("a sublist has numbers from 0 to 51, not {sublist:?}"))),
    };
    sublist.iter().map(letter).collect()
}

/// The product of two tensors summed over dimensions `dims_self` of `self` and `dims_other` of
/// `other`, as `torch.tensordot`.
///
/// Shapes: the result has the remaining dimensions of `self`, then of `other`: for `[2, 3, 4]` and
/// `[4, 3, 5]` over `[1, 2]` and `[1, 0]` it is `[2, 5]`.
///
/// Errors: `argument` if the lists differ in length or a dimension appears twice; `index` if a
/// dimension is out of range; `shape` if summed sizes differ and neither is 1; `dtype` if the types
/// differ.
#[op(
    composite,
    "tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 4], -1.0, 1.0), samples::real(&[4, 3, 5], -1.0, 1.0), samples::ints(&[1, -1]), samples::ints(&[1, 0])],
        vec![samples::real(&[2, 1], -1.0, 1.0), samples::real(&[3, 4], -1.0, 1.0), samples::ints(&[1]), samples::ints(&[0])],
        vec![samples::real(&[2], -1.0, 1.0), samples::real(&[3], -1.0, 1.0), samples::ints(&[]), samples::ints(&[])],
    ])
)]
fn tensordot(a: &Tensor, b: &Tensor, dims_self: &Ints, dims_other: &Ints) -> Result<Tensor> {
    let op = "tensordot";
    if dims_self.len() != dims_other.len() {
        let message = format!("both take as many dimensions, not {:?} and {:?}", &dims_self[..], &dims_other[..]);
        return Err(Error::argument(op, message));
    }
    let names: Vec<usize> = (0..a.rank()).collect();
    let mut others: Vec<usize> = (a.rank()..a.rank() + b.rank()).collect();
    let mut summed = Vec::new();
    for (&of_a, &of_b) in dims_self.iter().zip(dims_other.iter()) {
        let (of_a, of_b) = (a.shape().dim(op, of_a)?, b.shape().dim(op, of_b)?);
        match others.get_mut(of_b) {
            Some(name) if *name >= a.rank() && of_a < a.rank() && !summed.contains(&of_a) => *name = of_a,
            _ => return Err(Error::argument(op, format!("dimension {of_a} or {of_b} appears twice or is not there"))),
        }
        summed.push(of_a);
    }
    let output: Vec<usize> = names.iter().chain(&others).copied().filter(|name| !summed.contains(name)).collect();
    evaluate(op, vec![Term { tensor: a.clone(), names }, Term { tensor: b.clone(), names: others }], &output, None)
}

/// [`tensordot`](Tensor::tensordot) over the last `dims` dimensions of `self` and the first `dims`
/// of `other`.
///
/// Errors: `argument` if a tensor has fewer than `dims` dimensions; otherwise as of
/// [`tensordot`](Tensor::tensordot).
#[op(
    composite,
    "tensordot.int(Tensor self, Tensor other, int dims=2) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[2, 3, 4], -1.0, 1.0), samples::real(&[3, 4, 5], -1.0, 1.0)]])
)]
fn tensordot_int(a: &Tensor, b: &Tensor, dims: i64) -> Result<Tensor> {
    let most = a.rank().min(b.rank()) as i64;
    if !(0..=most).contains(&dims) {
        let message = format!("shapes {} and {} do not have {dims} dimensions to sum over", a.shape(), b.shape());
        return Err(Error::argument("tensordot", message));
    }
    a.tensordot(b, (-dims..0).collect::<Vec<i64>>(), (0..dims).collect::<Vec<i64>>())
}

/// A bilinear map, as `torch.nn.functional.bilinear`: `result[.., o]` is the sum over `i` and `j`
/// of `input1[.., i] * weight[o, i, j] * input2[.., j]`, plus `bias[o]`.
///
/// Shapes: `input1: [*, n]`, `input2: [*, m]` with equal leading dimensions, `weight: [k, n, m]`,
/// `bias: [k]`, `result: [*, k]`.
///
/// Errors: `shape` if the shapes do not fit; `dtype` if the types differ.
#[op(
    composite,
    "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![x(&[2, 3, 3]), x(&[2, 3, 4]), x(&[5, 3, 4]), x(&[5])],
            vec![x(&[3]), x(&[4]), x(&[5, 3, 4])],
        ])
    }
)]
fn bilinear(input1: &Tensor, input2: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let (rows, columns) = (input1.rank().saturating_sub(1), input2.rank().saturating_sub(1));
    let fits = weight.rank() == 3
        && bias.is_none_or(|bias| bias.shape()[..] == weight.shape()[..1])
        && rows == columns
        && input1.shape()[..rows] == input2.shape()[..columns]
        && input1.shape()[rows..] == weight.shape()[1..2]
        && input2.shape()[columns..] == weight.shape()[2..];
    if !fits {
        let (a, b, w) = (input1.shape(), input2.shape(), weight.shape());
        let message = format!("inputs of shapes {a} and {b} do not fit a weight of shape {w} or its bias");
        return Err(Error::shape("bilinear", message));
    }
    let tensors = [input1.clone(), weight.clone(), input2.clone()];
    let product = einsum("...i,oij,...j->...o", &tensors, &().into()).map_err(|error| error.in_op("bilinear"))?;
    bias.map_or(Ok(product.clone()), |bias| product.add(bias))
}

pub(crate) static OPS: &[&Op] = &[&EINSUM, &TENSORDOT, &TENSORDOT_INT, &BILINEAR];
