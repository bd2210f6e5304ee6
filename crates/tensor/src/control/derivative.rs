//! The derivative of a scan: a scan in the other direction, of the derivative of its function.

use super::steps::{Kept, Results, Steps};
use crate::{
    DType, Error, GradOptions, Result, Shape, Tensor, autocast_dtype,
    autograd::{
        Edge, EdgeKey, GradFn, GradNode, JointDerivative, attach_joint, edges_out, enable_grad, grad_of_edges,
        is_grad_enabled,
    },
    func::Inputs,
    set_autocast,
    storage::Storage,
};
use std::rc::{Rc, Weak};

/// A scan whose gradients are wanted.
struct Backward {
    steps: Steps,
    /// The modes and tensors that the function of the scan ran with.
    autocast: Option<DType>,
    reads: Vec<(Weak<Storage>, u64)>,
    /// The captured tensors: where their gradients go, their shapes and types.
    captured: Vec<(EdgeKey, Shape, DType)>,
    /// Whether gradients of each slice are wanted.
    needs: Vec<bool>,
    /// The number of tensors in the carry, in a slice, and in the outputs of a step.
    counts: [usize; 3],
}

/// Makes the results of a scan the results of one node.
pub(super) fn attach_to(
    mut steps: Steps,
    (xs, edges): (&[Tensor], &[Option<Edge>]),
    captured: Vec<Edge>,
    (finals, outputs): &Results,
    kept: Kept,
) {
    let describe = |edge: &Edge| match edge {
        Edge::Leaf(leaf) => (edge.key(), leaf.shape().clone(), leaf.dtype()),
        Edge::Node(GradFn { node, output }) => {
            let result = node.output(*output);
            (edge.key(), result.shape.clone(), result.dtype)
        }
    };
    steps.states = kept.states;
    let backward = Backward {
        autocast: autocast_dtype(),
        reads: kept.reads,
        captured: captured.iter().map(describe).collect(),
        needs: edges[finals.len()..].iter().map(Option::is_some).collect(),
        counts: [finals.len(), xs.len(), outputs.len()],
        steps,
    };
    let op = backward.steps.op;
    // The carries are results too: a derivative of the derivative goes through them.
    let results = [&finals[..], outputs, &kept.carries].concat();
    let saved = [xs, &kept.carries].concat();
    let edges = edges.iter().cloned().chain(captured.into_iter().map(Some)).collect();
    let derivative: JointDerivative = Rc::new(move |gradients, saved| backward.run(gradients, saved));
    attach_joint(op, &results, &|_| false, edges, &saved, derivative);
}

/// Where the tensors of a backward step stand.
struct Step {
    body: super::steps::Body,
    op: &'static str,
    autocast: Option<DType>,
    captured: Vec<(EdgeKey, Shape, DType)>,
    counts: [usize; 3],
    /// Which outputs have gradients.
    outputs: Vec<usize>,
    /// Which tensors of the carry have gradients besides the gradients of the next step.
    carries: Vec<usize>,
    needs: Vec<bool>,
}

impl Backward {
    /// The gradients of the operands, from the gradients of the final carry, the outputs and the
    /// carries.
    fn run(&self, gradients: &[Option<Tensor>], saved: &[Tensor]) -> Result<Vec<Option<Tensor>>> {
        self.check_reads()?;
        let [carries, slices, outputs] = self.counts;
        let (xs, kept) = saved.split_at(slices);
        let (of_finals, rest) = gradients.split_at(carries);
        let (of_outputs, of_carries) = rest.split_at(outputs);
        let device = Some(saved[0].device());
        let real: Vec<usize> = (0..carries).filter(|&index| kept[index].dtype().is_floating_point()).collect();
        let start = real.iter().map(|&index| match &of_finals[index] {
            Some(gradient) => Ok(gradient.clone()),
            None => {
                let shape = Shape::from_dims(kept[index].shape()[1..].iter().copied());
                Tensor::zeros_with(&shape, kept[index].dtype(), device)
            }
        });
        let totals = self.captured.iter().map(|(_, shape, dtype)| Tensor::zeros_with(shape, *dtype, device));
        let init = start.chain(totals).collect::<Result<Vec<_>>>()?;
        let given = |gradients: &[Option<Tensor>]| {
            let all = gradients.iter().enumerate();
            all.filter_map(|(index, gradient)| Some((index, gradient.clone()?))).unzip()
        };
        let (output_indices, of_outputs): (Vec<usize>, Vec<Tensor>) = given(of_outputs);
        let (carry_indices, of_carries): (Vec<usize>, Vec<Tensor>) = given(of_carries);
        let step = Step {
            body: self.steps.body.clone(),
            op: self.steps.op,
            autocast: self.autocast,
            captured: self.captured.clone(),
            counts: self.counts,
            outputs: output_indices,
            carries: carry_indices,
            needs: self.needs.clone(),
        };
        let steps = Steps {
            body: Rc::new(move |gradients, values| step.run(gradients, values)),
            reverse: !self.steps.reverse,
            ..self.steps.clone()
        };
        let (finals, found) = steps.run(&init, &[kept, xs, &of_outputs, &of_carries].concat())?;
        let mut result = vec![None; carries];
        for (&index, gradient) in real.iter().zip(&finals) {
            result[index] = Some(gradient.clone());
        }
        let mut found = found.into_iter();
        let is_real = |index: usize| self.needs[index] && xs[index].dtype().is_floating_point();
        result.extend((0..slices).map(|index| if is_real(index) { found.next() } else { None }));
        result.extend(finals[real.len()..].iter().cloned().map(Some));
        Ok(result)
    }

    /// Checks that no tensor that the function captures was written to since the scan.
    fn check_reads(&self) -> Result<()> {
        let is_written = |(storage, version): &(Weak<Storage>, u64)| {
            storage.upgrade().is_some_and(|storage| storage.version() != *version)
        };
        if !self.reads.iter().any(is_written) {
            return Ok(());
        }
        let message = format!(
            "a tensor that the function of {} captures was changed in place since; clone it before the change",
            self.steps.op
        );
        Err(Error::autograd("backward", message))
    }
}

impl Step {
    /// A backward step: the gradients of the carry before the step and the sums for captured
    /// tensors, and the gradients of the slices.
    fn run(&self, gradients: &[Tensor], values: &[Tensor]) -> Result<Results> {
        let [carries, slices, _] = self.counts;
        let (carry, rest) = values.split_at(carries);
        let (xs, rest) = rest.split_at(slices);
        let (of_outputs, of_carries) = rest.split_at(self.outputs.len());
        let is_real = |tensor: &&Tensor| tensor.dtype().is_floating_point();
        let real = carry.iter().filter(is_real).count();
        let (of_next, totals) = gradients.split_at(real);
        let found = self.differentiate((carry, xs), of_next, of_outputs)?;
        let inputs = carry.iter().chain(xs).filter(is_real);
        let or_zeros = |(gradient, input): (&Option<Tensor>, &Tensor)| match gradient {
            Some(gradient) => Ok(gradient.clone()),
            None => Tensor::zeros_with(input.shape(), input.dtype(), Some(input.device())),
        };
        let of_inputs = found.iter().zip(inputs).map(or_zeros).collect::<Result<Vec<_>>>()?;
        let (of_carry, of_slices) = of_inputs.split_at(real);
        let of_carry = carry.iter().enumerate().filter(|(_, tensor)| is_real(tensor)).zip(of_carry);
        let of_carry =
            of_carry.map(|((index, _), gradient)| match self.carries.iter().position(|&given| given == index) {
                Some(given) => gradient.add(&of_carries[given]),
                None => Ok(gradient.clone()),
            });
        let sums = totals.iter().zip(&found[of_inputs.len()..]).map(|(total, gradient)| match gradient {
            Some(gradient) => total.add(gradient),
            None => Ok(total.clone()),
        });
        let next = of_carry.chain(sums).collect::<Result<_>>()?;
        let of_slices = xs.iter().zip(&self.needs).filter(|(x, _)| is_real(x)).zip(of_slices);
        Ok((next, of_slices.filter(|((_, needs), _)| **needs).map(|(_, gradient)| gradient.clone()).collect()))
    }

    /// The gradients of the inputs and of the captured tensors at a step of the scan.
    fn differentiate(
        &self,
        (carry, xs): (&[Tensor], &[Tensor]),
        of_next: &[Tensor],
        of_outputs: &[Tensor],
    ) -> Result<Vec<Option<Tensor>>> {
        let options = GradOptions { retain_graph: is_grad_enabled(), create_graph: is_grad_enabled() };
        let values = [carry, xs].concat();
        let real: Vec<Tensor> = values.iter().filter(|value| value.dtype().is_floating_point()).cloned().collect();
        enable_grad(|| {
            let inputs = Inputs::new(self.op, &real)?;
            let mut own = inputs.tensors().iter();
            let is_real = |value: &Tensor| value.dtype().is_floating_point();
            let call = values.iter().map(|value| if is_real(value) { own.next().unwrap_or(value) } else { value });
            let call: Vec<Tensor> = call.cloned().collect();
            // The pass ends at the inputs, which also other tensors of the function may lead to.
            let first = GradNode::made();
            let before = set_autocast(self.autocast)?;
            let results = (self.body)(&call[..carry.len()], &call[carry.len()..]);
            set_autocast(before)?;
            let (next, outputs) = results?;
            let next = next.iter().filter(|next| is_real(next)).zip(of_next);
            let given = self.outputs.iter().filter_map(|&index| outputs.get(index)).zip(of_outputs);
            let open = next.chain(given).filter(|(result, _)| result.requires_grad());
            let (results, gradients): (Vec<Tensor>, Vec<Tensor>) = open.map(|(a, b)| (a.clone(), b.clone())).unzip();
            let key = |input: &Tensor| input.grad_edge().map(|edge| edge.key());
            let own: Vec<EdgeKey> = inputs.tensors().iter().filter_map(key).collect();
            let captured = self.captured.iter().map(|(key, ..)| *key);
            let wanted: Vec<EdgeKey> = own.iter().copied().chain(captured).collect();
            self.check_captured(&results, first, &wanted)?;
            match results.is_empty() {
                true => Ok(vec![None; wanted.len()]),
                false => grad_of_edges(&results, &wanted, &gradients, options, first),
            }
        })
    }

    /// Checks that gradients go to the tensors that the scan found, and to no results of others.
    fn check_captured(&self, results: &[Tensor], first: u64, known: &[EdgeKey]) -> Result<()> {
        let is_other = |edge: &Edge| matches!(edge, Edge::Node(_)) && !known.contains(&edge.key());
        if !edges_out(results, first).iter().any(is_other) {
            return Ok(());
        }
        let message = format!(
            "the function of {} captures other tensors than when the scan ran: one was changed in place or replaced",
            self.op
        );
        Err(Error::autograd("backward", message))
    }
}
