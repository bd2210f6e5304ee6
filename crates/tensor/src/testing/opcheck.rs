//! Holds an op of one's own to its declaration, as `torch.library.opcheck`.

use super::{GradcheckOptions, Report, compare, cotangent, gradcheck, gradgradcheck, leaves};
use crate::{
    DType, Device, Error, GradOptions, Result, Tensor,
    custom::CustomOp,
    grad,
    ops::{Arg, Output},
    samples::{Sample, from_bytes},
};
use compare::{Tolerance, close};

/// How far float32 results of two devices, or of a kernel and a composite, may be apart.
const DEVICES: Tolerance = Tolerance { atol: 2e-5, rtol: 1e-5 };

/// Checks a custom op on samples of its arguments. `devices` are those that it is to run on; the
/// first is the reference.
///
/// For each sample, a line of the report for each of:
/// - *schema*: the arguments fit it, and the results are as many as it says, on the device of the
///   arguments;
/// - *fake and composite*, of an op with kernels and a composite: the composite has the types and
///   shapes of the fake function, and the elements of the first device;
/// - *mutation*: no argument is changed, and no result shares memory with one;
/// - *views*: arguments whose elements are not in order have the same results;
/// - *first derivative*, *second derivative*: they are the difference quotients on the first
///   device, in float64 where the op takes it there, else in float32. A `once_differentiable` op
///   has no second one;
/// - the name of each other device: its results and first gradients equal the first device's.
///
/// # Errors
///
/// `argument` for no sample or no device.
///
/// ```
/// # use lanthorn_tensor::{Device, custom::pointwise, samples::{self, Sample}, testing::opcheck};
/// # let device = Device::new(lanthorn_cpu::CpuBackend::new());
/// let op = pointwise("mylib::cubed", "x, scale=2.0 -> scale * x ** 3")?;
/// let report = pollster::block_on(opcheck(op, &[Sample::new([samples::real(&[4, 3], -2.0, 2.0)])], &[device]))?;
/// assert!(report.failures.is_empty(), "{report}");
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub async fn opcheck(op: CustomOp, samples: &[Sample], devices: &[Device]) -> Result<Report> {
    let (Some(reference), false) = (devices.first(), samples.is_empty()) else {
        return Err(Error::argument("opcheck", "takes at least one sample and one device"));
    };
    let mut report = Report::default();
    for (number, sample) in samples.iter().enumerate() {
        let mut line = |what: &str, outcome: Result<()>| {
            report.check(
                format_args!("{} sample {number}, {what}", op.name()),
                outcome.map_err(|error| error.to_string()),
            );
        };
        let expected = run(op, sample, reference, &Ok).await;
        line("schema", expected.as_ref().map(|_| ()).map_err(Clone::clone));
        let Ok(expected) = expected else { continue };
        if op.has_composite_beside_kernels() {
            line("fake and composite", fake_and_composite(op, sample, reference, &expected).await);
        }
        line("mutation", mutation(op, sample, reference).await);
        let transposed = run(op, sample, reference, &transpose).await.and_then(|found| agree(op, &found, &expected));
        line("views", transposed);
        let function = |args: &[Arg]| op.tensors(args);
        let options = match runs_in_float64(op, sample, reference).await {
            true => GradcheckOptions::FLOAT64,
            false => GradcheckOptions::FLOAT32,
        };
        line("first derivative", gradcheck(&function, sample, reference, options).await.map(|_| ()));
        if !op.is_once_differentiable() {
            line("second derivative", gradgradcheck(&function, sample, reference, options).await.map(|_| ()));
        }
        for device in &devices[1..] {
            let found = run(op, sample, device, &Ok).await.and_then(|found| agree(op, &found, &expected));
            line(device.name(), found);
        }
    }
    Ok(report)
}

/// Results and gradients on the host.
struct Outcome {
    /// The type, shape and elements of each.
    results: Vec<(DType, Vec<usize>, Vec<f64>)>,
    gradients: Vec<Option<Vec<f64>>>,
}

fn failure(op: CustomOp, message: String) -> Error {
    Error::argument(op.name(), message)
}

/// Runs a sample in float32 with its gradients, its tensors changed by `view`.
async fn run(
    op: CustomOp,
    sample: &Sample,
    device: &Device,
    view: &dyn Fn(Tensor) -> Result<Tensor>,
) -> Result<Outcome> {
    device.set_default();
    device.manual_seed(11);
    let args = sample.make(DType::F32, device, view)?;
    let leaves = leaves(&args)?;
    let output = op.call(&args)?;
    let one = matches!(output, Output::Tensor(_));
    let (results, wanted) = (output.tensors().to_vec(), &op.schema().returns);
    let gives_list = wanted.iter().any(|result| result.ty == "Tensor[]");
    if !gives_list && (results.len() != wanted.len() || one != (wanted.len() == 1)) {
        return Err(failure(op, format!("gave {} results, the schema has {}", results.len(), wanted.len())));
    }
    if let Some(odd) = results.iter().find(|result| result.device() != device) {
        return Err(failure(
            op,
            format!("a result is on {}, the arguments are on {}", odd.device().name(), device.name()),
        ));
    }
    let differentiable: Vec<Tensor> = results.iter().filter(|result| result.requires_grad()).cloned().collect();
    let starts = differentiable.iter().map(|result| cotangent(result, result.dtype())).collect::<Result<Vec<_>>>()?;
    let gradients = match differentiable.is_empty() {
        true => vec![],
        false => grad(&differentiable, &leaves, &starts, GradOptions::default())?,
    };
    let mut outcome = Outcome { results: vec![], gradients: vec![] };
    for result in &results {
        outcome.results.push((result.dtype(), result.shape().to_vec(), elements(result).await?));
    }
    for gradient in &gradients {
        outcome.gradients.push(match gradient {
            Some(gradient) => Some(elements(gradient).await?),
            None => None,
        });
    }
    Ok(outcome)
}

async fn elements(tensor: &Tensor) -> Result<Vec<f64>> {
    Ok(from_bytes(&tensor.to_bytes().await?, tensor.dtype()))
}

/// The same elements, with the first and last dimension in another order in memory.
fn transpose(x: Tensor) -> Result<Tensor> {
    if x.rank() < 2 { Ok(x) } else { Ok(x.transpose(0, -1)?.clone_tensor()?.transpose(0, -1)?.detach()) }
}

fn agree(op: CustomOp, found: &Outcome, expected: &Outcome) -> Result<()> {
    let refused = |message: String| Err(failure(op, message));
    for (number, (found, expected)) in found.results.iter().zip(&expected.results).enumerate() {
        if (found.0, &found.1) != (expected.0, &expected.1) {
            let (found, expected) = ((found.0, &found.1), (expected.0, &expected.1));
            return refused(format!(
                "result {number} is {} {:?}, expected {} {:?}",
                found.0, found.1, expected.0, expected.1
            ));
        }
        if let Err(why) = close(&found.2, &expected.2, DEVICES.of(found.0)) {
            return refused(format!("result {number}: {why}"));
        }
    }
    if found.results.len() != expected.results.len() || found.gradients.len() != expected.gradients.len() {
        return refused("another number of results or gradients".into());
    }
    for (number, pair) in found.gradients.iter().zip(&expected.gradients).enumerate() {
        let outcome = match pair {
            (None, None) => Ok(()),
            (Some(found), Some(expected)) => close(found, expected, DEVICES),
            _ => Err("there on one side alone".into()),
        };
        if let Err(why) = outcome {
            return refused(format!("gradient {number}: {why}"));
        }
    }
    Ok(())
}

/// Whether the composite has the types and shapes of the fake function, and the elements of the
/// first device.
async fn fake_and_composite(op: CustomOp, sample: &Sample, device: &Device, expected: &Outcome) -> Result<()> {
    let args = sample.make(DType::F32, device, Ok)?;
    for (number, (fake, result)) in op.fake_and_composite(&args)?.into_iter().enumerate() {
        if (fake.dtype, &fake.shape) != (result.dtype(), result.shape()) {
            let message = format!(
                "the fake function says that result {number} is {} {}, the composite gives {} {}",
                fake.dtype,
                fake.shape,
                result.dtype(),
                result.shape()
            );
            return Err(failure(op, message));
        }
        let (dtype, _, elements_expected) = &expected.results[number];
        close(&elements(&result).await?, elements_expected, DEVICES.of(*dtype)).map_err(|why| {
            failure(op, format!("result {number} of the composite, beside that of the kernel: {why}"))
        })?;
    }
    Ok(())
}

/// Whether the arguments are as before, and no result shares their memory.
async fn mutation(op: CustomOp, sample: &Sample, device: &Device) -> Result<()> {
    let tensors = |args: &[Arg]| -> Vec<Tensor> { args.iter().flat_map(Arg::tensors).cloned().collect() };
    let args = sample.make(DType::F32, device, Ok)?;
    let given = tensors(&args);
    let mut before = Vec::new();
    for tensor in &given {
        before.push((tensor.version(), tensor.to_bytes().await?));
    }
    let results = op.tensors(&args)?;
    for (number, (tensor, (version, bytes))) in given.iter().zip(before).enumerate() {
        if tensor.version() != version || tensor.to_bytes().await? != bytes {
            return Err(failure(
                op,
                format!("the op changes its argument tensor {number}, which the schema does not say"),
            ));
        }
        if let Some(result) = results.iter().position(|result| result.shares_storage_with(tensor)) {
            let message = format!("result {result} shares memory with argument tensor {number}; give a copy");
            return Err(failure(op, message));
        }
    }
    Ok(())
}

/// Whether the op takes the sample in float64 on a device.
async fn runs_in_float64(op: CustomOp, sample: &Sample, device: &Device) -> bool {
    let run = async {
        for tensor in op.tensors(&sample.make(DType::F64, device, Ok)?)? {
            tensor.to_bytes().await?;
        }
        Ok::<(), Error>(())
    };
    run.await.is_ok()
}
