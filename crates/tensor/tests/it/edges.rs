//! PyTorch 2.15's answers at the edges: empty batches and matrices, NaN, limits, and numbers whose
//! squares overflow.

use crate::common::*;
use lanthorn_tensor::Operand;

const NAN: f32 = f32::NAN;

/// Whether the numbers are equal or both NaN.
#[track_caller]
fn same(got: &[f32], want: &[f32]) {
    let equal = |(got, want): (&f32, &f32)| got == want || (got.is_nan() && want.is_nan());
    assert!(got.len() == want.len() && got.iter().zip(want).all(equal), "{got:?}, expected {want:?}");
}

#[test]
fn extremes_of_nan_give_it_their_gradient() -> Result<()> {
    let _device = device();
    type Extreme = fn(&Tensor) -> Result<Tensor>;
    let shared: [Extreme; 2] = [|x| x.max(), |x| x.min()];
    let spread: [Extreme; 4] =
        [|x| x.amax((), false), |x| x.amin((), false), |x| Ok(x.aminmax()?.0), |x| Ok(x.aminmax()?.1)];
    for (extremes, of_nan) in [(&shared[..], [0.0, 0.5, 0.0, 0.5]), (&spread[..], [NAN; 4])] {
        for extreme in extremes {
            let x = leaf(&[1.0, NAN, 2.0, NAN], &[4]);
            let y = extreme(&x)?;
            assert!(item(&y).is_nan());
            y.backward()?;
            same(&grad_of(&x), &of_nan);
            let x = leaf(&[1.0, 3.0, 3.0, 1.0], &[4]);
            extreme(&x)?.backward()?;
            let shares = grad_of(&x);
            assert!(shares == [0.0, 0.5, 0.5, 0.0] || shares == [0.5, 0.0, 0.0, 0.5], "{shares:?}");
        }
    }
    // Along a dimension the gradient goes to the first NaN alone.
    let x = leaf(&[1.0, NAN, 2.0, NAN], &[4]);
    x.max_dim(0, false)?.0.backward()?;
    same(&grad_of(&x), &[0.0, 1.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn no_gradient_passes_at_a_limit_that_is_a_number() -> Result<()> {
    let _device = device();
    let numbers = [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, NAN, f32::INFINITY, f32::NEG_INFINITY];
    let (low, high) = (Some(Scalar::Int(-1)), Some(Scalar::Int(1)));
    for (low, high, values, gradient) in [
        (low, high, [-1.0, -1.0, 0.0, 0.5, 1.0, 1.0, NAN, 1.0, -1.0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (
            low,
            None,
            [-1.0, -1.0, 0.0, 0.5, 1.0, 2.0, NAN, f32::INFINITY, -1.0],
            [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0],
        ),
        (
            None,
            high,
            [-2.0, -1.0, 0.0, 0.5, 1.0, 1.0, NAN, 1.0, f32::NEG_INFINITY],
            [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ),
        (high, low, [-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, NAN, -1.0, -1.0], [0.0; 9]),
        (Some(Scalar::Float(f64::NAN)), high, [NAN; 9], [0.0; 9]),
    ] {
        let x = leaf(&numbers, &[9]);
        let y = x.clamp(low, high)?;
        same(&read(&y), &values);
        y.sum((), false)?.backward()?;
        same(&grad_of(&x), &gradient);
    }
    Ok(())
}

#[test]
fn a_limit_that_is_a_tensor_shares_the_gradient() -> Result<()> {
    let _device = device();
    // x, both limits, and the gradients of the three.
    let rows: &[[f32; 6]] = &[
        [-2.0, -1.0, 1.0, 0.0, 1.0, 0.0],
        [-1.0, -1.0, 1.0, 0.5, 0.5, 0.0],
        [0.0, -1.0, 1.0, 1.0, 0.0, 0.0],
        [1.0, -1.0, 1.0, 0.5, 0.0, 0.5],
        [2.0, -1.0, 1.0, 0.0, 0.0, 1.0],
        [NAN, -1.0, 1.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 1.0, 0.0, 0.0],
        [3.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0, 0.0, 1.0, 0.0],
        [NAN, 1.0, 1.0, 1.0, 0.0, 0.0],
        [1.0, 2.0, 1.0, 0.0, 0.0, 1.0],
        [3.0, 2.0, 1.0, 0.0, 0.0, 1.0],
        [0.0, 2.0, 1.0, 0.0, 0.0, 1.0],
        [NAN, 2.0, 1.0, 1.0, 0.0, 1.0],
        [0.0, NAN, 1.0, 1.0, 0.0, 0.0],
        [3.0, NAN, 1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, NAN, 0.0, 0.0, 0.0],
        [2.0, 1.0, NAN, 1.0, 0.0, 0.0],
    ];
    let column = |index: usize| leaf(&rows.iter().map(|row| row[index]).collect::<Vec<_>>(), &[rows.len() as i64]);
    let operands = [0, 1, 2].map(column);
    operands[0].clamp_tensor(Some(&operands[1]), Some(&operands[2]))?.sum((), false)?.backward()?;
    for (index, operand) in operands.iter().enumerate() {
        let want: Vec<f32> = rows.iter().map(|row| row[3 + index]).collect();
        same(&grad_of(operand), &want);
    }
    // One limit is a maximum, whose NaN takes the gradient twice.
    let (x, low) = (leaf(&[-2.0, -1.0, 0.0, NAN], &[4]), leaf(&[-1.0; 4], &[4]));
    x.clamp_min(Operand::from(&low))?.sum((), false)?.backward()?;
    same(&grad_of(&x), &[0.0, 0.5, 1.0, 1.0]);
    same(&grad_of(&low), &[1.0, 0.5, 0.0, 1.0]);
    Ok(())
}

#[test]
fn a_deviation_does_not_overflow_where_its_variance_does() -> Result<()> {
    let _device = device();
    let rows: [(&[f32], f64, &[f32]); 6] = [
        (&[1e20, 2e20, 3e20], 1e20, &[-0.5, 0.0, 0.5]),
        (&[1e20, -1e20], 1.414_213_6e20, &[0.707_106_77, -0.707_106_77]),
        (&[1e20, 1e20, 1e20], 0.0, &[0.0, 0.0, 0.0]),
        (&[1e-30, 2e-30], 7.071_067_8e-31, &[-0.707_106_77, 0.707_106_77]),
        (&[1.0, 3.0], std::f64::consts::SQRT_2, &[-0.707_106_77, 0.707_106_77]),
        (&[1e20], f64::NAN, &[NAN]),
    ];
    for (values, want, gradient) in rows {
        let x = leaf(values, &[values.len() as i64]);
        let (deviation, mean) = x.std_mean(())?;
        let got = item(&deviation);
        assert!(
            (got - want).abs() <= 1e-6 * want.abs() || (got.is_nan() && want.is_nan()),
            "{values:?}: {got}, expected {want}"
        );
        assert!(item(&mean).is_finite());
        deviation.backward()?;
        let near = |(got, want): (&f32, &f32)| (got - want).abs() < 1e-6 || (got.is_nan() && want.is_nan());
        let got = grad_of(&x);
        assert!(got.iter().zip(gradient).all(near), "{values:?}: {got:?}, expected {gradient:?}");
    }
    // Every row has its own scale; the variance of the first is infinite, as in PyTorch.
    let x = tensor(&[1e20, 2e20, 1.0, 2.0, f32::INFINITY, 1.0, NAN, 1.0], &[4, 2]);
    let got = read(&x.std(1)?);
    assert!((got[0] / 7.071_068e19 - 1.0).abs() < 1e-6 && (got[1] - 0.707_106_77).abs() < 1e-6, "{got:?}");
    assert!(got[2].is_nan() && got[3].is_nan());
    assert_eq!(read(&x.var(1)?)[..2], [f32::INFINITY, 0.5]);
    assert!(read(&tensor(&[], &[0, 2]).std(0)?).iter().all(|value| value.is_nan()));
    Ok(())
}

#[test]
fn the_largest_norm_of_an_empty_matrix_is_0() -> Result<()> {
    let _device = device();
    let infinity = f64::INFINITY;
    for shape in [[0, 0], [0, 3], [3, 0]] {
        let x = leaf(&[], &shape);
        for order in [1.0, 2.0, infinity] {
            let norm = x.linalg_norm(Some(Scalar::Float(order)), (), false)?;
            assert_eq!(item(&norm), 0.0, "order {order} of {shape:?}");
            norm.backward()?;
            assert_eq!(shape_of(&x.grad().unwrap()), shape_of(&x));
        }
        for &order in MatrixNorm::ALL {
            assert_eq!(item(&x.linalg_norm_ord_str(order, (), false)?), 0.0, "{order} of {shape:?}");
        }
        // The smallest of none does not exist.
        let smallest = |order: f64| x.linalg_norm(Some(Scalar::Float(order)), (), false);
        refused(smallest(-2.0), "shape", &["linalg_norm"]);
        for (order, along) in [(-1.0, 1), (-infinity, 0)] {
            match shape[along] {
                0 => refused(smallest(order), "shape", &["linalg_norm"]),
                _ => assert_eq!(item(&smallest(order)?), 0.0, "order {order} of {shape:?}"),
            }
        }
    }
    let batch = tensor(&[], &[2, 0, 3]);
    assert_eq!(read(&batch.linalg_matrix_norm_ord(1, [-2, -1], false)?), [0.0, 0.0]);
    for order in [None, Some(1.0), Some(-1.0), Some(2.0), Some(-2.0), Some(infinity)] {
        let order = order.map(Scalar::Float);
        assert_eq!(read(&tensor(&[], &[2, 0, 0]).linalg_cond(order)?), [0.0, 0.0], "{order:?}");
    }
    Ok(())
}

#[test]
fn a_grid_at_the_centers_of_pixels_has_gradients() -> Result<()> {
    let _device = device();
    let grid = leaf(&[0.0, 0.0], &[1, 1, 1, 2]);
    let image = tensor(&[1.0, 2.0, 4.0, 1.0, 3.0, 9.0, 5.0, 7.0, 8.0], &[1, 1, 3, 3]);
    let y = image.grid_sample(&grid, GridMode::Bilinear, GridPadding::Zeros, Some(true))?;
    assert_eq!(read(&y), [3.0]);
    // The differences from the center to the right and down, as in PyTorch.
    y.sum((), false)?.backward()?;
    assert_eq!(grad_of(&grid), [6.0, 4.0]);
    Ok(())
}

#[test]
fn a_grid_samples_an_empty_batch() -> Result<()> {
    let _device = device();
    let sampled = |image: &[i64], grid: &[i64]| {
        let (image, grid) = (leaf(&[], image), leaf(&[], grid));
        let y = image.grid_sample(&grid, GridMode::Bilinear, GridPadding::Zeros, None)?;
        y.sum((), false)?.backward()?;
        assert_eq!(shape_of(&image.grad().unwrap()), shape_of(&image));
        assert_eq!(shape_of(&grid.grad().unwrap()), shape_of(&grid));
        Ok::<_, Error>(shape_of(&y))
    };
    assert_eq!(sampled(&[0, 3, 4, 5], &[0, 2, 3, 2])?, [0, 3, 2, 3]);
    assert_eq!(sampled(&[0, 3, 4, 5, 6], &[0, 2, 3, 2, 3])?, [0, 3, 2, 3, 2]);
    let image = count(&[2, 3, 4, 5]);
    for &mode in GridMode::ALL {
        let y = image.grid_sample(&tensor(&[], &[2, 0, 3, 2]), mode, GridPadding::Border, None)?;
        assert_eq!(shape_of(&y), [2, 3, 0, 3]);
        let y = tensor(&[], &[2, 0, 4, 5]).grid_sample(&count(&[2, 2, 3, 2]), mode, GridPadding::Reflection, None)?;
        assert_eq!(shape_of(&y), [2, 0, 2, 3]);
    }
    refused(
        tensor(&[], &[0, 3, 0, 5]).grid_sample(
            &tensor(&[], &[0, 2, 3, 2]),
            GridMode::Nearest,
            GridPadding::Zeros,
            None,
        ),
        "shape",
        &[],
    );
    Ok(())
}

#[test]
fn empty_tensors_that_are_joined_get_gradients() -> Result<()> {
    let _device = device();
    // The last one only fits because it is empty.
    let parts = [leaf(&[], &[0, 2]), leaf(&[1.0, 2.0], &[1, 2]), leaf(&[], &[0])];
    Tensor::cat(&parts, 0)?.sum((), false)?.backward()?;
    for part in &parts {
        let gradient = part.grad().expect("a gradient");
        assert_eq!((shape_of(&gradient), read(&gradient)), (shape_of(part), vec![1.0; part.numel()]));
    }
    // A list that is joined in pieces, one of which has no elements.
    let many: Vec<Tensor> =
        (0..40).map(|i| if i < 12 || i % 3 == 0 { leaf(&[], &[0]) } else { leaf(&[i as f32], &[1]) }).collect();
    let joined = Tensor::cat(&many, 0)?;
    let want: Vec<f32> = (12..40).filter(|i| i % 3 != 0).map(|i| i as f32).collect();
    assert_eq!(read(&joined), want);
    joined.square()?.sum((), false)?.backward()?;
    for (index, part) in many.iter().enumerate() {
        assert_eq!(grad_of(part), vec![2.0 * index as f32; part.numel()]);
    }
    Ok(())
}
