//! Ops with a schema: their arguments, results and derivatives, and refused registrations.

use crate::common::*;
use lanthorn_tensor::{
    Policy, autocast,
    custom::custom_op,
    ops::{Arg, Op, OpKind, Output},
};

#[test]
fn a_composite_is_called_as_an_op_of_the_table() -> Result<()> {
    let _device = device();
    let op = custom_op(
        "composite::blend(Tensor x, Tensor? y=None, *, float by=0.5, int[] dims=[]) -> (Tensor mix, Tensor total)",
    )
    .composite(|args| {
        let x = args.tensor("x")?;
        let y = if args.is_given("y")? { args.tensor("y")?.clone() } else { x.zeros_like()? };
        let by = args.float("by")?;
        let mix = x.mul(1.0 - by)?.add(&y.mul(by)?)?;
        let total = mix.sum(args.ints("dims")?, false)?;
        Ok((mix, total).into())
    })
    .register()?;
    let (x, y) = (leaf(&[2.0, 4.0], &[2]), leaf(&[10.0, 20.0], &[2]));
    let results = op.tensors(&[(&x).into(), (&y).into(), 0.25.into()])?;
    assert_eq!((read(&results[0]), read(&results[1])), (vec![4.0, 8.0], vec![12.0]));
    assert_eq!(read(&op.tensors(&[(&x).into()])?[0]), [1.0, 2.0]);
    results[1].backward()?;
    assert_eq!((grad_of(&x), grad_of(&y)), (vec![0.75, 0.75], vec![0.25, 0.25]));
    let found = Op::find("composite::blend").expect("it is registered");
    assert_eq!((found.kind, found.schema().returns[1].name.as_str()), (OpKind::Composite, "total"));
    assert!(matches!(found.run(&[(&x).into()])?, Output::Tensors(tensors) if tensors.len() == 2));
    assert!(found.accepts(&[(&x).into(), Arg::Missing]) && !found.accepts(&[1.into()]));
    refused(op.call(&[]), "argument", &["composite::blend", "x is missing", "float by=0.5"]);
    refused(op.call(&[1.into()]), "argument", &["composite::blend", "x takes a tensor, not the number 1"]);
    refused(
        op.call(&[(&x).into(), Arg::Missing, true.into()]),
        "argument",
        &["by takes a number, not the truth value true"],
    );
    refused(op.call(&vec![Arg::Missing; 5]), "argument", &["takes 4 arguments, 5 were given"]);
    refused(op.tensor(&[(&x).into()]), "argument", &["composite::blend", "does not give one tensor"]);
    Ok(())
}

#[test]
fn arguments_are_asked_for_as_they_are() -> Result<()> {
    let _device = device();
    let schema = "asked::all(Tensor x, Tensor[] list, int n=3, bool flag=True, str mode=\"fast\", ScalarType dtype=\"int32\", \
                  Scalar s=2.5, int[] sizes=[1, 2]) -> Tensor[]";
    let op = custom_op(schema)
        .composite(|args| {
            assert_eq!((args.int("n")?, args.bool("flag")?, args.str("mode")?), (3, true, "fast"));
            assert_eq!((args.scalar("s")?, args.ints("sizes")?), (Scalar::Float(2.5), &[1, 2][..]));
            assert_eq!((args.values().len(), args.all_tensors().len()), (8, 3));
            args.int("flag").map(|_| Output::Tensors(args.tensors("list").map(<[Tensor]>::to_vec).unwrap_or_default()))
        })
        .register();
    // A dtype's default is a name in quotes, which the schema takes.
    let op = op?;
    let x = count(&[2]);
    let args = [Arg::from(&x), vec![x.clone(), x.clone()].into()];
    refused(
        op.call(&args),
        "argument",
        &["asked::all", "flag is asked for as a whole number, and is the truth value true"],
    );
    let op = custom_op("asked::name(Tensor x) -> Tensor")
        .composite(|args| Ok(args.tensor("y")?.clone().into()))
        .register()?;
    refused(op.call(&args[..1]), "argument", &["asked::name", "has no parameter \"y\""]);
    Ok(())
}

#[test]
fn a_list_of_results_has_any_length() -> Result<()> {
    let _device = device();
    let op = custom_op("lists::copies(Tensor x, int n) -> Tensor[]")
        .composite(|args| Ok(Output::Tensors(vec![args.tensor("x")?.clone(); args.int("n")? as usize])))
        .register()?;
    let x = count(&[2]);
    for n in 0..3 {
        assert!(matches!(op.call(&[(&x).into(), n.into()])?, Output::Tensors(tensors) if tensors.len() == n as usize));
    }
    Ok(())
}

#[test]
fn a_registered_derivative_replaces_the_composites() -> Result<()> {
    let _device = device();
    let op = custom_op("derived::scale(Tensor x, Tensor[] more, Scalar by) -> Tensor")
        .composite(|args| {
            let total = args.tensors("more")?.iter().try_fold(args.tensor("x")?.clone(), |sum, next| sum.add(next))?;
            total.mul(args.float("by")?).map(Output::from)
        })
        .register_autograd(
            |ctx, args, outputs| {
                ctx.set(args.float("by")?);
                ctx.save_for_backward(&[args.tensor("x")?, &outputs[0]]);
                Ok(())
            },
            |ctx, grads| {
                assert_eq!(ctx.saved_tensors().len(), 2);
                let grad = grads.at(0)?.mul(*ctx.get::<f64>()? * 100.0)?;
                Ok(vec![Some(grad.clone()), None, ctx.needs_input_grad(2).then_some(grad)])
            },
        )
        .register()?;
    let (x, a, b) = (leaf(&[1.0], &[1]), leaf(&[2.0], &[1]), leaf(&[3.0], &[1]));
    let y = op.tensor(&[(&x).into(), vec![a.clone(), b.clone()].into(), 2.into()])?;
    assert_eq!((read(&y), y.grad_fn().map(|node| node.name())), (vec![12.0], Some("derived::scale")));
    y.backward()?;
    assert_eq!((grad_of(&x), a.grad().is_none(), grad_of(&b)), (vec![200.0], true, vec![200.0]));
    assert!(!no_grad(|| op.tensor(&[(&x).into(), Vec::<Tensor>::new().into(), 2.into()]))?.requires_grad());
    Ok(())
}

#[test]
fn a_derivative_that_has_none_says_so() -> Result<()> {
    let _device = device();
    let op = custom_op("once::double(Tensor x) -> Tensor")
        .composite(|args| args.tensor("x")?.mul(2.0).map(Output::from))
        .register_autograd(|_, _, _| Ok(()), |_, grads| Ok(vec![Some(grads.at(0)?.mul(2.0)?)]))
        .once_differentiable()
        .register()?;
    let x = leaf(&[3.0], &[1]);
    let y = op.tensor(&[x.mul(&x)?.into()])?;
    let first = grad(&[y.square()?], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    assert_eq!(read(&first), [432.0]);
    refused(first.backward(), "autograd", &["once::double", "once"]);
    Ok(())
}

#[test]
fn results_that_are_not_the_schemas_are_refused() -> Result<()> {
    let _device = device();
    let x = count(&[2]);
    let two = custom_op("results::two(Tensor x) -> Tensor")
        .composite(|args| Ok(Output::Tensors(vec![args.tensor("x")?.clone(); 2])))
        .register()?;
    refused(two.call(&[(&x).into()]), "argument", &["results::two", "gave 2 results, the schema has 1"]);
    let truth = custom_op("results::truth(Tensor x) -> Tensor").composite(|_| Ok(true.into())).register()?;
    refused(truth.call(&[(&x).into()]), "argument", &["results::truth", "something else than tensors"]);
    let own = Error::data("mine", "no such thing");
    let thrown = own.clone();
    let fails = custom_op("results::fails(Tensor x) -> Tensor").composite(move |_| Err(thrown.clone())).register()?;
    assert_eq!(fails.call(&[(&x).into()]).unwrap_err(), own);
    // A function may call back into the library, other custom ops and the registry.
    let nested = custom_op("results::nested(Tensor x) -> Tensor")
        .composite(move |args| {
            let inner = format!("results::inner{}", args.tensor("x")?.numel());
            let op = custom_op(format!("{inner}(Tensor x) -> Tensor"))
                .composite(|args| args.tensor("x")?.exp().map(Output::from));
            op.register()?.call(&[args.tensor("x")?.into()])
        })
        .register()?;
    assert_eq!(read(&nested.tensor(&[tensor(&[0.0], &[1]).into()])?), [1.0]);
    Ok(())
}

#[test]
fn registrations_that_cannot_be_are_refused() {
    let _device = device();
    let register = |schema: &str| custom_op(schema).composite(|_| Ok(true.into())).register();
    let refuse = |schema: &str, words: &[&str]| refused(register(schema), "argument", words);
    refuse("scale(Tensor x) -> Tensor", &["scale: ", "namespace"]);
    refuse("aten::scale(Tensor x) -> Tensor", &["aten::scale", "reserved"]);
    refuse("", &["namespace"]);
    refuse("bad::f", &["bad::f", "no `(`"]);
    refuse("bad::f(Tensor x)", &["bad::f", "no `) -> `"]);
    refuse("bad::f(Tenso x) -> Tensor", &["bad::f", "unknown type \"Tenso\""]);
    refuse("bad::f(Tensor(a!) x) -> Tensor", &["bad::f", "unknown type \"Tensor(a!)\""]);
    refuse("bad::f(Tensor) -> Tensor", &["bad::f", "no name in parameter"]);
    refuse("bad::f(Tensor x, Tensor x) -> Tensor", &["bad::f", "x stands twice"]);
    refuse("bad::f(Tensor x y) -> Tensor", &["bad::f", "no name of a parameter"]);
    refuse("bad::f(Module m) -> Tensor", &["bad::f", "no module"]);
    refuse("bad::f(int n=True) -> Tensor", &["bad::f", "default of n is no int"]);
    refuse("bad::f(Tensor x=None) -> Tensor", &["bad::f", "default of x"]);
    refuse("bad::f(int n=x) -> Tensor", &["bad::f", "bad default"]);
    refuse("bad::f(Tensor x) -> int", &["bad::f", "returns Tensor"]);
    refuse("bad::f(Tensor x) -> ()", &["bad::f", "returns Tensor"]);
    refuse("bad::f(Tensor x) -> (Tensor, Tensor[])", &["bad::f", "returns Tensor"]);
    refused(custom_op("bad::f(Tensor x) -> Tensor").register(), "argument", &["bad::f", "how the op is computed"]);
    assert!(Op::find("bad::f").is_none());
    assert!(register("taken::f(Tensor x) -> Tensor").is_ok());
    refuse("taken::f(Tensor x, Tensor y) -> Tensor", &["taken::f", "registered already"]);
    assert!(register("taken::f.other(Tensor x) -> Tensor").is_ok());
}

#[test]
fn autocast_casts_every_tensor() -> Result<()> {
    let _device = device();
    let op = custom_op("casts::product(Tensor a, Tensor[] rest, Tensor? b=None) -> Tensor")
        .composite(|args| {
            assert!(args.all_tensors().iter().all(|tensor| tensor.dtype() == DType::BF16));
            // Within the op nothing else is cast.
            assert_eq!(args.tensor("a")?.to(DType::F32)?.matmul(&Tensor::ones([2, 2])?)?.dtype(), DType::F32);
            Ok(args.tensor("a")?.clone().into())
        })
        .autocast(Policy::Lower)
        .register()?;
    let a = count(&[2, 2]).requires_grad_(true)?;
    let y = autocast(DType::BF16, || op.tensor(&[(&a).into(), vec![a.clone()].into(), (&a).into()]))??;
    y.to(DType::F32)?.sum((), false)?.backward()?;
    assert_eq!((y.dtype(), grad_of(&a)), (DType::BF16, vec![1.0; 4]));
    Ok(())
}
