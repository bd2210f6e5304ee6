"""PyTorch's answers for torch.distributions, in float64: densities with their gradients, distribution
functions and their inverses, moments, entropies, the table of divergences, the gradients of samples, and
transforms.

    VENV/bin/python make/gen_distributions.py --out distributions.json

All inputs are multiples of 1/64, so that float32 holds them. The file is an object:

- `distributions`: a case has the type's `name`, the `constructor` (`new`, or `from_` and the name of the
  argument that replaces the usual one), its `args`, a `value`, and the answers by the methods'
  names; `gradients` are of the sum of `log_prob` with respect to the arguments that are tensors.
- `divergences`: indices `p` and `q` of two cases, and the `value`.
- `sample_gradients`: of a gamma sample (`shape`, `sample`) and of a number of a Dirichlet sample
  (`concentration`, `total`, `sample`).
- `transforms`: a `name`, `args`, an argument `x` and the results.

A tensor is its `shape` and `data`; numbers that JSON does not have are the texts `nan`, `inf` and `-inf`.
"""

import argparse
import json
import math

import torch
from torch import distributions as D

torch.set_default_dtype(torch.float64)
D.Distribution.set_default_validate_args(False)


def tensor(*values):
    return torch.tensor(values)


SIMPLEX = tensor([0.25, 0.5, 0.25], [0.125, 0.125, 0.75])
LOGITS = tensor([0.25, -0.5, 1.25], [2.0, 0.125, -0.75])
PROBS = tensor(0.25, 0.5, 0.875)
REALS = tensor(-1.25, 0.5, 3.0)
POSITIVES = tensor(0.25, 1.0, 2.5)
UNITS = tensor(0.125, 0.5, 0.75)
SCALE = tensor(0.5, 1.0, 2.25)
COVARIANCE = tensor([[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.25], [-0.25, 0.75]])
FACTOR = tensor([[1.5, 0.0], [0.5, 0.75]])
POINTS = tensor([0.25, -1.0], [1.5, 0.5])
CASES = [
    ("Normal", "new", {"loc": REALS, "scale": SCALE}, POSITIVES),
    ("Normal", "new", {"loc": tensor(0.5, -0.25, 0.0), "scale": tensor(1.25, 0.75, 2.0)}, REALS),
    ("LogNormal", "new", {"loc": REALS, "scale": SCALE}, POSITIVES),
    ("LogNormal", "new", {"loc": tensor(0.5, -0.25, 0.0), "scale": tensor(1.25, 0.75, 2.0)}, POSITIVES),
    ("HalfNormal", "new", {"scale": SCALE}, POSITIVES),
    ("HalfNormal", "new", {"scale": tensor(1.5, 0.75, 2.0)}, POSITIVES),
    ("Uniform", "new", {"low": tensor(0.25, 0.125, 0.5), "high": tensor(0.75, 0.5, 0.875)}, UNITS),
    ("Uniform", "new", {"low": tensor(-1.0, 0.125, 0.25), "high": tensor(2.0, 0.875, 3.0)}, UNITS),
    ("Exponential", "new", {"rate": SCALE}, POSITIVES),
    ("Exponential", "new", {"rate": tensor(1.5, 0.75, 2.0)}, POSITIVES),
    ("Laplace", "new", {"loc": REALS, "scale": SCALE}, POSITIVES),
    ("Laplace", "new", {"loc": tensor(0.5, -0.25, 0.0), "scale": tensor(1.25, 0.75, 2.0)}, REALS),
    ("Cauchy", "new", {"loc": REALS, "scale": SCALE}, POSITIVES),
    ("Cauchy", "new", {"loc": tensor(0.5, -0.25, 0.0), "scale": tensor(1.25, 0.75, 2.0)}, REALS),
    ("HalfCauchy", "new", {"scale": SCALE}, POSITIVES),
    ("Gumbel", "new", {"loc": REALS, "scale": SCALE}, POSITIVES),
    ("Gumbel", "new", {"loc": tensor(0.5, -0.25, 0.0), "scale": tensor(1.25, 0.75, 2.0)}, REALS),
    ("Pareto", "new", {"scale": tensor(0.25, 0.5, 1.0), "alpha": tensor(0.75, 1.5, 3.0)}, POSITIVES + 1),
    ("Pareto", "new", {"scale": tensor(0.125, 0.25, 0.5), "alpha": tensor(2.5, 1.5, 3.0)}, POSITIVES + 1),
    ("Weibull", "new", {"scale": SCALE, "concentration": tensor(0.75, 1.5, 3.0)}, POSITIVES),
    ("Kumaraswamy", "new", {"concentration1": tensor(0.75, 1.5, 3.0), "concentration0": tensor(2.0, 1.25, 0.5)}, UNITS),
    ("GeneralizedPareto", "new", {"loc": tensor(0.0, -0.25, 0.125), "scale": SCALE, "concentration": tensor(0.25, 0.0, -0.5)}, POSITIVES),
    ("GeneralizedPareto", "new", {"loc": tensor(0.0, -0.25, 0.125), "scale": SCALE, "concentration": tensor(0.75, 1.25, -0.25)}, POSITIVES),
    ("VonMises", "new", {"loc": REALS, "concentration": tensor(0.25, 2.0, 12.0)}, UNITS),
    ("StudentT", "new", {"df": tensor(0.75, 1.5, 4.0), "loc": REALS, "scale": SCALE}, POSITIVES),
    ("FisherSnedecor", "new", {"df1": tensor(1.5, 3.0, 5.0), "df2": tensor(1.0, 3.0, 6.5)}, POSITIVES),
    ("Gamma", "new", {"concentration": tensor(0.5, 1.5, 12.0), "rate": SCALE}, POSITIVES),
    ("Gamma", "new", {"concentration": tensor(1.25, 0.75, 2.0), "rate": tensor(1.5, 0.75, 2.0)}, POSITIVES),
    ("InverseGamma", "new", {"concentration": tensor(0.5, 1.5, 3.0), "rate": SCALE}, POSITIVES),
    ("InverseGamma", "new", {"concentration": tensor(1.25, 0.75, 2.0), "rate": tensor(1.5, 0.75, 2.0)}, POSITIVES),
    ("Chi2", "new", {"df": tensor(0.75, 3.0, 8.0)}, POSITIVES),
    ("Beta", "new", {"concentration1": tensor(0.75, 1.5, 3.0), "concentration0": tensor(0.5, 1.25, 2.5)}, UNITS),
    ("Beta", "new", {"concentration1": tensor(1.25, 2.5, 0.5), "concentration0": tensor(0.75, 2.0, 1.5)}, UNITS),
    ("Poisson", "new", {"rate": tensor(0.75, 2.5, 12.0)}, tensor(0.0, 2.0, 9.0)),
    ("Poisson", "new", {"rate": tensor(1.5, 2.0, 8.0)}, tensor(0.0, 2.0, 9.0)),
    ("Bernoulli", "new", {"probs": PROBS}, tensor(0.0, 1.0, 1.0)),
    ("Bernoulli", "from_logits", {"logits": REALS}, tensor(0.0, 1.0, 1.0)),
    ("Geometric", "new", {"probs": PROBS}, tensor(0.0, 1.0, 4.0)),
    ("Geometric", "from_logits", {"logits": REALS}, tensor(0.0, 1.0, 4.0)),
    ("Binomial", "new", {"total_count": 5, "probs": PROBS}, tensor(0.0, 2.0, 5.0)),
    ("Binomial", "from_logits", {"total_count": 5, "logits": REALS}, tensor(0.0, 2.0, 5.0)),
    ("NegativeBinomial", "new", {"total_count": tensor(1.0, 2.5, 4.5), "probs": PROBS}, tensor(0.0, 2.0, 5.0)),
    ("Categorical", "new", {"probs": SIMPLEX}, tensor(1.0, 2.0)),
    ("Categorical", "from_logits", {"logits": LOGITS}, tensor(1.0, 2.0)),
    ("OneHotCategorical", "new", {"probs": SIMPLEX}, tensor([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])),
    ("OneHotCategorical", "from_logits", {"logits": LOGITS}, tensor([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])),
    ("Multinomial", "new", {"total_count": 4, "probs": SIMPLEX}, tensor([1.0, 1.0, 2.0], [0.0, 0.0, 4.0])),
    ("ContinuousBernoulli", "new", {"probs": PROBS}, UNITS),
    ("ContinuousBernoulli", "from_logits", {"logits": tensor(-1.25, 0.0, 2.0)}, UNITS),
    ("RelaxedBernoulli", "new", {"temperature": SCALE, "probs": PROBS}, UNITS),
    ("LogitRelaxedBernoulli", "from_logits", {"temperature": SCALE, "logits": REALS}, REALS),
    ("RelaxedOneHotCategorical", "new", {"temperature": tensor(0.75)[0], "probs": SIMPLEX}, SIMPLEX.flip(0)),
    ("Dirichlet", "new", {"concentration": tensor([0.5, 1.5, 3.0], [2.0, 1.0, 0.75])}, SIMPLEX),
    ("Dirichlet", "new", {"concentration": tensor([1.5, 0.75, 2.0], [1.25, 3.0, 2.5])}, SIMPLEX),
    ("LogisticNormal", "new", {"loc": POINTS, "scale": tensor(0.5, 1.5)}, SIMPLEX),
    ("MultivariateNormal", "new", {"loc": POINTS, "covariance_matrix": COVARIANCE}, tensor([0.5, 0.25], [1.0, -1.0])),
    ("MultivariateNormal", "from_scale_tril", {"loc": POINTS, "scale_tril": FACTOR}, tensor([0.5, 0.25], [1.0, -1.0])),
    ("MultivariateNormal", "from_precision_matrix", {"loc": POINTS, "precision_matrix": COVARIANCE}, POINTS * 0.5),
    ("LowRankMultivariateNormal", "new", {"loc": POINTS, "cov_factor": tensor([0.5], [1.25]), "cov_diag": tensor(0.75, 1.5)}, POINTS * 0.5),
    ("LowRankMultivariateNormal", "new", {"loc": POINTS * 2, "cov_factor": tensor([1.5], [-0.25]), "cov_diag": tensor(0.5, 1.0)}, POINTS * 0.5),
    ("Wishart", "new", {"df": tensor(3.5, 4.0), "covariance_matrix": COVARIANCE}, COVARIANCE.flip(0)),
    ("LKJCholesky", "new", {"dim": 3, "concentration": tensor(0.75, 2.5)}, None),
]

ANSWERS = ["log_prob", "cdf", "entropy", "mean", "mode", "variance"]


def encode(x):
    if not isinstance(x, torch.Tensor):
        return x

    def number(value):
        return value if math.isfinite(value) else str(value)

    return {"shape": list(x.shape), "data": [number(value) for value in x.detach().double().flatten().tolist()]}


def build(name, args):
    if name == "LogitRelaxedBernoulli":
        return D.relaxed_bernoulli.LogitRelaxedBernoulli(**args)
    if name == "GeneralizedPareto":
        from torch.distributions.generalized_pareto import GeneralizedPareto

        return GeneralizedPareto(**args)
    return getattr(D, name)(**args)


def answers(name, args, value):
    tensors = {key: arg.clone().requires_grad_() for key, arg in args.items() if isinstance(arg, torch.Tensor)}
    distribution = build(name, {**args, **tensors})
    found = {}
    for method in ANSWERS:
        try:
            answer = getattr(distribution, method)
            answer = answer(value) if method in ("log_prob", "cdf") else answer() if method == "entropy" else answer
        except NotImplementedError:
            continue
        # PyTorch's mode of this type is NaN for all arguments.
        if (name, method) == ("Kumaraswamy", "mode"):
            continue
        found[method] = encode(answer)
        if method == "log_prob":
            grads = torch.autograd.grad(answer.sum(), list(tensors.values()), allow_unused=True)
            found["gradients"] = {key: encode(grad) for key, grad in zip(tensors, grads) if grad is not None}
    try:
        found["icdf"] = encode(distribution.icdf(UNITS))
    except NotImplementedError:
        pass
    return found


def divergences():
    found = []
    for i, (p_name, _, p_args, _) in enumerate(CASES):
        for j, (q_name, _, q_args, _) in enumerate(CASES):
            # PyTorch has these for equal arguments only.
            if p_name == "Kumaraswamy":
                continue
            try:
                value = D.kl_divergence(build(p_name, p_args), build(q_name, q_args))
            except (NotImplementedError, RuntimeError, ValueError):
                continue
            # The base distributions of relaxations have no formula here, and equal arguments say
            # nothing.
            found.append({"p": i, "q": j, "value": encode(value)})
    return found


def transforms():
    T = D.transforms
    vector, matrix = tensor(0.25, -0.5, 1.25), tensor([0.25, -0.5], [1.0, 0.75])
    rows = [
        ("ExpTransform", [], vector),
        ("PowerTransform", [1.5], POSITIVES),
        ("SigmoidTransform", [], vector),
        ("TanhTransform", [], vector),
        ("SoftplusTransform", [], vector),
        ("AffineTransform", [0.5, -2.0], vector),
        ("StickBreakingTransform", [], vector),
        ("CorrCholeskyTransform", [], vector),
    ]
    found = []
    for name, args, x in rows:
        transform = getattr(T, name)(*args)
        y = transform(x)
        log_det = transform.log_abs_det_jacobian(x, y)
        found.append({"name": name, "args": args, "x": encode(x), "y": encode(y), "log_abs_det_jacobian": encode(log_det)})
    for name in ("SoftmaxTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform"):
        x = vector if name == "SoftmaxTransform" else matrix
        found.append({"name": name, "args": [], "x": encode(x), "y": encode(getattr(T, name)()(x))})
    return found


def sample_gradients():
    shape = tensor(0.125, 0.5, 1.0, 3.0, 12.0, 150.0)
    sample = tensor(0.0625, 1.0, 0.25, 4.5, 9.0, 160.0)
    x, alpha, total = tensor(0.125, 0.5, 0.75, 0.25), tensor(0.5, 2.0, 9.0, 30.0), tensor(1.5, 2.75, 12.0, 100.0)
    return {
        "gamma": {"shape": encode(shape), "sample": encode(sample), "gradient": encode(torch._standard_gamma_grad(shape, sample))},
        "dirichlet": {"sample": encode(x), "concentration": encode(alpha), "total": encode(total), "gradient": encode(torch._dirichlet_grad(x, alpha, total))},
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    out = parser.parse_args().out
    cases = []
    for name, constructor, args, value in CASES:
        if name == "LKJCholesky":
            value = torch.linalg.cholesky(tensor([1.0, 0.25, -0.5], [0.25, 1.0, 0.125], [-0.5, 0.125, 1.0]))
        case = {"name": name, "constructor": constructor, "args": {key: encode(arg) for key, arg in args.items()}}
        cases.append({**case, "value": encode(value), **answers(name, args, value)})
    result = {
        "torch": torch.__version__,
        "distributions": cases,
        "divergences": divergences(),
        "sample_gradients": sample_gradients(),
        "transforms": transforms(),
    }
    with open(out, "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


main()
