//! Trains a classifier of two spirals, on the device named on the command line: `cargo run -- wgpu`.

use lanthorn::{
    Result, Tensor, device, nn,
    nn::Module,
    optim::{Adam, AdamOptions},
};

async fn train(name: &str) -> Result<f64> {
    let device = device(name).await?;
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
    Ok(0.0)
}

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cpu".to_string());
    let accuracy = pollster::block_on(train(&name))?;
    println!("accuracy {accuracy:.3}");
    assert!(accuracy > 0.95, "it should have learnt the spirals");
    Ok(())
}
