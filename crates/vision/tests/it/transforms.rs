//! Transforms of samples: the choices of a seed, and masks and boxes that move with the picture.

use lanthorn_tensor::{DType, Device, Result, Tensor};
use lanthorn_vision::ops::BoxFormat;
use lanthorn_vision::transforms::functional::{ImagePadding, InterpolationMode, hflip};
use lanthorn_vision::transforms::*;
use lanthorn_vision::tv_tensors::{TvTensor, bounding_boxes, image, mask, other};
use pollster::block_on;
use std::rc::Rc;

const HEIGHT: usize = 8;
const WIDTH: usize = 10;

fn device() -> Device {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.set_default();
    device
}

fn numbers(x: &Tensor) -> Vec<f32> {
    block_on(x.to(DType::F32).unwrap().to_vec::<f32>()).unwrap()
}

/// A picture whose first channel is 1 in a box, the mask of the box, and the box.
fn sample(device: &Device) -> Vec<TvTensor> {
    let mut set = vec![0f32; HEIGHT * WIDTH];
    for y in 2..6 {
        set[y * WIDTH + 1..y * WIDTH + 4].fill(1.0);
    }
    let picture = Tensor::from_slice(&set, [1, HEIGHT as i64, WIDTH as i64], device).unwrap();
    let label = picture.squeeze(0).unwrap();
    let boxes = Tensor::from_slice(&[1f32, 2.0, 3.0, 4.0], [1, 4], device).unwrap();
    let boxes = bounding_boxes(&boxes, BoxFormat::Xywh, &[HEIGHT, WIDTH]).unwrap();
    vec![image(&picture).unwrap(), mask(&label).unwrap(), boxes, other(&label)]
}

/// The box around the set pixels, as `x, y, w, h`.
fn around(picture: &Tensor) -> Vec<f32> {
    let shape = picture.shape();
    let width = shape[shape.len() - 1];
    let all = numbers(picture);
    let set: Vec<usize> = (0..all.len()).filter(|&index| all[index] > 0.5).collect();
    let limits = |position: fn(usize, usize) -> usize| {
        let positions = set.iter().map(|&index| position(index, width));
        (positions.clone().min().unwrap() as f32, positions.max().unwrap() as f32 + 1.0)
    };
    let ((left, right), (top, bottom)) = (limits(|index, width| index % width), limits(|index, width| index / width));
    vec![left, top, right - left, bottom - top]
}

/// Checks that the mask and the box are where the picture is, to `margin` pixels.
fn check_moved(name: &str, transform: &dyn Transform, margin: f32) {
    let given = sample(&device());
    let made = transform.apply(&given, &Random::from_seed(3).unwrap()).unwrap();
    let (picture, label, boxes) = (around(made[0].data()), around(made[1].data()), numbers(made[2].data()));
    let size = made[0].data().shape()[1..].to_vec();
    assert_eq!(made[1].data().shape()[..], size[..], "{name}");
    assert_eq!(made[2].canvas_size(), size, "{name}");
    assert_eq!(numbers(made[3].data()), numbers(given[3].data()), "{name}");
    let is_near = |other: &[f32]| picture.iter().zip(other).all(|(one, other)| (one - other).abs() <= margin);
    assert!(is_near(&label) && is_near(&boxes), "{name}: {picture:?}, {label:?}, {boxes:?}");
}

#[test]
fn masks_and_boxes_move_with_the_picture() -> Result<()> {
    let (nearest, constant) = (InterpolationMode::Nearest, ImagePadding::Constant);
    check_moved("RandomHorizontalFlip", &RandomHorizontalFlip::new(1.0)?, 0.0);
    check_moved("RandomVerticalFlip", &RandomVerticalFlip::new(1.0)?, 0.0);
    check_moved("Resize", &Resize::new(&[16, 20], nearest, None, true)?, 0.0);
    check_moved("CenterCrop", &CenterCrop::new(&[8, 8])?, 0.0);
    check_moved("Pad", &Pad::new(&[1, 2, 3, 4], &[0.0], constant)?, 0.0);
    check_moved("RandomCrop", &RandomCrop::new(&[9], Some(&[4]), false, &[0.0], constant)?, 0.0);
    check_moved("RandomZoomOut", &RandomZoomOut::new(&[0.0], &[1.5, 2.0], 1.0)?, 0.0);
    check_moved("ScaleJitter", &ScaleJitter::new(&[20, 20], &[1.0, 1.0], nearest, true)?, 0.0);
    let (scale, ratio) = ([0.8, 1.0], [1.0, 1.5]);
    check_moved("RandomResizedCrop", &RandomResizedCrop::new(&[16, 20], &scale, &ratio, nearest, true)?, 2.0);
    check_moved("RandomRotation", &RandomRotation::new(&[90.0, 90.0], nearest, true, None, None)?, 0.0);
    let shift = RandomAffine::new(&[0.0], Some(&[0.2, 0.2]), Some(&[1.5, 1.5]), None, nearest, None, None)?;
    check_moved("RandomAffine", &shift, 1.0);
    check_moved("RandomPerspective", &RandomPerspective::new(0.3, 1.0, nearest, None)?, 1.5);
    check_moved("ElasticTransform", &ElasticTransform::new(&[2.0], &[0.5], nearest, None)?, 1.5);
    Ok(())
}

#[test]
fn choices_follow_from_seeds() -> Result<()> {
    let device = device();
    let picture = Tensor::rand([3, 6, 6])?;
    let jitter = ColorJitter::new(Some(&[0.5]), Some(&[0.5]), Some(&[0.5]), Some(&[0.5]))?;
    let steps: Vec<Rc<dyn Transform>> = vec![Rc::new(RandomHorizontalFlip::new(0.5)?), Rc::new(jitter)];
    let both = Compose::new(&steps);
    let batch = Tensor::stack(&[picture.clone(), picture.clone(), picture.clone()], 0)?;
    let made = both.forward_batch(&batch, &[7, 8, 7])?;
    let parts: Vec<Vec<f32>> = (0..3).map(|index| numbers(&made.select(0, index).unwrap())).collect();
    assert_eq!(parts[0], parts[2]);
    assert_ne!(parts[0], parts[1]);
    device.manual_seed(5);
    let (first, second) = (numbers(&both.forward(&picture)?), numbers(&both.forward(&picture)?));
    device.manual_seed(5);
    assert_eq!(numbers(&both.forward(&picture)?), first);
    assert_ne!(first, second);
    assert!(both.forward_batch(&batch, &[1]).is_err());
    // As in tests/browser/libraries/vision.mjs.
    let random = Random::from_seed(7)?;
    assert_eq!((random.below(1000), random.below(1000), random.permutation(5)), (541, 66, vec![1, 2, 0, 3, 4]));
    Ok(())
}

#[test]
fn every_transform_of_colors_changes_a_picture() -> Result<()> {
    let _device = device();
    let picture = (Tensor::rand([3, 8, 8])? * 200.0)?.to(DType::U8)?;
    let (mode, light) = (InterpolationMode::Bilinear, [1.5, 2.0]);
    let all: Vec<(&str, Rc<dyn Transform>)> = vec![
        ("Grayscale", Rc::new(Grayscale::new(3)?)),
        ("RandomGrayscale", Rc::new(RandomGrayscale::new(1.0)?)),
        ("GaussianBlur", Rc::new(GaussianBlur::new(&[3], &[1.0])?)),
        ("RandomInvert", Rc::new(RandomInvert::new(1.0)?)),
        ("RandomPosterize", Rc::new(RandomPosterize::new(2, 1.0)?)),
        ("RandomSolarize", Rc::new(RandomSolarize::new(100.0, 1.0)?)),
        ("RandomAdjustSharpness", Rc::new(RandomAdjustSharpness::new(2.0, 1.0)?)),
        ("RandomAutocontrast", Rc::new(RandomAutocontrast::new(1.0)?)),
        ("RandomErasing", Rc::new(RandomErasing::new(1.0, &[0.2, 0.3], &[0.5, 2.0], &[])?)),
        ("RandomPhotometricDistort", Rc::new(RandomPhotometricDistort::new(&light, &light, &light, &[0.1, 0.2], 1.0)?)),
        ("GaussianNoise", Rc::new(GaussianNoise::new(0.0, 0.2, true)?)),
        ("AugMix", Rc::new(AugMix::new(3, 3, -1, 1.0, true, mode, None)?)),
    ];
    for (name, transform) in all {
        let made = transform.forward(&picture)?;
        assert_eq!((made.shape().to_vec(), made.dtype()), (vec![3, 8, 8], DType::U8), "{name}");
        assert_ne!(numbers(&made), numbers(&picture), "{name}");
    }
    // These may choose to change nothing.
    let nearest = InterpolationMode::Nearest;
    let chosen: Vec<Rc<dyn Transform>> = vec![
        Rc::new(RandAugment::new(2, 9, 31, nearest, None)?),
        Rc::new(TrivialAugmentWide::new(31, nearest, None)?),
        Rc::new(AutoAugment::new(AutoAugmentPolicy::Imagenet, nearest, None)),
        Rc::new(AutoAugment::new(AutoAugmentPolicy::Svhn, nearest, None)),
    ];
    for transform in chosen {
        let seeds: Vec<i64> = (0..24).collect();
        let batch = picture.unsqueeze(0)?.expand([24, 3, 8, 8])?;
        let made = numbers(&transform.forward_batch(&batch, &seeds)?);
        assert!(made.chunks(192).filter(|own| *own != numbers(&picture)).count() > 12);
    }
    Ok(())
}

#[test]
fn mixtures_keep_the_total_of_labels() -> Result<()> {
    let device = device();
    let pictures = Tensor::rand([4, 3, 8, 8])?;
    let labels = Tensor::from_slice(&[0i32, 1, 2, 0], [4], &device)?;
    for (made, mixed) in [
        MixUp::new(1.0, Some(3))?.forward(&pictures, &labels)?,
        CutMix::new(1.0, Some(3))?.forward(&pictures, &labels)?,
    ] {
        assert_eq!(made.shape(), pictures.shape());
        assert!(numbers(&mixed.sum(1, false)?).iter().all(|total| (total - 1.0).abs() < 1e-6));
    }
    assert!(MixUp::new(1.0, None)?.forward(&pictures, &labels).is_err());
    let flip = hflip(&pictures)?;
    assert_eq!(numbers(&RandomHorizontalFlip::new(1.0)?.forward(&pictures)?), numbers(&flip));
    Ok(())
}
