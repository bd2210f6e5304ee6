//! torchvision's answers, `tests/golden/vision.json`: on the CPU, and a sample of them on WebGPU.

use lanthorn_tensor::{DType, Device, Reduction, Result, Tensor};
use lanthorn_vision::{ops, ops::BoxFormat, transforms::functional as f, utils};
use pollster::block_on;
use serde_json::Value;
use std::path::Path;

fn answers() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/vision.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap_or(f64::NAN)).collect()
}

fn sizes(value: &Value) -> Vec<i64> {
    value["shape"].as_array().unwrap().iter().map(|size| size.as_i64().unwrap()).collect()
}

fn dtype(name: &str) -> DType {
    DType::from_name(name).unwrap()
}

fn tensor(value: &Value, device: &Device) -> Tensor {
    let data = numbers(&value["data"]);
    let x = Tensor::from_slice(&data.iter().map(|&number| number as f32).collect::<Vec<_>>(), sizes(value), device);
    x.unwrap().to(dtype(value["dtype"].as_str().unwrap())).unwrap()
}

/// A row: the arguments in order.
struct Row<'a> {
    answers: &'a Value,
    row: &'a Value,
    device: &'a Device,
}

impl Row<'_> {
    fn arg(&self, index: usize) -> Option<&Value> {
        self.row["args"].get(index).filter(|value| !value.is_null())
    }

    fn tensor(&self, index: usize) -> Tensor {
        let name = self.arg(index).unwrap().as_str().unwrap();
        tensor(&self.answers["inputs"][name], self.device)
    }

    fn number(&self, index: usize, default: f64) -> f64 {
        self.arg(index).map_or(default, |value| value.as_f64().unwrap())
    }

    fn int(&self, index: usize) -> i64 {
        self.arg(index).unwrap().as_i64().unwrap()
    }

    fn flag(&self, index: usize, default: bool) -> bool {
        self.arg(index).map_or(default, |value| value.as_bool().unwrap())
    }

    fn list(&self, index: usize) -> Option<Vec<f64>> {
        self.arg(index).map(numbers)
    }

    fn floats(&self, index: usize) -> Vec<f64> {
        self.list(index).unwrap_or_default()
    }

    fn ints(&self, index: usize) -> Vec<i64> {
        self.floats(index).iter().map(|&number| number as i64).collect()
    }

    fn counts(&self, index: usize) -> Vec<usize> {
        self.floats(index).iter().map(|&number| number as usize).collect()
    }

    fn points(&self, index: usize) -> Vec<Vec<f64>> {
        self.arg(index).unwrap().as_array().unwrap().iter().map(numbers).collect()
    }

    fn text(&self, index: usize, default: &'static str) -> &str {
        self.arg(index).map_or(default, |value| value.as_str().unwrap())
    }

    fn format(&self, index: usize) -> BoxFormat {
        match self.text(index, "xyxy") {
            "xyxy" => BoxFormat::Xyxy,
            "xywh" => BoxFormat::Xywh,
            "cxcywh" => BoxFormat::Cxcywh,
            "xywhr" => BoxFormat::Xywhr,
            "cxcywhr" => BoxFormat::Cxcywhr,
            _ => BoxFormat::Xyxyxyxy,
        }
    }

    fn reduction(&self, index: usize) -> Reduction {
        self.text(index, "none").parse().unwrap()
    }

    fn mode(&self, index: usize, default: &'static str) -> f::InterpolationMode {
        match self.text(index, default) {
            "nearest" => f::InterpolationMode::Nearest,
            "nearest_exact" => f::InterpolationMode::NearestExact,
            "bilinear" => f::InterpolationMode::Bilinear,
            _ => f::InterpolationMode::Bicubic,
        }
    }

    fn padding(&self, index: usize) -> f::ImagePadding {
        match self.text(index, "constant") {
            "edge" => f::ImagePadding::Edge,
            "reflect" => f::ImagePadding::Reflect,
            "symmetric" => f::ImagePadding::Symmetric,
            _ => f::ImagePadding::Constant,
        }
    }

    /// The results of an operation on boxes or regions.
    fn operation(&self, name: &str) -> Option<Result<Tensor>> {
        let (x, y, z) = (|| self.tensor(0), || self.tensor(1), || self.tensor(2));
        let (size, scale) = (|| self.counts(2), || self.number(3, 1.0));
        Some(match name {
            "box_area" => ops::box_area(&x(), self.format(1)),
            "box_convert" => ops::box_convert(&x(), self.format(1), self.format(2)),
            "box_iou" => ops::box_iou(&x(), &y(), self.format(2)),
            "generalized_box_iou" => ops::generalized_box_iou(&x(), &y()),
            "distance_box_iou" => ops::distance_box_iou(&x(), &y(), 1e-7),
            "complete_box_iou" => ops::complete_box_iou(&x(), &y(), 1e-7),
            "generalized_box_iou_loss" => ops::generalized_box_iou_loss(&x(), &y(), self.reduction(2), 1e-7),
            "distance_box_iou_loss" => ops::distance_box_iou_loss(&x(), &y(), self.reduction(2), 1e-7),
            "complete_box_iou_loss" => ops::complete_box_iou_loss(&x(), &y(), self.reduction(2), 1e-7),
            "clip_boxes_to_image" => ops::clip_boxes_to_image(&x(), &self.ints(1)),
            "remove_small_boxes" => block_on(ops::remove_small_boxes(&x(), self.number(1, 0.0))),
            "nms" => block_on(ops::nms(&x(), &y(), self.number(2, 0.0))),
            "batched_nms" => block_on(ops::batched_nms(&x(), &y(), &z(), self.number(3, 0.0))),
            "masks_to_boxes" => ops::masks_to_boxes(&x()),
            "sigmoid_focal_loss" => {
                let (alpha, gamma) = (self.number(2, 0.25), self.number(3, 2.0));
                ops::sigmoid_focal_loss(&x(), &y(), alpha, gamma, self.reduction(4))
            }
            "roi_align" => {
                let ratio = self.number(4, -1.0) as i64;
                ops::roi_align(&x(), &y(), &size(), scale(), ratio, self.flag(5, false))
            }
            "roi_pool" => ops::roi_pool(&x(), &y(), &size(), scale()),
            "ps_roi_pool" => ops::ps_roi_pool(&x(), &y(), &size(), scale()),
            "ps_roi_align" => ops::ps_roi_align(&x(), &y(), &size(), scale(), self.number(4, -1.0) as i64),
            "deform_conv2d" => ops::deform_conv2d(&x(), &y(), &z(), None, &[1], &[0], &[1], None),
            _ => return None,
        })
    }

    /// The results of a change of positions.
    fn geometry(&self, name: &str) -> Option<Result<Tensor>> {
        let x = self.tensor(0);
        Some(match name {
            "resize" => {
                let limit = self.arg(3).map(|value| value.as_u64().unwrap() as usize);
                f::resize(&x, &self.counts(1), self.mode(2, "bilinear"), limit, self.flag(4, true))
            }
            "crop" => f::crop(&x, self.int(1), self.int(2), self.int(3), self.int(4)),
            "center_crop" => f::center_crop(&x, &self.counts(1)),
            "resized_crop" => {
                let (top, left, height, width) = (self.int(1), self.int(2), self.int(3), self.int(4));
                f::resized_crop(&x, top, left, height, width, &self.counts(5), self.mode(6, "bilinear"), true)
            }
            "hflip" => f::hflip(&x),
            "vflip" => f::vflip(&x),
            "pad" => f::pad(&x, &self.ints(1), &self.floats(2), self.padding(3)),
            "rotate" => {
                let (center, fill) = (self.list(4), self.list(5));
                let (mode, expand) = (self.mode(2, "nearest"), self.flag(3, false));
                f::rotate(&x, self.number(1, 0.0), mode, expand, center.as_deref(), fill.as_deref())
            }
            "affine" => {
                let (fill, center) = (self.list(6), self.list(7));
                let (translate, scale, shear) = (self.floats(2), self.number(3, 1.0), self.floats(4));
                let (angle, mode) = (self.number(1, 0.0), self.mode(5, "nearest"));
                f::affine(&x, angle, &translate, scale, &shear, mode, fill.as_deref(), center.as_deref())
            }
            "perspective" => {
                let (start, end, fill) = (self.points(1), self.points(2), self.list(4));
                f::perspective(&x, &start, &end, self.mode(3, "bilinear"), fill.as_deref(), None)
            }
            "elastic" => {
                let (displacement, fill) = (self.tensor(1), self.list(3));
                f::elastic(&x, &displacement, self.mode(2, "bilinear"), fill.as_deref())
            }
            "erase" => f::erase(&x, self.int(1), self.int(2), self.int(3), self.int(4), &self.tensor(5)),
            "permute_channels" => f::permute_channels(&x, &self.counts(1)),
            _ => return None,
        })
    }

    /// The results of a change of values.
    fn values(&self, name: &str) -> Result<Tensor> {
        let (x, factor) = (self.tensor(0), || self.number(1, 0.0));
        match name {
            "adjust_brightness" => f::adjust_brightness(&x, factor()),
            "adjust_contrast" => f::adjust_contrast(&x, factor()),
            "adjust_saturation" => f::adjust_saturation(&x, factor()),
            "adjust_sharpness" => f::adjust_sharpness(&x, factor()),
            "adjust_hue" => f::adjust_hue(&x, factor()),
            "adjust_gamma" => f::adjust_gamma(&x, factor(), self.number(2, 1.0)),
            "gaussian_blur" => f::gaussian_blur(&x, &self.counts(1), self.list(2).as_deref()),
            "posterize" => f::posterize(&x, self.int(1)),
            "solarize" => f::solarize(&x, factor()),
            "autocontrast" => f::autocontrast(&x),
            "equalize" => f::equalize(&x),
            "invert" => f::invert(&x),
            "rgb_to_grayscale" => f::rgb_to_grayscale(&x, self.number(1, 1.0) as usize),
            "normalize" => f::normalize(&x, &self.floats(1), &self.floats(2)),
            "to_dtype" => f::to_dtype(&x, dtype(self.text(1, "float32")), self.flag(2, false)),
            other => panic!("no function {other}"),
        }
    }

    /// The results of a drawing.
    fn drawing(&self, name: &str) -> Option<Result<Tensor>> {
        let x = self.tensor(0);
        let colors = |index: usize| self.arg(index).map(|_| self.points(index));
        Some(match name {
            "make_grid" => {
                let (columns, padding) = (self.number(1, 8.0) as usize, self.number(2, 2.0) as usize);
                let (normalize, each, around) = (self.flag(3, false), self.flag(5, false), self.number(6, 0.0));
                utils::make_grid(&x, columns, padding, normalize, self.list(4).as_deref(), each, around)
            }
            "draw_bounding_boxes" => {
                let width = self.number(4, 1.0) as usize;
                let fill = self.flag(3, false);
                utils::draw_bounding_boxes(&x, &self.tensor(1), colors(2).as_deref(), fill, width)
            }
            "draw_segmentation_masks" => {
                utils::draw_segmentation_masks(&x, &self.tensor(1), self.number(2, 0.8), colors(3).as_deref())
            }
            "flow_to_image" => utils::flow_to_image(&x),
            _ => return None,
        })
    }

    fn results(&self) -> Result<Vec<Tensor>> {
        match self.row["function"].as_str().unwrap() {
            "five_crop" => f::five_crop(&self.tensor(0), &self.counts(1)),
            "ten_crop" => f::ten_crop(&self.tensor(0), &self.counts(1), self.flag(2, false)),
            name => {
                let special = self.operation(name).or_else(|| self.geometry(name)).or_else(|| self.drawing(name));
                special.unwrap_or_else(|| self.values(name)).map(|result| vec![result])
            }
        }
    }

    /// The first difference to the answer. Indices are in int32.
    fn difference(&self, got: &Tensor, want: &Value) -> Option<String> {
        let shape: Vec<i64> = got.shape().iter().map(|&size| size as i64).collect();
        if shape != sizes(want) {
            return Some(format!("shape {shape:?} instead of {:?}", sizes(want)));
        }
        let wanted = match want["dtype"].as_str().unwrap() {
            "int64" => DType::I32,
            name => dtype(name),
        };
        if got.dtype() != wanted {
            return Some(format!("{} instead of {wanted}", got.dtype()));
        }
        let is_byte = wanted == DType::U8;
        let near = if is_byte { self.row["near"].as_f64().unwrap_or(0.0) } else { 2e-5 };
        let (got, want) = (block_on(got.to(DType::F32).unwrap().to_vec::<f32>()).unwrap(), numbers(&want["data"]));
        let is_close = |(&got, &want): (&f32, &f64)| (f64::from(got) - want).abs() <= near * (1.0 + want.abs());
        let bytes_close = |(&got, &want): (&f32, &f64)| (f64::from(got) - want).abs() <= near;
        let all = got.iter().zip(&want).all(|pair| if is_byte { bytes_close(pair) } else { is_close(pair) });
        (!all).then(|| format!("{got:?} instead of {want:?}"))
    }
}

/// The differences of the rows that `takes` selects, and the number of rows.
fn compare(device: &Device, takes: impl Fn(usize) -> bool) -> (Vec<String>, usize) {
    let (answers, mut wrong, mut compared) = (answers(), vec![], 0);
    for (_, row) in answers["rows"].as_array().unwrap().iter().enumerate().filter(|(index, _)| takes(*index)) {
        let name = row["function"].as_str().unwrap();
        let given = Row { answers: &answers, row, device };
        compared += 1;
        if name == "get_dimensions" {
            let found: Vec<f64> =
                f::get_dimensions(&given.tensor(0)).unwrap().iter().map(|&size| size as f64).collect();
            assert_eq!(found, numbers(&row["want"]));
            continue;
        }
        let one = [row["want"].clone()];
        let want = row["want"].as_array().map_or(&one[..], |all| &all[..]);
        let difference = match given.results() {
            Ok(got) if got.len() != want.len() => Some(format!("{} results instead of {}", got.len(), want.len())),
            Ok(got) => got.iter().zip(want).find_map(|(got, want)| given.difference(got, want)),
            Err(error) => Some(error.to_string()),
        };
        wrong.extend(difference.map(|why| format!("{name} {}: {why}", row["args"])));
    }
    (wrong, compared)
}

#[test]
fn functions_have_torchvisions_answers() {
    let (wrong, compared) = compare(&Device::new(lanthorn_cpu::CpuBackend::new()), |_| true);
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 120, "{compared} answers");
}

#[test]
fn a_sample_has_torchvisions_answers_on_webgpu() {
    let backend = block_on(lanthorn_wgpu::WgpuBackend::new(lanthorn_wgpu::Options::default())).unwrap();
    let (wrong, compared) = compare(&Device::new(backend), |index| index % 5 == 0);
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 20, "{compared} answers");
}
