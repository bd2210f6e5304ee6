//! Pointwise kernels: the block interpreter over the whole iteration space.
//!
//! If rows are long, blocks end at row ends, so that a broadcast or permuted operand is read in
//! place. Short rows share a block.

use crate::{
    block::{Code, Form, Input, Machine, Pattern, Slots, Space},
    kernel::{CpuKernel, linear},
    parallel,
};
use lanthorn_ir::{
    DType, Error, Layout, Result,
    expr::{Constant, Type},
    kernel::{self, AffineIndex, Operand},
};
use std::sync::Arc;

/// A prepared pointwise kernel.
pub(crate) struct Map {
    code: Arc<Code>,
    space: Space,
    /// The forms of the inputs.
    forms: Vec<Form>,
    /// The element types of the outputs.
    dtypes: Vec<DType>,
}

/// The iteration space over the shape of `position`: the operands, then an operand that counts
/// positions, the linear index, then the affine indices.
pub(crate) fn space_of(op: &str, position: &Layout, operands: &[&Operand], indices: &[AffineIndex]) -> Result<Space> {
    if let Some(operand) = operands.iter().find(|operand| operand.shape() != position.shape()) {
        let (space, shape) = (position.shape(), operand.shape());
        return Err(Error::kernel(op, format!("an operand of shape {shape} in a kernel over {space}")));
    }
    if let Some(index) = indices.iter().find(|index| index.steps.len() != position.shape().rank()) {
        let (steps, shape) = (&index.steps, position.shape());
        return Err(Error::kernel(op, format!("an index of steps {steps:?} in a kernel over {shape}")));
    }
    let walks: Vec<Layout> = indices.iter().map(|index| index.layout(position.shape())).collect();
    let mut space = Space::with_operands(operands, &std::iter::once(position).chain(&walks).collect::<Vec<_>>());
    space.shift(operands.len() + 1, indices);
    Ok(space)
}

/// The forms of operands.
pub(crate) fn forms_of(operands: &[&Operand]) -> Vec<Form> {
    operands.iter().map(|operand| Form::from(operand.dtype())).collect()
}

/// The slots of a program over a space whose first operands are the inputs, and whose last
/// `indices` operands are affine indices.
pub(crate) fn slots_of(forms: &[Form], space: &Space, indices: usize) -> Slots {
    let uniform: Vec<bool> = space.operands.iter().map(|operand| operand.pattern == Pattern::Uniform).collect();
    let indices = uniform[uniform.len() - indices..].to_vec();
    Slots { inputs: forms.iter().map(|form| form.ty).zip(uniform).collect(), indices }
}

/// Pairs inputs with their forms.
pub(crate) fn pair_forms<'a>(forms: &[Form], inputs: impl IntoIterator<Item = Input<'a>>) -> Vec<(Form, Input<'a>)> {
    forms.iter().copied().zip(inputs).collect()
}

/// Returns an error for a program whose results do not have the types of the outputs.
pub(crate) fn check_outputs(op: &str, dtypes: &[DType], types: impl Iterator<Item = Type>) -> Result<()> {
    let types: Vec<Type> = types.collect();
    match dtypes.iter().map(|&dtype| Type::from(dtype)).eq(types.iter().copied()) {
        true => Ok(()),
        false => Err(Error::kernel(op, format!("outputs {dtypes:?} of a program that computes {types:?}"))),
    }
}

/// The blocks of a space: whole rows if several fit, otherwise pieces of a row.
pub(crate) struct Blocks {
    elements: usize,
    /// The length that is cut into blocks: a long row, or all rows.
    span: usize,
    step: usize,
}

impl Blocks {
    /// Cuts a space whose last dimension has `row` elements into blocks of at most `block`
    /// elements.
    pub fn new(elements: usize, row: usize, block: usize) -> Blocks {
        let row = row.max(1);
        // A row that has nearly the size of a block, or more, does not share blocks with other
        // rows.
        let (span, step) = if row * 2 <= block { (elements.max(1), block / row * row) } else { (row, block) };
        Blocks { elements, span, step }
    }

    pub fn count(&self) -> usize {
        self.elements / self.span * self.span.div_ceil(self.step)
    }

    /// The start and the length of a block.
    pub fn block(&self, number: usize) -> (usize, usize) {
        let in_span = self.span.div_ceil(self.step);
        let (span, start) = (number / in_span * self.span, number % in_span * self.step);
        (span + start, self.step.min(self.span - start))
    }
}

impl Map {
    pub fn new(op: &str, kernel: &kernel::Map) -> Result<Map> {
        let operands: Vec<&Operand> = kernel.inputs.iter().collect();
        let space = space_of(op, &Layout::contiguous(kernel.shape.clone()), &operands, &kernel.indices)?;
        let forms = forms_of(&operands);
        let code = Code::compile_cached(
            op,
            &kernel.program,
            slots_of(&forms, &space, kernel.indices.len()),
            &kernel.params,
            0,
        )?;
        check_outputs(op, &kernel.dtypes, code.types())?;
        Ok(Map { code, space, forms, dtypes: kernel.dtypes.clone() })
    }
}

impl CpuKernel for Map {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let inputs = pair_forms(&self.forms, inputs.iter().copied());
        let outputs = linear(outputs, &self.dtypes);
        let blocks = Blocks::new(self.space.elements(), self.space.row(), self.code.block);
        parallel::split(blocks.count(), &[self.space.elements(), self.code.body.len()], |numbers| {
            let mut machine = Machine::new(op, &self.code, &self.space, &inputs, &outputs, params)?;
            for (start, n) in numbers.map(|number| blocks.block(number)) {
                machine.run(start, n);
            }
            machine.finish(op)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::test_util::*;
    use lanthorn_ir::{
        DType, Kernel, Layout,
        backend::InPlace,
        expr::{BinaryOp, Constant, Expr, Program, Type, UnaryOp},
        half, kernel, random,
    };
    use proptest::prelude::*;

    fn map(inputs: &[(DType, &Layout)], params: &[Type], outputs: &[(Expr, DType)]) -> Kernel {
        Kernel::Map(kernel::Map {
            indices: vec![],
            shape: inputs[0].1.shape().clone(),
            inputs: inputs.iter().map(|(dtype, layout)| operand(*dtype, layout)).collect(),
            params: params.to_vec(),
            program: Program::new(&outputs.iter().map(|(expr, _)| expr.clone()).collect::<Vec<_>>()),
            dtypes: outputs.iter().map(|(_, dtype)| *dtype).collect(),
        })
    }

    fn dtype(ty: Type) -> DType {
        ty.dtype().unwrap()
    }

    /// Evaluates an expression of dense inputs.
    fn evaluate(expr: Expr, inputs: &[(DType, Vec<u8>)]) -> Vec<u8> {
        let layout = dense(&[inputs[0].1.len() / inputs[0].0.size()]);
        let operands: Vec<_> = inputs.iter().map(|(dtype, _)| (*dtype, &layout)).collect();
        let out = dtype(expr.ty());
        let bytes: Vec<_> = inputs.iter().map(|(_, bytes)| bytes.clone()).collect();
        run(&map(&operands, &[], &[(expr, out)]), &bytes, &[]).unwrap().remove(0)
    }

    fn unary(op: UnaryOp, dtype: DType) -> Expr {
        let x = Expr::input(0, Type::from(dtype));
        match op {
            UnaryOp::Not => x.logical_not(),
            UnaryOp::Neg => -x,
            UnaryOp::Abs => x.abs(),
            UnaryOp::Sign => x.sign(),
            UnaryOp::IsNan => x.is_nan(),
            UnaryOp::Round => x.round(),
            UnaryOp::Floor => x.floor(),
            UnaryOp::Ceil => x.ceil(),
            _ => x.trunc(),
        }
    }

    fn binary<T: bytemuck::Pod>(op: BinaryOp, dtype: DType, a: &[T], b: &[T]) -> Vec<u8> {
        let [x, y] = [0, 1].map(|slot| Expr::input(slot, Type::from(dtype)));
        evaluate(x.binary(op, y), &[(dtype, bytes(a)), (dtype, bytes(b))])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn reads_operands_of_any_layout(
            (a, b, c) in prop::collection::vec(prop_oneof![4 => 1usize..8, 1 => 0usize..2, 1 => 40usize..60], 0..4)
                .prop_flat_map(|dims| (layout_of(dims.clone()), layout_of(dims.clone()), layout_of(dims))),
        ) {
            let data_a: Vec<f32> = (0..extent(&a)).map(|i| i as f32).collect();
            let data_b: Vec<f64> = (0..extent(&b)).map(|i| i as f64 * 0.5).collect();
            let data_c: Vec<u8> = (0..extent(&c)).map(|i| (i % 251) as u8).collect();
            let (x, y, z) = (Expr::input(0, Type::F32), Expr::input(1, Type::F64), Expr::input(2, Type::U8));
            let total = x.cast(Type::F64) + &y + z.cast(Type::F64) * Expr::param(0, Type::F64) + Expr::index().cast(Type::F64);
            let outputs = [(total, DType::F64), (x.clone(), DType::F32), (y.gt(3.0), DType::Bool), (x, DType::F32)];
            let kernel = map(&[(DType::F32, &a), (DType::F64, &b), (DType::U8, &c)], &[Type::F64], &outputs);
            let inputs = [bytes(&data_a), bytes(&data_b), bytes(&data_c)];
            let results = run(&kernel, &inputs, &[Constant::new(100.0, Type::F64)]).unwrap();
            let walk = a.offsets().zip(b.offsets()).zip(c.offsets()).enumerate();
            let expected: Vec<f64> = walk
                .map(|(i, ((a, b), c))| f64::from(data_a[a]) + data_b[b] + f64::from(data_c[c]) * 100.0 + i as f64)
                .collect();
            prop_assert_eq!(read::<f64>(&results[0]), expected);
            let copied: Vec<f32> = a.offsets().map(|a| data_a[a]).collect();
            prop_assert_eq!(&read::<f32>(&results[1]), &copied);
            prop_assert_eq!(&read::<f32>(&results[3]), &copied);
            prop_assert_eq!(&results[2], &b.offsets().map(|b| u8::from(data_b[b] > 3.0)).collect::<Vec<_>>());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn halves_are_widened_from_any_layout_and_rounded_when_stored(
            (a, b) in prop::collection::vec(prop_oneof![4 => 1usize..8, 1 => 0usize..2, 1 => 40usize..60], 0..4)
                .prop_flat_map(|dims| (layout_of(dims.clone()), layout_of(dims))),
        ) {
            let data_a: Vec<u16> = (0..extent(&a)).map(|i| half::f16_from_f32(i as f32 * 0.37 - 3.0)).collect();
            let data_b: Vec<u16> = (0..extent(&b)).map(|i| half::bf16_from_f32(i as f32 * 0.11)).collect();
            let [x, y] = [0, 1].map(|slot| Expr::input(slot, Type::F32));
            let outputs = [(&x * &y, DType::F16), (&x * &y, DType::F32), (&x + &y, DType::BF16), (x, DType::F16)];
            let kernel = map(&[(DType::F16, &a), (DType::BF16, &b)], &[], &outputs);
            let results = run(&kernel, &[bytes(&data_a), bytes(&data_b)], &[]).unwrap();
            let pairs: Vec<(f32, f32)> = a.offsets().zip(b.offsets())
                .map(|(a, b)| (half::f16_to_f32(data_a[a]), half::bf16_to_f32(data_b[b]))).collect();
            let products: Vec<f32> = pairs.iter().map(|(a, b)| a * b).collect();
            prop_assert_eq!(read::<u16>(&results[0]), products.iter().map(|&c| half::f16_from_f32(c)).collect::<Vec<_>>());
            prop_assert_eq!(read::<u32>(&results[1]), products.iter().map(|c| c.to_bits()).collect::<Vec<_>>());
            prop_assert_eq!(read::<u16>(&results[2]), pairs.iter().map(|(a, b)| half::bf16_from_f32(a + b)).collect::<Vec<_>>());
            prop_assert_eq!(read::<u16>(&results[3]), a.offsets().map(|a| data_a[a]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rounding_to_a_half_is_storing_and_loading_it() {
        let x: Vec<f32> =
            (0..3000).map(|i| (i as f32 - 1500.0) * 1.37e-3 * (i as f32)).chain([7e4, 1e-7, f32::NAN]).collect();
        for dtype in [DType::F16, DType::BF16] {
            let layout = dense(&[x.len()]);
            let input = Expr::input(0, Type::F32);
            let stored =
                run(&map(&[(DType::F32, &layout)], &[], &[(input.clone(), dtype)]), &[bytes(&x)], &[]).unwrap();
            let loaded = run(&map(&[(dtype, &layout)], &[], &[(input.clone(), DType::F32)]), &stored, &[]).unwrap();
            let rounded =
                run(&map(&[(DType::F32, &layout)], &[], &[(input.stored(dtype), DType::F32)]), &[bytes(&x)], &[])
                    .unwrap();
            let bits = |bytes: &[u8]| {
                read::<u32>(bytes).into_iter().filter(|&bits| !f32::from_bits(bits).is_nan()).collect::<Vec<_>>()
            };
            assert_eq!(bits(&loaded[0]), bits(&rounded[0]), "{dtype}");
        }
    }

    #[test]
    fn a_half_may_be_replaced_in_place() {
        let layout = dense(&[2500]);
        let kernel = map(&[(DType::F16, &layout)], &[], &[(Expr::input(0, Type::F32) * 2.0, DType::F16)]);
        let mut buffer = bytes(&vec![0x3c00u16; 2500]);
        let prepared = crate::launch::Prepared::new("test", &kernel, &[InPlace { input: 0, output: 0 }]).unwrap();
        prepared.run("test", &[crate::block::Input::Output(0)], vec![&mut buffer], &[]).unwrap();
        assert_eq!(read::<u16>(&buffer), [0x4000; 2500]);
    }

    #[test]
    fn long_and_short_rows_with_a_broadcast_row() {
        for (rows, columns) in [(3, 5000), (700, 3), (5, 600), (40, 64)] {
            let full = dense(&[rows, columns]);
            let bias = Layout::new(full.shape().clone(), [0, 1], 0);
            let column = Layout::new(full.shape().clone(), [1, 0], 0);
            let [x, y, z] = [0, 1, 2].map(|slot| Expr::input(slot, Type::F32));
            let kernel = map(
                &[(DType::F32, &full), (DType::F32, &bias), (DType::F32, &column)],
                &[],
                &[(x + y * z, DType::F32)],
            );
            let data: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            let [b, c] = [columns, rows].map(|n| (0..n).map(|i| i as f32 * 0.5).collect::<Vec<_>>());
            let result = run(&kernel, &[bytes(&data), bytes(&b), bytes(&c)], &[]).unwrap();
            let expected: Vec<f32> = (0..rows * columns).map(|i| data[i] + b[i % columns] * c[i / columns]).collect();
            assert_eq!(read::<f32>(&result[0]), expected);
        }
    }

    #[test]
    fn floats_keep_nan_and_round_as_pytorch_does() {
        let x = [f32::NAN, -1.5, -0.5, 0.5, 1.5, 2.5, f32::NEG_INFINITY];
        let apply = |op| evaluate(unary(op, DType::F32), &[(DType::F32, bytes(&x))]);
        assert_eq!(read::<f32>(&apply(UnaryOp::Round))[1..6], [-2.0, 0.0, 0.0, 2.0, 2.0]);
        let sign = read::<f32>(&apply(UnaryOp::Sign));
        assert_eq!(sign, [0.0, -1.0, -1.0, 1.0, 1.0, 1.0, -1.0]);
        assert_eq!(apply(UnaryOp::IsNan), [1, 0, 0, 0, 0, 0, 0]);
        let y = [1.0, f32::NAN, 1.0, -1.0, 0.0, -2.0, 5.0];
        let max = read::<f32>(&binary(BinaryOp::Max, DType::F32, &x, &y));
        let min = read::<f32>(&binary(BinaryOp::Min, DType::F32, &x, &y));
        assert!(max[0].is_nan() && max[1].is_nan() && min[0].is_nan() && min[1].is_nan());
        assert_eq!(
            (&max[2..], &min[2..]),
            (&[1.0, 0.5, 1.5, 2.5, 5.0][..], &[-0.5, -1.0, 0.0, -2.0, f32::NEG_INFINITY][..])
        );
        let rest = read::<f64>(&binary(
            BinaryOp::Rem,
            DType::F64,
            &[5.5, -5.5, 5.5, -5.5, 6.0],
            &[2.0, 2.0, -2.0, -2.0, -2.0],
        ));
        assert_eq!(rest, [1.5, 0.5, -0.5, -1.5, 0.0]);
        assert_eq!(binary(BinaryOp::Ne, DType::F32, &x, &x), [1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn powers_with_one_exponent_or_many() {
        let a = [4.0f32, -2.0, 0.0, 9.0];
        for exponent in [2.0, 3.0, 1.0, 0.0, -1.0, -2.0, 0.5, -0.5, 1.7] {
            let same = read::<f32>(&binary(BinaryOp::Pow, DType::F32, &a, &[exponent; 4]));
            let each: Vec<f32> = a.iter().map(|a| a.powf(exponent)).collect();
            for (same, each) in same.iter().zip(&each) {
                assert!(
                    same == each || (same - each).abs() < 1e-6 || (same.is_nan() && each.is_nan()),
                    "{same} {each}"
                );
            }
        }
        assert_eq!(read::<f32>(&binary(BinaryOp::Pow, DType::F32, &a, &[0.5, 3.0, 0.0, 2.0])), [2.0, -8.0, 1.0, 81.0]);
        let integers = binary(BinaryOp::Pow, DType::I32, &[3, -2, 2, 1, -1, -1, 0], &[4, 3, -1, -5, -3, -2, 0]);
        assert_eq!(read::<i32>(&integers), [81, -8, 0, 1, -1, 1, 1]);
    }

    #[test]
    fn integers_wrap_truncate_and_never_trap() {
        let (a, b) = ([7, -7, 7, -7, 5, i32::MIN, i32::MAX], [2, 2, -2, -2, 0, -1, 1]);
        let apply = |op| read::<i32>(&binary(op, DType::I32, &a, &b));
        assert_eq!(apply(BinaryOp::Div), [3, -3, -3, 3, 0, i32::MIN, i32::MAX]);
        assert_eq!(apply(BinaryOp::Rem), [1, 1, -1, -1, 0, 0, 0]);
        assert_eq!(apply(BinaryOp::Add)[6], i32::MIN);
        assert_eq!(apply(BinaryOp::Xor)[0], 5);
        assert_eq!(
            read::<i32>(&evaluate(unary(UnaryOp::Abs, DType::I32), &[(DType::I32, bytes(&[i32::MIN, -3]))])),
            [i32::MIN, 3]
        );
        let long = |op, a: &[i64], b: &[i64]| read::<i64>(&binary(op, DType::I64, a, b));
        let (a, b) = ([7, -7, 7, -7, 5, i64::MIN, i64::MAX], [2, 2, -2, -2, 0, -1, 1]);
        assert_eq!(long(BinaryOp::Div, &a, &b), [3, -3, -3, 3, 0, i64::MIN, i64::MAX]);
        assert_eq!(long(BinaryOp::Rem, &a, &b), [1, 1, -1, -1, 0, 0, 0]);
        assert_eq!(long(BinaryOp::Add, &a, &b)[6], i64::MIN);
        assert_eq!(long(BinaryOp::Pow, &[3, -1, 2, -1], &[4, (1 << 40) + 1, -1, -3]), [81, -1, 0, -1]);
        assert_eq!(binary(BinaryOp::Lt, DType::I64, &[1i64 << 53], &[(1i64 << 53) + 1]), [1]);
        assert_eq!(
            read::<i64>(&evaluate(unary(UnaryOp::Abs, DType::I64), &[(DType::I64, bytes(&[i64::MIN, -3]))])),
            [i64::MIN, 3]
        );
        assert_eq!(binary(BinaryOp::Mul, DType::U8, &[200u8, 3], &[2, 5]), [144, 15]);
        assert_eq!(binary(BinaryOp::Sub, DType::U8, &[1u8, 3], &[2, 5]), [255, 254]);
        assert_eq!(evaluate(unary(UnaryOp::Not, DType::U8), &[(DType::U8, vec![1])]), [254]);
    }

    #[test]
    fn bool_arithmetic_is_logic() {
        let (a, b) = ([0u8, 0, 1, 1], [0u8, 1, 0, 1]);
        let apply = |op| binary(op, DType::Bool, &a, &b);
        assert_eq!(apply(BinaryOp::Add), [0, 1, 1, 1]);
        assert_eq!(apply(BinaryOp::Mul), [0, 0, 0, 1]);
        assert_eq!(apply(BinaryOp::Pow), [1, 0, 1, 1]);
        assert_eq!(apply(BinaryOp::Lt), [0, 1, 0, 0]);
        assert_eq!(evaluate(unary(UnaryOp::Not, DType::Bool), &[(DType::Bool, a.to_vec())]), [1, 1, 0, 0]);
    }

    #[test]
    fn casts_follow_pytorch() {
        let cast = |from: DType, bytes: Vec<u8>, to| {
            evaluate(Expr::input(0, Type::from(from)).cast(Type::from(to)), &[(from, bytes)])
        };
        let floats = bytes(&[-1.0f32, 300.7, 0.0, f32::NAN, -2.9]);
        assert_eq!(cast(DType::F32, floats.clone(), DType::U8), [255, 44, 0, 0, 254]);
        assert_eq!(read::<i32>(&cast(DType::F32, floats.clone(), DType::I32)), [-1, 300, 0, 0, -2]);
        assert_eq!(cast(DType::F32, floats, DType::Bool), [1, 1, 0, 1, 1]);
        assert_eq!(cast(DType::I32, bytes(&[-1, 256, 7]), DType::U8), [255, 0, 7]);
        assert_eq!(read::<i32>(&cast(DType::I64, bytes(&[-1i64, (1 << 32) + 5]), DType::I32)), [-1, 5]);
        assert_eq!(
            read::<i64>(&cast(DType::F64, bytes(&[-1.5f64, 1e10, f64::NAN]), DType::I64)),
            [-1, 10_000_000_000, 0]
        );
        let types = DType::ALL.into_iter().filter(|dtype| dtype.computed() == *dtype).collect::<Vec<_>>();
        for &from in &types {
            for &to in &types {
                let ones = cast(DType::U8, vec![1, 0, 1], from);
                assert_eq!(cast(to, cast(from, ones, to), DType::U8), [1, 0, 1], "{from} to {to}");
            }
        }
    }

    #[test]
    fn every_function_of_floats_agrees_with_float64() {
        let x: Vec<f32> = (-40..40).map(|i| i as f32 * 0.11 + 0.03).collect();
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        type Case = (fn(&Expr) -> Expr, fn(f64) -> f64);
        let cases: [Case; 10] = [
            (Expr::exp, f64::exp),
            (Expr::expm1, f64::exp_m1),
            (Expr::log, f64::ln),
            (Expr::log1p, f64::ln_1p),
            (Expr::sqrt, f64::sqrt),
            (Expr::sin, f64::sin),
            (Expr::cos, f64::cos),
            (Expr::tanh, f64::tanh),
            (Expr::erf, crate::math::erf_f64),
            (Expr::floor, f64::floor),
        ];
        for (expr, exact) in cases {
            let narrow = read::<f32>(&evaluate(expr(&Expr::input(0, Type::F32)), &[(DType::F32, bytes(&x))]));
            let double = read::<f64>(&evaluate(expr(&Expr::input(0, Type::F64)), &[(DType::F64, bytes(&wide))]));
            for ((&x, y), z) in wide.iter().zip(narrow).zip(double) {
                let exact = exact(x);
                assert!(
                    (f64::from(y) - exact).abs() <= 3e-7 * exact.abs().max(1e-30) || (y.is_nan() && exact.is_nan()),
                    "{x} {y}"
                );
                assert!(z == exact || (z.is_nan() && exact.is_nan()), "{x}: {z} {exact}");
            }
        }
    }

    #[test]
    fn random_words_are_those_of_the_definition() {
        let layout = dense(&[2000]);
        let [k, o] = [0, 1].map(|slot| Expr::param(slot, Type::U32));
        let words =
            [0.0, 1.0].map(|c| Expr::threefry([k.clone(), o.clone()], [Expr::index(), Expr::constant(c, Type::U32)]));
        let normal = words[0].normal(&words[1]);
        let kernel = map(&[(DType::U8, &layout)], &[Type::U32; 2], &[(normal, DType::F32)]);
        let params = [Constant::U32(7), Constant::U32(9)];
        let result = read::<f32>(&run(&kernel, &[vec![0; 2000]], &params).unwrap()[0]);
        for (i, &z) in result.iter().enumerate() {
            let [a, b] = [0, 1].map(|c| random::threefry([7, 9], [i as u32, c]));
            assert_eq!(z, random::normal(a, b));
        }
        assert!(run(&kernel, &[vec![0; 2000]], &params[..1]).unwrap_err().is_kernel());
        assert!(run(&kernel, &[vec![0; 1999]], &params).unwrap_err().is_kernel());
    }

    #[test]
    fn scalars_are_computed_once_and_serve_every_block() {
        let layout = dense(&[5000]);
        let learning_rate = Layout::new(layout.shape().clone(), [0], 1);
        let (x, lr) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        let step = (1.0 - Expr::param(0, Type::F32).pow(2.0)) * &lr;
        let outputs = [(x * &step, DType::F32), (step, DType::F32), (Expr::constant(3.0, Type::I32), DType::I32)];
        let kernel = map(&[(DType::F32, &layout), (DType::F32, &learning_rate)], &[Type::F32], &outputs);
        let x: Vec<f32> = (0..5000).map(|i| i as f32).collect();
        let results = run(&kernel, &[bytes(&x), bytes(&[9.0f32, 2.0])], &[Constant::new(0.5, Type::F32)]).unwrap();
        assert_eq!(read::<f32>(&results[0]), x.iter().map(|x| x * 1.5).collect::<Vec<_>>());
        assert_eq!(read::<f32>(&results[1]), [1.5; 5000]);
        assert_eq!(read::<i32>(&results[2]), [3; 5000]);
    }
}
