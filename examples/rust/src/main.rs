//! Trains a classifier of two spirals, on the device named on the command line: `cargo run -- wgpu`.

use lanthorn::nn::{CrossEntropyLoss, Layer, Linear, Module, Sequential, Tanh};
use lanthorn::optim::{Adam, AdamOptions};
use lanthorn::{Result, Tensor};

async fn train(name: &str) -> Result<f64> {
    let device = lanthorn::device(name).await?;
    device.set_default();
    device.manual_seed(0);
    println!("training on {}", device.capabilities().description);

    let arms = (0..200).map(|index| (index % 2, 0.5 + index as f32 / 50.0));
    let point = |(arm, t): (i32, f32)| {
        let angle = 2.0 * t + std::f32::consts::PI * arm as f32;
        [t * angle.cos() / 5.0, t * angle.sin() / 5.0]
    };
    let points: Vec<f32> = arms.clone().flat_map(point).collect();
    let labels: Vec<i32> = arms.map(|(arm, _)| arm).collect();
    let x = Tensor::from_slice(&points, [200, 2], &device)?;
    let y = Tensor::from_slice(&labels, [200], &device)?;

    let layers: Vec<Box<dyn Layer>> = vec![
        Box::new(Linear::new(2, 64)?),
        Box::new(Tanh),
        Box::new(Linear::new(64, 64)?),
        Box::new(Tanh),
        Box::new(Linear::new(64, 2)?),
    ];
    let net = Sequential::new(layers);
    let optimizer = Adam::new(net.parameters(), AdamOptions { lr: 0.01, ..Default::default() })?;
    for step in 1..=300 {
        let loss = CrossEntropyLoss::default().forward(&net.forward(&x)?, &y)?;
        optimizer.zero_grad()?;
        loss.backward()?;
        optimizer.step()?;
        if step % 100 == 0 {
            println!("step {step}: loss {:.4}", loss.item().await?);
        }
    }
    net.forward(&x)?.argmax(1, false)?.eq(&y)?.to(lanthorn::DType::F32)?.mean_all()?.item().await
}

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cpu".to_string());
    let accuracy = pollster::block_on(train(&name))?;
    println!("accuracy {accuracy:.3}");
    Ok(())
}

#[test]
fn learns_the_spirals_on_the_cpu_and_on_webgpu() -> Result<()> {
    for name in ["cpu", "wgpu"] {
        let accuracy = pollster::block_on(train(name))?;
        assert!(accuracy > 0.95, "{accuracy} on {name}");
    }
    Ok(())
}
