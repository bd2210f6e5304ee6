//! The definition of a registered op: its computation and its results.

#[cfg(any(test, feature = "reference"))]
use super::FakeTensor;
use super::{
    Arguments,
    kernel::{Kernels, device_of},
};
use crate::{
    Device, Error, Result, Tensor,
    autocast::Casting,
    autograd::{Backward, Context, Gradients, applied},
    ops::{
        Arg, Args, Call, Op, Output,
        pointwise::{self, Argument, Rule},
    },
};
use lanthorn_ir::expr::{Expr, Node};
use lanthorn_schema::Schema;
use std::{cell::RefCell, rc::Rc};

/// A function in tensor operations.
pub(super) type Composite = Box<dyn Fn(&Arguments<'_>) -> Result<Output> + Send + Sync>;

/// The part of forward that keeps what backward needs.
pub(super) type SetupContext = Box<dyn Fn(&Context, &Arguments<'_>, &[Tensor]) -> Result<()> + Send + Sync>;

/// The derivative.
pub(super) type Derivative = Box<dyn Fn(&Context, &Gradients) -> Result<Vec<Option<Tensor>>> + Send + Sync>;

/// A function that builds the expression of a result from the expressions of the arguments.
pub(crate) type Build = Box<dyn Fn(&[Expr]) -> Expr + Send + Sync>;

/// A formula with the types of its computation and of its result.
pub(crate) struct Formula {
    /// The type of its arguments, once promoted.
    pub computes: Rule,
    /// Whether its result is bool, whatever it computes in.
    pub is_bool: bool,
    /// Whether it takes whole numbers alone.
    pub whole: bool,
    /// The arguments give the result.
    pub of: Build,
}

/// How an op is computed.
pub(super) enum Implementation {
    Pointwise(Formula),
    Composite(Composite),
    /// With the computation for devices without a kernel.
    Kernels(Kernels, Option<Composite>),
}

/// A derivative that was registered.
pub(super) struct Autograd {
    pub setup_context: SetupContext,
    pub backward: Derivative,
    pub once_differentiable: bool,
}

/// An op that was registered.
pub struct Definition {
    pub(super) schema: Schema,
    pub(super) implementation: Implementation,
    pub(super) autograd: Option<Autograd>,
}

impl Definition {
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The formula, of a pointwise op.
    pub(crate) fn formula(&self) -> Option<&Formula> {
        match &self.implementation {
            Implementation::Pointwise(formula) => Some(formula),
            _ => None,
        }
    }

    pub(crate) fn run(&'static self, op: &'static Op, args: &Args<'_>) -> Result<Output> {
        if let Implementation::Pointwise(formula) = &self.implementation {
            return self.run_formula(op, formula, args);
        }
        let mut arguments = Arguments { schema: &self.schema, values: args.to_vec() };
        let casting = Casting::of(op.autocast);
        arguments.map_tensors(&mut |tensor| casting.tensor(tensor))?;
        let tensors = arguments.all_tensors();
        let device = device_of(op.name(), &tensors)?;
        let once = self.autograd.as_ref().is_some_and(|autograd| autograd.once_differentiable);
        let outputs = match &self.autograd {
            None if !self.has_kernel(&device) => self.compute(&arguments, &device)?,
            autograd => {
                let forward = |ctx: &Context| {
                    let outputs = self.compute(&arguments, &device)?;
                    if let Some(autograd) = autograd {
                        (autograd.setup_context)(ctx, &arguments, &outputs)?;
                    }
                    Ok(outputs)
                };
                let backward: Backward = Rc::new(move |ctx, grads| match autograd {
                    Some(autograd) => (autograd.backward)(ctx, grads),
                    None => {
                        Err(Error::autograd(op.name(), "has no derivative: none was registered with register_autograd"))
                    }
                });
                applied(op.name(), once, &tensors, &forward, backward)?
            }
        };
        Ok(self.output(outputs))
    }

    /// Whether a kernel, and not a composite, runs on a device.
    fn has_kernel(&self, device: &Device) -> bool {
        matches!(&self.implementation, Implementation::Kernels(kernels, _) if kernels.run_on(device))
    }

    /// The results, without a derivative of the op's own.
    fn compute(&self, arguments: &Arguments<'_>, device: &Device) -> Result<Vec<Tensor>> {
        match &self.implementation {
            Implementation::Kernels(kernels, _) if kernels.run_on(device) => kernels.launch(arguments, device),
            Implementation::Composite(composite) | Implementation::Kernels(_, Some(composite)) => {
                self.check(composite(arguments)?)
            }
            _ => {
                let message =
                    format!("has no kernel for the device {}, and no composite to fall back to", device.name());
                Err(Error::kernel(self.schema.full_name(), message))
            }
        }
    }

    fn run_formula(&'static self, op: &'static Op, formula: &Formula, args: &Args<'_>) -> Result<Output> {
        let operands = args.to_vec().into_iter().map(|arg| match arg {
            Arg::Tensor(tensor) => Argument::tensor(&tensor),
            Arg::Scalar(scalar) => Argument::operand(&scalar.into()),
            _ => unreachable!("registration refuses other parameters of a formula"),
        });
        let operands: Vec<Argument> = operands.collect();
        if formula.whole {
            pointwise::require(op, &operands, |dtype| !dtype.is_floating_point(), "whole numbers")?;
        }
        let mistake = RefCell::new(None);
        let of = |values: &[Expr]| {
            let expr = (formula.of)(values);
            mistake.replace(self.mistake(&expr, values));
            if mistake.borrow().is_none() { expr } else { values[0].clone() }
        };
        let result = pointwise::apply_expression(op, formula.computes, formula.is_bool, &operands, None, &of)?;
        mistake.into_inner().map_or(Ok(Output::Tensor(result)), Err)
    }

    /// The reads of a user's expression that the op does not have.
    fn mistake(&self, expr: &Expr, values: &[Expr]) -> Option<Error> {
        let known = Expr::topological(values);
        let foreign = |node: &&Expr| matches!(node.node(), Node::Input(_) | Node::Param(_)) && !known.contains(node);
        let odd = Expr::topological(std::slice::from_ref(expr)).iter().find(foreign).cloned()?;
        Some(self.refusal(format!("the formula reads {odd}, which is none of its arguments")))
    }

    /// The results, as many as the schema says.
    fn check(&self, output: Output) -> Result<Vec<Tensor>> {
        let tensors = match output {
            Output::Tensor(tensor) => vec![tensor],
            Output::Tensors(tensors) => tensors,
            _ => return Err(self.refusal("gave something else than tensors".into())),
        };
        let wanted = self.schema.returns.len();
        if !self.gives_list() && tensors.len() != wanted {
            return Err(self.refusal(format!(
                "gave {} results, the schema has {wanted}: {}",
                tensors.len(),
                self.schema
            )));
        }
        Ok(tensors)
    }

    fn gives_list(&self) -> bool {
        self.schema.returns.iter().any(|result| result.ty == "Tensor[]")
    }

    fn refusal(&self, message: String) -> Error {
        Error::argument(self.schema.full_name(), message)
    }

    fn output(&self, mut tensors: Vec<Tensor>) -> Output {
        match tensors.pop() {
            Some(one) if tensors.is_empty() && !self.gives_list() => Output::Tensor(one),
            last => {
                tensors.extend(last);
                Output::Tensors(tensors)
            }
        }
    }
}

/// A registered op. It is in the table of operations too: [`Op::find`] finds it.
#[derive(Clone, Copy)]
pub struct CustomOp(pub(super) &'static Op);

impl CustomOp {
    /// Its row of the table.
    pub fn op(self) -> &'static Op {
        self.0
    }

    /// The name: `mylib::squareplus`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The parsed schema.
    pub fn schema(self) -> &'static Schema {
        self.0.schema()
    }

    /// The registered definition.
    fn definition(self) -> Option<&'static Definition> {
        if let Call::Custom(definition) = self.0.call { Some(definition) } else { None }
    }

    /// Whether its derivative is not differentiable; see
    /// [`Builder::once_differentiable`](super::Builder::once_differentiable).
    pub fn is_once_differentiable(self) -> bool {
        let autograd = self.definition().and_then(|definition| definition.autograd.as_ref());
        autograd.is_some_and(|autograd| autograd.once_differentiable)
    }

    /// Whether it has both kernels and a composite.
    pub fn has_composite_beside_kernels(self) -> bool {
        self.definition()
            .is_some_and(|definition| matches!(definition.implementation, Implementation::Kernels(_, Some(_))))
    }

    /// The results as the fake function describes them, with the composite's results; nothing
    /// unless the op has both.
    #[cfg(any(test, feature = "reference"))]
    pub(crate) fn fake_and_composite(self, args: &[Arg]) -> Result<Vec<(FakeTensor, Tensor)>> {
        let Some(definition) = self.definition() else { return Ok(vec![]) };
        let Implementation::Kernels(kernels, Some(composite)) = &definition.implementation else { return Ok(vec![]) };
        let schema = &definition.schema;
        let arguments = Arguments { schema, values: Args::bind(schema, args)?.to_vec() };
        let (fakes, results) = (kernels.fake(&arguments)?, definition.check(composite(&arguments)?)?);
        Ok(fakes.into_iter().zip(results).collect())
    }

    /// Runs the op on arguments in the schema's order; missing ones take their defaults.
    ///
    /// # Errors
    ///
    /// `argument` for arguments that do not fit the schema, and the error of the op.
    pub fn call(self, args: &[Arg]) -> Result<Output> {
        self.0.run(args)
    }

    /// [`CustomOp::call`] of an op with one result.
    ///
    /// # Errors
    ///
    /// As [`CustomOp::call`], and `argument` for an op with another number of results.
    pub fn tensor(self, args: &[Arg]) -> Result<Tensor> {
        self.0.run(args)?.into_tensor(self.name())
    }

    /// [`CustomOp::call`] of an op with any number of results.
    ///
    /// # Errors
    ///
    /// As [`CustomOp::call`].
    pub fn tensors(self, args: &[Arg]) -> Result<Vec<Tensor>> {
        Ok(self.0.run(args)?.tensors().to_vec())
    }
}

impl std::fmt::Debug for CustomOp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.text)
    }
}
