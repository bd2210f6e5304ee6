//! The activations of recurrent layers.

use super::super::{Args, arg, by_number, tensor, texts, unary};
use lanthorn_program::{Dispatch, Error, Result, Value};

/// The activations, with the defaults of `alpha` and `beta` if they have these parameters.
const KNOWN: [(&str, Option<f64>, Option<f64>); 11] = [
    ("Affine", Some(1.0), Some(0.0)),
    ("Elu", Some(1.0), None),
    ("HardSigmoid", Some(0.2), Some(0.5)),
    ("LeakyRelu", Some(0.01), None),
    ("Relu", None, None),
    ("ScaledTanh", Some(1.0), Some(1.0)),
    ("Sigmoid", None, None),
    ("Softplus", None, None),
    ("Softsign", None, None),
    ("Tanh", None, None),
    ("ThresholdedRelu", Some(1.0), None),
];

/// An activation with its parameters, if it has any.
pub struct Activation {
    name: &'static str,
    alpha: f64,
    beta: f64,
}

impl Activation {
    /// Returns the activations of a layer for all its directions, or the defaults `usual`. Each
    /// activation takes the next numbers of `activation_alpha` and `activation_beta` if it has
    /// these parameters.
    pub fn of_layer<T: Clone>(args: &Args<T>, usual: &[&'static str], directions: usize) -> Result<Vec<Activation>> {
        let given = texts(args, "activations").unwrap_or_default();
        let names = if given.is_empty() { usual.repeat(directions) } else { given };
        let wanted = usual.len() * directions;
        if names.len() != wanted {
            return Err(Error::argument(args.op(), format!("{} activations, not {wanted}", names.len())));
        }
        let numbers = |name: &str| -> Vec<f64> {
            args.get(name).as_list().unwrap_or_default().iter().filter_map(Value::as_float).collect()
        };
        let mut alphas = numbers("activation_alpha").into_iter();
        let mut betas = numbers("activation_beta").into_iter();
        let next = |list: &mut std::vec::IntoIter<f64>, default: Option<f64>| {
            default.map_or(0.0, |default| list.next().unwrap_or(default))
        };
        let find = |name: &str| {
            let known = KNOWN.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
            let refuse = || Error::unsupported(format!("{} with the activation {name}", args.op()));
            let &(name, alpha, beta) = known.ok_or_else(refuse)?;
            Ok(Activation { name, alpha: next(&mut alphas, alpha), beta: next(&mut betas, beta) })
        };
        names.into_iter().map(find).collect()
    }

    /// Whether this is the activation of a name.
    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Applies the activation to each element.
    pub fn apply<D: Dispatch>(&self, d: &D, x: &D::Tensor) -> Result<D::Tensor> {
        let affine = |x: &D::Tensor| by_number(d, "add", &by_number(d, "mul", x, self.alpha)?, self.beta);
        match self.name {
            "Affine" => affine(x),
            "Elu" => by_number(d, "elu", x, self.alpha),
            "HardSigmoid" => tensor(d, "clamp", [arg(&affine(x)?), Value::Float(0.0), Value::Float(1.0)]),
            "LeakyRelu" => by_number(d, "leaky_relu", x, self.alpha),
            "Relu" => unary(d, "relu", x),
            "ScaledTanh" => by_number(d, "mul", &unary(d, "tanh", &by_number(d, "mul", x, self.beta)?)?, self.alpha),
            "Sigmoid" => unary(d, "sigmoid", x),
            "Softplus" => unary(d, "softplus", x),
            "Softsign" => unary(d, "softsign", x),
            "Tanh" => unary(d, "tanh", x),
            _ => {
                let above = by_number(d, "ge", x, self.alpha)?;
                tensor(d, "where", [arg(&above), arg(x), Value::Float(0.0)])
            }
        }
    }
}
