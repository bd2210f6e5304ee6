//! Wrong arguments are errors that name the function and the argument.

use lanthorn_tensor::{DType, Device, Reduction, Result, Tensor};
use lanthorn_vision::{ops, ops::BoxFormat, transforms::functional as f};

fn check_refusal(result: Result<Tensor>, texts: &[&str]) {
    let message = result.expect_err("the call is refused").to_string();
    for text in texts {
        assert!(message.contains(text), "{message:?} does not contain {text:?}");
    }
}

#[test]
fn wrong_arguments_are_errors_at_the_call() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let img = Tensor::full_with([3, 4, 4], 0.5, Some(DType::F32), Some(&device)).unwrap();
    let boxes = img.narrow(0, 0, 1).unwrap().reshape([4, 4]).unwrap();
    let row = boxes.select(0, 0).unwrap();
    check_refusal(ops::box_area(&img.narrow(2, 0, 3).unwrap(), BoxFormat::Xyxy), &["box_area", "boxes"]);
    check_refusal(ops::box_convert(&boxes, BoxFormat::Xyxy, BoxFormat::Xywhr), &["box_convert", "rotated"]);
    check_refusal(ops::sigmoid_focal_loss(&boxes, &boxes, 2.0, 2.0, Reduction::Mean), &["sigmoid_focal_loss", "alpha"]);
    check_refusal(ops::roi_pool(&img, &boxes, &[2], 1.0), &["roi_pool", "boxes"]);
    check_refusal(ops::drop_block2d(&img, 0.5, 3, 1e-6, true), &["drop_block2d", "4 dimensions"]);
    check_refusal(f::hflip(&row), &["hflip", "img"]);
    check_refusal(f::resize(&img, &[2, 2], f::InterpolationMode::Bilinear, Some(9), true), &["resize", "max_size"]);
    check_refusal(f::resize(&img, &[8], f::InterpolationMode::Bilinear, Some(8), true), &["resize", "max_size"]);
    check_refusal(f::pad(&img, &[1, 2, 3], &[], f::ImagePadding::Constant), &["pad", "padding"]);
    check_refusal(f::pad(&img, &[1], &[1.0, 2.0], f::ImagePadding::Constant), &["pad", "fill"]);
    check_refusal(f::rotate(&img, 9.0, f::InterpolationMode::Bicubic, false, None, None), &["rotate", "interpolation"]);
    check_refusal(f::gaussian_blur(&img, &[2], None), &["gaussian_blur", "kernel_size"]);
    check_refusal(f::adjust_hue(&img, 0.75), &["adjust_hue", "hue_factor"]);
    check_refusal(f::adjust_brightness(&img, -1.0), &["adjust_brightness", "brightness_factor"]);
    check_refusal(f::adjust_contrast(&img.narrow(0, 0, 2).unwrap(), 1.0), &["adjust_contrast", "channels"]);
    check_refusal(f::normalize(&img.to(DType::U8).unwrap(), &[0.5], &[0.5]), &["normalize", "to_dtype"]);
    check_refusal(f::normalize(&img, &[0.5], &[0.0]), &["normalize", "std"]);
    check_refusal(f::erase(&img, 3, 0, 2, 1, &img), &["erase", "inside"]);
    let line = [vec![0.0, 0.0], vec![1.0, 0.0], vec![2.0, 0.0], vec![3.0, 0.0]];
    check_refusal(f::perspective(&img, &line, &line, f::InterpolationMode::Nearest, None, None), &["perspective"]);
}
