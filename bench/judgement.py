#!/usr/bin/python3
"""The evidence table: Wald on every table of a data folder, with the folds given there, beside its reference scores.

usage: bench/judgement.py WALD DATA [--learner boost] [--tune 60s] [--tables a,b] [--most-rows N] [-o TABLE.md]

DATA holds datasets.tsv, folds/NAME.txt.gz and reference_scores.tsv. Each fold is predicted by a model of the other four:
with the defaults, and with --tune by options that are searched on the fold's training rows alone (wald cv --tune). All
scores are computed here, from the predictions, as the reference's were. Rows already in TABLE.md's .json are not run again.
"""
import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

LOSSES = {"log_loss", "rmse", "mae", "poisson_deviance"}
MAIN = {"binary": "log_loss", "multiclass": "log_loss", "regression": "rmse", "ranking": "ndcg@10"}


def read_tsv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_table(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ndcg10(relevance, score):
    order = np.argsort(-score, kind="stable")[:10]
    gain = lambda r: float(np.sum((2.0 ** r - 1) / np.log2(np.arange(len(r)) + 2)))
    best = gain(np.sort(relevance)[::-1][:10])
    return gain(relevance[order]) / best if best > 0 else None


def fold_scores(info, truth, rows, group, number):
    """Of one fold. truth: of all rows; rows: the predictions, with their row numbers."""
    at = [int(r["row"]) - 1 for r in rows]
    actual = [truth[i] for i in at]
    if info["task"] in ("binary", "multiclass"):
        from sklearn.metrics import f1_score, roc_auc_score
        names = [key[2:] for key in rows[0] if key.startswith("p_")]
        code = {name: k for k, name in enumerate(names)}
        same = lambda text: code[text] if text in code else next(k for n, k in code.items() if float(n) == float(text))
        y = np.array([same(t) for t in actual])
        p = np.clip([[float(r["p_" + n]) for n in names] for r in rows], 1e-6, None)
        p /= p.sum(axis=1, keepdims=True)
        label = np.array([same(r["prediction"]) for r in rows])
        out = {"accuracy": float(np.mean(label == y)), "log_loss": float(-np.mean(np.log(p[np.arange(len(y)), y])))}
        if len(names) == 2 and len(set(y)) == 2: out["roc_auc"] = float(roc_auc_score(y, p[:, 1]))
        if len(names) > 2: out["macro_f1"] = float(f1_score(y, label, average="macro", labels=range(len(names)), zero_division=0))
        return out
    y, p = np.array(actual, float), np.array([float(r["prediction"]) for r in rows])
    if info["task"] == "ranking":
        query = np.array([group[i] for i in at])
        found = [ndcg10(y[query == q], p[query == q]) for q in dict.fromkeys(query)]
        return {"ndcg@10": float(np.mean([f for f in found if f is not None]))}
    out = {"rmse": math.sqrt(np.mean((y - p) ** 2)), "mae": float(np.mean(abs(y - p)))}
    out["r2"] = float(1 - np.mean((y - p) ** 2) / np.var(y))
    return out


def judge(wald, data, info, learner, extra):
    """Scores of each fold, by wald cv."""
    path = os.path.join(data, info["file"])
    with tempfile.TemporaryDirectory() as folder:
        held = os.path.join(folder, "held.csv")
        command = [wald, "cv", path, "--target", info["target"], "--learner", learner, "--json", "--quiet", "-o", held,
                   "--folds-file", os.path.join(data, "folds", info["name"] + ".txt.gz"),
                   "--task", "classes" if info["task"] in ("binary", "multiclass") else "numbers"] + extra
        if info["ignore"]: command += ["--ignore", info["ignore"]]
        if info["task"] == "ranking": command += ["--query", info["group_column"], "--loss", "ndcg"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0: raise RuntimeError(done.stderr.strip() or done.stdout.strip())
        seconds = json.loads(done.stdout)["learners"][0]["seconds"]
        predictions = read_table(held)
    table = read_table(path)
    truth = [row[info["target"]] for row in table]
    group = [row[info["group_column"]] for row in table] if info["group_column"] else None
    folds = {}
    for row in predictions: folds.setdefault(int(row["fold"]), []).append(row)
    scores = [fold_scores(info, truth, folds[f], group, f) for f in sorted(folds)]
    names = {name for one in scores for name in one}
    return {"seconds": seconds, **{n: [one[n] for one in scores if n in one] for n in sorted(names)}}


def line_of(info, found, reference):
    """name | measure | best reference | defaults | tuned | verdicts; better means at least as good, within one standard error."""
    measure = MAIN[info["task"]]
    sign = 1 if measure in LOSSES else -1
    of = [(sign * float(r["mean"]), r["model"], float(r["mean"]), float(r["std"])) for r in reference
          if r["name"] == info["name"] and r["metric"] == measure and not r["model"].startswith("trivial")]
    if not of: return None
    _, model, bar, spread = min(of)
    error = spread / math.sqrt(4)  # the standard error of a mean of five folds, their deviation having the divisor 5
    cells, verdicts = [info["name"], measure, f"{bar:.4g} ({model})"], {}
    for kind in ("defaults", "tuned"):
        if kind not in found:
            cells.append("")
            continue
        mean = float(np.mean(found[kind][measure]))
        within = sign * (mean - bar) <= error
        verdicts[kind] = (mean, within, sign * (mean - bar) <= 0)
        cells.append(f"{mean:.4g}{'' if within else ' (worse)'}")
    if len(verdicts) == 2: verdicts["gain"] = sign * (verdicts["tuned"][0] - verdicts["defaults"][0]) <= 1e-12
    return cells, verdicts


def report(all_found, infos, reference, path):
    lines = ["| table | measure | best reference | defaults | tuned |", "|---|---|---|---|---|"]
    verdicts = []
    for info in infos:
        found = line_of(info, all_found[info["name"]], reference) if info["name"] in all_found else None
        if found is None: continue
        lines.append("| " + " | ".join(found[0]) + " |")
        verdicts.append(found[1])
    summary = []
    for kind in ("defaults", "tuned"):
        of = [v[kind] for v in verdicts if kind in v]
        if of: summary.append(f"{kind}: within one standard error of the best reference on {sum(v[1] for v in of)} of {len(of)} tables, at least as good on {sum(v[2] for v in of)}")
    gains = [v["gain"] for v in verdicts if "gain" in v]
    if gains: summary.append(f"tuned at least as good as the defaults on {sum(gains)} of {len(gains)} tables")
    text = "\n".join(lines + [""] + [s + "." for s in summary]) + "\n"
    print(text)
    if path:
        with open(path, "w", encoding="utf-8") as out: out.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wald")
    parser.add_argument("data")
    parser.add_argument("--learner", default="boost")
    parser.add_argument("--tune", default="")
    parser.add_argument("--tables", default="")
    parser.add_argument("--most-rows", type=int, default=10 ** 9)
    parser.add_argument("-o", "--output", default="")
    given = parser.parse_args()
    reference = read_tsv(os.path.join(given.data, "reference_scores.tsv"))
    wanted = set(filter(None, given.tables.split(",")))
    infos = [i for i in read_tsv(os.path.join(given.data, "datasets.tsv"))
             if (not wanted or i["name"] in wanted) and int(i["rows"]) <= given.most_rows]
    kept = given.output + ".json" if given.output else ""
    found = json.load(open(kept)) if kept and os.path.exists(kept) else {}
    for info in infos:
        one = found.setdefault(info["name"], {})
        for kind, extra in [("defaults", [])] + ([("tuned", ["--tune", given.tune])] if given.tune else []):
            if kind in one: continue
            try:
                one[kind] = judge(os.path.abspath(given.wald), given.data, info, given.learner, extra)
            except (RuntimeError, KeyError) as error:
                print(f"{info['name']}, {kind}: {error}", file=sys.stderr)
                continue
            print(f"{info['name']}, {kind}: {one[kind]['seconds']:.1f} s", file=sys.stderr, flush=True)
            if kept: json.dump(found, open(kept, "w"))
    report({n: f for n, f in found.items() if f}, infos, reference, given.output)


main()
