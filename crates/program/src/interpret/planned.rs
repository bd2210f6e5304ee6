//! Records and replays the parts of a plan.

use super::{Block, Interpreter, Values};
use crate::{
    Dispatch, Error, Result, Value,
    graph::ValueId,
    plan::{Arguments, Part, Results, combine, rebind, separate},
};

/// Values with their contents before a recording.
type Given<T> = Vec<(ValueId, Option<Value<T>>)>;

impl<D: Dispatch> Interpreter<'_, D> {
    /// Runs a part: replays a recording, or interprets the nodes and records them.
    pub(super) async fn part(
        &self,
        block: &Block<'_, D>,
        part: &Part<D>,
        values: &mut Values<D::Tensor>,
    ) -> Result<()> {
        let arguments = self.arguments(block, part, values);
        if self.replay(block, part, &arguments, values)? {
            return Ok(());
        }
        if !self.records() || !part.is_recordable() {
            return self.interpret(block, part, values).await;
        }
        self.record(block, part, arguments, values).await
    }

    /// Whether parts are recorded in this run: a call with these sizes came before.
    fn records(&self) -> bool {
        let records = || self.plans.is_some_and(|plans| plans.has_seen(self.dispatch, &self.arguments));
        *self.records.get_or_init(records)
    }

    /// Separates the inputs of a part into tensors of the device and values of the host.
    fn arguments(&self, block: &Block<'_, D>, part: &Part<D>, values: &Values<D::Tensor>) -> Arguments<D::Tensor> {
        let mut arguments = Arguments::new();
        for &id in &part.inputs {
            if let Some(value) = &values[id] {
                arguments.add(self.dispatch, value, block.plan.is_constant(id));
            }
        }
        arguments
    }

    /// Replays a part, if a recording fits.
    fn replay(
        &self,
        block: &Block<'_, D>,
        part: &Part<D>,
        arguments: &Arguments<D::Tensor>,
        values: &mut Values<D::Tensor>,
    ) -> Result<bool> {
        let Some(case) = part.case(&arguments.key) else { return Ok(false) };
        let Some((number, tensors)) = case.recorder.replay(&arguments.tensors) else { return Ok(false) };
        let Some(results) = case.results(number) else {
            return Err(Error::malformed("a replay without results"));
        };
        for (&id, value) in part.outputs.iter().zip(&results.values) {
            values[id] = Some(combine(value, &tensors));
        }
        for free in block.plan.frees.iter().take(part.nodes.end).skip(part.nodes.start) {
            free.iter().for_each(|&id| values[id] = None);
        }
        part.replays.set(part.replays.get() + 1);
        self.count_steps(results.steps)?;
        Ok(true)
    }

    async fn interpret(&self, block: &Block<'_, D>, part: &Part<D>, values: &mut Values<D::Tensor>) -> Result<()> {
        for node in part.nodes.clone() {
            self.advance(block, node, values).await?;
        }
        Ok(())
    }

    /// Interprets the nodes of a part, and records the operations that they call.
    async fn record(
        &self,
        block: &Block<'_, D>,
        part: &Part<D>,
        arguments: Arguments<D::Tensor>,
        values: &mut Values<D::Tensor>,
    ) -> Result<()> {
        let Some(case) = part.case_to_extend(self.dispatch, arguments.key) else {
            return self.interpret(block, part, values).await;
        };
        let is_constant = |tensor: &D::Tensor| self.constants().any(|known| self.dispatch.is_same(known, tensor));
        let constants: Vec<bool> = arguments.tensors.iter().map(is_constant).collect();
        let given = case.recorder.start(&arguments.tensors, &constants)?;
        self.recording.replace(Some(case.recorder.clone()));
        let steps = self.steps.get();
        let interpreted = match self.give(block, part, given, values) {
            Ok(before) => {
                let interpreted = self.interpret(block, part, values).await;
                // Later nodes use the caller's tensors, and not copies for the recording.
                before.into_iter().for_each(|(id, value)| {
                    if values[id].is_some() {
                        values[id] = value;
                    }
                });
                interpreted
            }
            Err(error) => Err(error),
        };
        if interpreted.is_err() || !self.is_recording() {
            self.stop_recording();
            return interpreted;
        }
        let mut tensors = Vec::new();
        let separated = part.outputs.iter().map(|&id| {
            let value = values[id].take().unwrap_or(Value::None);
            separate(self.dispatch, value, &mut tensors)
        });
        let separated = separated.collect::<Result<Vec<_>>>();
        self.recording.take();
        let number = case.recorder.finish(&mut tensors);
        let results = Results { values: separated?, steps: self.steps.get() - steps };
        for (&id, value) in part.outputs.iter().zip(&results.values) {
            values[id] = Some(combine(value, &tensors));
        }
        match number {
            Some(number) => {
                case.add(number, results);
                part.note_recording();
            }
            None => part.note_failure(case.recorder.report().breaks.pop()),
        }
        Ok(())
    }

    /// Replaces the inputs of a part by the tensors that a recording starts with. Returns the
    /// earlier values.
    fn give(
        &self,
        block: &Block<'_, D>,
        part: &Part<D>,
        given: Vec<D::Tensor>,
        values: &mut Values<D::Tensor>,
    ) -> Result<Given<D::Tensor>> {
        let mut given = given.into_iter();
        let mut before = Vec::with_capacity(part.inputs.len());
        for &id in &part.inputs {
            let Some(value) = values[id].clone() else { continue };
            let bound = rebind(self.dispatch, value, block.plan.is_constant(id), &mut given)?;
            before.push((id, values[id].replace(bound)));
        }
        Ok(before)
    }

    pub(super) fn is_recording(&self) -> bool {
        self.recording.borrow().is_some()
    }

    /// Ends the recording in progress without a result.
    pub(super) fn stop_recording(&self) {
        if let Some(recorder) = self.recording.take() {
            recorder.abort();
        }
    }

    /// The number of reads of the device, if nodes that read are noted.
    pub(super) fn reads(&self) -> u64 {
        self.plans.map_or(0, |_| self.dispatch.reads())
    }
}
