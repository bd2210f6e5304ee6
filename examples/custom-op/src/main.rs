//! Registers operations of one's own and checks them on the devices named on the command line, beside the CPU.

mod log_cosh;
mod squareplus;
mod swiglu;

use lanthorn::{
    Device, Error, Result,
    ops::Arg,
    samples::{Sample, real},
    testing::{GradcheckOptions, Report, compare, gradcheck, gradgradcheck, opcheck},
};
use log_cosh::log_cosh;
use std::process::ExitCode;

fn main() -> ExitCode {
    match pollster::block_on(check(std::env::args().skip(1))) {
        Ok(report) => {
            println!("{report}");
            if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn check(names: impl Iterator<Item = String>) -> Result<Report> {
    let mut devices = vec![lanthorn::cpu()];
    for name in names {
        devices.push(lanthorn::device(&name).await?);
    }
    let mut report = opcheck(squareplus::register()?, &squareplus::samples(), &devices).await?;
    report.extend(opcheck(swiglu::register()?, &swiglu::samples(), &devices).await?);
    for device in &devices {
        let outcome = check_log_cosh(device).await.map_err(|error| error.to_string());
        report.check(format_args!("log_cosh on {}", device.name()), outcome);
    }
    let listed = lanthorn::ops::all().filter(|op| op.name().starts_with("example::"));
    listed.for_each(|op| println!("{}", op.text));
    Ok(report)
}

/// The values of the function where cosh overflows too, and its derivatives of both orders.
async fn check_log_cosh(device: &Device) -> Result<()> {
    device.set_default();
    let x = lanthorn::Tensor::from_slice(&[0.0f32, 1.0, -200.0], [3], device)?;
    let found: Vec<f64> = log_cosh(&x)?.to_vec::<f32>().await?.into_iter().map(f64::from).collect();
    let expected = [0.0, 1f64.cosh().ln(), 200.0 - 2f64.ln()];
    compare::close(&found, &expected, compare::Tolerance { atol: 1e-5, rtol: 1e-6 })
        .map_err(|why| Error::argument("log_cosh", why))?;
    let function = |args: &[Arg]| match args {
        [Arg::Tensor(x)] => Ok(vec![log_cosh(x)?]),
        _ => Err(Error::argument("log_cosh", "takes a tensor")),
    };
    let sample = Sample::new([real(&[3, 4], -2.0, 2.0)]);
    let options = match device.name() {
        "wgpu" => GradcheckOptions::FLOAT32,
        _ => GradcheckOptions::FLOAT64,
    };
    gradcheck(&function, &sample, device, options).await?;
    gradgradcheck(&function, &sample, device, options).await?;
    Ok(())
}
