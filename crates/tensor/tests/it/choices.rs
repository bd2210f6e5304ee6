//! Strings that a parameter does not take are refused by a call by name. A method takes an enum.

use crate::common::*;

/// The message of a call by name, whose last argument is the string.
fn refusal(op: &str, args: &[Arg]) -> String {
    call(op, args).err().map_or_else(|| "no error".into(), |error: Error| error.to_string())
}

#[test]
fn a_string_that_a_parameter_does_not_take_is_an_error_that_lists_those_that_it_takes() {
    let _device = device();
    let x = || Arg::Tensor(tensor(&[1.0, 2.0, 3.0, 4.0], &[1, 1, 4]));
    let int = |value: i64| Arg::Scalar(value.into());
    let rows = [
        (
            "mse_loss",
            vec![x(), x(), text("avg")],
            "the argument reduction takes \"none\", \"mean\" or \"sum\", not the string \"avg\"",
        ),
        (
            "kl_div",
            vec![x(), x(), text("avg")],
            "the argument reduction takes \"none\", \"batchmean\", \"mean\" or \"sum\", not the string \"avg\"",
        ),
        (
            "div",
            vec![x(), x(), text("round")],
            "the argument rounding_mode takes \"trunc\" or \"floor\", not the string \"round\"",
        ),
        (
            "gelu",
            vec![x(), text("Tanh")],
            "the argument approximate takes \"none\" or \"tanh\", not the string \"Tanh\"",
        ),
        ("gelu", vec![x(), int(1)], "the argument approximate takes \"none\" or \"tanh\", not the number 1"),
        (
            "fft_rfft",
            vec![x(), Arg::Null, int(-1), text("orthogonal")],
            "the argument norm takes \"forward\", \"backward\" or \"ortho\", not the string \"orthogonal\"",
        ),
        (
            "conv1d",
            vec![x(), x(), Arg::Missing, int(1), text("full")],
            "the argument padding takes a list of whole numbers, \"valid\" or \"same\", not the string \"full\"",
        ),
        (
            "index_reduce",
            vec![x(), int(0), x(), x(), text("sum")],
            "the argument reduce takes \"prod\", \"mean\", \"amax\" or \"amin\", not the string \"sum\"",
        ),
    ];
    for (op, args, message) in rows {
        assert!(refusal(op, &args).contains(message), "{op}: {}", refusal(op, &args));
    }
}

#[test]
fn a_string_is_parsed_as_the_value_of_an_enum() {
    let error = "avg".parse::<Reduction>().unwrap_err();
    assert!(error.is_argument() && error.to_string().contains("\"none\", \"mean\", \"sum\""), "{error}");
    assert_eq!(["none", "mean", "sum"].map(|text| text.parse::<Reduction>().unwrap()), Reduction::ALL);
    // A value with two strings is printed as the first.
    assert_eq!("u".parse::<MatrixTriangle>().unwrap(), MatrixTriangle::Upper);
    assert_eq!(MatrixTriangle::Upper.to_string(), "U");
}

#[test]
fn the_formats_of_blocks_are_those_that_there_are() {
    let names = BlockFormat::ALL.map(|format| format.name().to_string());
    for op in ["quantize", "dequantize"] {
        assert_eq!(Op::find(op).unwrap().schema().params[1].choices, names, "{op}");
    }
}
