//! Recurrent layers: their names, states and errors, and the launches of a training step.

use crate::common::{assert_close, device, read};
use lanthorn_nn::{
    GRU, GRUCell, LSTM, LSTMCell, Module, RNN, RNNCell, Recurrence, Recurrent, RecurrentCell, call, table::build,
};
use lanthorn_tensor::{Device, Result, Tensor, no_grad, ops::Arg};
use pollster::block_on;

#[test]
fn parameters_have_the_names_of_pytorch() -> Result<()> {
    let _device = device();
    let lstm = LSTM::builder(3, 5).num_layers(2).bidirectional(true).proj_size(2).build()?;
    let named: Vec<(String, Vec<usize>)> =
        lstm.named_parameters().into_iter().map(|(name, parameter)| (name, parameter.shape().to_vec())).collect();
    let of = |name: &str| named.iter().find(|(own, _)| own == name).map(|(_, shape)| shape.clone());
    assert_eq!(named.len(), 20);
    assert_eq!(of("weight_ih_l0"), Some(vec![20, 3]));
    assert_eq!(of("weight_hh_l0_reverse"), Some(vec![20, 2]));
    assert_eq!(of("weight_ih_l1"), Some(vec![20, 4]));
    assert_eq!(of("bias_hh_l1_reverse"), Some(vec![20]));
    assert_eq!(of("weight_hr_l1"), Some(vec![2, 5]));
    let cell: Vec<String> = GRUCell::new(3, 5)?.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(cell, ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]);
    assert_eq!(RNN::builder(3, 5).bias(false).build()?.parameters().len(), 2);
    let bound = 1.0 / 5f32.sqrt();
    assert!(lstm.parameters().iter().flat_map(read).all(|value| value.abs() <= bound));
    Ok(())
}

/// A layer is its cell, step by step, with the same parameters.
fn a_layer_is_its_cell<K: Recurrence>() -> Result<()> {
    let layer = Recurrent::<K>::builder(3, 4).batch_first(true).build()?;
    let cell = RecurrentCell::<K>::new(3, 4)?;
    for (to, from) in cell.parameters().iter().zip(layer.parameters()) {
        no_grad(|| to.copy_(&from))?;
    }
    let x = Tensor::randn([2, 5, 3])?;
    let mut state: Option<K::State> = None;
    let mut outputs = vec![];
    for step in x.unbind(1)? {
        let next = cell.forward(&step, state.as_ref())?;
        outputs.push(K::list(&next)[0].clone());
        state = Some(next);
    }
    let (output, last) = layer.forward(&x, None)?;
    assert_close(&output, &Tensor::stack(&outputs, 1)?);
    for (got, want) in K::list(&last).iter().zip(K::list(&state.unwrap())) {
        assert_close(got, &want.unsqueeze(0)?);
    }
    // A sequence can be split and continued.
    let (_, half) = layer.forward(&x.narrow(1, 0, 2)?, None)?;
    let (rest, _) = layer.forward(&x.narrow(1, 2, 3)?, Some(&half))?;
    assert_close(&rest, &output.narrow(1, 2, 3)?);
    // A sequence without a batch equals a batch of one.
    let (alone, state) = layer.forward(&x.select(0, 1)?, None)?;
    assert_close(&alone, &output.select(0, 1)?);
    assert_eq!(K::list(&state)[0].shape().to_vec(), [1, 4]);
    Ok(())
}

#[test]
fn layers_are_their_cells() -> Result<()> {
    let _device = device();
    a_layer_is_its_cell::<lanthorn_nn::Elman>()?;
    a_layer_is_its_cell::<lanthorn_nn::LongShortTerm>()?;
    a_layer_is_its_cell::<lanthorn_nn::Gated>()
}

#[test]
fn dropout_falls_between_layers_in_training_alone() -> Result<()> {
    let _device = device();
    let layers = |num_layers| GRU::builder(3, 64).num_layers(num_layers).dropout(0.5).build();
    let x = Tensor::randn([2, 1, 3])?;
    let (one, two) = (layers(1)?, layers(2)?);
    let twice = |net: &GRU| Ok((read(&net.forward(&x, None)?.0), read(&net.forward(&x, None)?.0)));
    let (first, second): (Vec<f32>, Vec<f32>) = twice(&one)?;
    assert_eq!(first, second, "the last layer's output is not dropped");
    let (first, second) = twice(&two)?;
    assert_ne!(first, second);
    two.train(false);
    let (first, second) = twice(&two)?;
    assert_eq!(first, second);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_by_name() -> Result<()> {
    let _device = device();
    assert!(LSTM::new(3, 0).is_err_and(|error| error.to_string().contains("hidden_size must be greater than zero")));
    for refused in
        [LSTM::builder(3, 4).proj_size(4), LSTM::builder(3, 4).dropout(1.5), LSTM::builder(3, 4).num_layers(0)]
    {
        assert!(refused.build().is_err_and(|error| error.is_argument()));
    }
    let silu = [Arg::from(3), Arg::from(4), Arg::Missing, Arg::Str("silu".into())];
    assert!(build("RNN", &silu).is_err_and(|error| error.is_argument()));
    assert!(GRU::builder(3, 4).proj_size(2).build().is_err_and(|error| error.is_argument()));
    let net = LSTM::new(3, 4)?;
    let zeros = |shape: &[i64]| Tensor::zeros(shape);
    for shape in [&[5, 2, 4][..], &[3], &[0, 2, 3]] {
        assert!(net.forward(&zeros(shape)?, None).is_err_and(|error| error.is_shape()), "{shape:?}");
    }
    let x = zeros(&[5, 2, 3])?;
    for state in [&[1, 2, 3][..], &[1, 3, 4], &[2, 2, 4], &[2, 4]] {
        let states = (zeros(state)?, zeros(state)?);
        assert!(net.forward(&x, Some(&states)).is_err_and(|error| error.is_shape()), "{state:?}");
    }
    let one = [Arg::Tensor(x.clone()), Arg::Tensors(vec![zeros(&[1, 2, 4])?])];
    assert!(call(&net, &one).is_err_and(|error| error.to_string().contains("hx is a list of 2 tensors, not of 1")));
    let cell = LSTMCell::new(3, 4)?;
    assert!(cell.forward(&zeros(&[2, 5])?, None).is_err_and(|error| error.is_shape()));
    assert!(RNNCell::new(3, 4)?.forward(&zeros(&[2, 3])?, Some(&zeros(&[3, 4])?)).is_err_and(|error| error.is_shape()));
    Ok(())
}

/// Runs gradient descent over sequences of this number of steps; returns the launches of the last
/// one.
fn launches_of_a_step(device: &Device, length: i64) -> Result<u64> {
    let net = LSTM::new(3, 4)?;
    let x = Tensor::randn([length, 2, 3])?;
    let step = || -> Result<()> {
        let loss = net.forward(&x, None)?.0.select(0, -1)?.square()?.sum((), false)?;
        loss.backward()?;
        for parameter in net.parameters() {
            // Every parameter has a gradient.
            let grad = parameter.grad().expect("a gradient");
            no_grad(|| parameter.sub_(&grad.mul(0.01)?))?;
            parameter.set_grad(None)?;
        }
        block_on(loss.item()).map(|_| ())
    };
    (0..3).try_for_each(|_| step())?;
    let before = device.inspect().stats();
    step()?;
    let after = device.inspect().stats();
    assert_eq!(
        (after.plan_misses, after.plan_hits),
        (before.plan_misses, before.plan_hits + 1),
        "the step replays its plan"
    );
    assert_eq!(after.submissions, before.submissions + 1);
    assert_eq!(after.memory.buffers_created, before.memory.buffers_created);
    Ok(after.launches - before.launches)
}

#[test]
fn a_training_step_replays_its_plan_and_takes_time_linear_in_the_sequence() -> Result<()> {
    let device = device();
    let [short, middle, long] = [8, 16, 24].map(|length| launches_of_a_step(&device, length));
    let (short, middle, long) = (short?, middle?, long?);
    // Forward and backward have a product and the cell's expressions each; joins add a few.
    assert!(middle - short <= 5 * 8 && long - middle <= 5 * 8, "{short}, {middle} and {long} launches");
    Ok(())
}
