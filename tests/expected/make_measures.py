#!/usr/bin/python3
"""Writes measures.json beside itself: small cases with the values scikit-learn gives (Debian 12's 1.2.1).

The tests read the committed file; run this again only to add a case.
"""
import json
import os
import random

import numpy as np
import sklearn
from sklearn import metrics as m


def calibration_error(y, p, weight):
    """No function of scikit-learn: ten bins of equal width, of two classes the second, of more the most probable."""
    weight = np.ones(len(y)) if weight is None else np.array(weight)
    said, true = (p[:, 1], y == 1) if p.shape[1] == 2 else (p.max(axis=1), y == p.argmax(axis=1))
    at = np.minimum((said * 10).astype(int), 9)
    return sum(abs(np.sum(weight[at == b] * (said[at == b] - true[at == b]))) for b in range(10)) / weight.sum()


def ranks_case(name, seed, weighted, ties):
    draw = random.Random(seed)
    query = [q for q in range(8) for _ in range(draw.randint(2, 15))]
    truth = [float(draw.choice([0, 0, 1, 2, 3])) if q != 3 else 0.0 for q in query]
    value = [round(t + draw.gauss(0, 2)) if ties else t + draw.gauss(0, 2) for t in truth]
    of_query = [draw.choice([0.0, 0.5, 2.0]) for _ in range(8)] if weighted else [1.0] * 8
    y, v, q = np.array(truth), np.array(value, float), np.array(query)
    weights = of_query
    some = [i for i in range(8) if (y[q == i] > 0).any()]  # queries with nothing to find are left out
    mean = lambda of: np.average([of(y[q == i], v[q == i]) for i in some], weights=[weights[i] for i in some])
    ndcg = lambda k: mean(lambda y, v: m.ndcg_score([2 ** y - 1], [v], k=k))  # which takes gains as they are given
    values = {"ndcg": ndcg(None), "ndcg_10": ndcg(10), "ndcg_3": ndcg(3),
              "map": mean(lambda y, v: m.average_precision_score(y > 0, v))}
    return {"name": name, "truth": truth, "value": v.tolist(), "query": query, "weight": [of_query[i] for i in query] if weighted else [],
            "values": {key: float(v) for key, v in values.items()}}


def classes_case(name, k, rows, seed, weighted, ties, absent=()):
    draw = random.Random(seed)
    truth = [draw.choice([c for c in range(k) if c not in absent]) for _ in range(rows)]
    proba = []
    for t in truth:
        raw = [draw.random() + (0.6 if c == t else 0) for c in range(k)]
        raw = [round(r * 4) / 4 + 0.01 for r in raw] if ties else raw
        proba.append([r / sum(raw) for r in raw])
    if ties:  # certain rows, right and wrong, exercise the clipping of the log loss
        proba[0] = [1.0 if c == truth[0] else 0.0 for c in range(k)]
        proba[1] = [1.0 if c == (truth[1] + 1) % k else 0.0 for c in range(k)]
    weight = [draw.choice([0.0, 0.1, 0.7, 1.0, 2.5]) for _ in truth] if weighted else None
    y, p = np.array(truth), np.array(proba)
    label = p.argmax(axis=1)
    used = sorted(set(y[np.array(weight) > 0] if weighted else y) | set(label[np.array(weight) > 0] if weighted else label))
    w = dict(sample_weight=weight)
    values = {"accuracy": m.accuracy_score(y, label, **w),
              "log_loss": m.log_loss(y, p, eps=1e-15, labels=list(range(k)), **w)}
    for average in ("macro", "micro"):
        precision, recall, f1, _ = m.precision_recall_fscore_support(
            y, label, average=average, labels=used, zero_division=0, **w)
        values.update({f"{average}_precision": precision, f"{average}_recall": recall, f"{average}_f1": f1})
    precision, recall, f1, _ = m.precision_recall_fscore_support(y, label, average="weighted", labels=list(range(k)), zero_division=0, **w)
    values.update({"weighted_precision": precision, "weighted_recall": recall, "weighted_f1": f1, "mcc": m.matthews_corrcoef(y, label, **w)})
    kappa = m.cohen_kappa_score(y, label, labels=list(range(k)), **w)
    if not np.isnan(kappa): values["kappa"] = kappa
    values["calibration_error"] = calibration_error(y, p, weight)
    heavy = y[np.array(weight) > 0] if weighted else y
    values["balanced_accuracy"] = float(np.mean([m.recall_score(y, label, labels=[c], average="macro", zero_division=0, **w) for c in sorted(set(heavy))]))
    if k == 2:
        if not absent: values["average_precision"] = m.average_precision_score(y, p[:, 1], **w)
    else:
        values["average_precision"] = float(np.mean([m.average_precision_score(y == c, p[:, c], **w) for c in sorted(set(heavy))]))
    if k == 2:
        values["precision"] = m.precision_score(y, label, zero_division=0, **w)
        values["recall"] = m.recall_score(y, label, zero_division=0, **w)
        values["f1"] = m.f1_score(y, label, zero_division=0, **w)
        values["brier"] = m.brier_score_loss(y, p[:, 1], **w)
        if not absent:
            values["auc"] = m.roc_auc_score(y, p[:, 1], **w)
    else:
        for short in ("precision", "recall", "f1"):
            values[short] = values["macro_" + short]
        if not absent:
            values["auc"] = m.roc_auc_score(y, p, multi_class="ovr", average="macro", **w)
        else:
            values["auc"] = float(np.mean([m.roc_auc_score(y == c, p[:, c], **w) for c in range(k) if c not in absent]))
        values["brier"] = float(np.average(((p - np.eye(k)[y]) ** 2).sum(axis=1), weights=weight))
    confusion = m.confusion_matrix(y, label, labels=list(range(k)), **w)
    return {"name": name, "truth": truth, "proba": proba, "weight": weight or [],
            "values": {key: float(v) for key, v in values.items()}, "confusion": confusion.astype(float).tolist()}


def numbers_case(name, rows, seed, weighted, offset, quantile=0.5):
    draw = random.Random(seed)
    truth = [offset + draw.gauss(0, 3) for _ in range(rows)]
    value = [t + draw.gauss(0, 1) for t in truth]
    weight = [draw.choice([0.0, 0.1, 0.7, 1.0, 2.5]) for _ in truth] if weighted else None
    w = dict(sample_weight=weight)
    values = {"rmse": m.mean_squared_error(truth, value, squared=False, **w), "mae": m.mean_absolute_error(truth, value, **w),
              "r2": m.r2_score(truth, value, **w), "mape": m.mean_absolute_percentage_error(truth, value, **w),
              "mse": m.mean_squared_error(truth, value, **w), "pinball": m.mean_pinball_loss(truth, value, alpha=quantile, **w),
              "explained_variance": m.explained_variance_score(truth, value, **w),
              "max_error": m.max_error([t for i, t in enumerate(truth) if not weighted or weight[i] > 0],
                                       [v for i, v in enumerate(value) if not weighted or weight[i] > 0])}
    return {"name": name, "truth": truth, "value": value, "weight": weight or [], "quantile": quantile,
            "values": {key: float(v) for key, v in values.items()}}


cases = [
    classes_case("two classes", 2, 60, 1, False, False),
    classes_case("two classes, ties and certainty", 2, 60, 2, False, True),
    classes_case("two classes, weights and ties", 2, 60, 3, True, True),
    classes_case("two classes, only the first occurs", 2, 12, 4, False, False, absent=(1,)),
    classes_case("three classes", 3, 60, 5, False, False),
    classes_case("four classes, weights and ties", 4, 80, 6, True, True),
    classes_case("five classes, two of them absent", 5, 40, 7, False, True, absent=(1, 4)),
    numbers_case("numbers", 50, 8, False, 0),
    numbers_case("numbers, weights", 50, 9, True, 0),
    numbers_case("numbers far from zero", 50, 10, False, 1e6),
    numbers_case("a quantile, weights", 50, 11, True, 0, 0.9),
    ranks_case("queries", 12, False, False),
    ranks_case("queries, ties", 13, False, True),
    ranks_case("queries, weights and ties", 14, True, True),
]
where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measures.json")
with open(where, "w") as out:
    out.write('{"made_by": "tests/expected/make_measures.py", "scikit_learn": "%s", "cases": [\n' % sklearn.__version__)
    out.write(",\n".join(json.dumps(case) for case in cases))
    out.write("\n]}\n")
