//! Parametrizations, pruning, packed sequences and hooks of gradients, with the numbers of PyTorch
//! 2.15.

use crate::common::{device, read};
use lanthorn_nn::{
    DirectionAndLength, GRU, HookNamed, Hooked, LSTM, Layer, Linear, Module, Orthogonal, OrthogonalMap, ParameterMap,
    Parametrized, RNN, ReLU, Recurrence, Recurrent, SpectralNorm, WeightNorm, init, is_parametrized, load_state_dict,
    register_parametrization, remove_parametrizations, state_dict,
    utils::{
        self,
        prune::{Method, Prunable, Pruned, global_unstructured},
        rnn::{
            PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, unpack_sequence, unpad_sequence,
        },
    },
};
use lanthorn_tensor::{
    Result, Tensor, no_grad,
    ops::{Args, Output},
};
use std::{cell::RefCell, rc::Rc};

/// `scale * sin(0.7 i + k)` for element i.
fn pattern(shape: &[i64], k: f32, scale: f32) -> Result<Tensor> {
    let count: i64 = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| (i as f32 * 0.7 + k).sin() * scale).collect();
    Tensor::from_slice(&values, shape, &lanthorn_tensor::Device::default_device()?)
}

fn close(got: &Tensor, want: &[f32], what: &str) {
    let got = read(got);
    let is_close = got.len() == want.len() && got.iter().zip(want).all(|(got, want)| (got - want).abs() < 2e-5);
    assert!(is_close, "{what}: {got:?}, not {want:?}");
}

fn names(module: &dyn Module) -> Vec<String> {
    state_dict(module).into_keys().collect()
}

struct Packed {
    output: &'static [f32],
    states: &'static [&'static [f32]],
    input_grad: &'static [f32],
    weight_grad: &'static [f32],
    /// The first numbers of the padded output.
    padded: &'static [f32],
}

/// Two layers in both directions, the LSTM with projections; lengths 2, 4, 1 in this order.
#[rustfmt::skip]
const PACKED: [Packed; 3] = [
    Packed {
        output: &[-0.052928, 0.081907, -0.102746, 0.083893, 0.083025, 0.000898, -0.034923, 0.067916, -0.071884, 0.07518, -0.025747, 0.041857, -0.020201, 9.7e-05],
        states: &[&[0.081812, 0.188068, 0.224737, -0.023662, -0.008619, 0.017089, -0.071884, -0.020201, 0.083025, 0.083893, 0.081907, 0.000898], &[-0.671815, 0.264107, -0.591525, -0.244691, -0.502083, -0.420223, -0.880281, -0.743212, -0.8561, -0.834929, -0.106001, -0.415438, -0.002167, -0.631878, 0.303543, -0.546899, 0.390366, 0.181019, 0.416487, 0.456258, 0.410054, 0.45411, 0.007518, 0.003464]],
        input_grad: &[0.00049, 0.001712, -0.00021, -0.000807, 0.0, 0.0, 0.0, 0.0, 6.8e-05, 0.000672, 0.000522, 0.000642, 0.000718, 0.00366, -0.00048, 0.000851, -7.7e-05, 3.2e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        weight_grad: &[3e-06, 0.000132, 0.00012, -0.000101, 0.000845, -0.000294, 5.4e-05, 5.2e-05],
        padded: &[-0.102746, 0.083893, -0.071884, 0.07518, -1.0, -1.0, -1.0, -1.0],
    },
    Packed {
        output: &[-0.141413, 0.161012, -0.470622, -0.698981, 0.106981, 0.175056, -0.425498, -0.455716, 0.047309, 0.283328, -0.346576, -0.676716, 0.130806, 0.277966, -0.384079, -0.652762, 0.096122, 0.351562, -0.129284, -0.226711, 0.216158, 0.316889, -0.19599, -0.638852, 0.224916, 0.327342, 0.021143, -0.508007],
        states: &[&[-0.554123, 0.383111, -0.520708, -0.387005, -0.385286, -0.603252, -0.249115, -0.391604, 0.120315, -0.17288, 0.398245, 0.228182, 0.096122, 0.351562, 0.224916, 0.327342, 0.047309, 0.283328, -0.425498, -0.455716, -0.470622, -0.698981, -0.346576, -0.676716]],
        input_grad: &[-0.00698, -0.012601, -0.007488, -0.001041, 0.0, 0.0, 0.0, 0.0, 0.003455, 0.005997, 0.011569, 0.009869, -0.002762, -0.017974, 0.001923, -0.003911, 0.007749, 0.00546, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        weight_grad: &[0.000741, -1e-06, -0.000366, -0.000464, -0.004812, -0.002316, 0.010138, 0.008828, 0.005504, 0.003859, 0.000815, 0.002399],
        padded: &[0.106981, 0.175056, -0.425498, -0.455716, 0.096122, 0.351562, -0.129284, -0.226711],
    },
    Packed {
        output: &[-0.613257, -0.600418, 0.934453, 0.730996, -0.282627, -0.842835, 0.865521, 0.843682, -0.8566, -0.488107, 0.773178, -0.372642, -0.299126, -0.704805, 0.841638, 0.872925, -0.077792, -0.769867, 0.732414, 0.830031, -0.341353, -0.678409, 0.784335, 0.812642, -0.673092, -0.454765, 0.867618, 0.266504],
        states: &[&[0.877715, 0.771379, 0.67732, -0.450151, 0.03874, -0.635556, -0.258541, 0.498952, 0.282633, 0.738516, 0.35461, 0.83878, -0.077792, -0.769867, -0.673092, -0.454765, -0.8566, -0.488107, 0.865521, 0.843682, 0.934453, 0.730996, 0.773178, -0.372642]],
        input_grad: &[0.004434, 0.00066, -0.047033, -0.030804, 0.0, 0.0, 0.0, 0.0, 0.025405, 0.033954, 0.041528, 0.03535, 0.05097, 0.04592, 0.029963, 0.035688, 0.032667, 0.053008, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        weight_grad: &[-0.027563, -0.032885, -0.033801, -0.13214],
        padded: &[-0.282627, -0.842835, 0.865521, 0.843682, -0.077792, -0.769867, 0.732414, 0.830031],
    },
];

fn check_packed<K: Recurrence>(layers: &Recurrent<K>, hx: &K::State, want: &Packed) -> Result<()> {
    for (index, parameter) in layers.parameters().iter().enumerate() {
        let shape: Vec<i64> = parameter.shape().iter().map(|&size| size as i64).collect();
        no_grad(|| parameter.copy_(&pattern(&shape, index as f32, 0.5)?))?;
    }
    let x = pattern(&[3, 4, 2], 0.3, 1.0)?.requires_grad_(true)?;
    let packed = pack_padded_sequence(&x, &[2, 4, 1], true, false)?;
    assert_eq!((&packed.batch_sizes[..], packed.sorted_indices.as_deref()), (&[3, 2, 1, 1][..], Some(&[1, 0, 2][..])));
    assert_eq!(packed.unsorted_indices(), Some(vec![1, 0, 2]));
    let (output, states) = layers.forward_packed(&packed, Some(hx))?;
    close(&output.data, want.output, "output");
    for (state, want) in K::list(&states).iter().zip(want.states) {
        close(state, want, "state");
    }
    let shape: Vec<i64> = output.data.shape().iter().map(|&size| size as i64).collect();
    output.data.mul(&pattern(&shape, 0.1, 0.5)?)?.sum((), false)?.backward()?;
    close(&x.grad().expect("a gradient"), want.input_grad, "gradient of the input");
    let weight =
        layers.named_parameters().into_iter().find(|(name, _)| name == "weight_hh_l0_reverse").expect("a weight");
    close(&weight.1.grad().expect("a gradient"), want.weight_grad, "gradient of a weight");
    let (padded, lengths) = pad_packed_sequence(&output, true, -1.0, Some(5))?;
    assert_eq!(lengths, [2, 4, 1]);
    close(&padded.flatten(0, -1)?.narrow(0, 0, 8)?, want.padded, "padded");
    Ok(())
}

#[test]
fn packed_sequences_give_pytorchs_numbers() -> Result<()> {
    let _device = device();
    let h = |out: i64| pattern(&[4, 3, out], 1.0, 0.5);
    let [lstm, gru, rnn] = &PACKED;
    let layers = LSTM::builder(2, 2).num_layers(2).bidirectional(true).proj_size(1).build()?;
    check_packed(&layers, &(h(1)?, pattern(&[4, 3, 2], 2.0, 0.5)?), lstm)?;
    check_packed(&GRU::builder(2, 2).num_layers(2).bidirectional(true).build()?, &h(2)?, gru)?;
    check_packed(&RNN::builder(2, 2).num_layers(2).bidirectional(true).build()?, &h(2)?, rnn)?;
    let layer = GRU::builder(2, 3).build()?;
    let x = pattern(&[4, 2, 2], 0.0, 1.0)?;
    let refused = |result: Result<(PackedSequence, Tensor)>, kind: &str| {
        let error = result.err().expect("it is refused");
        assert!(error.kind_name() == kind && error.to_string().contains("GRU"), "{error}");
    };
    let packed = pack_padded_sequence(&x, &[4, 2], false, true)?;
    assert!(packed.sorted_indices.is_none());
    refused(layer.forward_packed(&PackedSequence { batch_sizes: vec![1, 2], ..packed.clone() }, None), "argument");
    refused(layer.forward_packed(&PackedSequence { batch_sizes: vec![2, 1], ..packed.clone() }, None), "argument");
    refused(layer.forward_packed(&packed, Some(&Tensor::zeros([1, 1, 3])?)), "shape");
    refused(layer.forward_packed(&packed.with_data(x.clone()), None), "shape");
    Ok(())
}

#[test]
fn sequences_are_packed_and_unpacked() -> Result<()> {
    let _device = device();
    let sequences = [pattern(&[1, 2], 0.0, 1.0)?, pattern(&[3, 2], 1.0, 1.0)?, pattern(&[2, 2], 2.0, 1.0)?];
    let back = unpack_sequence(&pack_sequence(&sequences, false)?)?;
    for (sequence, back) in sequences.iter().zip(&back) {
        assert_eq!((sequence.shape(), read(sequence)), (back.shape(), read(back)));
    }
    let error = |result: Result<PackedSequence>| result.err().expect("it is refused").to_string();
    assert!(error(pack_sequence(&sequences, true)).contains("enforce_sorted"));
    let padded = pattern(&[3, 2, 2], 0.0, 1.0)?;
    assert!(error(pack_padded_sequence(&padded, &[3], false, true)).contains("1 lengths"));
    assert!(error(pack_padded_sequence(&padded, &[3, 0], false, true)).contains("from 1 to 3"));
    assert!(pad_packed_sequence(&pack_padded_sequence(&padded, &[3, 1], false, true)?, false, 0.0, Some(2)).is_err());
    assert!(unpad_sequence(&padded, &[4, 1], false).is_err());
    assert_eq!(unpad_sequence(&padded, &[2, 0], false)?[1].shape().to_vec(), [0, 2]);
    Ok(())
}

/// A map, the shape of the weight, the trained tensor that it begins with without a trivialization,
/// then another one, with a base if it is not empty, and PyTorch's parameter and gradient.
type OrthogonalRow =
    (OrthogonalMap, [i64; 2], &'static [f32], &'static [f32], &'static [f32], &'static [f32], &'static [f32]);

// One of PyTorch's numbers is near 1 / pi.
#[allow(clippy::approx_constant)]
#[rustfmt::skip]
const ORTHOGONAL: &[OrthogonalRow] = &[
    (OrthogonalMap::MatrixExp, [3, 3], &[], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764, -0.182163], &[-0.914926, -0.173897, 0.36424, 0.02824, -0.927796, -0.372017, 0.402633, -0.330082, 0.853775], &[-0.750529, 0.408666, -0.519325, 0.306187, -0.481368, -0.8213, -0.585624, -0.775421, 0.236153], &[0.0, 0.0, 0.0, 1.35824, 0.0, 0.0, -0.314038, -1.00053, 0.0]),
    (OrthogonalMap::MatrixExp, [3, 3], &[0.198669, 0.783327, 0.999574, 0.745705, 0.14112, -0.529836, -0.951602, -0.925815, -0.464602], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764, -0.182163], &[], &[0.459534, -0.699703, 0.547033, 0.039739, 0.631498, 0.774359, -0.887271, -0.334105, 0.318], &[0.0, 0.0, 0.0, -1.19896, 0.0, 0.0, -0.101608, 0.606061, 0.0]),
    (OrthogonalMap::Cayley, [3, 3], &[], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764, -0.182163], &[-0.914926, -0.173897, 0.36424, 0.02824, -0.927796, -0.372017, 0.402633, -0.330082, 0.853775], &[-0.833231, 0.312265, -0.456308, 0.238648, -0.541334, -0.806229, -0.498772, -0.780672, 0.376534], &[0.0, 0.0, 0.0, 1.106589, 0.0, 0.0, -0.100685, -0.792284, 0.0]),
    (OrthogonalMap::Cayley, [3, 3], &[0.198669, 0.783327, 0.999574, 0.745705, 0.14112, -0.529836, -0.951602, -0.925815, -0.464602], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764, -0.182163], &[], &[0.568262, -0.615311, 0.546325, 0.088115, 0.705631, 0.70308, -0.818117, -0.351394, 0.455201], &[0.0, 0.0, 0.0, -0.94541, 0.0, 0.0, -0.382363, 0.401838, 0.0]),
    (OrthogonalMap::Householder, [3, 3], &[], &[1.0, 0.0, 0.0, 0.515501, -1.0, 0.0, -0.999923, -0.772764, 1.0], &[-0.914926, -0.173897, 0.36424, 0.02824, -0.927796, -0.372017, 0.402633, -0.330082, 0.853775], &[0.293398, 0.92995, -0.221609, 0.097142, 0.20161, 0.974637, 0.951042, -0.307484, -0.031185], &[0.0, 0.0, 0.0, -0.758277, 0.0, 0.0, 0.766954, 1.354054, 0.0]),
    (OrthogonalMap::Householder, [3, 3], &[-1.0, -0.931989, -0.200458, 0.523721, 1.0, 1.20646, -0.668326, -0.142681, 1.0], &[1.0, 0.0, 0.0, 0.515501, -1.0, 0.0, -0.999923, -0.772764, 1.0], &[], &[0.117227, -0.968945, 0.217723, -0.455071, -0.247274, -0.855433, 0.882705, 0.0012, -0.469926], &[0.0, 0.0, 0.0, 1.106322, 0.0, 0.0, 0.675708, -1.764313, 0.0]),
    (OrthogonalMap::MatrixExp, [4, 2], &[], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764], &[-0.920708, 0.035663, 0.384583, 0.055861, 0.33483, -0.366102, 0.780213, 0.380954, -0.197096, -0.668564, -0.486388, 0.526879, 0.036586, 0.646312, -0.082406, 0.757728], &[-0.385465, 0.628572, -0.556844, -0.735824, -0.506831, 0.235069, -0.533352, 0.090573], &[0.0, 0.0, -0.326037, 0.0, -0.260904, 0.734081, -0.376553, -1.400669]),
    (OrthogonalMap::MatrixExp, [4, 2], &[0.198669, 0.783327, 0.999574, 0.745705, 0.14112, -0.529836, -0.951602, -0.925815], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764], &[], &[0.248833, -0.868124, 0.184252, 0.193184, -0.292232, -0.45416, -0.904839, -0.05272], &[0.0, 0.0, -1.000702, 0.0, 1.018761, 0.072503, 0.745002, 0.499333]),
    (OrthogonalMap::Cayley, [4, 2], &[], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764], &[-0.920708, 0.035663, 0.384583, 0.055861, 0.33483, -0.366102, 0.780213, 0.380954, -0.197096, -0.668564, -0.486388, 0.526879, 0.036586, 0.646312, -0.082406, 0.757728], &[-0.523538, 0.538853, -0.44072, -0.827992, -0.601397, 0.033897, -0.412305, 0.151387], &[0.0, 0.0, -0.338164, 0.0, -0.005518, 0.730121, -0.273563, -1.118235]),
    (OrthogonalMap::Cayley, [4, 2], &[0.198669, 0.783327, 0.999574, 0.745705, 0.14112, -0.529836, -0.951602, -0.925815], &[0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764], &[], &[0.437908, -0.774505, 0.278272, 0.397527, -0.218711, -0.467739, -0.826418, -0.152757], &[0.0, 0.0, -0.584594, 0.0, 0.719907, -0.168022, 0.24458, 0.129647]),
    (OrthogonalMap::Householder, [4, 2], &[], &[-1.0, 0.932039, 0.9463, -1.0, -0.157746, -0.756802, -0.999923, -0.772764], &[-0.920708, 0.035663, 0.384583, 0.055861, 0.33483, -0.366102, 0.780213, 0.380954, -0.197096, -0.668564, -0.486388, 0.526879, 0.036586, 0.646312, -0.082406, 0.757728], &[0.233442, 0.203325, -0.687963, -0.522708, -0.679465, 0.672139, -0.102663, -0.483388], &[0.0, 0.0, -0.284657, 0.0, -0.078739, 0.88447, -0.273259, -1.025817]),
    (OrthogonalMap::Householder, [4, 2], &[-1.0, -1.218195, 0.624685, 1.0, 0.088193, 0.500216, -0.594705, -0.187309], &[-1.0, 0.932039, 0.9463, -1.0, -0.157746, -0.756802, -0.999923, -0.772764], &[], &[-0.315119, -0.512382, 0.648103, -0.563172, -0.108037, -0.616715, -0.684829, -0.19991], &[0.0, 0.0, 0.258306, 0.0, 1.496583, -1.203537, 1.159463, -0.078809]),
    (OrthogonalMap::Householder, [2, 3], &[], &[-1.0, 0.932039, 0.9463, 0.515501, -1.0, -0.756802], &[-0.914926, -0.173897, 0.36424, 0.02824, -0.927796, -0.372017, 0.402633, -0.330082, 0.853775], &[0.385059, -0.8882, 0.250661, -0.74618, -0.459455, -0.481785], &[0.0, -0.056493, 0.162582, 0.0, 0.0, 1.147813]),
    (OrthogonalMap::Householder, [2, 3], &[-1.0, 0.527829, 0.673542, 0.210768, 1.0, 0.853843], &[-1.0, 0.932039, 0.9463, 0.515501, -1.0, -0.756802], &[], &[-0.276458, 0.674369, 0.684688, 0.475741, 0.715067, -0.5122], &[0.0, -0.372671, -0.723102, 0.0, 0.0, -0.195662]),
];

#[test]
fn orthogonal_parameters_are_pytorchs() -> Result<()> {
    let device = device();
    for &(map, shape, start, original, base, weight, gradient) in ORTHOGONAL {
        let [rows, columns] = shape;
        let what = format!("{map:?} {shape:?} {}", base.is_empty());
        let linear = Linear::builder(columns, rows).bias(false).build()?;
        no_grad(|| linear.parameters()[0].copy_(&pattern(&shape, 0.2, 1.0)?))?;
        let layer = Orthogonal::new(linear, "weight", Some(map), !base.is_empty())?;
        let prefix = "parametrizations.weight";
        let mut state = vec![(format!("{prefix}.original"), Tensor::from_slice(original, shape, &device)?)];
        if base.is_empty() {
            close(&layer.parameters()[0], start, &what);
        } else {
            let square = layer.weight()?;
            let product = if rows < columns { square.matmul(&square.t()?)? } else { square.t()?.matmul(&square)? };
            close(&product, &read(&Tensor::eye(rows.min(columns), None)?), &what);
            let size = rows.max(columns);
            state.push((format!("{prefix}.0.base"), Tensor::from_slice(base, [size, size], &device)?));
        }
        load_state_dict(&layer, &state.into_iter().collect())?;
        let value = layer.weight()?;
        close(&value, weight, &what);
        value.mul(&pattern(&shape, 0.4, 1.0)?)?.sum((), false)?.backward()?;
        close(&layer.parameters()[0].grad().expect("a gradient"), gradient, &what);
    }
    // The inverse of the reflections.
    let (q, _) =
        pattern(&[3, 3], 1.1, 1.0)?.add(&Tensor::eye(3, None)?)?.linalg_qr(lanthorn_tensor::QrMode::Reduced)?;
    let linear = Linear::builder(3, 3).bias(false).build()?;
    no_grad(|| linear.parameters()[0].copy_(&q))?;
    let layer = Orthogonal::new(linear, "weight", Some(OrthogonalMap::Householder), false)?;
    close(&layer.weight()?, &read(&q), "reflections");
    assert!(Orthogonal::new(Linear::new(3, 3)?, "bias", None, true).is_err_and(|error| error.is_shape()));
    Ok(())
}

/// `original0 * original1 * gain`.
struct Product {
    gain: Tensor,
    has_inverse: bool,
}

impl Module for Product {
    fn own_parameters(&self) -> Vec<(String, Tensor)> {
        vec![("gain".into(), self.gain.clone())]
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        Ok(self.map(&[inputs.tensor(0).clone()])?.into())
    }
}

impl ParameterMap for Product {
    fn map(&self, originals: &[Tensor]) -> Result<Tensor> {
        originals.iter().try_fold(self.gain.clone(), |product, tensor| product.mul(tensor))
    }

    fn right_inverse(&self, value: &Tensor) -> Result<Option<Vec<Tensor>>> {
        let pair = || Ok(vec![value.div(&self.gain)?, Tensor::ones_like(value)?]);
        self.has_inverse.then(pair).transpose()
    }
}

/// The exponential.
struct Exp;

impl Module for Exp {
    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        Ok(self.map(&[inputs.tensor(0).clone()])?.into())
    }
}

impl ParameterMap for Exp {
    fn map(&self, originals: &[Tensor]) -> Result<Tensor> {
        originals[0].exp()
    }

    fn right_inverse(&self, value: &Tensor) -> Result<Option<Vec<Tensor>>> {
        Ok(Some(vec![value.log()?]))
    }
}

/// Drops the first row.
struct Shorter;

impl Module for Shorter {
    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        Ok(self.map(&[inputs.tensor(0).clone()])?.into())
    }
}

impl ParameterMap for Shorter {
    fn map(&self, originals: &[Tensor]) -> Result<Tensor> {
        originals[0].narrow(0, 1, originals[0].shape()[0] as i64 - 1)
    }
}

#[test]
fn maps_follow_one_another_and_can_be_set() -> Result<()> {
    let _device = device();
    let gain = || Tensor::full([], 2.0)?.requires_grad_(true);
    let linear = Linear::builder(2, 2).bias(false).build()?;
    let weight = pattern(&[2, 2], 0.5, 1.0)?;
    no_grad(|| linear.parameters()[0].copy_(&weight))?;
    let layer = register_parametrization(linear, "weight", Product { gain: gain()?, has_inverse: true })?;
    let prefix = "parametrizations.weight";
    assert_eq!(names(&layer), ["0.gain", "original0", "original1"].map(|name| format!("{prefix}.{name}")));
    close(&layer.weight()?, &read(&weight), "the parameter stays");
    // The second map is applied to the result of the first, which its inverse is.
    no_grad(|| layer.set_weight(&weight.abs()?))?;
    layer.register(Exp)?;
    close(&layer.weight()?, &read(&weight.abs()?), "the parameter stays");
    layer.set_weight(&weight.square()?)?;
    close(&layer.weight()?, &read(&weight.square()?), "the parameter that was set");
    assert!(layer.set_weight(&Tensor::ones([2])?).is_err_and(|error| error.is_shape()));
    assert!(layer.register(Product { gain: gain()?, has_inverse: true }).is_err_and(|error| error.is_argument()));
    assert!(layer.register(Shorter).is_err_and(|error| error.is_shape()));
    close(&layer.weight()?, &read(&weight.square()?), "a map that is refused changes nothing");
    layer.forward(&Tensor::ones([1, 2])?)?.sum((), false)?.backward()?;
    assert!(layer.parameters().iter().all(|parameter| parameter.grad().is_some()));
    assert!(
        is_parametrized(&layer, None)
            && is_parametrized(&layer, Some("weight"))
            && !is_parametrized(&layer, Some("bias"))
    );
    let plain = remove_parametrizations(layer, true)?;
    assert!(!is_parametrized(&plain, None));
    close(&plain.parameters()[0], &read(&weight.square()?), "the parameter that is left");
    // One trained tensor stays the same one, as computed or as trained.
    for left in [true, false] {
        let linear = Linear::builder(2, 2).bias(false).build()?;
        let before = linear.parameters()[0].clone();
        let values = read(&before);
        let layer = register_parametrization(linear, "weight", Product { gain: gain()?, has_inverse: false })?;
        assert!(layer.set_weight(&before).is_err_and(|error| error.to_string().contains("right_inverse")));
        let plain = remove_parametrizations(layer, left)?;
        assert!(plain.parameters()[0].is(&before));
        let factor = if left { 2.0 } else { 1.0 };
        close(&before, &values.iter().map(|value| value * factor).collect::<Vec<_>>(), "left");
    }
    let pair = register_parametrization(Linear::new(2, 2)?, "weight", Product { gain: gain()?, has_inverse: true })?;
    assert!(remove_parametrizations(pair, false).is_err_and(|error| error.is_argument()));
    assert!(register_parametrization(Linear::new(2, 2)?, "weight", Shorter).is_err_and(|error| error.is_shape()));
    assert!(register_parametrization(ReLU, "weight", Exp).is_err_and(|error| error.is_argument()));
    Ok(())
}

#[test]
fn the_older_norms_have_their_names_and_can_be_removed() -> Result<()> {
    let _device = device();
    let x = pattern(&[3, 4], 0.0, 1.0)?;
    let layer = Linear::new(4, 2)?;
    let before = read(&layer.forward(&x)?);
    let layer: Parametrized<_, HookNamed<DirectionAndLength>> = utils::weight_norm(layer, "weight", Some(0))?;
    assert_eq!(names(&layer), ["bias", "weight_g", "weight_v"]);
    close(&layer.forward(&x)?, &before, "weight norm");
    let layer = utils::remove_weight_norm(layer)?;
    close(&layer.forward(&x)?, &before, "weight norm, removed");
    assert_eq!(names(&layer), ["bias", "weight"]);
    let layer = utils::spectral_norm(layer, "weight", 3, 1e-12, 0)?;
    assert_eq!(names(&layer), ["bias", "weight_orig", "weight_u", "weight_v"]);
    (0..20).try_for_each(|_| layer.forward(&x).map(drop))?;
    layer.train(false);
    let after = read(&layer.forward(&x)?);
    let layer = utils::remove_spectral_norm(layer)?;
    close(&layer.forward(&x)?, &after, "spectral norm, removed");
    let largest = layer.parameters()[0].linalg_svdvals()?.amax((), false)?;
    assert!((read(&largest)[0] - 1.0).abs() < 1e-4);
    let computed = remove_parametrizations(SpectralNorm::new(Linear::new(4, 2)?, "weight", 1, 1e-12, 0)?, true)?;
    assert_eq!(names(&computed), ["bias", "weight"]);
    assert!(remove_parametrizations(WeightNorm::new(Linear::new(4, 2)?, "weight", None)?, false).is_err());
    Ok(())
}

#[test]
fn masks_are_pytorchs() -> Result<()> {
    let _device = device();
    let layer = |shape: [i64; 2], k: f32, scale: f32| -> Result<Linear> {
        let linear = Linear::builder(shape[1], shape[0]).bias(false).build()?;
        no_grad(|| linear.parameters()[0].copy_(&pattern(&shape, k, scale)?))?;
        Ok(linear)
    };
    let pruned = Pruned::new(layer([3, 4], 0.3, 1.0)?, "weight", &Method::L1Unstructured(0.5.into()))?;
    assert_eq!(names(&pruned), ["weight_mask", "weight_orig"]);
    assert_eq!(read(&pruned.mask()), [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    // A quarter of the six that are left is rounded to two.
    pruned.prune(&Method::L1Unstructured(0.25.into()))?;
    assert_eq!(read(&pruned.mask()), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    // Only two columns are left, and one of them is pruned.
    pruned.prune(&Method::LnStructured { amount: 1.into(), n: 2.0, dim: 1 })?;
    let mask = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(read(&pruned.mask()), mask);
    pruned.forward(&Tensor::ones([1, 4])?)?.sum((), false)?.backward()?;
    let original = pruned.parameters()[0].clone();
    assert_eq!(read(&original.grad().expect("a gradient")), mask);
    let plain = pruned.remove()?;
    assert!(plain.parameters()[0].is(&original));
    close(&original, &[0.0, 0.0, 0.991665, 0.0, 0.0, 0.0, -0.97753, 0.0, 0.0, 0.0, 0.0, 0.0], "removed");

    let rows =
        Pruned::new(layer([3, 4], 0.3, 1.0)?, "weight", &Method::LnStructured { amount: 0.5.into(), n: 1.0, dim: 0 })?;
    let first = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(read(&rows.mask()), first);
    // Half of one row is rounded to none.
    rows.prune(&Method::LnStructured { amount: 0.5.into(), n: f64::INFINITY, dim: 0 })?;
    assert_eq!(read(&rows.mask()), first);
    let random = Pruned::new(layer([3, 4], 0.3, 1.0)?, "weight", &Method::RandomUnstructured(5.into()))?;
    assert_eq!(read(&random.mask()).iter().sum::<f32>(), 7.0);
    random.prune(&Method::RandomStructured { amount: 1.into(), dim: -1 })?;
    assert!(read(&random.mask().sum(0i64, false)?).contains(&0.0));
    random.prune(&Method::CustomFromMask(Tensor::zeros([3, 4])?))?;
    assert_eq!(read(&random.mask()).iter().sum::<f32>(), 0.0);

    let made = |shape: [i64; 2], k: f32, scale: f32| Pruned::new(layer(shape, k, scale)?, "weight", &Method::Identity);
    let (one, other) = (made([2, 3], 0.3, 1.0)?, made([2, 2], 0.9, 0.7)?);
    let both: [&dyn Prunable; 2] = [&one, &other];
    global_unstructured(&both, &Method::L1Unstructured(0.3.into()))?;
    assert_eq!([read(&one.mask()), read(&other.mask())].concat(), [0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    global_unstructured(&both, &Method::L1Unstructured(3.into()))?;
    assert_eq!([read(&one.mask()), read(&other.mask())].concat(), [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    let refused = |method: Method, kind: &str| {
        let error = made([2, 3], 0.0, 1.0).and_then(|layer| layer.prune(&method)).expect_err("it is refused");
        assert!(error.kind_name() == kind && error.to_string().contains(method.name()), "{error}");
    };
    refused(Method::L1Unstructured(7.into()), "argument");
    refused(Method::RandomUnstructured(1.5.into()), "argument");
    refused(Method::LnStructured { amount: 1.into(), n: 2.0, dim: 2 }, "index");
    refused(Method::CustomFromMask(Tensor::ones([3])?), "shape");
    assert!(global_unstructured(&both, &Method::RandomStructured { amount: 1.into(), dim: 0 }).is_err());
    Ok(())
}

#[test]
fn parameters_are_a_vector_and_set_from_one() -> Result<()> {
    let _device = device();
    let layer = Linear::new(2, 3)?;
    let vector = utils::parameters_to_vector(&layer.parameters())?;
    vector.sum((), false)?.backward()?;
    assert!(layer.parameters().iter().all(|parameter| read(&parameter.grad().unwrap()).iter().all(|&one| one == 1.0)));
    utils::vector_to_parameters(&pattern(&[9], 0.0, 1.0)?, &layer.parameters())?;
    assert_eq!(read(&utils::parameters_to_vector(&layer.parameters())?), read(&pattern(&[9], 0.0, 1.0)?));
    assert!(layer.parameters().iter().all(Tensor::is_leaf));
    assert!(
        utils::vector_to_parameters(&vector.narrow(0, 0, 8)?, &layer.parameters()).is_err_and(|error| error.is_shape())
    );
    assert!(utils::parameters_to_vector(&[]).is_err());
    assert_eq!(init::fans(&Tensor::zeros([4, 3, 5, 2])?)?, (30, 40));
    Ok(())
}

#[test]
fn hooks_see_and_replace_the_gradients_of_a_layer() -> Result<()> {
    let _device = device();
    let seen = Rc::new(RefCell::new(vec![]));
    let (before, after) = (seen.clone(), seen.clone());
    let linear = Linear::builder(2, 1).bias(false).build()?;
    no_grad(|| {
        linear.parameters()[0].copy_(&Tensor::from_slice(
            &[3.0f32, 5.0],
            [1, 2],
            &lanthorn_tensor::Device::default_device()?,
        )?)
    })?;
    let layer = Hooked::new(linear)
        .before_backward(move |output| {
            before.borrow_mut().push(("before", None, read(output)));
            output.mul(10.0).map(Some)
        })
        .after_backward(move |input, output| {
            after.borrow_mut().push(("after", input.map(read), read(output)));
            input.map(|input| input.add(1.0)).transpose()
        });
    let x = Tensor::ones([1, 2])?.requires_grad_(true)?;
    layer.forward(&x.mul(1.0)?)?.sum((), false)?.backward()?;
    assert_eq!(seen.take(), [("before", None, vec![1.0]), ("after", Some(vec![30.0, 50.0]), vec![10.0])]);
    assert_eq!(read(&x.grad().unwrap()), [31.0, 51.0]);
    assert_eq!(read(&layer.parameters()[0].grad().unwrap()), [10.0, 10.0]);
    // The input takes part in another result, whose gradient is no part of the layer's.
    x.set_grad(None)?;
    let shared = x.mul(1.0)?;
    layer.forward(&shared)?.add(&shared.sum((), false)?)?.sum((), false)?.backward()?;
    assert_eq!(seen.take()[1], ("after", Some(vec![30.0, 50.0]), vec![10.0]));
    assert_eq!(read(&x.grad().unwrap()), [32.0, 52.0]);
    // An input without a gradient, and no graph at all.
    layer.forward(&Tensor::ones([1, 2])?)?.sum((), false)?.backward()?;
    assert_eq!(seen.take()[1], ("after", None, vec![10.0]));
    no_grad(|| layer.forward(&x))?;
    assert!(seen.borrow().is_empty());
    Ok(())
}
