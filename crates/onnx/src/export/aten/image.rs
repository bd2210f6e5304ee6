//! Resizes, samples and pads images.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_upsample_nearest_exact1d", upsample),
    ("_upsample_nearest_exact2d", upsample),
    ("_upsample_nearest_exact3d", upsample),
    ("affine_grid_generator", affine_grid),
    ("constant_pad_nd", pad),
    ("grid_sampler", grid_sample),
    ("grid_sampler_2d", grid_sample),
    ("grid_sampler_3d", grid_sample),
    ("pad", pad),
    ("reflection_pad1d", pad),
    ("reflection_pad2d", pad),
    ("reflection_pad3d", pad),
    ("replication_pad1d", pad),
    ("replication_pad2d", pad),
    ("replication_pad3d", pad),
    ("upsample_bicubic2d", upsample),
    ("upsample_bilinear2d", upsample),
    ("upsample_linear1d", upsample),
    ("upsample_nearest1d", upsample),
    ("upsample_nearest2d", upsample),
    ("upsample_nearest3d", upsample),
    ("upsample_trilinear3d", upsample),
];

fn upsample(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.optional("input").map_or_else(|| call.tensor("self"), Ok)?;
    let text = |text: &str| Attr::Str(text.to_string());
    let aligned = call.args.bool("align_corners");
    let mut attributes = match call.base.as_str() {
        base if base.contains("nearest_exact") => {
            vec![("mode", text("nearest")), ("nearest_mode", text("round_prefer_ceil"))]
        }
        base if base.contains("nearest") => vec![
            ("mode", text("nearest")),
            ("nearest_mode", text("floor")),
            ("coordinate_transformation_mode", text("asymmetric")),
        ],
        base if base.contains("cubic") => vec![("mode", text("cubic")), ("cubic_coeff_a", Attr::Float(-0.75))],
        _ => vec![("mode", text("linear"))],
    };
    if !call.base.contains("nearest") {
        let mode = if aligned { "align_corners" } else { "pytorch_half_pixel" };
        attributes.push(("coordinate_transformation_mode", text(mode)));
    }
    let factors = match call.args.get("scale_factors") {
        Value::List(items) if !items.is_empty() => items.iter().map(Value::as_float).collect::<Option<Vec<f64>>>(),
        _ => ["scales", "scales_d", "scales_h", "scales_w"]
            .into_iter()
            .filter_map(|name| call.args.get(name).as_float().map(Some))
            .collect(),
    };
    let factors = factors.unwrap_or_default();
    let spatial = usize::try_from(item.rank()? - 2).map_err(|_| Error::malformed("an image without channels"))?;
    let none = Item::none();
    if factors.len() == spatial && !aligned {
        let scales: Vec<f64> = [1.0, 1.0].into_iter().chain(factors).collect();
        let scales = exporter.numbers(&scales, vec![spatial + 2], DType::F32)?;
        return Ok(Value::Tensor(exporter.op("Resize", &[&item, &none, &scales], &attributes)));
    }
    let mut dims = vec![exporter.dim_of(&item, 0)?, exporter.dim_of(&item, 1)?];
    let result = call.result()?.clone();
    for dim in 0..spatial as i64 {
        dims.push(match (result.size(dim + 2), call.args.get("output_size").as_list()) {
            (Ok(size), _) => Dim::Int(size),
            (_, Some(sizes)) if sizes.len() == spatial => exporter.dim(&sizes[dim as usize])?,
            _ => {
                let scales: Vec<f64> = [1.0, 1.0].into_iter().chain(factors).collect();
                let scales = exporter.numbers(&scales, vec![spatial + 2], DType::F32)?;
                return Ok(Value::Tensor(exporter.op("Resize", &[&item, &none, &scales], &attributes)));
            }
        });
    }
    let sizes = exporter.shape(&dims)?;
    Ok(Value::Tensor(exporter.op("Resize", &[&item, &none, &none, &sizes], &attributes)))
}

fn grid_sample(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, grid) = (call.tensor("input")?, call.tensor("grid")?);
    let name = |index: i64, names: [&'static str; 3]| {
        let name = usize::try_from(index).ok().and_then(|index| names.get(index)).copied();
        name.map(|name| Attr::Str(name.to_string())).ok_or_else(|| Error::unsupported("in this mode"))
    };
    let attributes = [
        ("mode", name(call.int("interpolation_mode")?, ["linear", "nearest", "cubic"])?),
        ("padding_mode", name(call.int("padding_mode")?, ["zeros", "border", "reflection"])?),
        ("align_corners", Attr::Int(call.args.bool("align_corners").into())),
    ];
    Ok(Value::Tensor(exporter.op("GridSample", &[&item, &grid], &attributes)))
}

fn affine_grid(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let theta = call.tensor("theta")?;
    let size = exporter.dims(call.args.get("size"))?;
    let size = exporter.shape(&size)?;
    let attributes = [("align_corners", Attr::Int(call.args.bool("align_corners").into()))];
    Ok(Value::Tensor(exporter.op("AffineGrid", &[&theta, &size], &attributes)))
}

/// Writes padding. PyTorch lists the pads of the last dimension first, and negative pads crop.
fn pad(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let name = if call.args.is_given("pad") { "pad" } else { "padding" };
    let given = exporter.dims(call.args.get(name))?;
    let rank = item.rank()? as usize;
    let mut pads = vec![Dim::Int(0); 2 * rank];
    for (index, pair) in given.chunks(2).enumerate() {
        let [before, after] = pair else { return Err(Error::malformed("an odd number of pads")) };
        let dim = rank.checked_sub(index + 1).ok_or_else(|| Error::malformed("pads of more dimensions"))?;
        (pads[dim], pads[rank + dim]) = (before.clone(), after.clone());
    }
    let mode = match (call.base.as_str(), call.args.get("mode").as_str()) {
        (base, _) if base.starts_with("reflection") => "reflect",
        (base, _) if base.starts_with("replication") => "edge",
        (_, Some("reflect")) => "reflect",
        (_, Some("replicate")) => "edge",
        (_, Some("circular")) => "wrap",
        _ => "constant",
    };
    let pads = exporter.shape(&pads)?;
    let mut inputs = vec![item.clone(), pads];
    if mode == "constant" && call.args.is_given("value") {
        inputs.push(exporter.operand(call.args.get("value"), item.dtype()?)?);
    }
    let inputs: Vec<&Item> = inputs.iter().collect();
    Ok(Value::Tensor(exporter.op("Pad", &inputs, &[("mode", Attr::Str(mode.to_string()))])))
}
