//! Selections that are maxima and minima, such as ReLU. A maximum takes one pass over the elements,
//! and a comparison with a selection takes two.

use lanthorn_ir::expr::{BinaryOp, Constant, Instruction, Program};

/// Replaces `x <= c ? c : x` by the maximum of `x` and `c`, and `x >= c ? c : x` by the minimum, if
/// `c` is a constant and not NaN. The results have the same bits, for NaN and zeros too.
pub(super) fn with_maxima(program: &Program) -> Program {
    let mut program = program.clone();
    let mut found = false;
    for number in 0..program.instructions.len() {
        let Instruction::Select(condition, a, b) = program.instructions[number].0 else { continue };
        let Instruction::Binary(comparison, x, limit) = program.instructions[condition].0 else { continue };
        let op = match comparison {
            BinaryOp::Le => BinaryOp::Max,
            BinaryOp::Ge => BinaryOp::Min,
            _ => continue,
        };
        let is_number = match &program.instructions[limit].0 {
            Instruction::Constant(constant @ (Constant::F32(_) | Constant::F64(_))) => !constant.to_f64().is_nan(),
            _ => false,
        };
        if is_number && (a, b) == (limit, x) {
            program.instructions[number].0 = Instruction::Binary(op, x, limit);
            found = true;
        }
    }
    if found { program.with_results(&vec![true; program.outputs.len()]) } else { program }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_ir::expr::{Expr, Type};

    fn steps(expr: Expr) -> Vec<Instruction> {
        with_maxima(&Program::new(&[expr])).instructions.into_iter().map(|(instruction, _)| instruction).collect()
    }

    #[test]
    fn a_selection_by_a_constant_is_a_maximum_or_a_minimum() {
        let x = Expr::input(0, Type::F32);
        assert!(matches!(steps(x.le(0.0).select(0.0, &x))[..], [_, _, Instruction::Binary(BinaryOp::Max, 0, 1)]));
        assert!(matches!(steps(x.ge(6.0).select(6.0, &x))[..], [_, _, Instruction::Binary(BinaryOp::Min, 0, 1)]));
    }

    #[test]
    fn other_selections_stay() {
        let x = Expr::input(0, Type::F32);
        let y = Expr::input(1, Type::F32);
        // At -0 the first one returns x. The others have another result, a NaN, or a limit that is
        // not constant.
        for expr in [
            x.lt(0.0).select(0.0, &x),
            x.le(0.0).select(1.0, &x),
            x.le(0.0).select(0.0, &y),
            x.le(f64::NAN).select(f64::NAN, &x),
            x.le(&y).select(&y, &x),
        ] {
            let program = Program::new(&[expr]);
            assert_eq!(with_maxima(&program), program);
        }
    }
}
