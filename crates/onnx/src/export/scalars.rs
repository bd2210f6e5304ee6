//! Exports arithmetic on sizes as nodes on integers.

use super::{
    Exporter,
    item::{Arg, Item},
};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value,
    graph::ScalarOp,
    value::{is_floating_point, promote_types},
};

impl Exporter<'_> {
    /// Writes Python arithmetic on numbers. Integers are int64, floats float64.
    pub fn scalar_op(&mut self, op: ScalarOp, args: &[Arg]) -> Result<Arg> {
        use ScalarOp as O;
        let dtype = |arg: &Arg| match arg {
            Value::Bool(_) => DType::Bool,
            Value::Float(_) => DType::F64,
            Value::Tensor(item) => item.dtype.unwrap_or(DType::I64),
            _ => DType::I64,
        };
        let args = match (op, args) {
            (O::Sum, [Value::List(items) | Value::Tuple(items)]) => items,
            _ => args,
        };
        if op == O::Ite {
            let [condition, yes, no] = args else { return Err(Error::malformed("ite takes three numbers")) };
            let common = promote_types(dtype(yes), dtype(no));
            let condition = self.operand(condition, DType::Bool)?;
            let (yes, no) = (self.operand(yes, common)?, self.operand(no, common)?);
            let picked = self.op_of("Where", &[&condition, &yes, &no], &[], Some(common));
            return Ok(number(picked));
        }
        let wide = |dtype: DType| if is_floating_point(dtype) { DType::F64 } else { DType::I64 };
        let common = args.iter().map(dtype).reduce(promote_types).unwrap_or(DType::I64);
        let computed = match op {
            O::And | O::Or | O::Xor | O::Not if common == DType::Bool => DType::Bool,
            O::TrueDiv | O::Float | O::Sqrt | O::Log | O::Log2 | O::Exp | O::Sin | O::Cos | O::Tanh => DType::F64,
            O::Floor | O::Ceil | O::Round | O::Int => wide(common),
            O::Not => DType::Bool,
            _ => wide(common),
        };
        let items = args.iter().map(|arg| self.operand(arg, computed)).collect::<Result<Vec<Item>>>()?;
        let all: Vec<&Item> = items.iter().collect();
        let compare = Some(DType::Bool);
        let is_float = is_floating_point(computed);
        let result = match (op, &all[..]) {
            (O::Add, _) => self.op("Add", &all, &[]),
            (O::Sub, _) => self.op("Sub", &all, &[]),
            (O::Mul, _) => self.op("Mul", &all, &[]),
            (O::TrueDiv, _) => self.op("Div", &all, &[]),
            (O::Pow, _) => self.op("Pow", &all, &[]),
            (O::Neg, _) => self.op("Neg", &all, &[]),
            (O::Abs, _) => self.op("Abs", &all, &[]),
            (O::Min, _) => self.op("Min", &all, &[]),
            (O::Max, _) => self.op("Max", &all, &[]),
            (O::Sum, _) => self.op("Sum", &all, &[]),
            (O::Pos | O::Float, [x]) => (*x).clone(),
            (O::FloorDiv, [a, b]) if is_float => {
                let quotient = self.op("Div", &[a, b], &[]);
                self.op("Floor", &[&quotient], &[])
            }
            // Subtracting the remainder, which has the divisor's sign, makes the division exact.
            (O::FloorDiv, [a, b]) => {
                let rest = self.op("Mod", &[a, b], &[]);
                let multiple = self.op("Sub", &[a, &rest], &[]);
                self.op("Div", &[&multiple, b], &[])
            }
            (O::Mod, [a, b]) if is_float => {
                let quotient = self.op("Div", &[a, b], &[]);
                let floor = self.op("Floor", &[&quotient], &[]);
                let multiple = self.op("Mul", &[&floor, b], &[]);
                self.op("Sub", &[a, &multiple], &[])
            }
            (O::Mod, _) => self.op("Mod", &all, &[]),
            (O::Eq, _) => self.op_of("Equal", &all, &[], compare),
            (O::Ne, _) => {
                let equal = self.op_of("Equal", &all, &[], compare);
                self.op("Not", &[&equal], &[])
            }
            (O::Lt, _) => self.op_of("Less", &all, &[], compare),
            (O::Le, _) => self.op_of("LessOrEqual", &all, &[], compare),
            (O::Gt, _) => self.op_of("Greater", &all, &[], compare),
            (O::Ge, _) => self.op_of("GreaterOrEqual", &all, &[], compare),
            (O::And, _) if computed == DType::Bool => self.op("And", &all, &[]),
            (O::Or, _) if computed == DType::Bool => self.op("Or", &all, &[]),
            (O::Xor, _) if computed == DType::Bool => self.op("Xor", &all, &[]),
            (O::And, _) => self.op("BitwiseAnd", &all, &[]),
            (O::Or, _) => self.op("BitwiseOr", &all, &[]),
            (O::Xor, _) => self.op("BitwiseXor", &all, &[]),
            (O::Not, _) => self.op("Not", &all, &[]),
            (O::Int, [x]) => self.cast(x, DType::I64),
            (O::Floor | O::Ceil | O::Round, [x]) => {
                let name = if op == O::Floor {
                    "Floor"
                } else if op == O::Ceil {
                    "Ceil"
                } else {
                    "Round"
                };
                let rounded = if is_float { self.op(name, &[x], &[]) } else { (*x).clone() };
                self.cast(&rounded, DType::I64)
            }
            (O::Sqrt, _) => self.op("Sqrt", &all, &[]),
            (O::Log, _) => self.op("Log", &all, &[]),
            (O::Log2, [x]) => {
                let (log, base) = (self.op("Log", &[x], &[]), self.number(std::f64::consts::LN_2, DType::F64)?);
                self.op("Div", &[&log, &base], &[])
            }
            (O::Exp, _) => self.op("Exp", &all, &[]),
            (O::Sin, _) => self.op("Sin", &all, &[]),
            (O::Cos, _) => self.op("Cos", &all, &[]),
            (O::Tanh, _) => self.op("Tanh", &all, &[]),
            _ => return Err(Error::unsupported("on numbers that the model computes")),
        };
        Ok(number(result))
    }
}

fn number(item: Item) -> Arg {
    Value::Tensor(Item { is_number: true, sizes: Some([].into()), ..item })
}
