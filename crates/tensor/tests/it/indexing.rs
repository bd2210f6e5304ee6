//! Python's brackets: views, picked elements, assignments, and refused keys.

use crate::common::*;
use lanthorn_tensor::Index;

fn at(text: &str) -> Vec<Index> {
    Index::parse(text).unwrap()
}

#[test]
fn numbers_ranges_and_ellipses_make_a_view() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3, 4]);
    for (text, shape, first, last) in [
        ("1", &[3, 4][..], 12.0, 23.0),
        ("-1, 0", &[4], 12.0, 15.0),
        ("..., 1", &[2, 3], 1.0, 21.0),
        (":, 1:, ::2", &[2, 2, 2], 4.0, 22.0),
        ("None, 0, ..., None, -1", &[1, 3, 1], 3.0, 11.0),
        ("...", &[2, 3, 4], 0.0, 23.0),
        (":, :2", &[2, 2, 4], 0.0, 19.0),
    ] {
        let view = x.index(&at(text))?;
        let values = read(&view);
        assert_eq!((shape_of(&view), values[0], values[values.len() - 1]), (shape.to_vec(), first, last), "{text}");
        assert!(view.shares_storage_with(&x), "{text}");
    }
    x.set_index(&at("1, :, ::3"), 0.0)?;
    assert_eq!(read(&x.index(&at("1, 0"))?), [0.0, 13.0, 14.0, 0.0]);
    x.set_index(&at("0"), &count(&[4]).neg()?)?;
    assert_eq!(read(&x.index(&at("0, 2"))?), [0.0, -1.0, -2.0, -3.0]);
    Ok(())
}

#[test]
fn index_tensors_pick_and_are_assigned_to() -> Result<()> {
    let _device = device();
    let x = leaf(&(0..24).map(|i| i as f32).collect::<Vec<_>>(), &[2, 3, 4]);
    let (rows, columns) = (ints(&[0, 1, -1], &[3]), ints(&[3, 0, 0], &[3]));
    // Dimensions of adjacent indices keep their position, of others they come first.
    let neighbours = x.index(&[Index::from(..), Index::from(&rows), Index::from(&columns)])?;
    assert_eq!((shape_of(&neighbours), read(&neighbours)), (vec![2, 3], vec![3.0, 4.0, 8.0, 15.0, 16.0, 20.0]));
    let apart = x.index(&[Index::from(&rows.clamp_min(0)?), Index::from(..), Index::from(&columns)])?;
    assert_eq!((shape_of(&apart), read(&apart)[..3].to_vec()), (vec![3, 3], vec![3.0, 7.0, 11.0]));
    neighbours.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x).iter().sum::<f32>(), 6.0);
    assert_eq!(grad_of(&x)[3], 1.0);
    let y = Tensor::zeros([3, 3])?;
    y.set_index(&[Index::from(&rows), Index::from(&columns.clamp_max(2)?)], tensor(&[1.0, 2.0, 3.0], &[3]))?;
    assert_eq!(read(&y), [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    // A view is written through, and what arrives twice adds up.
    let column = y.select(1, 1)?;
    column.index_put_(&[Some(ints(&[1, 1], &[2]))], &tensor(&[5.0, 6.0], &[2]), true)?;
    assert_eq!(read(&y), [0.0, 0.0, 1.0, 2.0, 11.0, 0.0, 3.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn masks_select_once_they_are_read() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3]);
    let mask = x.gt(2.5)?;
    let picked = pollster::block_on(x.index_async(&[Some(mask.clone())]))?;
    assert_eq!(read(&picked), [3.0, 4.0, 5.0]);
    let rows = pollster::block_on(x.index_async(&[Some(ints(&[0, 1], &[2]).to(DType::Bool)?)]))?;
    assert_eq!((shape_of(&rows), read(&rows)), (vec![1, 3], vec![3.0, 4.0, 5.0]));
    refused(x.index(&[Index::from(&mask)]), "dtype", &["mask", "await"]);
    x.set_index(&[Index::from(&mask)], -1.0)?;
    assert_eq!(read(&x), [0.0, 1.0, 2.0, -1.0, -1.0, -1.0]);
    x.set_index(&[Index::from(&x.lt(0.0)?)], tensor(&[7.0, 8.0, 9.0], &[3]))?;
    assert_eq!(read(&x), [0.0, 1.0, 2.0, 7.0, 8.0, 9.0]);
    refused(pollster::block_on(x.masked_scatter(&x.gt(0.0)?, &count(&[2]))?.to_vec::<f32>()), "index", &[]);
    refused(pollster::block_on(x.index_async(&[Some(count(&[3]).gt(1.0)?)])), "index", &["mask"]);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3]);
    refused(x.index(&at("0, 0, 0")), "index", &["[2, 3]"]);
    refused(x.index(&at("..., ...")), "index", &["ellipses"]);
    refused(x.index(&at("5")), "index", &["5"]);
    refused(x.index(&at("::0")), "argument", &["step"]);
    refused(Index::parse("1, x"), "argument", &["\"x\""]);
    refused(Index::parse("1:2:3:4"), "argument", &["1:2:3:4"]);
    refused(Index::parse_with("0", std::slice::from_ref(&x)), "argument", &["more tensors"]);
    refused(x.index(&[Index::from(&x)]), "dtype", &["int32"]);
    refused(x.index_put(&[Some(ints(&[0], &[1]))], &ints(&[0], &[1]), false), "dtype", &["index_put"]);
    refused(x.index_put(&[Some(ints(&[0], &[1]))], &count(&[2]), false), "shape", &["index_put"]);
    refused(
        call("scatter_reduce", &[(&x).into(), 0.into(), ints(&[0], &[1, 1]).into(), (&x).into(), text("median")]),
        "argument",
        &["median"],
    );
    // Found when the kernel runs.
    let outside = x.index(&[Index::from(&ints(&[2], &[1]))])?;
    refused(pollster::block_on(outside.to_vec::<f32>()), "index", &[]);
    Ok(())
}
