//! Epilogues: the pointwise computation between the result of a reduction or product and its store.

use crate::{
    Builder, Dialect, Slot,
    buffer::{Buffer, Element},
    indexing::{COMPONENTS, Indexer, Lanes, Space, Unit, positions},
    is_short,
};
use lanthorn_ir::{Result, Shape, kernel::Epilogue};

/// An epilogue whose operands are bound.
pub(super) struct Tail<'a> {
    epilogue: &'a Epilogue,
    buffers: Vec<Buffer>,
    indexer: Indexer,
    vec4: bool,
}

impl<'a> Tail<'a> {
    /// Binds the operands, which are the kernel's inputs from `first` on. Their shape is the
    /// concatenation of `groups`.
    pub(super) fn bind(
        builder: &mut Builder,
        epilogue: &'a Epilogue,
        first: usize,
        groups: &[&Shape],
    ) -> Result<Tail<'a>> {
        Tail::bind_space(builder, epilogue, first, Space::new(groups, epilogue.inputs.clone()), false)
    }

    /// [`Tail::bind`] for four results at a time along the last group, if its size and the length
    /// of the program allow that. Indices of that group and of the results then count vec4s.
    pub(super) fn bind_vec4(
        builder: &mut Builder,
        epilogue: &'a Epilogue,
        first: usize,
        groups: &[&Shape],
    ) -> Result<Tail<'a>> {
        let mut space = Space::new(groups, epilogue.inputs.clone());
        let vec4 = is_short([&epilogue.program]) && space.by_vec4(groups.len() - 1);
        Tail::bind_space(builder, epilogue, first, space, vec4)
    }

    fn bind_space(
        builder: &mut Builder,
        epilogue: &'a Epilogue,
        first: usize,
        space: Space,
        vec4: bool,
    ) -> Result<Tail<'a>> {
        let indexer = space.bind(builder);
        let operands = 0..epilogue.inputs.len();
        let buffers = operands.map(|at| indexer.reads(builder, at, Slot::Input(first + at)));
        let buffers = buffers.collect::<Result<_>>()?;
        Ok(Tail { epilogue, buffers, indexer, vec4 })
    }

    /// Whether it processes four results at a time.
    pub(super) fn by_vec4(&self) -> bool {
        self.vec4
    }

    /// Binds the outputs, and returns the statements that apply the epilogue to `result` and store
    /// it at `index`. `result` is a vector if there are four results. `linear` has the index of
    /// each group.
    pub(super) fn print(&self, builder: &mut Builder, result: &str, index: &str, linear: &[&str]) -> Result<String> {
        let mut text = String::new();
        let names: Vec<String> = (0..linear.len()).map(|group| format!("e{group}_")).collect();
        for (group, (linear, name)) in linear.iter().zip(&names).enumerate() {
            text.push_str(&self.indexer.coordinates(group, linear, name));
        }
        let mut values = vec![if self.vec4 {
            COMPONENTS.map(|lane| format!("{result}.{lane}")).to_vec()
        } else {
            vec![result.to_string()]
        }];
        for (operand, buffer) in self.buffers.iter().enumerate() {
            let mut cursor = self.indexer.start(operand);
            for (group, (linear, name)) in linear.iter().zip(&names).enumerate() {
                cursor = self.indexer.advance(&cursor, operand, group, linear, name);
            }
            values.push(self.indexer.load(builder, operand, buffer, &cursor, &format!("y{operand}"), &mut text));
        }
        let mut results = vec![Vec::new(); self.epilogue.dtypes.len()];
        for (lane, position) in positions(if self.vec4 { Unit::Vector } else { Unit::One }, index).iter().enumerate() {
            let prefix = if self.vec4 { format!("e{lane}_v") } else { "e".to_string() };
            let (statements, outputs) =
                builder.print(&self.epilogue.program, &|slot| values[slot][lane].clone(), position, &prefix)?;
            text.push_str(&statements);
            for (slot, (&dtype, value)) in self.epilogue.dtypes.iter().zip(&outputs).enumerate() {
                results[slot].push(builder.language.output(
                    dtype,
                    &self.epilogue.program,
                    slot,
                    value,
                    &mut builder.functions,
                )?);
            }
        }
        let lanes = if self.vec4 { Lanes::Vector } else { Lanes::One };
        for (slot, (&dtype, values)) in self.epilogue.dtypes.iter().zip(&results).enumerate() {
            let output = builder.writes(Element::of(builder.language, dtype), lanes, Slot::Output(slot))?;
            text.push_str(&output.store(index, &lanes.gather(output.element.ty()?, values)));
        }
        Ok(text)
    }
}
