//! Saves every sample of every op as a program, for `tests/pytorch/operators.py`:
//! `cargo run -p lanthorn-conformance --example export_samples FOLDER`.

use lanthorn::{DType, ops};
use lanthorn_conformance::export::{has_program, read, sample};
use lanthorn_io::{TensorData, safetensors};
use lanthorn_program::pt2;
use std::{error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("give a folder")?);
    fs::create_dir_all(&folder)?;
    let device = lanthorn::cpu();
    device.set_default();
    for op in ops::built_in().filter(|op| has_program(op)) {
        for (index, args) in (op.samples)().iter().map(|sample| sample.make(DType::F32, &device, Ok)).enumerate() {
            let args = args?;
            for in_place in [false, true].into_iter().filter(|&in_place| !in_place || op.in_place.is_some()) {
                let Some(sample) = sample(op, &args, in_place, &device)? else { continue };
                let name = format!("{}{}-{index}", op.name(), if in_place { "_" } else { "" });
                let inputs = sample.inputs.iter().map(read).collect::<Result<Vec<TensorData>, _>>()?;
                let named = |kind: &str, tensors: Vec<TensorData<'static>>| -> Vec<(String, TensorData<'static>)> {
                    tensors.into_iter().enumerate().map(|(index, data)| (format!("{kind}.{index}"), data)).collect()
                };
                let tensors = [named("inputs", inputs), named("outputs", sample.outputs)].concat();
                fs::write(folder.join(format!("{name}.pt2")), pt2::save(&sample.program)?)?;
                fs::write(folder.join(format!("{name}.safetensors")), safetensors::save(&tensors, &[])?)?;
            }
        }
    }
    Ok(())
}
