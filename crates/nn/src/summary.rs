//! The modules of a model as a table.

use crate::{Layer, Module, Sequential, call};
use lanthorn_tensor::{
    Result, Tensor, no_grad,
    ops::{Arg, Output},
};
use std::{any::Any, fmt};

/// A row of a [`Summary`]: a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRow {
    /// The full name of the module; empty for the model.
    pub name: String,
    /// The depth of the module in the model.
    pub depth: usize,
    /// The shapes of the results, empty for a module that is not called separately.
    pub output_shapes: Vec<Vec<usize>>,
    /// The number of elements of the module's own parameters.
    pub parameters: usize,
}

/// The modules of a model with their sizes; it prints as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The modules, each one before its submodules.
    pub rows: Vec<SummaryRow>,
    /// The number of elements of all parameters.
    pub parameters: usize,
    /// The number of elements of the parameters that require gradients.
    pub trainable: usize,
    /// The number of elements of all buffers.
    pub buffers: usize,
    /// The bytes of parameters and buffers.
    pub bytes: usize,
    /// The bytes of the results.
    pub output_bytes: usize,
}

fn bytes(tensor: &Tensor) -> usize {
    tensor.numel() * tensor.dtype().size()
}

/// The layers of a model with the shapes of their results, their parameters and memory.
///
/// With inputs the model runs once without recording a graph, a [`Sequential`] module by module.
/// Set a model with batch norms to evaluation mode first.
///
/// # Errors
///
/// The errors of the model's forward computation.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, ReLU, Sequential, summary};
/// use lanthorn::{Tensor, ops::Arg};
/// let net = Sequential::new(vec![Box::new(Linear::new(4, 8)?), Box::new(ReLU), Box::new(Linear::new(8, 2)?)]);
/// let summary = summary(&net, &[Arg::Tensor(Tensor::zeros([3, 4])?)])?;
/// assert_eq!((summary.parameters, &summary.rows[1].output_shapes[0][..]), (58, &[3, 8][..]));
/// println!("{summary}");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn summary(model: &dyn Module, inputs: &[Arg]) -> Result<Summary> {
    let mut summary = Summary::default();
    no_grad(|| summary.add(model, "", 0, (!inputs.is_empty()).then_some(inputs)))?;
    for tensor in model.parameters() {
        summary.parameters += tensor.numel();
        summary.trainable += if tensor.requires_grad() { tensor.numel() } else { 0 };
        summary.bytes += bytes(&tensor);
    }
    for (_, tensor) in model.named_buffers() {
        summary.buffers += tensor.numel();
        summary.bytes += bytes(&tensor);
    }
    Ok(summary)
}

impl Summary {
    /// Adds a module and its children, and returns its result if there are inputs.
    fn add(&mut self, module: &dyn Module, name: &str, depth: usize, inputs: Option<&[Arg]>) -> Result<Option<Output>> {
        let row = self.rows.len();
        let parameters = module.own_parameters().iter().map(|(_, tensor)| tensor.numel()).sum();
        self.rows.push(SummaryRow { name: name.into(), depth, output_shapes: vec![], parameters });
        let in_order = is_sequential(module);
        let mut given = inputs.filter(|_| in_order).map(<[Arg]>::to_vec);
        for (own, child) in module.children() {
            let full = crate::derive::join(name, &own);
            let output = self.add(child, &full, depth + 1, given.as_deref())?;
            given = output.map(|output| output.tensors().iter().cloned().map(Arg::Tensor).collect());
        }
        let output = match (inputs, given) {
            (Some(_), Some(given)) => Some(Output::Tensors(given.into_iter().filter_map(tensor).collect())),
            (Some(inputs), None) => Some(call(module, inputs)?),
            _ => None,
        };
        let tensors = output.as_ref().map_or(&[][..], Output::tensors);
        if !in_order {
            self.output_bytes += tensors.iter().map(bytes).sum::<usize>();
        }
        self.rows[row].output_shapes = tensors.iter().map(|tensor| tensor.shape().to_vec()).collect();
        Ok(output)
    }
}

/// Whether a module, or a pointer's target, applies its modules in sequence.
fn is_sequential(module: &dyn Module) -> bool {
    let any = module as &dyn Any;
    match any.downcast_ref::<Box<dyn Layer>>() {
        Some(layer) => is_sequential(&**layer),
        None => any.is::<Sequential>(),
    }
}

fn tensor(arg: Arg) -> Option<Tensor> {
    if let Arg::Tensor(tensor) = arg { Some(tensor) } else { None }
}

/// A number with thousands separators.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let apart = |(index, digit): (usize, char)| {
        let comma = (index > 0 && (digits.len() - index).is_multiple_of(3)).then_some(',');
        comma.into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(apart).collect()
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |row: &SummaryRow| {
            let name = if row.name.is_empty() { "(model)" } else { &row.name };
            let shapes: Vec<String> = row.output_shapes.iter().map(|shape| format!("{shape:?}")).collect();
            let shapes = if shapes.is_empty() { "-".into() } else { shapes.join(" ") };
            let parameters = if row.parameters == 0 { "-".into() } else { grouped(row.parameters) };
            [format!("{}{name}", "  ".repeat(row.depth)), shapes, parameters]
        };
        let mut lines = vec![["layer", "output", "parameters"].map(String::from)];
        lines.extend(self.rows.iter().map(shown));
        let widths: Vec<usize> =
            (0..3).map(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0)).collect();
        let rule = "-".repeat(widths.iter().sum::<usize>() + 4);
        for (index, [name, shapes, parameters]) in lines.iter().enumerate() {
            writeln!(f, "{name:<0$}  {shapes:<1$}  {parameters:>2$}", widths[0], widths[1], widths[2])?;
            if index == 0 {
                writeln!(f, "{rule}")?;
            }
        }
        let [parameters, trainable, buffers] = [self.parameters, self.trainable, self.buffers].map(grouped);
        writeln!(f, "{rule}\nparameters: {parameters}, {trainable} of them trained; buffers: {buffers}")?;
        let [bytes, outputs] = [self.bytes, self.output_bytes].map(|bytes| bytes as f64 / 1e6);
        write!(f, "memory: {bytes:.2} MB of parameters and buffers, {outputs:.2} MB of results")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchNorm1d, Linear, ReLU};
    use lanthorn_tensor::Device;

    #[test]
    fn counts_shapes_and_bytes_and_prints_a_table() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        device.set_default();
        let inner =
            Sequential::new(vec![Box::new(Linear::builder(8, 300).bias(false).build().unwrap()), Box::new(ReLU)]);
        let net = Sequential::new(vec![Box::new(BatchNorm1d::new(8).unwrap()), Box::new(inner)]);
        let found = summary(&net, &[Arg::Tensor(Tensor::ones([5, 8]).unwrap())]).unwrap();
        let names: Vec<&str> = found.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["", "0", "1", "1.0", "1.1"]);
        assert_eq!(found.rows[0].output_shapes, [[5, 300]]);
        assert_eq!(found.rows[3].output_shapes, [[5, 300]]);
        assert_eq!((found.parameters, found.trainable, found.buffers), (2416, 2416, 17));
        assert_eq!((found.bytes, found.output_bytes), (4 * (2416 + 17), 4 * (40 + 1500 + 1500)));
        let text = found.to_string();
        assert!(text.contains("parameters: 2,416, 2,416 of them trained; buffers: 17"), "{text}");
        assert!(text.lines().any(|line| line.starts_with("    1.0 ") && line.ends_with("2,400")), "{text}");
        // Without inputs there are no shapes.
        assert!(summary(&net, &[]).unwrap().rows.iter().all(|row| row.output_shapes.is_empty()));
    }
}
