//! An interpreter of kernels: loops over numbers in float64. Results of float32 operations are
//! rounded to float32, and integers wrap according to their type.
//!
//! Sums and products of float reductions are float64 throughout, so that a tolerance measures only
//! the backend's error. int64 is exact up to 2^53.

use crate::recurrent::recurrent;
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{BinaryOp, Constant, Instruction, Program, Type, UnaryOp},
    half,
    kernel::{
        AffineIndex, Contract, Copy, Epilogue, FusedReduction, Fusible, Gather, Horizontal, Map, Operand, Pointwise,
        Reduce, ReduceOp, Scan, ScanOp, Scatter, ScatterOp, Sort,
    },
    random,
};

/// A number as an element of a type.
pub fn wrap(value: f64, ty: Type) -> f64 {
    match ty {
        Type::Bool => f64::from(u8::from(value != 0.0)),
        Type::U8 => f64::from(value as i64 as u8),
        Type::I32 => f64::from(value as i64 as i32),
        Type::I64 => value as i64 as f64,
        Type::U32 => f64::from(value as i64 as u32),
        Type::F32 => f64::from(value as f32),
        Type::F64 => value,
    }
}

/// A number converted from one type to another.
pub fn cast(value: f64, from: Type, to: Type) -> f64 {
    match (from, to) {
        (_, Type::Bool) => f64::from(u8::from(value != 0.0)),
        (Type::F32 | Type::F64, Type::I32) => f64::from(value as i32),
        _ => wrap(value, to),
    }
}

/// The error function, to float64 accuracy.
pub fn erf(x: f64) -> f64 {
    // The series near 0, the continued fraction far from it.
    if x.abs() < 3.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / n as f64;
            sum += term / (2 * n + 1) as f64;
        }
        return sum * std::f64::consts::FRAC_2_SQRT_PI;
    }
    let mut fraction = 0.0;
    for n in (1..200).rev() {
        fraction = n as f64 / 2.0 / (x.abs() + fraction);
    }
    (1.0 - (-x * x).exp() / (x.abs() + fraction) / std::f64::consts::PI.sqrt()).copysign(x)
}

/// A function of one number, of operands of type `ty`.
pub fn unary(op: UnaryOp, a: f64, ty: Type) -> f64 {
    use UnaryOp::*;
    let value = match op {
        Neg => -a,
        Abs => a.abs(),
        Sign if a.is_nan() => 0.0,
        Sign if a == 0.0 => a,
        Sign => a.signum(),
        Not if ty == Type::Bool => 1.0 - a,
        Not => -a - 1.0,
        Exp => a.exp(),
        Expm1 => a.exp_m1(),
        Log => a.ln(),
        Log1p => a.ln_1p(),
        Sqrt => a.sqrt(),
        Sin => a.sin(),
        Cos => a.cos(),
        Tanh => a.tanh(),
        Erf if a.is_nan() => a,
        Erf => erf(a),
        Floor => a.floor(),
        Ceil => a.ceil(),
        Round => a.round_ties_even(),
        Trunc => a.trunc(),
        IsNan => f64::from(u8::from(a.is_nan())),
        Mantissa | Exponent if a == 0.0 || !a.is_finite() => {
            if op == Mantissa {
                a
            } else {
                0.0
            }
        }
        Exponent => a.abs().log2().floor() + 1.0,
        Mantissa => a / (a.abs().log2().floor() + 1.0).exp2(),
        ToF16 => f64::from(half::f16_to_f32(half::f16_from_f32(a as f32))),
        ToBF16 => f64::from(half::bf16_to_f32(half::bf16_from_f32(a as f32))),
    };
    if op == IsNan { value } else { wrap(value, ty) }
}

fn integer_power(a: f64, b: f64, ty: Type) -> f64 {
    if b < 0.0 {
        return if a == 1.0 {
            1.0
        } else if a == -1.0 {
            if b % 2.0 == 0.0 { 1.0 } else { -1.0 }
        } else {
            0.0
        };
    }
    wrap(f64::from((a as i64 as i32).wrapping_pow(b as u32)), ty)
}

/// A function of two numbers, of operands of type `ty`.
pub fn binary(op: BinaryOp, a: f64, b: f64, ty: Type) -> f64 {
    use BinaryOp::*;
    let truth = |c: bool| f64::from(u8::from(c));
    let nan = a.is_nan() || b.is_nan();
    let value = match op {
        Eq => return truth(a == b),
        Ne => return truth(a != b),
        Lt => return truth(a < b),
        Le => return truth(a <= b),
        Gt => return truth(a > b),
        Ge => return truth(a >= b),
        CheckIndex => return a.clamp(0.0, b - 1.0),
        Normal => return f64::from(random::normal(a as u32, b as u32)),
        Add | Max | Or if ty == Type::Bool => a.max(b),
        Mul | Min | And if ty == Type::Bool => a * b,
        Xor if ty == Type::Bool => truth(a != b),
        Add => a + b,
        Sub => a - b,
        Mul if ty.is_float() => a * b,
        Mul if ty == Type::I64 => (a as i64).wrapping_mul(b as i64) as f64,
        Mul => (a as i64).wrapping_mul(b as i64) as i32 as f64,
        Div | Rem if !ty.is_float() && b == 0.0 => 0.0,
        Div if ty.is_float() => a / b,
        Div => (a / b).trunc(),
        Rem => {
            let r = a % b;
            if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
        }
        Pow if ty.is_float() => a.powf(b),
        Pow => integer_power(a, b, ty),
        Max | Min if nan => f64::NAN,
        Max => a.max(b),
        Min => a.min(b),
        And => ((a as i64) & (b as i64)) as f64,
        Or => ((a as i64) | (b as i64)) as f64,
        Xor => ((a as i64) ^ (b as i64)) as f64,
        ShiftLeft | ShiftRight if !(0.0..32.0).contains(&b) => {
            if op == ShiftRight && a < 0.0 {
                -1.0
            } else {
                0.0
            }
        }
        ShiftLeft => ((a as i64) << b as u32) as f64,
        ShiftRight => ((a as i64) >> b as u32) as f64,
        Gcd => {
            let (mut large, mut small) = (a.abs(), b.abs());
            while small != 0.0 {
                (large, small) = (small, large % small);
            }
            large
        }
        CopySign => a.copysign(b),
        NextAfter if nan => f64::NAN,
        NextAfter => f64::from(match (a as f32, b as f32) {
            (a, b) if a < b => a.next_up(),
            (a, b) if a > b => a.next_down(),
            (_, b) => b,
        }),
    };
    wrap(value, ty)
}

/// The numbers of affine indices at every point of a space.
fn numbers_of(indices: &[AffineIndex], shape: &Shape) -> Vec<Vec<f64>> {
    indices.iter().map(|index| index.values(shape).map(f64::from).collect()).collect()
}

/// The results of a program with their types. `index` is the linear index, `affine` holds the
/// numbers of the affine indices at every point.
pub fn evaluate(
    program: &Program,
    inputs: &dyn Fn(usize) -> f64,
    params: &[Constant],
    index: usize,
    affine: &[Vec<f64>],
) -> Vec<(f64, Type)> {
    let mut values: Vec<f64> = Vec::new();
    for (instruction, ty) in &program.instructions {
        let value = match instruction {
            Instruction::Input(slot) => inputs(*slot),
            Instruction::Param(slot) => params[*slot].to_f64(),
            Instruction::Constant(c) => c.to_f64(),
            Instruction::Index => index as f64,
            Instruction::Affine(slot) => affine[*slot][index],
            Instruction::Unary(op, a) => unary(*op, values[*a], program.ty(*a)),
            Instruction::Binary(op, a, b) => binary(*op, values[*a], values[*b], program.ty(*a)),
            Instruction::Select(c, a, b) => values[if values[*c] != 0.0 { *a } else { *b }],
            Instruction::Cast(a) => cast(values[*a], program.ty(*a), *ty),
            Instruction::Threefry([k0, k1, c0, c1]) => {
                let word = |at: &usize| values[*at] as u32;
                f64::from(random::threefry([word(k0), word(k1)], [word(c0), word(c1)]))
            }
        };
        values.push(value);
    }
    program.outputs.iter().map(|&o| (values[o], program.ty(o))).collect()
}

/// The dimensions of two shapes one after the other.
fn concat(outer: &Shape, inner: &Shape) -> Shape {
    Shape::from_dims(outer.iter().chain(inner.iter()).copied())
}

/// The elements that an operand reads at every point of the iteration space, in row-major order.
pub fn elements(operand: &Operand, buffer: &[f64]) -> Vec<f64> {
    operand.offsets().map(|offset| offset.map_or(operand.outside.to_f64(), |at| buffer[at])).collect()
}

/// The outputs of a pointwise kernel.
pub fn map(map: &Map, inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    let read: Vec<Vec<f64>> = map.inputs.iter().zip(inputs).map(|(input, buffer)| elements(input, buffer)).collect();
    let mut outputs = vec![Vec::new(); map.dtypes.len()];
    let affine = numbers_of(&map.indices, &map.shape);
    (0..map.shape.elements()).for_each(|i| {
        store(&map.program, &map.dtypes, &|slot| read[slot][i], params, (i, &affine), &mut outputs);
    });
    outputs
}

/// Adds the results of a program to its outputs.
fn store(
    program: &Program,
    dtypes: &[DType],
    inputs: &dyn Fn(usize) -> f64,
    params: &[Constant],
    (index, affine): (usize, &[Vec<f64>]),
    outputs: &mut [Vec<f64>],
) {
    let results = evaluate(program, inputs, params, index, affine);
    for (output, (&dtype, (value, ty))) in outputs.iter_mut().zip(dtypes.iter().zip(results)) {
        output.push(cast(value, ty, Type::from(dtype)));
    }
}

/// An epilogue over results; `inputs` are the buffers of its operands.
fn epilogue(epilogue: &Epilogue, results: &[f64], inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    let read: Vec<Vec<f64>> =
        epilogue.inputs.iter().zip(inputs).map(|(input, buffer)| elements(input, buffer)).collect();
    let mut outputs = vec![Vec::new(); epilogue.dtypes.len()];
    for (o, &result) in results.iter().enumerate() {
        let input = |slot: usize| if slot == 0 { result } else { read[slot - 1][o] };
        store(&epilogue.program, &epilogue.dtypes, &input, params, (o, &[]), &mut outputs);
    }
    outputs
}

/// The reduction of values of type `ty`, or the position of the first extreme value; -1 if there
/// are no values.
pub fn reduce_values(op: ReduceOp, ty: Type, values: &[f64]) -> f64 {
    let extreme = |larger: bool| {
        let op = if larger { BinaryOp::Max } else { BinaryOp::Min };
        let start = match (ty, larger) {
            (Type::F32 | Type::F64, true) => f64::NEG_INFINITY,
            (Type::F32 | Type::F64, false) => f64::INFINITY,
            (Type::I32, true) => f64::from(i32::MIN),
            (Type::I32, false) => f64::from(i32::MAX),
            (Type::I64, true) => i64::MIN as f64,
            (Type::I64, false) => i64::MAX as f64,
            (Type::U8, false) => 255.0,
            (_, true) => 0.0,
            (_, false) => 1.0,
        };
        values.iter().fold(start, |a, &b| binary(op, a, b, ty))
    };
    let first = |larger: bool| {
        let best = (0..values.len()).reduce(|a, b| {
            let (x, y) = (values[a], values[b]);
            let better = if larger { y > x } else { y < x };
            if !x.is_nan() && (y.is_nan() || better) { b } else { a }
        });
        best.map_or(-1.0, |at| at as f64)
    };
    match op {
        ReduceOp::Sum if ty == Type::Bool => extreme(true),
        ReduceOp::Prod if ty == Type::Bool => extreme(false),
        ReduceOp::Sum => wrap(values.iter().sum(), ty),
        ReduceOp::Prod => {
            values.iter().fold(1.0, |a, &b| if ty.is_float() { a * b } else { binary(BinaryOp::Mul, a, b, ty) })
        }
        ReduceOp::Max => extreme(true),
        ReduceOp::Min => extreme(false),
        ReduceOp::ArgMax => first(true),
        ReduceOp::ArgMin => first(false),
    }
}

/// The outputs of a reduction. The epilogue's inputs follow the prologue's.
pub fn reduce(reduce: &Reduce, inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    let read: Vec<Vec<f64>> = reduce.inputs.iter().zip(inputs).map(|(input, buffer)| elements(input, buffer)).collect();
    let inner = reduce.inner.elements();
    let ty = reduce.prologue.ty(reduce.prologue.outputs[0]);
    let affine = numbers_of(&reduce.indices, &concat(&reduce.outer, &reduce.inner));
    let results: Vec<f64> = (0..reduce.outer.elements())
        .map(|o| {
            let at = |j: usize| o * inner + j;
            let value = |j: usize| evaluate(&reduce.prologue, &|slot| read[slot][at(j)], params, at(j), &affine)[0].0;
            reduce_values(reduce.op, ty, &(0..inner).map(value).collect::<Vec<_>>())
        })
        .collect();
    epilogue(&reduce.epilogue, &results, &inputs[reduce.inputs.len()..], params)
}

/// The outputs of a fused reduction: row results, then element results in the order of the target.
pub fn fused_reduction(row: &FusedReduction, inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    let read: Vec<Vec<f64>> = row.inputs.iter().zip(inputs).map(|(input, buffer)| elements(input, buffer)).collect();
    let (outer, inner) = (row.outer.elements(), row.inner.elements());
    let affine = numbers_of(&row.indices, &concat(&row.outer, &row.inner));
    let mut rows = vec![Vec::new(); row.row_dtypes.len()];
    let mut results = vec![Vec::new(); row.element_dtypes.len()];
    for o in 0..outer {
        let mut reductions: Vec<f64> = Vec::new();
        let value = |slot: usize, at: usize, reductions: &[f64]| {
            if slot < read.len() { read[slot][at] } else { reductions[slot - read.len()] }
        };
        for (op, program) in &row.reductions {
            let at = |j: usize| o * inner + j;
            let values = (0..inner)
                .map(|j| evaluate(program, &|slot| value(slot, at(j), &reductions), params, at(j), &affine)[0].0);
            reductions.push(reduce_values(*op, program.ty(program.outputs[0]), &values.collect::<Vec<_>>()));
        }
        store(
            &row.rows,
            &row.row_dtypes,
            &|slot| value(slot, o * inner, &reductions),
            params,
            (o * inner, &affine),
            &mut rows,
        );
        for at in o * inner..(o + 1) * inner {
            store(
                &row.elements,
                &row.element_dtypes,
                &|slot| value(slot, at, &reductions),
                params,
                (at, &affine),
                &mut results,
            );
        }
    }
    let permuted = |values: Vec<f64>| {
        let mut placed = vec![0.0; values.len()];
        row.target.offsets().zip(values).for_each(|(at, value)| placed[at] = value);
        placed
    };
    rows.into_iter().chain(results.into_iter().map(permuted)).collect()
}

/// Every element of one factor of a contraction.
fn factor(contract: &Contract, side: usize, inputs: &[&[f64]], params: &[Constant]) -> Vec<f64> {
    let operand = [&contract.a, &contract.b][side];
    let Some(prologue) = &contract.prologues[side] else { return elements(operand, inputs[side]) };
    let buffers = std::iter::once(side).chain(contract.prologue_inputs(side)).map(|input| inputs[input]);
    let read: Vec<Vec<f64>> =
        contract.factor_operands(side).into_iter().zip(buffers).map(|(read, buffer)| elements(read, buffer)).collect();
    let value = |(at, offset): (usize, Option<usize>)| match offset {
        Some(_) => evaluate(&prologue.program, &|slot| read[slot][at], params, at, &[])[0].0,
        None => 0.0,
    };
    operand.offsets().enumerate().map(value).collect()
}

/// The outputs of a contraction. Inputs: a, b, then the operands of the prologues and of the
/// epilogue.
pub fn contract(contract: &Contract, inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    let [batch, m, n, k] = contract.extents();
    let [a, b] = [0, 1].map(|side| factor(contract, side, inputs, params));
    let mut sums = Vec::new();
    for z in 0..batch {
        for r in 0..m {
            for c in 0..n {
                sums.push((0..k).map(|d| a[(z * m + r) * k + d] * b[(z * k + d) * n + c]).sum());
            }
        }
    }
    epilogue(&contract.epilogue, &sums, &inputs[contract.epilogue_start()..], params)
}

/// The output of a gather.
pub fn gather(gather: &Gather, source: &[f64], index: &[f64]) -> Vec<f64> {
    let offsets = gather.source.offsets().zip(gather.index.offsets());
    offsets.map(|(at, which)| source[(at as isize + gather.stride * index[which] as isize) as usize]).collect()
}

/// The output of a scatter into `base`.
pub fn scatter(scatter: &Scatter, source: &[f64], index: &[f64], base: &[f64]) -> Vec<f64> {
    let mut out = base.to_vec();
    let strides = scatter.output.contiguous_strides();
    let output = Layout::new(
        scatter.shape.clone(),
        strides.iter().enumerate().map(|(d, &s)| if d == scatter.dim { 0 } else { s }),
        0,
    );
    let along = strides.get(scatter.dim).copied().unwrap_or(1);
    for ((o, s), i) in output.offsets().zip(scatter.source.offsets()).zip(scatter.index.offsets()) {
        let at = (o as isize + along * index[i] as isize) as usize;
        out[at] = match scatter.op {
            ScatterOp::Add if scatter.dtype == DType::Bool => out[at].max(source[s]),
            ScatterOp::Add if scatter.dtype == DType::F32 => out[at] + source[s],
            ScatterOp::Add => wrap(out[at] + source[s], Type::from(scatter.dtype)),
            ScatterOp::Mul if scatter.dtype == DType::F32 => out[at] * source[s],
            ScatterOp::Mul => wrap(out[at] * source[s], Type::from(scatter.dtype)),
            ScatterOp::Max => out[at].max(source[s]),
            ScatterOp::Min => out[at].min(source[s]),
            ScatterOp::Set => source[s],
        };
    }
    out
}

/// The output of a copy into `base`.
pub fn copy(copy: &Copy, source: &[f64], base: &[f64]) -> Vec<f64> {
    let mut out = base.to_vec();
    for (s, t) in copy.source.offsets().zip(copy.target.offsets()) {
        out[t] = source[s];
    }
    out
}

/// The linear indices of each row along a dimension of `length`.
fn rows([before, length, after]: [usize; 3]) -> impl Iterator<Item = Vec<usize>> {
    let row = move |o: usize| (0..length).map(move |j| o / after * length * after + o % after + j * after).collect();
    (0..before * after).map(row)
}

/// The outputs of a scan: values, and positions if the operation has them.
pub fn scan(scan: &Scan, inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    let read: Vec<Vec<f64>> = scan.inputs.iter().zip(inputs).map(|(input, buffer)| elements(input, buffer)).collect();
    let affine = numbers_of(&scan.indices, &scan.shape);
    let n = scan.shape.elements();
    let [mut values, mut positions] = [vec![0.0; n], vec![0.0; n]];
    let ty = Type::from(scan.dtype);
    for mut row in rows(scan.extents()) {
        let last = row.len().saturating_sub(1);
        if scan.reverse {
            row.reverse();
        }
        let mut state: Option<(f64, usize)> = None;
        for (j, at) in row.into_iter().enumerate() {
            let position = if scan.reverse { last - j } else { j };
            let made = evaluate(&scan.prologue, &|slot| read[slot][at], params, at, &affine);
            let value = made[made.len() - 1].0;
            let next = match (state, scan.op) {
                (None, _) => (value, position),
                (Some((so_far, _)), ScanOp::Recurrence) => (made[0].0 * so_far + value, position),
                (Some((so_far, _)), ScanOp::Sum) if ty.is_float() => (so_far + value, position),
                (Some((so_far, _)), ScanOp::Prod) if ty.is_float() => (so_far * value, position),
                (Some((so_far, _)), ScanOp::Sum) => (binary(BinaryOp::Add, so_far, value, ty), position),
                (Some((so_far, _)), ScanOp::Prod) => (binary(BinaryOp::Mul, so_far, value, ty), position),
                (Some(so_far), ScanOp::Max) if value.is_nan() || value >= so_far.0 => (value, position),
                (Some(so_far), ScanOp::Min) if value.is_nan() || value <= so_far.0 => (value, position),
                (Some(so_far), _) => so_far,
            };
            state = Some(next);
            (values[at], positions[at]) = (next.0, next.1 as f64);
        }
    }
    if scan.op.has_positions() { vec![values, positions] } else { vec![values] }
}

/// The outputs of a stable sort, NaN last: values and positions.
pub fn sort(sort: &Sort, source: &[f64]) -> Vec<Vec<f64>> {
    let elements: Vec<f64> = sort.source.offsets().map(|at| source[at]).collect();
    let [mut values, mut positions] = [vec![0.0; elements.len()], vec![0.0; elements.len()]];
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    for row in rows(sort.extents()) {
        let mut sorted: Vec<usize> = (0..row.len()).collect();
        sorted.sort_by(|&a, &b| {
            let (a, b) = (elements[row[a]], elements[row[b]]);
            if sort.descending { order(b, a) } else { order(a, b) }
        });
        for (&at, from) in row.iter().zip(sorted) {
            (values[at], positions[at]) = (elements[row[from]], from as f64);
        }
    }
    vec![values, positions]
}

/// The results of kernels that share a launch, one after another.
pub fn horizontal<K: Fusible<usize>>(
    kernel: &Horizontal<K>,
    mut inputs: &[&[f64]],
    mut params: &[Constant],
    part: impl Fn(&K, &[&[f64]], &[Constant]) -> Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    let mut results = Vec::new();
    for one in &kernel.parts {
        let (own, others) = inputs.split_at(one.buffers()[0]);
        let (numbers, rest) = params.split_at(one.params().len());
        results.extend(part(one, own, numbers));
        (inputs, params) = (others, rest);
    }
    results
}

/// The outputs of pointwise kernels, whose stores update `base`. The results of maps precede the
/// rest of `base`.
pub fn stores(kernel: &Horizontal<Pointwise>, inputs: &[&[f64]], params: &[Constant], base: &[f64]) -> Vec<Vec<f64>> {
    horizontal(kernel, inputs, params, |part, inputs, params| {
        let results = map(part.map(), inputs, params);
        let over = |values: &[f64]| [values, &base[values.len()..]].concat();
        let Pointwise::Store(store) = part else { return results.iter().map(|values| over(values)).collect() };
        let mut out = base.to_vec();
        for ((value, index), at) in results[0].iter().zip(&results[1]).zip(store.target.offsets()) {
            if (0.0..store.extent as f64).contains(index) {
                out[at + *index as usize * store.stride] = *value;
            }
        }
        vec![out]
    })
}

/// The outputs of a kernel whose kind updates none.
///
/// # Panics
/// For kinds that have a separate function with other arguments: gathers, scatters and copies.
pub fn outputs(kernel: &Kernel, inputs: &[&[f64]], params: &[Constant]) -> Vec<Vec<f64>> {
    match kernel {
        Kernel::Map(kernel) => map(kernel, inputs, params),
        Kernel::Maps(kernel) => horizontal(kernel, inputs, params, |part, inputs, params| match part {
            Pointwise::Map(kernel) => map(kernel, inputs, params),
            Pointwise::Store(_) => panic!("a store has a reference of its own"),
        }),
        Kernel::Contracts(kernel) => horizontal(kernel, inputs, params, contract),
        Kernel::Reduce(kernel) => reduce(kernel, inputs, params),
        Kernel::FusedReduction(kernel) => fused_reduction(kernel, inputs, params),
        Kernel::Contract(kernel) => contract(kernel, inputs, params),
        Kernel::Scan(kernel) => scan(kernel, inputs, params),
        Kernel::Recurrent(kernel) => recurrent(kernel, inputs),
        Kernel::Sort(kernel) => sort(kernel, inputs[0]),
        _ => panic!("{} kernels have references of their own", kernel.kind()),
    }
}
