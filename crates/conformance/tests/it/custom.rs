//! Custom ops on every device: `opcheck` accepts a correct op and names the errors of a wrong one.

use lanthorn::{
    CudaHostOptions, Device, Result,
    custom::{Arguments, custom_op, pointwise},
    ops::Output,
    samples::{Sample, float, real, tensor},
    testing::{Report, opcheck},
};
use pollster::block_on;

/// The CPU first, because derivatives are checked in its float64.
fn devices() -> Vec<Device> {
    let cuda = lanthorn::cuda_host(CudaHostOptions { checked: true, ..Default::default() }).unwrap();
    vec![lanthorn::cpu(), block_on(lanthorn::wgpu()).expect("this test needs an adapter; lavapipe is one"), cuda]
}

fn samples() -> Vec<Sample> {
    [&[3, 5][..], &[40], &[], &[0, 3], &[2, 1, 3]].map(|shape| Sample::new([real(shape, -2.0, 2.0)])).into()
}

#[test]
fn formulas_agree_on_all_devices_in_both_derivatives() -> Result<()> {
    let devices = devices();
    let formulas = [
        "x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))",
        "x, b=0.7 -> x > b ? x ** 2 - exp(-x) : sin(b * x) + 0.1 * x ** 3",
        "x -> log1p(exp(x)) * tanh(x) + erf(x) - sigmoid(x) * atan(x)",
        "x, low=-5.0, high=5.0 -> clamp(x * 1.5, low, high) + min(x, 3) * max(x, -3)",
        "x -> softplus(x) + silu(x) + lgamma(x + 4) + hypot(x, 2) + x ** 5",
        "x -> where(x > 0 && !(x > 1), floor(3 * x) * x, x / (1 + abs(x))) % 2.5",
    ];
    for (number, formula) in formulas.iter().enumerate() {
        let op = pointwise(&format!("checked::f{number}"), formula)?;
        let report = block_on(opcheck(op, &samples(), &devices))?;
        // Schema, mutation, views, two derivatives, two devices.
        assert_eq!((report.passed, &report.failures[..]), (7 * 5, &[][..]), "{formula}");
    }
    Ok(())
}

#[test]
fn whole_numbers_and_truth_values_agree_on_all_devices() -> Result<()> {
    let devices = devices();
    use lanthorn::DType::{Bool, I32, U8};
    let of = |dtype| Sample::new([tensor(&[4, 5], dtype, 0.0, 4.0), tensor(&[5], dtype, 0.0, 3.0)]);
    let formulas =
        ["x, y -> x * 3 - y % 2", "x, y -> x == y || !x", "x, y -> x / (y + 1)", "x, y -> abs(x - y) ** 2 + max(x, y)"];
    for (number, formula) in formulas.iter().enumerate() {
        let op = pointwise(&format!("whole::f{number}"), formula)?;
        let report = block_on(opcheck(op, &[of(I32), of(U8), of(Bool)], &devices))?;
        assert!(report.failures.is_empty(), "{formula}: {:?}", report.failures);
    }
    Ok(())
}

fn report(name: &str, function: fn(&Arguments<'_>) -> Result<Output>) -> Result<Report> {
    let op = custom_op(format!("wrong::{name}(Tensor x, float by=2) -> Tensor")).composite(function).register()?;
    block_on(opcheck(op, &[Sample::new([real(&[2, 3], -1.0, 1.0), float(3.0)])], &[lanthorn::cpu(), lanthorn::cpu()]))
}

/// The failed lines of a report, by their check.
fn failed_lines(report: &Report) -> Vec<&str> {
    fn check_of(line: &str) -> &str {
        line.split_once(", ").and_then(|(_, rest)| rest.split_once(':')).map_or("", |(what, _)| what)
    }
    report.failures.iter().map(|line| check_of(line)).collect()
}

#[test]
fn what_is_wrong_is_named() -> Result<()> {
    assert_eq!(
        failed_lines(&report("right", |args| args.tensor("x")?.mul(args.float("by")?).map(Output::from))?),
        [""; 0]
    );
    let mutates = |args: &Arguments<'_>| {
        lanthorn::no_grad(|| args.tensor("x")?.mul_(2.0))?;
        args.tensor("x")?.exp().map(Output::from)
    };
    assert!(failed_lines(&report("mutates", mutates)?).contains(&"mutation"));
    assert_eq!(
        failed_lines(&report("aliases", |args| args.tensor("x")?.transpose(0, 1).map(Output::from))?),
        ["mutation"]
    );
    assert_eq!(
        failed_lines(&report("counts", |args| Ok(Output::Tensors(vec![args.tensor("x")?.exp()?; 2])))?),
        ["schema"]
    );
    // Elements in memory order, as a kernel that ignores strides reads them.
    let flat = |args: &Arguments<'_>| {
        let x = args.tensor("x")?;
        x.as_strided([2, 3], [3, 1], 0)?.exp().map(Output::from)
    };
    assert_eq!(failed_lines(&report("flat", flat)?), ["views"]);
    let detaches = |args: &Arguments<'_>| -> Result<Output> {
        let x = args.tensor("x")?;
        Ok(x.square()?.mul(x.detach())?.into())
    };
    let found = report("detaches", detaches)?;
    assert_eq!(failed_lines(&found), ["first derivative", "second derivative"]);
    assert!(
        found.failures[0].starts_with("wrong::detaches sample 0, first derivative: gradcheck: by input 0"),
        "{found}"
    );
    // A result that depends on the device.
    let counted = |args: &Arguments<'_>| {
        thread_local! { static FIRST: std::cell::RefCell<Option<Device>> = const { std::cell::RefCell::new(None) }; }
        let x = args.tensor("x")?;
        let first = FIRST.with_borrow_mut(|first| first.get_or_insert_with(|| x.device().clone()).clone());
        x.mul(if x.device() == &first { 1.0 } else { 2.0 }).map(Output::from)
    };
    assert_eq!(failed_lines(&report("elsewhere", counted)?), ["cpu"]);
    Ok(())
}

#[test]
fn a_registered_derivative_is_held_to_difference_quotients() -> Result<()> {
    let square = |factor: f64, name: &str| {
        custom_op(format!("held::{name}(Tensor x) -> Tensor"))
            .composite(|args| args.tensor("x")?.square().map(Output::from))
            .register_autograd(
                |ctx, args, _| {
                    ctx.save_for_backward(&[args.tensor("x")?]);
                    Ok(())
                },
                move |ctx, grads| Ok(vec![Some(grads.at(0)?.mul(&ctx.saved(0)?.mul(factor)?)?)]),
            )
    };
    let check = |op| block_on(opcheck(op, &[Sample::new([real(&[7], -1.0, 1.0)])], &[lanthorn::cpu()]));
    assert_eq!(failed_lines(&check(square(2.0, "right").register()?)?), [""; 0]);
    assert_eq!(failed_lines(&check(square(2.5, "wrong").register()?)?), ["first derivative"]);
    let once = check(square(2.0, "once").once_differentiable().register()?)?;
    assert_eq!((once.passed, failed_lines(&once)), (4, vec![]));
    assert!(block_on(opcheck(square(2.0, "empty").register()?, &[], &[lanthorn::cpu()])).unwrap_err().is_argument());
    Ok(())
}
