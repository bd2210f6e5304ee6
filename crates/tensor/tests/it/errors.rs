//! Refused calls: the right kind of error, a message with the op and the arguments, and a runtime
//! that works afterwards.

use crate::common::*;
use lanthorn_tensor::ops::{self, Arg, Op};

#[test]
fn wrong_shapes() -> Result<()> {
    let _device = device();
    let x = |shape: &[i64]| Tensor::ones(shape).unwrap();
    refused(x(&[2, 3]).add(x(&[4])), "shape", &["add", "[2, 3]", "[4]"]);
    refused(Tensor::r#where(&x(&[2]).gt(0.0)?, x(&[3]), 1.0), "shape", &["where", "[2]", "[3]"]);
    refused(x(&[2, 3]).add_(x(&[4])), "shape", &["add_: ", "[2, 3]", "[4]"]);
    refused(x(&[2, 3]).clone().squeeze_(2), "index", &["squeeze_: ", "dimension 2"]);
    refused(x(&[2, 3]).matmul(&x(&[4, 5])), "shape", &["matmul", "[2, 3]", "[4, 5]"]);
    refused(x(&[2, 2, 3]).matmul(&x(&[3, 3, 3])), "shape", &["matmul", "[2]", "[3]"]);
    refused(x(&[]).matmul(&x(&[3])), "shape", &["matmul", "mul"]);
    refused(x(&[2, 3]).linear(&x(&[4, 5]), None), "shape", &["linear", "[2, 3]", "[4, 5]"]);
    refused(x(&[2, 3]).linear(&x(&[4, 3]), Some(&x(&[3]))), "shape", &["linear", "[2, 4]", "[3]"]);
    refused(x(&[2, 3]).mse_loss(&x(&[4])), "shape", &["mse_loss"]);
    refused(
        x(&[]).fake_quantize_per_channel_affine(&x(&[1]), &x(&[1]), 0, 0, 255),
        "shape",
        &["fake_quantize_per_channel_affine", "single number"],
    );
    refused(x(&[2, 3]).reshape([4, -1]), "shape", &["reshape", "[2, 3]", "[4, -1]"]);
    refused(x(&[2, 3]).reshape([-1, -1]), "shape", &["reshape", "[-1, -1]"]);
    refused(x(&[2, 3]).reshape([-2, -3]), "shape", &["reshape"]);
    refused(x(&[0, 3]).reshape([0, -1]), "shape", &["reshape"]);
    refused(x(&[2, 3]).reshape([i64::MAX, i64::MAX]), "shape", &["reshape"]);
    refused(x(&[2, 3]).expand([2, 4]), "shape", &["expand", "[2, 3]", "[2, 4]"]);
    refused(x(&[2, 3]).expand([3]), "shape", &["expand"]);
    refused(x(&[2]).expand([-1, 2]), "shape", &["expand", "-1"]);
    refused(x(&[2, 3]).sum_to_size([2]), "shape", &["sum_to_size"]);
    refused(Tensor::cat(&[x(&[2, 3]), x(&[2, 4])], 0), "shape", &["cat", "[2, 3]", "[2, 4]"]);
    refused(Tensor::cat(&[x(&[2, 3]), x(&[2])], 0), "shape", &["cat"]);
    refused(Tensor::cat(&[x(&[]), x(&[])], 0), "shape", &["cat", "stack"]);
    refused(Tensor::stack(&[x(&[2]), x(&[3])], 0), "shape", &["stack", "[2]", "[3]"]);
    refused(Tensor::cat(&[], 0), "argument", &["cat", "at least one"]);
    refused(Tensor::stack(&[], 0), "argument", &["stack", "at least one"]);
    refused(x(&[2, 2, 2]).t(), "shape", &["t:", "3"]);
    refused(x(&[3, 0]).amax(1, false), "shape", &["amax", "[3, 0]"]);
    refused(x(&[0]).argmin(None, false), "shape", &["argmin"]);
    refused(Tensor::embedding(&x(&[2]), &ints(&[0], &[1])), "shape", &["embedding", "[2]"]);
    assert_eq!(read(&x(&[2]).add(1.0)?), [2.0, 2.0]);
    Ok(())
}

#[test]
fn wrong_dimensions_and_positions() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3]);
    refused(x.sum(2, false), "index", &["sum", "dimension 2", "[2, 3]"]);
    refused(x.sum(-3, false), "index", &["sum", "-3"]);
    refused(x.sum([0, -2], false), "argument", &["sum", "twice"]);
    refused(x.mean(5, false), "index", &["mean", "5"]);
    refused(x.softmax(2), "index", &["softmax"]);
    refused(x.transpose(0, 2), "index", &["transpose"]);
    refused(x.permute([0, 0]), "argument", &["permute", "twice"]);
    refused(x.permute([0]), "argument", &["permute", "[2, 3]"]);
    refused(x.unsqueeze(3), "index", &["unsqueeze", "3"]);
    refused(x.unsqueeze(-4), "index", &["unsqueeze"]);
    refused(x.squeeze(2), "index", &["squeeze"]);
    refused(x.flatten(1, 0), "argument", &["flatten"]);
    refused(x.select(0, 2), "index", &["select", "index 2", "[2, 3]"]);
    refused(x.select(0, -3), "index", &["select"]);
    refused(x.narrow(1, 1, 3), "index", &["narrow", "[2, 3]"]);
    refused(x.narrow(1, -4, 1), "index", &["narrow"]);
    refused(x.narrow(1, 0, -1), "index", &["narrow"]);
    refused(x.narrow(1, i64::MAX, i64::MAX), "index", &["narrow"]);
    refused(x.narrow(1, i64::MIN, i64::MIN), "index", &["narrow"]);
    refused(x.slice(0, 0, 2, 0), "argument", &["slice", "step"]);
    refused(x.slice(0, 0, 2, -1), "argument", &["slice"]);
    refused(x.slice(2, 0, 1, 1), "index", &["slice"]);
    refused(tensor(&[1.0], &[]).slice(0, 0, 1, 1), "shape", &["slice"]);
    refused(tensor(&[1.0], &[]).select(0, 0), "shape", &["select"]);
    // A slice is limited to what there is, as in Python.
    assert_eq!(shape_of(&x.slice(1, i64::MIN, i64::MAX, i64::MAX)?), [2, 1]);
    assert_eq!(read(&x.slice(1, -2, 100, 1)?), [1.0, 2.0, 4.0, 5.0]);
    assert_eq!(shape_of(&x.slice(0, 5, 1, 1)?), [0, 3]);
    Ok(())
}

#[test]
fn wrong_types() -> Result<()> {
    let _device = device();
    let (x, i) = (count(&[2, 2]), ints(&[0, 1, 1, 0], &[2, 2]));
    refused(x.matmul(&i), "dtype", &["matmul", "float32", "int32"]);
    refused(x.matmul(&x.to(DType::F64)?), "dtype", &["matmul", "float64"]);
    refused(x.gather(0, &x), "dtype", &["gather", "int32", "float32"]);
    refused(x.index_select(0, &x.select(0, 0)?.to(DType::Bool)?), "dtype", &["index_select", "bool"]);
    refused(x.scatter_add(0, &i, &i), "dtype", &["scatter_add", "float32", "int32"]);
    refused(i.mean((), false), "dtype", &["mean", "int32"]);
    refused(Tensor::rand_with([2], DType::I32, None), "dtype", &["rand", "int32"]);
    refused(pollster::block_on(i.to_vec::<f32>()), "dtype", &["int32", "float32"]);
    refused(x.gt(0.0)?.sub(x.gt(1.0)?), "dtype", &["sub", "bool"]);
    refused(x.gt(0.0)?.neg(), "dtype", &["neg", "bool"]);
    let state = [x.clone(), x.to(DType::F64)?];
    let (w_ih, w_hh) = (Tensor::ones([8, 2])?, Tensor::ones([8, 2])?);
    refused(
        Tensor::lstm_cell(&x, &state, &w_ih, &w_hh, None, None).map(|(h, _)| h),
        "dtype",
        &["lstm_cell", "float32", "float64"],
    );
    let (w_ih, w_hh) = (Tensor::ones([2, 2])?, Tensor::ones([2, 2])?);
    refused(
        Tensor::rnn_tanh_cell(&x, &x, &w_ih, &w_hh, None, Some(&Tensor::ones([2])?.to(DType::F64)?)),
        "dtype",
        &["rnn_tanh_cell", "float32", "float64"],
    );
    Ok(())
}

#[test]
fn wrong_indices() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3]);
    refused(x.gather(0, &ints(&[0], &[1])), "shape", &["gather", "[1]", "[2, 3]"]);
    refused(x.gather(0, &ints(&[0; 4], &[1, 4])), "shape", &["gather", "[1, 4]"]);
    refused(x.index_select(0, &ints(&[0], &[1, 1])), "shape", &["index_select", "[1, 1]"]);
    refused(x.scatter_add(0, &ints(&[0; 3], &[1, 3]), &count(&[1, 2])), "shape", &["scatter_add", "[1, 3]", "[1, 2]"]);
    // Out of range is found when it runs, and spoils nothing else.
    for bad in [-1, 2, i32::MIN, i32::MAX] {
        let failed = [x.gather(0, &ints(&[bad; 3], &[1, 3]))?, x.scatter_add(0, &ints(&[bad; 3], &[1, 3]), &x)?];
        for failed in failed {
            refused(pollster::block_on(failed.to_bytes()), "index", &[&bad.to_string(), "size 2"]);
        }
    }
    assert_eq!(read(&x), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    Ok(())
}

#[test]
fn wrong_numbers() -> Result<()> {
    let device = device();
    refused(Tensor::arange(0, 5, 0), "argument", &["arange", "0"]);
    refused(Tensor::arange(0, 0, 0), "argument", &["arange"]);
    refused(Tensor::arange(0, 5, -1), "argument", &["arange", "-1"]);
    refused(Tensor::arange(0.0, 0.5, -1.0), "argument", &["arange"]);
    refused(Tensor::arange(0.0, f64::INFINITY, 1.0), "argument", &["arange"]);
    refused(Tensor::arange(f64::NAN, 1.0, 1.0), "argument", &["arange"]);
    assert_eq!(Tensor::arange(3, 3, 1)?.numel(), 0);
    for shape in [&[-1][..], &[1 << 31], &[1 << 16, 1 << 16], &[i64::MAX; 3], &[0, 1 << 40]] {
        refused(Tensor::zeros(shape), "shape", &["zeros"]);
        let leading = [&[-1], shape].concat();
        refused(Tensor::ones([1])?.expand(leading), "shape", &["expand"]);
    }
    refused(Tensor::arange(0, 1i64 << 40, 1), "shape", &["arange", "too large"]);
    refused(Tensor::from_slice(&[1.0f32; 3], [2, 2], &device), "shape", &["tensor", "[2, 2]", "4", "3"]);
    refused(Tensor::ones([2])?.clamp(None, None), "argument", &["clamp"]);
    // A large outer product is refused where it is asked for, before anything is allocated.
    let x = Tensor::ones([1 << 16])?;
    refused(x.unsqueeze(0)?.mul(&x.unsqueeze(1)?), "shape", &["mul", "65536", "too large"]);
    assert_eq!(item(&x.sum((), false)?), 65536.0);
    Ok(())
}

#[test]
fn wrong_targets_of_losses() -> Result<()> {
    let _device = device();
    let logits = count(&[2, 3]);
    refused(logits.cross_entropy(&ints(&[0; 3], &[3]), None), "shape", &["cross_entropy", "[2, 3]", "[3]"]);
    refused(logits.cross_entropy(&ints(&[0; 6], &[2, 3]), None), "shape", &["cross_entropy"]);
    refused(logits.cross_entropy(&count(&[3, 2]), None), "shape", &["cross_entropy", "[3, 2]"]);
    refused(logits.cross_entropy(&count(&[2]).to(DType::Bool)?, None), "dtype", &["cross_entropy", "int32", "bool"]);
    refused(
        logits.cross_entropy(&ints(&[0, 1], &[2]), Some(&count(&[2]))),
        "shape",
        &["cross_entropy", "weight", "[3]", "[2]"],
    );
    refused(
        call("cross_entropy", &[(&logits).into(), ints(&[0, 1], &[2]).into(), Arg::Null, text("median")]),
        "argument",
        &["cross_entropy", "median"],
    );
    refused(
        logits.cross_entropy_with(&ints(&[0, 1], &[2]), None, Reduction::Mean, -100, 1.5),
        "argument",
        &["label_smoothing", "1.5"],
    );
    refused(tensor(&[1.0], &[]).cross_entropy(&ints(&[0], &[]), None), "shape", &["cross_entropy"]);
    refused(
        call("mse_loss", &[(&logits).into(), (&logits).into(), text("average")]),
        "argument",
        &["mse_loss", "average"],
    );
    // A class that is none is found when the loss is read; ignore_index is none of them.
    let loss = logits.cross_entropy(&ints(&[0, 3], &[2]), None)?;
    refused(pollster::block_on(loss.item()), "index", &["3", "size 3"]);
    let ignored = logits.cross_entropy(&ints(&[2, -100], &[2]), None)?;
    close(item(&ignored), (1.0 + (-1f64).exp() + (-2f64).exp()).ln());
    Ok(())
}

#[test]
fn dynamic_calls_name_the_argument() -> Result<()> {
    let device = device();
    let x = count(&[2]);
    let run = |name: &str, args: &[Arg]| Op::find(name).unwrap().run(args)?.into_tensor(name);
    refused(run("add", &[Arg::Tensor(x.clone())]), "argument", &["add", "other is missing"]);
    refused(
        run("add", &[Arg::Scalar(Scalar::Int(1)), Arg::Tensor(x.clone())]),
        "argument",
        &["self takes a tensor", "number 1"],
    );
    refused(
        run("neg", &[Arg::Tensor(x.clone()), Arg::Missing, Arg::Missing]),
        "argument",
        &["neg", "takes 1 arguments, 3"],
    );
    refused(run("zeros", &[Arg::Scalar(Scalar::Float(1.5))]), "argument", &["size", "1.5"]);
    refused(run("zeros", &[Arg::Ints(vec![1]), Arg::Str("float128".into())]), "argument", &["dtype", "float128"]);
    refused(
        run("select", &[Arg::Tensor(x.clone()), Arg::Scalar(Scalar::Float(f64::NAN)), Arg::Missing]),
        "argument",
        &["select"],
    );
    refused(Op::find("sum").unwrap().run_in_place(&[Arg::Tensor(x.clone())]), "argument", &["sum", "in-place"]);
    // Every op, called with nothing and with too much, answers with an error.
    for op in ops::all() {
        let needs = op.schema().params.iter().any(|param| param.default.is_none());
        assert!(!needs || op.run(&[]).is_err_and(|error| error.is_argument()), "{}", op.name());
        let many = vec![Arg::Device(device.clone()); op.schema().params.len() + 1];
        assert!(op.run(&many).is_err_and(|error| error.is_argument()), "{}", op.name());
        assert!(op.run(&many[1..]).is_err_and(|error| error.is_argument()), "{}", op.name());
    }
    assert_eq!(read(&run("add", &[Arg::Tensor(x), Arg::Scalar(Scalar::Int(1))])?), [1.0, 2.0]);
    Ok(())
}
