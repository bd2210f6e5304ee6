//! Adam and AdamW.

use crate::{
    group::Update,
    options::optimizer,
    table::{non_negative, rates},
};
use lanthorn_tensor::{Result, Tensor};

optimizer! {
    /// Adam (Kingma and Ba, 2015), as `torch.optim.Adam`.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Adam, AdamOptions};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Adam::new(vec![w.clone()], AdamOptions { lr: 0.1, ..Default::default() })?;
    /// w.square()?.backward()?;
    /// optimizer.step()?;
    /// assert!((pollster::block_on(w.item())? - 0.9).abs() < 1e-6); // the first step has the size lr
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    "Adam" as Adam, row ADAM, check |options, _| check("Adam", options.lr, options.betas, options.eps, options.weight_decay), update update;
    AdamOptions as AdamValues {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decay rates of the means of the gradient and of its square.
        betas: (f64, f64) = (0.9, 0.999),
        /// Added to the square root of the mean square, for numerical stability.
        eps: f64 = 1e-8,
        /// Weight decay (L2 penalty): `weight_decay * parameter` is added to the gradient.
        weight_decay: f64 = 0.0,
        /// AMSGrad: divide by the maximum of the mean squares so far (Reddi et al., 2018).
        amsgrad: bool = false,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
        /// Decouple the weight decay, as in AdamW.
        decoupled_weight_decay: bool = false,
    }
}

optimizer! {
    /// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as `torch.optim.AdamW`.
    "AdamW" as AdamW, row ADAM_W, check |options, _| check("AdamW", options.lr, options.betas, options.eps, options.weight_decay),
    update |options: &AdamWValues, parameter| update(&options.adam(), parameter);
    AdamWOptions as AdamWValues {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decay rates of the means of the gradient and of its square.
        betas: (f64, f64) = (0.9, 0.999),
        /// Added to the square root of the mean square, for numerical stability.
        eps: f64 = 1e-8,
        /// Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`.
        weight_decay: f64 = 1e-2,
        /// AMSGrad: divide by the maximum of the mean squares so far (Reddi et al., 2018).
        amsgrad: bool = false,
        /// Maximize the objective instead of minimizing it.
        maximize: bool = false,
    }
}

impl AdamWValues {
    /// The options of the underlying Adam.
    fn adam(&self) -> AdamValues {
        let &AdamWValues { lr, betas, eps, weight_decay, amsgrad, maximize } = self;
        AdamValues { lr, betas, eps, weight_decay, amsgrad, maximize, decoupled_weight_decay: true }
    }
}

fn check(op: &str, lr: f64, betas: (f64, f64), eps: f64, weight_decay: f64) -> Result<()> {
    non_negative(op, &[("lr", lr), ("eps", eps), ("weight_decay", weight_decay)])?;
    rates(op, betas)
}

fn update(options: &AdamValues, mut update: Update<'_>) -> Result<()> {
    let &AdamValues { lr, betas, eps, weight_decay, amsgrad, maximize, decoupled_weight_decay } = options;
    let parameter = update.parameter;
    let shrinks = decoupled_weight_decay && weight_decay != 0.0;
    let shrunk = if shrinks { &parameter.mul(1.0 - lr * weight_decay)? } else { parameter };
    let grad = update.decayed_grad(maximize, if shrinks { 0.0.into() } else { weight_decay })?;
    let step = update.state.count();
    let mean = update.mean("exp_avg", &grad, betas.0)?;
    let mut square = update.mean_square("exp_avg_sq", &grad, betas.1)?;
    if amsgrad {
        square = update.zeros("max_exp_avg_sq")?.maximum(&square)?;
        update.state.set_tensor("max_exp_avg_sq", &square)?;
    }
    let (mean_correction, square_correction) = (1.0 - betas.0.powf(step), 1.0 - betas.1.powf(step));
    let root = square.sqrt()?.div(square_correction.sqrt())?.add(eps)?;
    let changed: Tensor = shrunk.sub_with(&mean.div(&root)?, lr / mean_correction)?;
    parameter.copy_(&changed)
}
