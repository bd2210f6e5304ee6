//! Low-bit weights in blocks, and quantized operators, of `com.microsoft`.

use super::{
    Given, Output, arg, axis_of, binary, by_number, convert, integers, list, permute,
    quantization::{difference, dynamic_quantize_linear, of_rows, quantize_to, quantized_type},
    reshape_to, sizes, tensor,
    tensor::gather_slices,
    unary, windows,
};
use lanthorn_io::DType;
use lanthorn_program::{Dispatch, Error, Result, Value, value::is_floating_point};

/// Unpacks low-bit numbers from the bytes of the last dimension, lowest bits first, to `wanted`
/// numbers.
fn unpack<D: Dispatch>(d: &D, bytes: &D::Tensor, bits: i64, wanted: i64) -> Result<D::Tensor> {
    let mut shape = sizes(d, bytes);
    let each = 8 / bits;
    if each == 1 {
        return Ok(bytes.clone());
    }
    let wide = convert(d, bytes, DType::I32)?;
    let column = tensor(d, "unsqueeze", [arg(&wide), Value::Int(-1)])?;
    let shifts: Vec<i64> = (0..each).map(|slot| slot * bits).collect();
    let shifts = convert(d, &integers(d, vec![each as usize], &shifts)?, DType::I32)?;
    let moved = binary(d, "bitwise_right_shift", &column, &shifts)?;
    let numbers = tensor(d, "bitwise_and", [arg(&moved), Value::Int((1 << bits) - 1)])?;
    let last = shape.len() - 1;
    shape[last] *= each;
    let numbers = reshape_to(d, &numbers, shape.iter().copied())?;
    match shape[last] > wanted {
        true => tensor(d, "narrow", [arg(&numbers), Value::Int(-1), Value::Int(0), Value::Int(wanted)]),
        false => Ok(numbers),
    }
}

fn bits_of<D: Dispatch>(args: &Given<D>) -> Result<i64> {
    match args.int("bits")? {
        bits @ (2 | 4 | 8) => Ok(bits),
        bits => Err(Error::unsupported(format!("{} with {bits} bits", args.op()))),
    }
}

/// Multiplies by a low-bit matrix `[N, blocks, bytes]` with a scale for each block.
pub fn matmul_nbits<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, packed) = (args.tensor("A")?, args.tensor("B")?);
    let (n, k, block, bits) = (args.int("N")?, args.int("K")?, args.int("block_size")?, bits_of::<D>(&args)?);
    let refuse = |what: &str, x: &D::Tensor| {
        Err(Error::argument(args.op(), format!("{what} of shape {:?} for N {n}, K {k}, {bits} bits", d.shape(x))))
    };
    let count = |x: &D::Tensor| sizes(d, x).iter().product::<i64>();
    let block_bits = block.checked_mul(bits).filter(|bits| *bits > 0 && bits % 8 == 0);
    let (Some(block_bits), true) = (block_bits, n > 0 && k > 0) else { return refuse("B", packed) };
    let (blocks, bytes) = ((k - 1) / block + 1, block_bits / 8);
    if Some(count(packed)) != n.checked_mul(blocks).and_then(|all| all.checked_mul(bytes)) {
        return refuse("B", packed);
    }
    let scales = args.tensor("scales")?;
    if count(scales) != n * blocks {
        return refuse("scales", scales);
    }
    // One zero point for each block: `[N, blocks]`.
    let zeros = match args.get("zero_points").as_tensor() {
        Some(zeros) if is_floating_point(d.dtype(zeros)) => Some(reshape_to(d, zeros, [n, blocks])?),
        Some(zeros) => {
            let row = (blocks * bits + 7) / 8;
            if count(zeros) != n * row {
                return refuse("zero_points", zeros);
            }
            Some(unpack(d, &reshape_to(d, zeros, [n, row])?, bits, blocks)?)
        }
        None => None,
    };
    let numbers = reshape_to(d, packed, [n, blocks, bytes])?;
    let numbers = convert(d, &unpack(d, &numbers, bits, block)?, d.dtype(x))?;
    let scales = reshape_to(d, scales, [n, blocks])?;
    let first = |x: &D::Tensor, dim: i64| tensor(d, "narrow", [arg(x), Value::Int(dim), Value::Int(0), Value::Int(k)]);
    let order = args.get("g_idx").as_tensor().map(|order| first(order, 0)).transpose()?;
    // `g_idx` assigns numbers to blocks; without it, blocks are consecutive numbers.
    let of_number = |x: &D::Tensor| match &order {
        Some(order) => tensor(d, "index_select", [arg(x), Value::Int(1), arg(order)]),
        None => tensor(d, "unsqueeze", [arg(x), Value::Int(2)]),
    };
    let numbers = match order.is_some() {
        true => first(&reshape_to(d, &numbers, [n, blocks * block])?, 1)?,
        false => numbers,
    };
    let centred = match zeros {
        Some(zeros) => binary(d, "sub", &numbers, &of_number(&convert(d, &zeros, d.dtype(x))?)?)?,
        None => by_number(d, "sub", &numbers, f64::from(1 << (bits - 1)))?,
    };
    let weight = binary(d, "mul", &centred, &of_number(&scales)?)?;
    let weight = reshape_to(d, &weight, [n, -1])?;
    let weight = match order.is_none() && k < blocks * block {
        true => first(&weight, 1)?,
        false => weight,
    };
    tensor(d, "linear", [arg(x), arg(&weight), args.get("bias").clone()]).map(Value::Tensor)
}

/// Gathers and dequantizes rows of a table of integers with a scale for each block.
pub fn gather_block_quantized<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (table, indices, scales) = (args.tensor("data")?, args.tensor("indices")?, args.tensor("scales")?);
    let (bits, block) = (bits_of::<D>(&args)?, args.int("block_size")?);
    let (own, of_scales) = (sizes(d, table), sizes(d, scales));
    let rank = own.len();
    let gather = axis_of(&args, args.int("gather_axis")?, rank)?;
    let axis = axis_of(&args, args.int("quantize_axis")?, rank)?;
    if block <= 0 || of_scales.len() != rank || rank == 0 || gather == axis {
        let message = format!("a table of shape {own:?} with scales of shape {of_scales:?} along {axis}");
        return Err(Error::argument(args.op(), message));
    }
    // A byte holds several numbers of the last dimension, unless the element type is a low-bit
    // type.
    let blocks = |size: i64| (size + block - 1) / block;
    let each = 8 / bits;
    let packed = d.dtype(table) == DType::U8 && axis == rank - 1 && blocks(own[axis] * each) == of_scales[axis];
    let rows = gather_slices(d, table, indices, gather)?;
    let rows = if packed { unpack(d, &rows, bits, own[axis] * each)? } else { rows };
    let factors = gather_slices(d, scales, indices, gather)?;
    let axis = if gather < axis { axis + d.shape(indices).len() - 1 } else { axis };
    let size = sizes(d, &rows)[axis];
    let spread = |x: &D::Tensor| -> Result<D::Tensor> {
        let along = Value::Int(axis as i64);
        let repeated = tensor(d, "repeat_interleave", [arg(x), Value::Int(block), along.clone()])?;
        tensor(d, "narrow", [arg(&repeated), along, Value::Int(0), Value::Int(size)])
    };
    let dtype = d.dtype(scales);
    let numbers = convert(d, &rows, dtype)?;
    let centred = match args.get("zero_points").as_tensor() {
        Some(zeros) if d.shape(zeros).len() != rank => {
            return Err(Error::argument(args.op(), format!("zero_points of shape {:?}", d.shape(zeros))));
        }
        Some(zeros) => {
            let zeros = gather_slices(d, zeros, indices, gather)?;
            let zeros = if packed { unpack(d, &zeros, bits, sizes(d, &factors)[axis])? } else { zeros };
            binary(d, "sub", &numbers, &spread(&convert(d, &zeros, dtype)?)?)?
        }
        None if packed => by_number(d, "sub", &numbers, f64::from(1 << (bits - 1)))?,
        None => numbers,
    };
    binary(d, "mul", &centred, &spread(&factors)?).map(Value::Tensor)
}

/// Dequantizes an input. `name` is the integers' name `A`; their parameters are `A_scale` and
/// `A_zero_point`.
fn numbers<D: Dispatch>(d: &D, args: &Given<D>, name: &str, prefix: &str) -> Result<D::Tensor> {
    let centred = difference(d, args.tensor(name)?, args.get(&format!("{prefix}_zero_point")).as_tensor())?;
    binary(d, "mul", &centred, args.tensor(&format!("{prefix}_scale"))?)
}

/// Quantizes a result.
fn integers_of<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, prefix: &str) -> Output<D> {
    let name = format!("{prefix}_zero_point");
    let dtype = quantized_type(d, args, &name)?;
    let scale = args.tensor(&format!("{prefix}_scale"))?;
    quantize_to(d, args, x, scale, args.get(&name).as_tensor(), dtype).map(Value::Tensor)
}

/// Adds or multiplies quantized tensors.
pub fn qlinear_binary<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let name = if args.op() == "QLinearAdd" { "add" } else { "mul" };
    let result = binary(d, name, &numbers(d, &args, "A", "A")?, &numbers(d, &args, "B", "B")?)?;
    integers_of(d, &args, &result, "C")
}

/// Applies a function to each element, or each row, of a quantized tensor.
pub fn qlinear_unary<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = numbers(d, &args, "X", "X")?;
    let result = match args.op() {
        "QLinearSigmoid" => unary(d, "sigmoid", &x)?,
        "QLinearLeakyRelu" => by_number(d, "leaky_relu", &x, args.float("alpha")?)?,
        _ => {
            let shape = sizes(d, &x);
            let axis = axis_of(&args, args.int("axis")?, shape.len())?;
            // Softmax before version 13 is over all dimensions from an axis on.
            if args.int("opset")? < 13 {
                let rows = shape[..axis].iter().product();
                let flat = reshape_to(d, &x, [rows, shape[axis..].iter().product()])?;
                reshape_to(d, &tensor(d, "softmax", [arg(&flat), Value::Int(1)])?, shape)?
            } else {
                tensor(d, "softmax", [arg(&x), Value::Int(axis as i64)])?
            }
        }
    };
    integers_of(d, &args, &result, "Y")
}

/// Selects elements of two quantized tensors.
pub fn qlinear_where<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, y) = (numbers(d, &args, "X", "x")?, numbers(d, &args, "Y", "y")?);
    let chosen = tensor(d, "where", [arg(args.tensor("condition")?), arg(&x), arg(&y)])?;
    integers_of(d, &args, &chosen, "z")
}

/// Concatenates quantized tensors along an axis. The inputs are triples: integers, scale, zero
/// point.
pub fn qlinear_concat<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let inputs = list(&args, "inputs");
    let (triples, []) = inputs.as_chunks::<3>() else {
        return Err(Error::argument(args.op(), format!("{} inputs are no triples", inputs.len())));
    };
    let parts = triples.iter().map(|[x, scale, zero]| binary(d, "mul", &difference(d, x, Some(zero))?, scale));
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let rank = parts.first().map_or(0, |x| d.shape(x).len());
    let axis = axis_of(&args, args.int("axis")?, rank)?;
    let parts = lanthorn_program::value::tensors(parts);
    integers_of(d, &args, &tensor(d, "cat", [parts, Value::Int(axis as i64)])?, "Y")
}

/// Averages windows, or whole images, of quantized tensors.
pub fn qlinear_pool<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = numbers(d, &args, "X", "x")?;
    let rank = d.shape(&x).len() as i64;
    let last = args.bool("channels_last");
    let x = if last { permute(d, &x, [0, rank - 1].into_iter().chain(1..rank - 1))? } else { x };
    let result = match args.op() {
        "QLinearGlobalAveragePool" => tensor(d, "mean", [arg(&x), super::ints(2..rank), Value::Bool(true)])?,
        _ => windows::average(d, &args, &x)?,
    };
    let result = if last { permute(d, &result, [0].into_iter().chain(2..rank).chain([1]))? } else { result };
    integers_of(d, &args, &result, "y")
}

/// Multiplies quantized matrices and adds a term. Without a scale of the result, the result is
/// float.
pub fn qgemm<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let side = |name: &str, prefix: &str, transposed: &str| -> Result<D::Tensor> {
        let zero = args.get(&format!("{prefix}_zero_point")).as_tensor();
        let x = args.tensor(name)?;
        match args.bool(transposed) {
            // A zero point for each column of the product is one for each row of `B`.
            true => difference(d, &tensor(d, "t", [arg(x)])?, zero),
            false => difference(d, x, zero),
        }
    };
    let mut product = binary(d, "matmul", &side("A", "a", "transA")?, &side("B", "b", "transB")?)?;
    if let Some(c) = args.get("C").as_tensor() {
        product = binary(d, "add", &product, &convert(d, c, DType::F32)?)?;
    }
    let scale = binary(d, "mul", args.tensor("a_scale")?, args.tensor("b_scale")?)?;
    let scale = by_number(d, "mul", &scale, args.float("alpha")?)?;
    let result = binary(d, "mul", &product, &scale)?;
    match args.is_given("y_scale") {
        true => integers_of(d, &args, &result, "y"),
        false => Ok(Value::Tensor(result)),
    }
}

/// Multiplies integers and their scales. The result is float.
pub fn matmul_integer_to_float<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let zero = args.get("a_zero_point").as_tensor().map(|zero| of_rows(d, zero)).transpose()?;
    let a = difference(d, args.tensor("A")?, zero.as_ref())?;
    let scale = of_rows(d, args.tensor("a_scale")?)?;
    scaled_product(d, &args, &a, &scale)
}

/// Quantizes floats by their range, and multiplies them by a quantized matrix.
pub fn dynamic_quantize_matmul<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let [x, scale, zero] = dynamic_quantize_linear(d, &args, args.tensor("A")?)?;
    scaled_product(d, &args, &difference(d, &x, Some(&zero))?, &scale)
}

fn scaled_product<D: Dispatch>(d: &D, args: &Given<D>, a: &D::Tensor, scale: &D::Tensor) -> Output<D> {
    let b = difference(d, args.tensor("B")?, args.get("b_zero_point").as_tensor())?;
    let product = binary(d, "matmul", a, &b)?;
    let result = binary(d, "mul", &product, &binary(d, "mul", scale, args.tensor("b_scale")?)?)?;
    match args.get("bias").as_tensor() {
        Some(bias) => binary(d, "add", &result, bias).map(Value::Tensor),
        None => Ok(Value::Tensor(result)),
    }
}
