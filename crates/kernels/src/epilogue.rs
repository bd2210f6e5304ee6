//! What is done with a result before it is stored: the pointwise tail of reductions and products.

use crate::{
    Builder, Dialect, Slot,
    walk::{Space, Walk},
};
use lanthorn_ir::{Result, Shape, kernel::Epilogue};
use std::fmt::Write;

/// An epilogue whose operands are bound.
pub(super) struct Tail<'a> {
    epilogue: &'a Epilogue,
    buffers: Vec<String>,
    walk: Walk,
}

impl<'a> Tail<'a> {
    /// Binds the operands, which are the kernel's inputs from `first` on; their shape is that of `groups` one after another.
    pub(super) fn bind(builder: &mut Builder, epilogue: &'a Epilogue, first: usize, groups: &[&Shape]) -> Result<Tail<'a>> {
        let walk = Space::new(groups, epilogue.inputs.clone()).bind(builder);
        let inputs = epilogue.inputs.iter().enumerate();
        let buffers = inputs.map(|(at, input)| Ok(builder.input(builder.language.element(input.dtype)?, Slot::Input(first + at))));
        let buffers = buffers.collect::<Result<_>>()?;
        Ok(Tail { epilogue, buffers, walk })
    }

    /// Binds the outputs, and gives statements that store what becomes of `result` at `index`; `linear` are the groups' indices.
    pub(super) fn print(&self, builder: &mut Builder, result: &str, index: &str, linear: &[&str]) -> Result<String> {
        let mut text = String::new();
        let names: Vec<String> = (0..linear.len()).map(|group| format!("e{group}_")).collect();
        for (group, (linear, name)) in linear.iter().zip(&names).enumerate() {
            text.push_str(&self.walk.coordinates(group, linear, name));
        }
        let mut values = vec![result.to_string()];
        for (operand, buffer) in self.buffers.iter().enumerate() {
            let mut cursor = self.walk.start(operand);
            for (group, (linear, name)) in linear.iter().zip(&names).enumerate() {
                cursor = self.walk.advance(&cursor, operand, group, linear, name);
            }
            values.extend(self.walk.load(builder, operand, buffer, &cursor, &format!("y{operand}"), &mut text));
        }
        let (statements, outputs) = builder.print(&self.epilogue.program, &|slot| values[slot].clone(), index, "e")?;
        text.push_str(&statements);
        for (slot, (&dtype, value)) in self.epilogue.dtypes.iter().zip(&outputs).enumerate() {
            let output = builder.output(builder.language.element(dtype)?, Slot::Output(slot));
            let value = builder.language.output(dtype, &self.epilogue.program, slot, value, &mut builder.functions)?;
            // Writing to a String does not fail.
            let _ = writeln!(text, "{output}[{index}] = {value};");
        }
        Ok(text)
    }
}
