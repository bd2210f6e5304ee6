"""Writes metrics.json: torchmetrics' values of the metrics of crates/metrics.

Run: python tests/golden/make/gen_metrics.py tests/golden/metrics.json
A case has a function with its class, an input, options by name, and the value of the function.
"""

import json
import sys

import torch
import torchmetrics
import torchmetrics.functional as functional

torch.manual_seed(38)


def numbers(tensor):
    """A tensor as JSON has it."""
    if id(tensor) in WAVES:
        return WAVES[id(tensor)]
    values = tensor.detach().to(torch.float64).flatten().tolist()
    data = [value if value == value and abs(value) != float("inf") else str(value) for value in values]
    data = [int(value) if isinstance(value, float) and value.is_integer() else value for value in data]
    kind = "float" if tensor.is_floating_point() else "int"
    return {"shape": list(tensor.shape), "kind": kind, "data": data}


def round_to(tensor, digits=3):
    """Numbers that float32 and JSON have alike, with equal ones among them."""
    return (tensor * 10**digits).round() / 10**digits


def wave(shape, step, noise):
    """Numbers from 0 to 1 by a formula, of which the file has the parameters."""
    index = torch.arange(int(torch.tensor(shape).prod()))
    tensor = (((index * step + index % (noise + 1)) % 251) / 250).reshape(shape)
    WAVES[id(tensor)] = {"shape": shape, "kind": "wave", "step": step, "noise": noise, "data": []}
    return tensor


WAVES = {}


def inputs():
    """Predictions and targets by name."""
    n, c = 24, 4
    scores = round_to(torch.rand(n), 1)
    ignored = torch.randint(0, 2, (n,))
    ignored[::5] = -1
    classes = torch.randint(0, c, (n,))
    partial = classes.clone()
    partial[::6] = -1
    logits = round_to(torch.randn(n, c))
    x = round_to(torch.randn(n, 3))
    y = round_to(x + torch.randn(n, 3) * 0.5)
    positive = round_to(torch.rand(n) + 0.5)
    near = round_to(positive * (1 + torch.rand(n)))
    p = torch.rand(n, 5) + 0.1
    q = torch.rand(n, 5) + 0.1
    return {
        "binary": (scores, torch.randint(0, 2, (n,))),
        "binary_logits": (round_to(torch.randn(n)), torch.randint(0, 2, (n,))),
        "binary_ignored": (scores, ignored),
        "binary_labels": (torch.randint(0, 2, (n,)), torch.randint(0, 2, (n,))),
        "binary_positions": (round_to(torch.rand(4, 6)), torch.randint(0, 2, (4, 6))),
        "classes": (torch.randint(0, c - 1, (n,)), torch.randint(0, c - 1, (n,))),
        "class_logits": (logits, classes),
        "class_ignored": (logits, partial),
        "class_positions": (round_to(torch.randn(4, c, 6)), torch.randint(0, c, (4, 6))),
        "labels": (round_to(torch.rand(n, 3), 1), torch.randint(0, 2, (n, 3))),
        "label_positions": (round_to(torch.rand(4, 3, 6)), torch.randint(0, 2, (4, 3, 6))),
        "numbers": (x[:, 0], y[:, 0]),
        "outputs": (x, y),
        "positive": (near, positive),
        "ties": (round_to(torch.rand(n), 1), round_to(torch.rand(n), 1)),
        "words": (round_to(torch.randn(4, 5, 7)), torch.randint(0, 7, (4, 5))),
        "class_labels": (torch.randint(0, c, (6, 2)), torch.randint(0, c, (6, 2))),
        "label_bits": ((torch.rand(12, 3) < 0.7).int(), (torch.rand(12, 3) < 0.7).int()),
        "pictures": (wave([4, 2, 20, 24], 37, 0), wave([4, 2, 20, 24], 37, 12)),
        "large_pictures": (wave([4, 1, 180, 180], 37, 0), wave([4, 1, 180, 180], 37, 12)),
        "rows": (round_to(p / p.sum(-1, keepdim=True)), round_to(q / q.sum(-1, keepdim=True))),
    }


def classification():
    """Rows of function, class, input and options."""
    binary, multi = {"task": "binary"}, {"task": "multiclass", "num_classes": 4}
    label = {"task": "multilabel", "num_labels": 3}
    averages = ["micro", "macro", "weighted", "none"]
    scores = [
        ("accuracy", "Accuracy"),
        ("precision", "Precision"),
        ("recall", "Recall"),
        ("f1_score", "F1Score"),
        ("specificity", "Specificity"),
        ("hamming_distance", "HammingDistance"),
        ("stat_scores", "StatScores"),
        ("fbeta_score", "FBetaScore"),
    ]
    for function, name in scores:
        more = {"beta": 2.0} if function == "fbeta_score" else {}
        zero = {"zero_division": 1.0} if function in ("precision", "f1_score") else {}
        for given in ["binary", "binary_logits", "binary_labels"]:
            yield function, name, given, {**binary, **more}
        yield function, name, "binary", {**binary, **more, "threshold": 0.75, **zero}
        yield function, name, "binary_ignored", {**binary, **more, "ignore_index": -1}
        yield function, name, "binary_positions", {**binary, **more, "multidim_average": "samplewise"}
        for average in averages:
            yield function, name, "class_logits", {**multi, **more, "average": average}
            yield function, name, "labels", {**label, **more, "average": average}
        yield function, name, "classes", {**multi, **more, "average": "macro"}
        yield function, name, "class_ignored", {**multi, **more, "average": "macro", "ignore_index": -1}
        yield function, name, "class_logits", {**multi, **more, "average": "macro", "ignore_index": 2}
        yield function, name, "class_logits", {**multi, **more, "average": "macro", "top_k": 2}
        for average in ["micro", "macro", "weighted"]:
            samplewise = {"average": average, "multidim_average": "samplewise"}
            yield function, name, "class_positions", {**multi, **more, **samplewise}
            yield function, name, "label_positions", {**label, **more, **samplewise}
    for normalize in ["none", "true", "pred", "all"]:
        for given, task in [("binary", binary), ("class_logits", multi), ("labels", label)]:
            yield "confusion_matrix", "ConfusionMatrix", given, {**task, "normalize": normalize}
    yield "confusion_matrix", "ConfusionMatrix", "class_ignored", {**multi, "ignore_index": -1}
    for weights in ["none", "linear", "quadratic"]:
        yield "cohen_kappa", "CohenKappa", "class_logits", {**multi, "weights": weights}
    yield "cohen_kappa", "CohenKappa", "binary", binary
    for given, task in [("binary", binary), ("class_logits", multi), ("labels", label)]:
        yield "matthews_corrcoef", "MatthewsCorrCoef", given, task
    for average in averages:
        for given, task in [("class_logits", multi), ("labels", label)]:
            yield "jaccard_index", "JaccardIndex", given, {**task, "average": average}
        yield "jaccard_index", "JaccardIndex", "class_logits", {**multi, "average": average, "ignore_index": 2}
    yield "jaccard_index", "JaccardIndex", "binary", binary
    for function, name in [("auroc", "AUROC"), ("average_precision", "AveragePrecision")]:
        for bins in [{}, {"thresholds": 6}]:
            yield function, name, "binary", {**binary, **bins}
            yield function, name, "binary_logits", {**binary, **bins}
            yield function, name, "binary_ignored", {**binary, **bins, "ignore_index": -1}
            for average in ["macro", "weighted", "none"]:
                yield function, name, "class_logits", {**multi, **bins, "average": average}
                yield function, name, "labels", {**label, **bins, "average": average}
            yield function, name, "labels", {**label, **bins, "average": "micro"}
            if function == "auroc":
                yield function, name, "binary", {**binary, **bins, "max_fpr": 0.3}


def margins():
    """Rows of function, class, input and options."""
    binary, multi = {"task": "binary"}, {"task": "multiclass", "num_classes": 4}
    label = {"task": "multilabel", "num_labels": 3}
    for norm in ["l1", "l2", "max"]:
        yield "calibration_error", "CalibrationError", "binary", {**binary, "norm": norm, "n_bins": 5}
        yield "calibration_error", "CalibrationError", "class_logits", {**multi, "norm": norm}
    yield "calibration_error", "CalibrationError", "class_ignored", {**multi, "ignore_index": -1}
    for squared in [False, True]:
        yield "hinge_loss", "HingeLoss", "binary_logits", {**binary, "squared": squared}
        yield "hinge_loss", "HingeLoss", "class_logits", {**multi, "squared": squared}
    yield "hinge_loss", "HingeLoss", "class_logits", {**multi, "multiclass_mode": "one-vs-all"}
    for multidim in ["global", "samplewise"]:
        yield "exact_match", "ExactMatch", "class_labels", {**multi, "multidim_average": multidim}
        yield "exact_match", "ExactMatch", "class_positions", {**multi, "multidim_average": multidim}
        yield "exact_match", "ExactMatch", "label_positions", {**label, "multidim_average": multidim}
    yield "exact_match", "ExactMatch", "label_bits", label
    yield "perplexity", "Perplexity", "words", {}
    yield "perplexity", "Perplexity", "words", {"ignore_index": 3}
    for data_range in [1.0, 2.0]:
        yield "peak_signal_noise_ratio", "PeakSignalNoiseRatio", "pictures", {"data_range": data_range}
    name = "structural_similarity_index_measure"
    for options in [{}, {"gaussian_kernel": False, "kernel_size": 7}, {"reduction": "none", "sigma": 0.8}]:
        yield name, "StructuralSimilarityIndexMeasure", "pictures", {"data_range": 1.0, **options}
    name = "multiscale_structural_similarity_index_measure"
    for options in [{}, {"normalize": "simple", "reduction": "none"}]:
        yield name, "MultiScaleStructuralSimilarityIndexMeasure", "large_pictures", {"data_range": 1.0, **options}


def curves():
    """Rows of function, class, input and options."""
    for function, name in [("precision_recall_curve", "PrecisionRecallCurve"), ("roc", "ROC")]:
        for bins in [{}, {"thresholds": 5}]:
            yield function, name, "binary", {"task": "binary", **bins}
            yield function, name, "binary_ignored", {"task": "binary", **bins, "ignore_index": -1}
            yield function, name, "class_logits", {"task": "multiclass", "num_classes": 4, **bins}
            yield function, name, "labels", {"task": "multilabel", "num_labels": 3, **bins}


def texts():
    """Rows of function, class, predictions, targets and options."""
    preds = ["the cat sat on the mat", "a b c d e f", "there is a dog in the park"]
    target = ["the cat is on the mat", "a b d c e", "there are two dogs in the green park"]
    several = [[text, text.replace("the", "a")] for text in target]
    yield "word_error_rate", "WordErrorRate", preds, target, {}
    yield "char_error_rate", "CharErrorRate", preds, target, {}
    yield "edit_distance", "EditDistance", preds, target, {}
    yield "edit_distance", "EditDistance", preds, target, {"substitution_cost": 2, "reduction": "none"}
    yield "bleu_score", "BLEUScore", preds, several, {"n_gram": 2}
    yield "bleu_score", "BLEUScore", preds, several, {"n_gram": 3, "smooth": True}
    yield "bleu_score", "BLEUScore", preds, several, {}


def list_parts(parts):
    """The coordinates of curves: a vector for each class."""
    return [[numbers(row) for row in (part if isinstance(part, list) or part.ndim > 1 else [part])] for part in parts]


def regression():
    """Rows of function, class, input and options."""
    for function, name, given in [
        ("mean_absolute_error", "MeanAbsoluteError", "numbers"),
        ("mean_squared_error", "MeanSquaredError", "numbers"),
        ("mean_squared_log_error", "MeanSquaredLogError", "positive"),
        ("mean_absolute_percentage_error", "MeanAbsolutePercentageError", "positive"),
        ("symmetric_mean_absolute_percentage_error", "SymmetricMeanAbsolutePercentageError", "positive"),
        ("weighted_mean_absolute_percentage_error", "WeightedMeanAbsolutePercentageError", "positive"),
        ("log_cosh_error", "LogCoshError", "numbers"),
        ("r2_score", "R2Score", "outputs"),
        ("explained_variance", "ExplainedVariance", "outputs"),
        ("relative_squared_error", "RelativeSquaredError", "numbers"),
        ("pearson_corrcoef", "PearsonCorrCoef", "numbers"),
        ("concordance_corrcoef", "ConcordanceCorrCoef", "numbers"),
        ("spearman_corrcoef", "SpearmanCorrCoef", "ties"),
        ("cosine_similarity", "CosineSimilarity", "outputs"),
        ("kl_divergence", "KLDivergence", "rows"),
    ]:
        yield function, name, given, {}
    yield "mean_squared_error", "MeanSquaredError", "outputs", {"squared": False, "num_outputs": 3}
    yield "r2_score", "R2Score", "numbers", {"adjusted": 3}
    for multioutput in ["raw_values", "variance_weighted"]:
        yield "r2_score", "R2Score", "outputs", {"multioutput": multioutput}
        yield "explained_variance", "ExplainedVariance", "outputs", {"multioutput": multioutput}
    for power in [0.0, 1.0, 1.5, 2.0, 3.0]:
        yield "tweedie_deviance_score", "TweedieDevianceScore", "positive", {"power": power}
    yield "minkowski_distance", "MinkowskiDistance", "numbers", {"p": 3.0}
    yield "cosine_similarity", "CosineSimilarity", "outputs", {"reduction": "none"}
    yield "kl_divergence", "KLDivergence", "rows", {"reduction": "sum"}


def main():
    """Writes the file."""
    given = inputs()
    cases = []
    for function, name, key, options in [*classification(), *margins(), *regression()]:
        preds, target = given[key]
        value = getattr(functional, function)(preds, target, **options)
        if function == "concordance_corrcoef":
            # torchmetrics leaves a dimension of size 1 for one output.
            value = value.squeeze()
        cases.append({"function": function, "class": name, "input": key, "options": options, "value": numbers(value)})
    lines = []
    for function, name, key, options in curves():
        preds, target = given[key]
        parts = list_parts(getattr(functional, function)(preds, target, **options))
        classes = len(parts[0])
        parts = [part * classes if len(part) < classes else part for part in parts]
        lines.append({"function": function, "class": name, "input": key, "options": options, "parts": parts})
    written = []
    for function, name, preds, target, options in texts():
        value = getattr(torchmetrics.functional.text, function)(preds, target, **options)
        row = {"function": function, "class": name, "preds": preds, "target": target, "options": options}
        written.append({**row, "value": numbers(value)})
    answers = {
        "torchmetrics": torchmetrics.__version__,
        "inputs": {key: {"preds": numbers(preds), "target": numbers(target)} for key, (preds, target) in given.items()},
        "curves": lines,
        "texts": written,
        "cases": cases,
    }
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("{\n")
        for index, (key, value) in enumerate(answers.items()):
            end = ",\n" if index + 1 < len(answers) else "\n"
            if not isinstance(value, list):
                file.write(f"{json.dumps(key)}: {json.dumps(value)}{end}")
                continue
            rows = ",\n".join(json.dumps(case) for case in value)
            file.write(f"{json.dumps(key)}: [\n{rows}\n]{end}")
        file.write("}\n")


main()
