//! Which sums of products the library for matrix products supports, and in which form.
//!
//! A [`Contract`] has any number of dimensions. It is a batch of BLAS products if the dimensions of
//! each of its four kinds merge into one dimension of each operand, and each operand is contiguous
//! along one of them. The library computes some epilogues (a number for each column, relu, gelu).
//! Any other epilogue is a separate kernel over the result in float32. Generated kernels compute
//! convolutions (they have bounded indices), products of expressions, and sums too short to be
//! worth two launches.

use lanthorn_ir::{
    DType, Layout, Shape,
    backend::InPlace,
    expr::{Expr, Program, Type},
    kernel::{Contract, Map, Operand},
};

/// A batch of matrix products:
/// `output[b, i, j] = activation(sum over l of a[b, i, l] * b[b, l, j] + bias[j])`. The output is
/// contiguous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// The element type of both operands: float32, float16 or bfloat16. Sums are float32.
    pub dtype: DType,
    /// The element type of the output and the bias: the operands' type, or float32.
    pub output: DType,
    /// The number of products.
    pub batch: usize,
    /// Rows of the left operand and the output.
    pub m: usize,
    /// Columns of the right operand and the output.
    pub n: usize,
    /// Columns of the left operand, rows of the right one.
    pub k: usize,
    /// The left operand, m rows of k.
    pub a: Matrix,
    /// The right operand, k rows of n.
    pub b: Matrix,
    /// The offset of the numbers that are added to each column; none if nothing is added.
    pub bias: Option<usize>,
    /// The function that is applied to each sum.
    pub activation: Activation,
    /// Whether float32 operands may be rounded to TF32, which has the range of float32 and a
    /// mantissa of ten bits.
    pub tf32: bool,
}

/// A matrix in a buffer. Row `i` starts at `offset + i * leading` if its elements are adjacent.
/// Otherwise this is the start of column `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrix {
    /// The first element.
    pub offset: usize,
    /// Whether the elements of a column are adjacent instead of the elements of a row.
    pub transposed: bool,
    /// The distance between two rows, or two columns.
    pub leading: usize,
    /// The distance between two matrices of the batch; 0 if they are the same.
    pub step: usize,
}

impl Matrix {
    /// The position of an element.
    pub fn position(&self, batch: usize, row: usize, column: usize) -> usize {
        let (outer, inner) = if self.transposed { (column, row) } else { (row, column) };
        self.offset + batch * self.step + outer * self.leading + inner
    }
}

/// A function that the library can apply to results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// The sum itself.
    None,
    /// The larger of the sum and 0.
    Relu,
    /// The Gaussian error linear unit in the approximation by tanh, as `gelu(approximate="tanh")`.
    Gelu,
}

/// Minimum length of a sum for which a product and a second kernel are faster than one generated
/// kernel.
const MIN_TERMS: usize = 64;

/// A contraction in the library's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    pub(crate) product: Product,
    /// The input of the contraction that is the bias.
    pub(crate) bias: Option<usize>,
    /// The remaining computation on the product, whose result is then in scratch memory as input 0.
    /// The other inputs are the contraction's from its third on.
    pub(crate) rest: Option<Map>,
}

/// A contraction in the library's form: for all parameters, and for the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fits {
    pub(crate) always: Option<Fit>,
    /// The form if all parameters are 1, as the factor of a bias usually is. Parameters are data,
    /// so the kernel does not contain their values.
    pub(crate) for_ones: Option<Fit>,
}

/// A contraction as a product, if it is one. A bias whose buffer the output reuses is not fused,
/// because the library may write the output before it reads the bias.
pub(crate) fn fits(contract: &Contract, in_place: &[InPlace]) -> Fits {
    let Some(product) = bare(contract) else { return Fits::default() };
    let replaced = |fit: &Fit| fit.bias.is_some_and(|bias| in_place.iter().any(|pair| pair.input == bias));
    let fused = fit_with_epilogue(contract, &product).filter(|fit| !replaced(fit));
    let behind =
        || (product.k >= MIN_TERMS).then(|| Fit { product: product.clone(), bias: None, rest: Some(rest(contract)) });
    if contract.params.is_empty() {
        Fits { always: fused.or_else(behind), for_ones: None }
    } else {
        Fits { always: behind(), for_ones: fused }
    }
}

/// The product without an epilogue, with a float32 result.
fn bare(contract: &Contract) -> Option<Product> {
    let [batch, m, n, k] = contract.extents();
    let dtype = contract.a.encoding.plain()?;
    let known = matches!(dtype, DType::F32 | DType::F16 | DType::BF16) && contract.b.encoding == dtype;
    let stored = contract.prologues.iter().all(Option::is_none);
    if !known || !stored || batch * m * n * k == 0 {
        return None;
    }
    let a = matrix(&contract.a, [&contract.batch, &contract.m, &contract.k])?;
    let b = matrix(&contract.b, [&contract.batch, &contract.k, &contract.n])?;
    Some(Product {
        dtype,
        output: DType::F32,
        batch,
        m,
        n,
        k,
        a,
        b,
        bias: None,
        activation: Activation::None,
        tf32: false,
    })
}

/// The product with the whole epilogue, if the library supports it.
fn fit_with_epilogue(contract: &Contract, product: &Product) -> Option<Fit> {
    let &[output] = &contract.epilogue.dtypes[..] else { return None };
    if output != product.dtype && output != DType::F32 {
        return None;
    }
    let (bias, activation) = tail(contract, output)?;
    let offset = bias.map(|input| contract.epilogue.inputs[input].layout.offset());
    let product = Product { output, bias: offset, activation, ..product.clone() };
    Some(Fit { product, bias: bias.map(|input| input + 2), rest: None })
}

/// The epilogue as a separate kernel.
fn rest(contract: &Contract) -> Map {
    let shape = contract.output();
    let product = Operand::new(DType::F32, Layout::contiguous(shape.clone()));
    Map {
        indices: vec![],
        shape,
        inputs: [product].into_iter().chain(contract.epilogue.inputs.iter().cloned()).collect(),
        params: contract.params.clone(),
        program: contract.epilogue.program.clone(),
        dtypes: contract.epilogue.dtypes.clone(),
    }
}

/// The epilogue in the library's form: its added operand, and the function.
fn tail(contract: &Contract, output: DType) -> Option<(Option<usize>, Activation)> {
    let program = &contract.epilogue.program;
    let sum = Expr::input(0, Type::F32);
    let is = |result: Expr| Program::new(&[result.stored(output)]) == *program;
    let known = [(Activation::None, same as fn(&Expr) -> Expr), (Activation::Relu, relu), (Activation::Gelu, gelu)];
    let with = |value: &Expr| known.iter().find(|(_, function)| is(function(value))).map(|&(activation, _)| activation);
    match (&contract.epilogue.inputs[..], &contract.params[..]) {
        ([], []) => with(&sum).map(|activation| (None, activation)),
        ([bias], params) if bias.encoding == output && is_by_column(bias, contract) => {
            let bias = match params {
                [] => Expr::input(1, Type::F32),
                // The form of `add`, whose `alpha` is 1 here.
                [Type::F32] => Expr::input(1, Type::F32) * Expr::param(0, Type::F32),
                _ => return None,
            };
            with(&(&sum + &bias)).or_else(|| with(&(&bias + &sum))).map(|activation| (Some(0), activation))
        }
        _ => None,
    }
}

fn same(x: &Expr) -> Expr {
    x.clone()
}

fn relu(x: &Expr) -> Expr {
    x.le(0.0).select(0.0, x)
}

fn gelu(x: &Expr) -> Expr {
    let inner = (x + x * x.square() * 0.044715) * (2.0 / std::f64::consts::PI).sqrt();
    x * 0.5 * (1.0 + inner.tanh())
}

/// Whether an operand over the output is one number for each column, with adjacent numbers.
fn is_by_column(operand: &Operand, contract: &Contract) -> bool {
    let shapes = [&contract.batch, &contract.m, &contract.n];
    let Some([batch, m, n]) = operand.is_strided().then(|| strides(&operand.layout, shapes)).flatten() else {
        return false;
    };
    let still = |stride: isize, shape: &Shape| stride == 0 || shape.elements() == 1;
    still(batch, shapes[0]) && still(m, shapes[1]) && (n == 1 || shapes[2].elements() == 1)
}

/// An operand over these groups of dimensions as a batch of matrices.
fn matrix(operand: &Operand, shapes: [&Shape; 3]) -> Option<Matrix> {
    let strides = operand.is_strided().then(|| strides(&operand.layout, shapes)).flatten()?;
    let [step, outer, inner] = strides.map(usize::try_from);
    let (step, outer, inner) = (step.ok()?, outer.ok()?, inner.ok()?);
    let [batch, rows, columns] = shapes.map(Shape::elements);
    let offset = operand.layout.offset();
    let step = if batch == 1 { 0 } else { step };
    // Whether there are `lines` lines of `length` adjacent elements, `leading` elements apart.
    let lies = |length: usize, beside: usize, lines: usize, leading: usize| {
        let dense = length == 1 || beside == 1;
        let leading = if lines == 1 { length } else { leading };
        (dense && leading >= length).then_some(leading)
    };
    let by_rows = lies(columns, inner, rows, outer).map(|leading| Matrix { offset, transposed: false, leading, step });
    by_rows
        .or_else(|| lies(rows, outer, columns, inner).map(|leading| Matrix { offset, transposed: true, leading, step }))
}

/// The stride of each group of dimensions, if the group merges into one dimension.
fn strides(layout: &Layout, shapes: [&Shape; 3]) -> Option<[isize; 3]> {
    let mut all = shapes.iter().flat_map(|shape| shape.iter()).zip(layout.strides());
    let mut result = [0; 3];
    for (stride, shape) in result.iter_mut().zip(shapes) {
        let dims: Vec<(usize, isize)> =
            all.by_ref().take(shape.rank()).map(|(&size, &stride)| (size, stride)).collect();
        let mut longer = dims.iter().rev().filter(|(size, _)| *size != 1);
        let Some(&(size, inner)) = longer.next() else { continue };
        let mut reach = inner * size as isize;
        for &(size, outer) in longer {
            if outer != reach {
                return None;
            }
            reach = outer * size as isize;
        }
        *stride = inner;
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::kernel::{BoundedIndex, Epilogue, Prologue};

    fn fit(contract: &Contract) -> Option<Fit> {
        fits(contract, &[]).always
    }

    fn shape<const N: usize>(dims: [usize; N]) -> Shape {
        Shape::from_dims(dims)
    }

    fn dense<const N: usize>(dims: [usize; N]) -> Layout {
        Layout::contiguous(shape(dims))
    }

    fn plain(dtype: DType) -> Contract {
        Contract::matrices(dtype, dense([5, 70]), dense([70, 7]))
    }

    fn with_epilogue(dtype: DType, output: DType, inputs: Vec<Operand>, result: &Expr) -> Contract {
        let program = Program::new(&[result.stored(output)]);
        Contract { epilogue: Epilogue { inputs, program, dtypes: vec![output] }, ..plain(dtype) }
    }

    #[test]
    fn rows_columns_and_batches() {
        let fitted = fit(&plain(DType::BF16)).unwrap();
        assert_eq!((fitted.product.m, fitted.product.n, fitted.product.k, fitted.product.batch), (5, 7, 70, 1));
        assert_eq!(fitted.product.a, Matrix { offset: 0, transposed: false, leading: 70, step: 0 });
        assert_eq!((fitted.product.output, &fitted.rest), (DType::BF16, &None));
        // A transposed right operand that the whole batch shares.
        let b = Layout::new(shape([3, 70, 7]), [0, 1, 70], 4);
        let fitted = fit(&Contract::matrices(DType::F32, dense([3, 5, 70]), b)).unwrap();
        assert_eq!(fitted.product.a.step, 350);
        assert_eq!(fitted.product.b, Matrix { offset: 4, transposed: true, leading: 70, step: 0 });
        assert_eq!(fitted.product.b.position(2, 3, 6), 4 + 3 + 6 * 70);
    }

    #[test]
    fn several_dimensions_that_are_one() {
        // The heads of an attention: rows of one are 4 * 8 apart.
        let mut contract = plain(DType::F32);
        contract.batch = shape([2]);
        contract.m = shape([3, 5]);
        contract.k = shape([8]);
        contract.a = Operand::new(DType::F32, Layout::new(shape([2, 3, 5, 8]), [8, 160, 32, 1], 0));
        contract.b = Operand::new(DType::F32, dense([2, 8, 7]));
        let fitted = fit(&contract).unwrap();
        assert_eq!(fitted.product.a, Matrix { offset: 0, transposed: false, leading: 32, step: 8 });
        assert_eq!(fitted.product.m, 15);
        contract.a = Operand::new(DType::F32, Layout::new(shape([2, 3, 5, 8]), [8, 170, 32, 1], 0));
        assert_eq!(fit(&contract), None);
    }

    #[test]
    fn what_blas_does_not_know() {
        let neither = Layout::new(shape([5, 70]), [140, 2], 0);
        assert_eq!(fit(&Contract::matrices(DType::F32, neither, dense([70, 7]))), None);
        let expanded = Layout::new(shape([5, 70]), [0, 1], 0);
        assert_eq!(fit(&Contract::matrices(DType::F32, expanded, dense([70, 7]))), None);
        let backwards = Layout::new(shape([5, 70]), [-70, 1], 280);
        assert_eq!(fit(&Contract::matrices(DType::F32, backwards, dense([70, 7]))), None);
        assert_eq!(fit(&Contract::matrices(DType::F64, dense([5, 70]), dense([70, 7]))), None);
        assert_eq!(fit(&Contract::matrices(DType::F32, dense([5, 0]), dense([0, 7]))), None);
        let halved = Prologue { inputs: vec![], program: Program::new(&[Expr::input(0, Type::F32) * 0.5]) };
        assert_eq!(fit(&Contract { prologues: [None, Some(Box::new(halved))], ..plain(DType::F32) }), None);
        let mut windowed = plain(DType::F32);
        let bound = BoundedIndex { steps: [0, 1].into_iter().collect(), start: -1, divisor: 1, size: 6, stride: 1 };
        windowed.b.bounded = vec![bound];
        assert_eq!(fit(&windowed), None);
    }

    #[test]
    fn bias_and_activation_go_along() {
        let (sum, bias) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        let by_column = || Operand::new(DType::BF16, Layout::new(shape([5, 7]), [0, 1], 2));
        for (result, activation) in [
            (&bias + &sum, Activation::None),
            (relu(&(&sum + &bias)), Activation::Relu),
            (gelu(&(&sum + &bias)), Activation::Gelu),
        ] {
            let fitted = fit(&with_epilogue(DType::BF16, DType::BF16, vec![by_column()], &result)).unwrap();
            assert_eq!((fitted.product.activation, fitted.product.bias, fitted.bias), (activation, Some(2), Some(2)));
            assert_eq!(fitted.rest, None);
        }
        let fitted = fit(&with_epilogue(DType::F16, DType::F32, vec![], &relu(&sum))).unwrap();
        assert_eq!(
            (fitted.product.output, fitted.product.activation, fitted.rest),
            (DType::F32, Activation::Relu, None)
        );
    }

    #[test]
    fn a_bias_that_the_output_replaces_stays_outside() {
        let (sum, bias) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        let one = Operand::new(DType::F32, dense([1, 1]));
        let contract = Contract::matrices(DType::F32, dense([1, 70]), dense([70, 1]));
        let program = Program::new(&[(&sum + &bias).stored(DType::F32)]);
        let contract =
            Contract { epilogue: Epilogue { inputs: vec![one], program, dtypes: vec![DType::F32] }, ..contract };
        assert!(fit(&contract).unwrap().rest.is_none());
        let fitted = fits(&contract, &[InPlace { input: 2, output: 0 }]).always.unwrap();
        assert!(fitted.bias.is_none() && fitted.rest.is_some());
    }

    #[test]
    fn a_factor_of_the_bias_is_known_at_the_launch() {
        let (sum, bias) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32) * Expr::param(0, Type::F32));
        let by_column = Operand::new(DType::F32, Layout::new(shape([5, 7]), [0, 1], 0));
        let contract = with_epilogue(DType::F32, DType::F32, vec![by_column], &relu(&(&sum + &bias)));
        let Fits { always, for_ones } = fits(&Contract { params: vec![Type::F32], ..contract }, &[]);
        assert!(always.unwrap().rest.is_some());
        let product = for_ones.unwrap().product;
        assert_eq!((product.bias, product.activation), (Some(0), Activation::Relu));
    }

    #[test]
    fn another_epilogue_is_a_kernel_of_its_own() {
        let (sum, other) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        let by_row = Operand::new(DType::BF16, Layout::new(shape([5, 7]), [1, 0], 0));
        let contract = with_epilogue(DType::BF16, DType::BF16, vec![by_row.clone()], &(&sum + &other));
        let Fit { product, bias, rest } = fit(&contract).unwrap();
        assert_eq!((product.output, product.bias, bias), (DType::F32, None, None));
        let rest = rest.unwrap();
        assert_eq!(rest.inputs, [Operand::new(DType::F32, dense([5, 7])), by_row]);
        assert_eq!(rest.program, contract.epilogue.program);
        // A short sum does not fit.
        let short = Contract { k: shape([8]), a: Operand::new(DType::BF16, dense([5, 8])), ..contract.clone() };
        let short = Contract { b: Operand::new(DType::BF16, dense([8, 7])), ..short };
        assert_eq!(fit(&short), None);
    }
}
