//! Views: their memory, the effect of a write through one, and calls that copy instead.

use crate::common::*;

#[test]
fn strides_are_pytorchs() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3, 4]);
    let expect = |view: Tensor, shape: &[usize], stride: &[isize], offset: usize, contiguous: bool| {
        assert!(view.shares_storage_with(&x));
        let got = (view.shape().to_vec(), view.stride().to_vec(), view.storage_offset(), view.is_contiguous());
        assert_eq!(got, (shape.to_vec(), stride.to_vec(), offset, contiguous));
    };
    expect(x.clone(), &[2, 3, 4], &[12, 4, 1], 0, true);
    expect(x.permute([2, 0, 1])?, &[4, 2, 3], &[1, 12, 4], 0, false);
    expect(x.transpose(0, -1)?, &[4, 3, 2], &[1, 4, 12], 0, false);
    expect(x.select(1, 2)?, &[2, 4], &[12, 1], 8, false);
    expect(x.select(0, 1)?, &[3, 4], &[4, 1], 12, true);
    expect(x.slice(2, 1, 4, 2)?, &[2, 3, 2], &[12, 4, 2], 1, false);
    expect(x.narrow(0, 1, 1)?, &[1, 3, 4], &[12, 4, 1], 12, true);
    expect(x.reshape([6, 4])?, &[6, 4], &[4, 1], 0, true);
    expect(x.reshape([2, 2, 6])?, &[2, 2, 6], &[12, 6, 1], 0, true);
    expect(x.transpose(0, 1)?.reshape([3, 2, 2, 2])?, &[3, 2, 2, 2], &[4, 12, 2, 1], 0, false);
    expect(x.select(0, 0)?.expand([5, 3, 4])?, &[5, 3, 4], &[0, 4, 1], 0, false);
    expect(x.narrow(1, 0, 1)?.expand([2, 3, -1])?, &[2, 3, 4], &[12, 0, 1], 0, false);
    expect(x.narrow(1, 1, 1)?.squeeze(1)?, &[2, 4], &[12, 1], 4, false);
    expect(x.slice(0, 2, 2, 1)?, &[0, 3, 4], &[12, 4, 1], x.slice(0, 2, 2, 1)?.storage_offset(), true);
    // Dimensions of size 1 are contiguous with the dimensions after them.
    expect(x.unsqueeze(0)?, &[1, 2, 3, 4], &[24, 12, 4, 1], 0, true);
    expect(x.unsqueeze(1)?, &[2, 1, 3, 4], &[12, 12, 4, 1], 0, true);
    expect(x.unsqueeze(-1)?, &[2, 3, 4, 1], &[12, 4, 1, 1], 0, true);
    expect(x.reshape([1, 24])?, &[1, 24], &[24, 1], 0, true);
    Ok(())
}

#[test]
fn what_does_not_lie_in_order_is_copied() -> Result<()> {
    let _device = device();
    let x = count(&[2, 3]);
    let flat = x.transpose(0, 1)?.reshape([6])?;
    assert!(!flat.shares_storage_with(&x));
    assert_eq!(read(&flat), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let copy = x.transpose(0, 1)?.contiguous()?;
    assert!(copy.is_contiguous() && !copy.shares_storage_with(&x));
    // A row is in order where it lies: no copy, and a write to it is a write to the matrix.
    let row = x.select(0, 1)?.contiguous()?;
    assert!(row.shares_storage_with(&x));
    row.add_(10.0)?;
    assert_eq!(read(&x), [0.0, 1.0, 2.0, 13.0, 14.0, 15.0]);
    assert!(!x.clone_tensor()?.shares_storage_with(&x));
    assert!(x.to(DType::F32)?.shares_storage_with(&x));
    Ok(())
}

#[test]
fn a_copy_between_overlapping_windows_reads_before_it_writes() -> Result<()> {
    let _device = device();
    for (from, to, want) in [(0, 1, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), (1, 0, [1.0, 2.0, 3.0, 4.0, 5.0, 5.0])] {
        let x = count(&[6]);
        x.narrow(0, to, 5)?.copy_(&x.narrow(0, from, 5)?)?;
        assert_eq!(read(&x), want);
    }
    let x = count(&[3, 3]);
    x.copy_(&x.transpose(0, 1)?)?;
    assert_eq!(read(&x), [0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0, 8.0]);
    let x = count(&[4]);
    x.copy_(&x)?;
    x.select(0, 3)?.copy_(&x.select(0, 0)?)?;
    x.copy_(&x.select(0, 1)?)?;
    assert_eq!(read(&x), [1.0; 4]);
    // Two tensors that took one value are on their own again after the next write.
    let (a, b) = (count(&[3]), tensor(&[0.0; 3], &[3]));
    b.copy_(&a)?;
    a.add_(1.0)?;
    b.mul_(10.0)?;
    assert_eq!((read(&a), read(&b)), (vec![1.0, 2.0, 3.0], vec![0.0, 10.0, 20.0]));
    Ok(())
}

#[test]
fn versions_count_writes_to_the_storage() -> Result<()> {
    let _device = device();
    let x = count(&[2, 2]);
    let (row, detached, copy) = (x.select(0, 0)?, x.detach(), x.clone_tensor()?);
    row.add_(1.0)?;
    detached.mul_(2.0)?;
    assert_eq!((x.version(), row.version(), detached.version(), copy.version()), (2, 2, 2, 0));
    assert!(x.add_(count(&[3])).is_err() && x.version() == 2);
    assert_eq!(read(&x), [2.0, 4.0, 4.0, 6.0]);
    Ok(())
}

#[test]
fn nothing_and_one_thing() -> Result<()> {
    let _device = device();
    let empty = count(&[0, 3]);
    assert!(empty.is_contiguous());
    assert_eq!(shape_of(&empty.transpose(0, 1)?), [3, 0]);
    assert_eq!(shape_of(&empty.reshape([3, 0, 2])?), [3, 0, 2]);
    assert_eq!(shape_of(&empty.expand([5, 0, 3])?), [5, 0, 3]);
    assert_eq!(read(&empty.transpose(0, 1)?.add(1.0)?), []);
    empty.add_(1.0)?;
    empty.copy_(&tensor(&[1.0], &[1]))?;
    let x = leaf(&[1.0, 2.0], &[2]);
    x.slice(0, 1, 1, 1)?.mul(2.0)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [0.0, 0.0]);
    let scalar = tensor(&[3.0], &[]);
    assert_eq!((scalar.rank(), scalar.numel(), scalar.stride().len()), (0, 1, 0));
    assert_eq!(shape_of(&scalar.unsqueeze(-1)?.reshape([1, 1])?), [1, 1]);
    scalar.reshape([1])?.add_(1.0)?;
    assert_eq!(item(&scalar), 4.0);
    assert_eq!(shape_of(&scalar.permute([])?.squeeze(())?), [] as [usize; 0]);
    assert_eq!(shape_of(&scalar.flatten(0, -1)?), [1]);
    Ok(())
}

#[test]
fn sixteen_dimensions_and_no_more() -> Result<()> {
    let _device = device();
    let x = count(&[2; 16]);
    let order: Vec<i64> = (0..16).rev().collect();
    let turned = x.permute(order)?;
    assert_eq!(turned.stride(), (0..16).map(|d| 1 << d).collect::<Vec<isize>>());
    // The bits of each index, reversed.
    let want: Vec<f32> = (0..=u16::MAX).map(|i| f32::from(i.reverse_bits())).collect();
    assert_eq!(read(&turned.add(0.0)?), want);
    assert_eq!(item(&turned.sum((), false)?), 65535.0 * 32768.0);
    refused(x.unsqueeze(0), "shape", &["unsqueeze", "17", "16"]);
    refused(x.expand(vec![2; 17]), "shape", &["17"]);
    refused(x.reshape(vec![1; 17]), "shape", &["reshape"]);
    refused(Tensor::zeros(vec![1; 17]), "shape", &["zeros", "17 dimensions"]);
    refused(Tensor::stack(&[x.clone(), x], 0), "shape", &["17"]);
    Ok(())
}
