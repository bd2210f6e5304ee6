//! torchmetrics' answers, `tests/golden/metrics.json`: functions, classes that are updated twice,
//! and two classes whose states are merged, on the CPU. The page's tests run them on WebGPU.

use crate::options::Given;
use lanthorn_metrics::*;
use lanthorn_tensor::{DType, Device, Result, Tensor};
use pollster::block_on;
use serde_json::Value;
use std::{path::Path, rc::Rc};

fn answers() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/metrics.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f32> {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap());
    value["data"].as_array().unwrap().iter().map(|value| number(value) as f32).collect()
}

fn sizes(value: &Value) -> Vec<i64> {
    value["shape"].as_array().unwrap().iter().map(|size| size.as_i64().unwrap()).collect()
}

/// The numbers of an input that is a formula.
fn wave(value: &Value) -> Vec<f32> {
    let [step, noise] = ["step", "noise"].map(|name| value[name].as_i64().unwrap());
    let count: i64 = sizes(value).iter().product();
    (0..count).map(|index| ((index * step + index % (noise + 1)) % 251) as f32 / 250.0).collect()
}

fn tensor(value: &Value, device: &Device) -> Tensor {
    if value["kind"] == "wave" {
        return Tensor::from_slice(&wave(value), sizes(value), device).unwrap();
    }
    let tensor = Tensor::from_slice(&numbers(value), sizes(value), device).unwrap();
    if value["kind"] == "int" { tensor.to(DType::I32).unwrap() } else { tensor }
}

/// The first difference of a result to an answer.
fn difference(got: &Result<Tensor>, want: &Value) -> Option<String> {
    let got = match got {
        Ok(got) => got,
        Err(error) => return Some(error.to_string()),
    };
    let shape: Vec<i64> = got.shape().iter().map(|&size| size as i64).collect();
    if shape != sizes(want) {
        return Some(format!("shape {shape:?} instead of {:?}", sizes(want)));
    }
    let (got, want) = (block_on(got.to(DType::F32).unwrap().to_vec::<f32>()).unwrap(), numbers(want));
    let is_close = |(&got, &want): (&f32, &f32)| {
        got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= 2e-5 * (1.0 + want.abs())
    };
    (!got.iter().zip(&want).all(is_close)).then(|| format!("{got:?} instead of {want:?}"))
}

/// The value of a function, and the metric of its class.
fn evaluate(function: &str, p: &Tensor, t: &Tensor, o: &Given) -> Result<(Tensor, Rc<dyn Metric>)> {
    Ok(match function {
        "accuracy" => (
            functional::accuracy(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?,
            Rc::new(Accuracy::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?),
        ),
        "recall" => (
            functional::recall(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?,
            Rc::new(Recall::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?),
        ),
        "specificity" => (
            functional::specificity(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?,
            Rc::new(Specificity::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?),
        ),
        "hamming_distance" => (
            functional::hamming_distance(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?,
            Rc::new(HammingDistance::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?),
        ),
        "stat_scores" => (
            functional::stat_scores(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?,
            Rc::new(StatScores::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
            )?),
        ),
        "precision" => (
            functional::precision(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?,
            Rc::new(Precision::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?),
        ),
        "f1_score" => (
            functional::f1_score(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?,
            Rc::new(F1Score::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?),
        ),
        "fbeta_score" => (
            functional::fbeta_score(
                p,
                t,
                o.task(),
                o.number("beta", 1.0),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?,
            Rc::new(FBetaScore::new(
                o.task(),
                o.number("beta", 1.0),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("micro"),
                o.multidim(),
                o.top_k(),
                o.ignore(),
                o.zero_division(),
            )?),
        ),
        "confusion_matrix" => (
            functional::confusion_matrix(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.normalize(),
                o.ignore(),
            )?,
            Rc::new(ConfusionMatrix::new(o.task(), o.threshold(), o.classes(), o.labels(), o.normalize(), o.ignore())?),
        ),
        "cohen_kappa" => (
            functional::cohen_kappa(p, t, o.task(), o.threshold(), o.classes(), o.weights(), o.ignore())?,
            Rc::new(CohenKappa::new(o.task(), o.threshold(), o.classes(), o.weights(), o.ignore())?),
        ),
        "matthews_corrcoef" => (
            functional::matthews_corrcoef(p, t, o.task(), o.threshold(), o.classes(), o.labels(), o.ignore())?,
            Rc::new(MatthewsCorrCoef::new(o.task(), o.threshold(), o.classes(), o.labels(), o.ignore())?),
        ),
        "jaccard_index" => (
            functional::jaccard_index(
                p,
                t,
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("macro"),
                o.ignore(),
                o.zero_division(),
            )?,
            Rc::new(JaccardIndex::new(
                o.task(),
                o.threshold(),
                o.classes(),
                o.labels(),
                o.average("macro"),
                o.ignore(),
                o.zero_division(),
            )?),
        ),
        "auroc" => (
            functional::auroc(
                p,
                t,
                o.task(),
                o.thresholds(),
                o.classes(),
                o.labels(),
                o.average("macro"),
                o.max_fpr(),
                o.ignore(),
            )?,
            Rc::new(AUROC::new(
                o.task(),
                o.thresholds(),
                o.classes(),
                o.labels(),
                o.average("macro"),
                o.max_fpr(),
                o.ignore(),
            )?),
        ),
        "average_precision" => (
            functional::average_precision(
                p,
                t,
                o.task(),
                o.thresholds(),
                o.classes(),
                o.labels(),
                o.average("macro"),
                o.ignore(),
            )?,
            Rc::new(AveragePrecision::new(
                o.task(),
                o.thresholds(),
                o.classes(),
                o.labels(),
                o.average("macro"),
                o.ignore(),
            )?),
        ),
        "mean_absolute_error" => {
            (functional::mean_absolute_error(p, t, o.outputs())?, Rc::new(MeanAbsoluteError::new(o.outputs())?))
        }
        "mean_squared_error" => (
            functional::mean_squared_error(p, t, o.is_squared(), o.outputs())?,
            Rc::new(MeanSquaredError::new(o.is_squared(), o.outputs())?),
        ),
        "mean_squared_log_error" => (functional::mean_squared_log_error(p, t)?, Rc::new(MeanSquaredLogError::new()?)),
        "mean_absolute_percentage_error" => {
            (functional::mean_absolute_percentage_error(p, t)?, Rc::new(MeanAbsolutePercentageError::new()?))
        }
        "symmetric_mean_absolute_percentage_error" => (
            functional::symmetric_mean_absolute_percentage_error(p, t)?,
            Rc::new(SymmetricMeanAbsolutePercentageError::new()?),
        ),
        "weighted_mean_absolute_percentage_error" => (
            functional::weighted_mean_absolute_percentage_error(p, t)?,
            Rc::new(WeightedMeanAbsolutePercentageError::new()?),
        ),
        "log_cosh_error" => (functional::log_cosh_error(p, t)?, Rc::new(LogCoshError::new(o.outputs())?)),
        "r2_score" => (
            functional::r2_score(p, t, o.count("adjusted", 0), o.multioutput())?,
            Rc::new(R2Score::new(o.count("adjusted", 0), o.multioutput())?),
        ),
        "explained_variance" => {
            (functional::explained_variance(p, t, o.multioutput())?, Rc::new(ExplainedVariance::new(o.multioutput())?))
        }
        "relative_squared_error" => (
            functional::relative_squared_error(p, t, o.is_squared())?,
            Rc::new(RelativeSquaredError::new(o.is_squared())?),
        ),
        "pearson_corrcoef" => (functional::pearson_corrcoef(p, t)?, Rc::new(PearsonCorrCoef::new(o.outputs())?)),
        "concordance_corrcoef" => {
            (functional::concordance_corrcoef(p, t)?, Rc::new(ConcordanceCorrCoef::new(o.outputs())?))
        }
        "spearman_corrcoef" => (functional::spearman_corrcoef(p, t)?, Rc::new(SpearmanCorrCoef::new(o.outputs())?)),
        "cosine_similarity" => (
            functional::cosine_similarity(p, t, o.reduction("sum"))?,
            Rc::new(CosineSimilarity::new(o.reduction("sum"))?),
        ),
        "kl_divergence" => (
            functional::kl_divergence(p, t, false, o.reduction("mean"))?,
            Rc::new(KLDivergence::new(false, o.reduction("mean"))?),
        ),
        "tweedie_deviance_score" => (
            functional::tweedie_deviance_score(p, t, o.number("power", 0.0))?,
            Rc::new(TweedieDevianceScore::new(o.number("power", 0.0))?),
        ),
        "minkowski_distance" => (
            functional::minkowski_distance(p, t, o.number("p", 1.0))?,
            Rc::new(MinkowskiDistance::new(o.number("p", 1.0))?),
        ),
        "calibration_error" => (
            functional::calibration_error(p, t, o.task(), o.count("n_bins", 15), o.norm(), o.classes(), o.ignore())?,
            Rc::new(CalibrationError::new(o.task(), o.count("n_bins", 15), o.norm(), o.classes(), o.ignore())?),
        ),
        "hinge_loss" => (
            functional::hinge_loss(p, t, o.task(), o.classes(), o.flag("squared"), o.mode(), o.ignore())?,
            Rc::new(HingeLoss::new(o.task(), o.classes(), o.flag("squared"), o.mode(), o.ignore())?),
        ),
        "exact_match" => (
            functional::exact_match(p, t, o.task(), o.classes(), o.labels(), o.threshold(), o.multidim(), o.ignore())?,
            Rc::new(ExactMatch::new(o.task(), o.threshold(), o.classes(), o.labels(), o.multidim(), o.ignore())?),
        ),
        "perplexity" => (functional::perplexity(p, t, o.ignore())?, Rc::new(Perplexity::new(o.ignore())?)),
        "peak_signal_noise_ratio" => (
            functional::peak_signal_noise_ratio(p, t, o.number("data_range", 1.0), 10.0)?,
            Rc::new(PeakSignalNoiseRatio::new(o.number("data_range", 1.0), 10.0)?),
        ),
        "structural_similarity_index_measure" => (
            functional::structural_similarity_index_measure(
                p,
                t,
                o.gaussian(),
                o.number("sigma", 1.5),
                o.count("kernel_size", 11),
                o.images(),
                o.data_range(),
                0.01,
                0.03,
            )?,
            Rc::new(StructuralSimilarityIndexMeasure::new(
                o.gaussian(),
                o.number("sigma", 1.5),
                o.count("kernel_size", 11),
                o.images(),
                o.data_range(),
                0.01,
                0.03,
            )?),
        ),
        "multiscale_structural_similarity_index_measure" => (
            functional::multiscale_structural_similarity_index_measure(
                p,
                t,
                o.gaussian(),
                o.number("sigma", 1.5),
                o.count("kernel_size", 11),
                o.images(),
                o.data_range(),
                0.01,
                0.03,
                o.normalize_similarity(),
            )?,
            Rc::new(MultiScaleStructuralSimilarityIndexMeasure::new(
                o.gaussian(),
                o.number("sigma", 1.5),
                o.count("kernel_size", 11),
                o.images(),
                o.data_range(),
                0.01,
                0.03,
                o.normalize_similarity(),
            )?),
        ),
        other => panic!("no metric {other}"),
    })
}

/// The parts of a tensor before and after a row.
fn halves(x: &Tensor) -> [Tensor; 2] {
    let rows = x.shape()[0] as i64;
    let first = rows / 3;
    [x.narrow(0, 0, first).unwrap(), x.narrow(0, first, rows - first).unwrap()]
}

fn update_twice(metric: &dyn Metric, other: Option<&dyn Metric>, p: &Tensor, t: &Tensor) -> Result<Tensor> {
    let ([p1, p2], [t1, t2]) = (halves(p), halves(t));
    metric.update(&p1, &t1)?;
    match other {
        Some(other) => {
            other.update(&p2, &t2)?;
            metric.merge_state(other)?;
        }
        None => drop(metric.forward(&p2, &t2)?),
    }
    metric.compute()
}

/// Compares all cases, and returns the differences and the number of answers.
fn compare(device: &Device) -> (Vec<String>, usize) {
    let (answers, mut wrong, mut compared) = (answers(), vec![], 0);
    for case in answers["cases"].as_array().unwrap() {
        let input = &answers["inputs"][case["input"].as_str().unwrap()];
        let (p, t) = (tensor(&input["preds"], device), tensor(&input["target"], device));
        let (name, options) = (case["function"].as_str().unwrap(), Given(&case["options"]));
        let mut record = |what: &str, got: Result<Tensor>| {
            compared += 1;
            wrong.extend(
                difference(&got, &case["value"]).map(|why| format!("{name} {what} {}: {why}", case["options"])),
            );
        };
        let (value, metric) = match evaluate(name, &p, &t, &options) {
            Ok(made) => made,
            Err(error) => {
                record("", Err(error));
                continue;
            }
        };
        record("", Ok(value));
        record("updated", update_twice(metric.as_ref(), None, &p, &t));
        metric.reset();
        let (_, other) = evaluate(name, &p, &t, &options).unwrap();
        record("merged", update_twice(metric.as_ref(), Some(other.as_ref()), &p, &t));
    }
    (wrong, compared)
}

#[test]
fn metrics_have_torchmetrics_answers() {
    let (wrong, compared) = compare(&Device::new(lanthorn_cpu::CpuBackend::new()));
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 850, "{compared} answers");
}
