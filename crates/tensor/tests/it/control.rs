//! Scans and loops beside plain loops: values, derivatives of any order, how often their functions
//! are called, and how much they compile. PyTorch's answers are tested by the crate `lanthorn`.

use crate::common::*;
use lanthorn_tensor::{
    autograd,
    compile::compile,
    control::{AssociativeScanOptions, CombineMode, ScanOptions, associative_scan, cond, scan, while_loop},
    func,
};
use pollster::block_on;
use std::{cell::Cell, rc::Rc, slice::from_ref};

fn wave(count: usize, shape: &[i64]) -> Tensor {
    tensor(&(0..count).map(|i| (i as f32 * 1.3).sin() * 0.5).collect::<Vec<_>>(), shape)
}

fn assert_close(found: &[f32], wanted: &[f32]) {
    let is_close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(is_close), "{found:?} beside {wanted:?}");
}

/// The next carry and the outputs of a step.
type Stepped = Result<(Vec<Tensor>, Vec<Tensor>)>;

/// A recurrent network of a number of steps.
struct Net {
    weight: Tensor,
    of_input: Tensor,
    init: Tensor,
    xs: Tensor,
}

impl Net {
    fn new(steps: usize, size: usize) -> Result<Net> {
        let grow = |count: usize, shape: &[i64]| wave(count, shape).requires_grad_(true);
        let n = size as i64;
        Ok(Net {
            weight: grow(size * size, &[n, n])?,
            of_input: grow(size * 2, &[n, 2])?,
            init: grow(size, &[n])?,
            xs: grow(steps * 2, &[steps as i64, 2])?,
        })
    }

    fn step(&self) -> impl Fn(&[Tensor], &[Tensor]) -> Stepped + use<> {
        // A result of an operation, which the steps capture with its graph.
        let weight = self.weight.mul(0.9).unwrap();
        let of_input = self.of_input.clone();
        move |carry, x| {
            let h = weight.matmul(&carry[0])?.add(&of_input.matmul(&x[0])?)?.tanh()?;
            Ok((vec![h.clone()], vec![h.square()?, h.sum((), false)?]))
        }
    }

    fn leaves(&self) -> [Tensor; 4] {
        [&self.weight, &self.of_input, &self.init, &self.xs].map(Clone::clone)
    }

    fn loss(last: &Tensor, outputs: &[Tensor]) -> Result<Tensor> {
        let shape: Vec<i64> = outputs[0].shape().iter().map(|&size| size as i64).collect();
        let weighted = outputs[0].mul(&wave(outputs[0].numel(), &shape).add(0.7)?)?.sum((), false)?;
        weighted.add(&outputs[1].square()?.sum((), false)?)?.add(&last.sum((), false)?)
    }

    fn scan(&self) -> Result<Tensor> {
        let (last, outputs) = scan(self.step(), from_ref(&self.init), from_ref(&self.xs), ScanOptions::default())?;
        Net::loss(&last[0], &outputs)
    }

    fn run_loop(&self) -> Result<Tensor> {
        let step = self.step();
        let (mut carry, mut rows) = (vec![self.init.clone()], vec![]);
        for t in 0..self.xs.shape()[0] {
            let (next, outputs) = step(&carry, &[self.xs.select(0, t as i64)?])?;
            carry = next;
            rows.push(outputs);
        }
        let stack = |column: usize| Tensor::stack(&rows.iter().map(|row| row[column].clone()).collect::<Vec<_>>(), 0);
        Net::loss(&carry[0], &[stack(0)?, stack(1)?])
    }
}

/// The gradients of a loss, and the gradients of the sum of their squares.
fn derivatives(loss: &Tensor, leaves: &[Tensor]) -> Result<Vec<Vec<f32>>> {
    let first: Vec<Tensor> = grad(from_ref(loss), leaves, &[], CREATE)?.into_iter().map(Option::unwrap).collect();
    let mut total = Tensor::zeros([])?;
    for gradient in &first {
        total = total.add(&gradient.square()?.sum((), false)?)?;
    }
    let second = grad(&[total], leaves, &[], CREATE)?;
    Ok(first.iter().chain(second.iter().flatten()).map(read).collect())
}

#[test]
fn a_scan_has_the_derivatives_of_a_loop() -> Result<()> {
    let _device = device();
    let net = Net::new(5, 3)?;
    let (scanned, looped) = (net.scan()?, net.run_loop()?);
    assert_close(&read(&scanned), &read(&looped));
    let (found, wanted) = (derivatives(&scanned, &net.leaves())?, derivatives(&looped, &net.leaves())?);
    assert_eq!((found.len(), wanted.len()), (8, 8));
    found.iter().zip(&wanted).for_each(|(found, wanted)| assert_close(found, wanted));
    // The first derivatives alone: a backward pass without a graph replays.
    net.scan()?.backward()?;
    net.leaves().iter().zip(&wanted).for_each(|(leaf, wanted)| assert_close(&grad_of(leaf), wanted));
    // A forward derivative goes through the transpose of the backward scan.
    let xs = net.xs.detach();
    let along = |steps: fn(&Net) -> Result<Tensor>| {
        let of = |x: &[Tensor]| {
            let net = Net {
                xs: x[0].clone(),
                weight: net.weight.detach(),
                of_input: net.of_input.detach(),
                init: net.init.detach(),
            };
            Ok(vec![steps(&net)?])
        };
        Ok::<_, Error>(read(&func::jvp(of, from_ref(&xs), &[xs.cos()?])?.1[0]))
    };
    assert_close(&along(Net::scan)?, &along(Net::run_loop)?);
    // Within a vmap the steps are ordinary operations.
    let samples = wave(3 * 10, &[3, 5, 2]);
    let of = |steps: fn(&Net) -> Result<Tensor>| {
        let (weight, of_input, init) = (net.weight.detach(), net.of_input.detach(), net.init.detach());
        let loss = move |x: &[Tensor]| {
            steps(&Net { xs: x[0].clone(), weight: weight.clone(), of_input: of_input.clone(), init: init.clone() })
        };
        Ok::<_, Error>(read(&func::vmap(func::grad(loss, &[0]), Default::default())(from_ref(&samples))?[0]))
    };
    assert_close(&of(Net::scan)?, &of(Net::run_loop)?);
    Ok(())
}

#[test]
fn a_thousand_steps_compile_what_ten_do() -> Result<()> {
    let compiled = |steps: usize| {
        let device = device();
        let net = Net::new(steps, 4)?;
        let calls = Rc::new(Cell::new(0));
        let (step, count) = (net.step(), calls.clone());
        let counting = move |carry: &[Tensor], x: &[Tensor]| {
            count.set(count.get() + 1);
            step(carry, x)
        };
        let before = device.inspect().stats();
        let (last, outputs) = scan(counting, from_ref(&net.init), from_ref(&net.xs), ScanOptions::default())?;
        Net::loss(&last[0], &outputs)?.backward()?;
        let total: f32 = net.leaves().iter().flat_map(grad_of).sum();
        assert!(total.is_finite());
        let after = device.inspect().stats();
        let launches = (after.launches - before.launches) as f64 / steps as f64;
        Ok::<_, Error>((calls.get(), after.kernels - before.kernels, after.plan_misses - before.plan_misses, launches))
    };
    let (ten, thousand) = (compiled(10)?, compiled(1000)?);
    assert_eq!((ten.0, thousand.0), (4, 4), "calls of the function");
    assert!(thousand.1 <= ten.1 && thousand.2 <= ten.2, "kernels and plans: {ten:?}, then {thousand:?}");
    assert!(thousand.3 <= ten.3, "launches of a step: {ten:?}, then {thousand:?}");
    println!("calls, kernels, plans, launches of a step: {ten:?}, {thousand:?}");
    Ok(())
}

#[test]
fn a_compiled_function_and_a_scan_may_contain_a_scan() -> Result<()> {
    let _device = device();
    let net = Rc::new(Net::new(4, 3)?);
    let of = net.clone();
    let training = compile(move |_: &[Tensor]| {
        of.weight.set_grad(None)?;
        let loss = of.scan()?;
        loss.backward()?;
        Ok(vec![loss])
    });
    net.run_loop()?.backward()?;
    let wanted = grad_of(&net.weight);
    for _ in 0..3 {
        assert_close(&read(&training.call(&[])?[0]), &read(&net.run_loop()?));
        assert_close(&grad_of(&net.weight), &wanted);
    }
    let report = training.explain();
    assert_eq!((report.replays, report.recordings.len()), (0, 0));
    assert!(report.breaks[0].contains("runs a scan"), "{:?}", report.breaks);
    // Sums of rows by a scan of scans.
    let rows = leaf(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let sum = |carry: &[Tensor], x: &[Tensor]| {
        let inner = |carry: &[Tensor], x: &[Tensor]| Ok((vec![carry[0].add(&x[0].square()?)?], vec![]));
        let (total, _) = scan(inner, carry, x, ScanOptions::default())?;
        Ok((total.clone(), total))
    };
    let (total, partial) = scan(sum, &[Tensor::zeros([])?], from_ref(&rows), ScanOptions::default())?;
    assert_eq!((read(&total[0]), read(&partial[0])), (vec![91.0], vec![14.0, 91.0]));
    total[0].backward()?;
    assert_eq!(grad_of(&rows), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    Ok(())
}

#[test]
fn a_backward_pass_draws_the_numbers_of_the_scan() -> Result<()> {
    let device = device();
    device.manual_seed(5);
    let x = leaf(&[1.0; 12], &[6, 2]);
    let noisy = |carry: &[Tensor], x: &[Tensor]| {
        let scaled = x[0].mul(&Tensor::rand([2])?)?;
        Ok((vec![carry[0].add(&scaled)?], vec![scaled]))
    };
    let (_, scaled) = scan(noisy, &[Tensor::zeros([2])?], from_ref(&x), ScanOptions::default())?;
    let next = read(&Tensor::rand([2])?);
    scaled[0].sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), read(&scaled[0]));
    assert_ne!(read(&scaled[0].select(0, 0)?), read(&scaled[0].select(0, 1)?));
    assert_ne!(read(&Tensor::rand([2])?), next, "the generator continues");
    Ok(())
}

#[test]
fn carries_of_any_kind() -> Result<()> {
    let _device = device();
    // Integers and bools beside numbers, two that are exchanged, and a write to a carry.
    let init = [tensor(&[1.0], &[1]), tensor(&[2.0], &[1]), ints(&[0], &[1]), tensor(&[0.0], &[]).gt(0.0)?];
    let step = |c: &[Tensor], _: &[Tensor]| {
        c[2].add_(1)?;
        let next = vec![c[1].clone(), c[0].add(&c[1])?, c[2].clone(), c[3].logical_not()?];
        Ok((next, vec![c[0].clone(), c[0].clone(), c[3].clone()]))
    };
    let options = ScanOptions { length: Some(5), ..Default::default() };
    let (last, outputs) = scan(step, &init, &[], options)?;
    assert_eq!((read(&last[0]), read(&last[1])), (vec![13.0], vec![21.0]));
    assert_eq!(block_on(last[2].to_vec::<i32>())?, [5]);
    assert_eq!((read(&outputs[0]), read(&outputs[1])), (vec![1.0, 2.0, 3.0, 5.0, 8.0], vec![1.0, 2.0, 3.0, 5.0, 8.0]));
    assert_eq!(read(&outputs[2].to(DType::F32)?), [0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(block_on(init[2].to_vec::<i32>())?, [0], "the caller's tensor stays as it is");
    // No steps: the carry, and outputs without slices.
    let start = leaf(&[3.0], &[1]);
    let none = |c: &[Tensor], x: &[Tensor]| Ok((vec![c[0].mul(&x[0])?], vec![x[0].clone()]));
    let (last, outputs) =
        scan(none, from_ref(&start), &[tensor(&[], &[0, 4]).narrow(1, 0, 1)?], ScanOptions::default())?;
    assert!(last[0].is(&start) && outputs[0].shape()[..] == [0, 1]);
    Ok(())
}

#[test]
fn prefixes_of_any_length() -> Result<()> {
    let _device = device();
    for length in [1, 2, 3, 5, 8, 13] {
        let x = wave(2 * length, &[2, length as i64]).requires_grad_(true)?;
        for reverse in [false, true] {
            for combine_mode in [CombineMode::Pointwise, CombineMode::Generic] {
                let options = AssociativeScanOptions { reverse, combine_mode };
                let sum = |a: &[Tensor], b: &[Tensor]| Ok(vec![a[0].add(&b[0])?]);
                let found = associative_scan(sum, from_ref(&x), 1, options)?.remove(0);
                let turned = if reverse { x.flip([1])? } else { x.clone() };
                let wanted = turned.cumsum(1)?;
                let wanted = if reverse { wanted.flip([1])? } else { wanted };
                assert_close(&read(&found), &read(&wanted));
                let gradient = |y: &Tensor| {
                    let found = grad(&[y.square()?.sum((), false)?], from_ref(&x), &[], RETAIN)?;
                    Ok::<_, Error>(read(found[0].as_ref().unwrap()))
                };
                assert_close(&gradient(&found)?, &gradient(&wanted)?);
            }
        }
    }
    // The combination of rotations, which do not commute with translations.
    let [a, b] = [wave(4 * 7, &[7, 2, 2]), wave(2 * 7, &[7, 2])];
    let then = |x: &[Tensor], y: &[Tensor]| Ok(vec![y[0].matmul(&x[0])?, y[0].matmul(&x[1])?.add(&y[1])?]);
    let generic = AssociativeScanOptions { combine_mode: CombineMode::Generic, ..Default::default() };
    let found = associative_scan(then, &[a.clone(), b.clone()], 0, generic)?;
    let step = |h: &[Tensor], x: &[Tensor]| {
        let h = x[0].matmul(&h[0])?.add(&x[1])?;
        Ok((vec![h.clone()], vec![h]))
    };
    let (_, wanted) = scan(step, &[Tensor::zeros([2])?], &[a, b], ScanOptions::default())?;
    assert_close(&read(&found[1]), &read(&wanted[0]));
    Ok(())
}

#[test]
fn loops_and_branches() -> Result<()> {
    let device = device();
    let x = leaf(&[0.5, 1.0], &[2]);
    let weight = leaf(&[1.5], &[1]);
    let captured = weight.clone();
    let grow = move |c: &[Tensor]| Ok(vec![c[0].add(1)?, c[1].mul(&captured)?]);
    let start = [ints(&[0], &[]), x.clone()];
    let before = device.inspect().stats().kernels;
    let last = block_on(while_loop(|c| c[1].sum((), false)?.lt(1000.0), grow, &start))?;
    let steps = item(&last[0]) as i32;
    assert_eq!((steps, device.inspect().stats().kernels - before < 40), (17, true));
    last[1].sum((), false)?.backward()?;
    assert_close(&grad_of(&x), &[1.5f32.powi(steps); 2]);
    assert_close(&grad_of(&weight), &[steps as f32 * 1.5f32.powi(steps - 1) * 1.5]);
    let none = block_on(while_loop(|c| c[0].gt(0), |c| Ok(c.to_vec()), &[ints(&[0], &[])]))?;
    assert_eq!(item(&none[0]), 0.0);

    let y = leaf(&[2.0], &[1]);
    let unused = leaf(&[1.0], &[1]);
    for (sign, wanted) in [(1.0, 4.0), (-1.0, -2.0)] {
        let pred = tensor(&[sign], &[]).gt(0.0)?;
        let found = block_on(cond(
            &pred,
            |x| Ok(vec![x[0].square()?]),
            |x| Ok(vec![x[0].mul(&x[1])?.neg()?]),
            &[y.clone(), unused.clone()],
        ))?;
        assert_eq!(read(&found[0]), [wanted]);
        let gradients = grad(&found, &[y.clone(), unused.clone()], &[], RETAIN)?;
        let of_unused = if sign > 0.0 { 0.0 } else { -2.0 };
        assert_eq!(read(gradients[1].as_ref().unwrap()), [of_unused]);
    }
    Ok(())
}

#[test]
fn mistakes_are_errors_of_the_call() -> Result<()> {
    let _device = device();
    let (h, xs) = (tensor(&[1.0, 2.0], &[2]), wave(6, &[3, 2]));
    type Step = fn(&[Tensor], &[Tensor]) -> Stepped;
    let keep: Step = |c, x| Ok((vec![c[0].add(&x[0])?], vec![]));
    let run = |step: Step, init: &[Tensor], xs: &[Tensor], options: ScanOptions| {
        scan(step, init, xs, options).map(|_| ()).unwrap_err().to_string()
    };
    let says = |error: String, text: &str| assert!(error.starts_with("scan: ") && error.contains(text), "{error}");
    let plain = ScanOptions::default;
    let one = from_ref(&xs);
    says(
        run(|c, _| Ok((vec![c[0].sum((), true)?], vec![])), from_ref(&h), one, plain()),
        "tensor 0 of the carry that the function returned is float32 [1], tensor 0 of init is float32 [2]",
    );
    says(
        run(|c, _| Ok((vec![c[0].to(DType::I32)?], vec![])), from_ref(&h), one, plain()),
        "is int32 [2], tensor 0 of init is float32 [2]",
    );
    says(run(|c, _| Ok((vec![c[0].clone(); 2], vec![])), from_ref(&h), one, plain()), "has 2 tensors, init has 1");
    says(run(keep, &[], one, plain()), "init holds no tensor");
    says(run(keep, from_ref(&h), &[], plain()), "xs holds no tensor: give the number of steps as length");
    says(run(keep, from_ref(&h), one, ScanOptions { length: Some(4), ..plain() }), "length is 4, xs has 3 slices");
    says(run(keep, from_ref(&h), one, ScanOptions { dim: 2, ..plain() }), "2");
    says(
        run(keep, from_ref(&h), &[xs.clone(), wave(4, &[2, 2])], plain()),
        "tensor 0 of xs has 3 slices along 0, tensor 1 has 2",
    );
    says(run(keep, from_ref(&h), &[xs.clone(), h.sum((), false)?], plain()), "tensor 1 of xs has 0 dimensions");
    let error = associative_scan(|a, _| Ok(vec![a[0].sum((), true)?]), one, 0, Default::default()).unwrap_err();
    assert!(error.to_string().starts_with("associative_scan: tensor 0 of the combination is"), "{error}");
    let error = block_on(cond(&h, |x| Ok(x.to_vec()), |x| Ok(x.to_vec()), from_ref(&h))).unwrap_err();
    assert!(error.to_string().starts_with("cond: pred is a tensor of one element, not of shape [2]"), "{error}");
    let error = block_on(cond(&h.select(0, 0)?, |x| Ok(x.to_vec()), |x| Ok(vec![x[0].sum((), false)?]), from_ref(&h)));
    assert!(error.unwrap_err().to_string().contains(
        "the result of the function for true is float32 [2], tensor 0 of the result of the other is float32 []"
    ));
    let error = block_on(while_loop(|c| c[0].lt(1.0), |c| Ok(c.to_vec()), from_ref(&h))).unwrap_err();
    assert!(error.to_string().starts_with("while_loop: the predicate is a tensor of one element"), "{error}");
    let error = block_on(while_loop(|c| c[0].sum((), false)?.gt(0.0), |c| Ok(vec![c[0].select(0, 0)?]), from_ref(&h)));
    assert!(error.unwrap_err().to_string().contains("tensor 0 of the result of the body is float32 []"));
    // A tensor that the function captures changes before the backward pass.
    let weight = leaf(&[1.0, 2.0], &[2]);
    let captured = weight.clone();
    let step = move |c: &[Tensor], x: &[Tensor]| Ok((vec![c[0].mul(&captured)?.add(&x[0])?], vec![]));
    let (last, _) = scan(step, from_ref(&h), one, plain())?;
    no_grad(|| weight.add_(1.0))?;
    let error = autograd::enable_grad(|| last[0].sum((), false)?.backward()).unwrap_err();
    assert!(error.to_string().contains("captures was changed in place"), "{error}");
    Ok(())
}
