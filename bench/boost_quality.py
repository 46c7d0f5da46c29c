#!/usr/bin/python3
"""Boosting with its defaults on every table, beside the reference scores: boost_quality.py FOLDER WALD [OPTION ...] [-- TABLE ...]

FOLDER holds datasets.tsv, reference_scores.tsv, the tables and folds/NAME.txt.gz (the fold of each row). Each fold is predicted by
a model of the other four, trained by WALD with --learner boost and the given options. The score is the mean over the folds: log loss
(probabilities of at least 1e-6, renormalised), root mean squared error, or NDCG@10. A table is won where it is better than the best
reference other than a trivial one, and near where it is not worse by more than one standard deviation of that reference.
"""
import csv
import gzip
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SCORE = {"regression": "rmse", "ranking": "ndcg@10"}


def opened(path): return gzip.open(path, "rt", encoding="utf-8", newline="") if str(path).endswith(".gz") else open(path, encoding="utf-8", newline="")


def references(folder):
    best = {}
    with open(folder / "reference_scores.tsv") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["model"].startswith("trivial"): continue
            key, score = (row["name"], row["metric"]), (float(row["mean"]), float(row["std"]), row["model"])
            better = max if row["metric"] == "ndcg@10" else min
            best[key] = better(best[key], score) if key in best else score
    return best


def log_loss(predicted, actual):
    sum_ = 0
    for row, y in zip(predicted, actual):
        p = {k[2:]: max(float(v), 1e-6) for k, v in row.items() if k.startswith("p_")}
        sum_ -= math.log(p.get(y, 1e-6) / sum(p.values()))
    return sum_ / len(actual)


def rmse(predicted, actual):
    return math.sqrt(statistics.fmean((float(p["prediction"]) - float(y)) ** 2 for p, y in zip(predicted, actual)))


def ndcg(predicted, actual, query):
    lists = {}
    for p, y, q in zip(predicted, actual, query): lists.setdefault(q, []).append((float(p["prediction"]), float(y)))
    scores = []
    for rows in lists.values():
        gain = lambda ordered: sum((2 ** y - 1) / math.log2(i + 2) for i, (_, y) in enumerate(ordered[:10]))
        ideal = gain(sorted(rows, key=lambda r: -r[1]))
        if ideal > 0: scores.append(gain(sorted(rows, key=lambda r: -r[0])) / ideal)
    return statistics.fmean(scores)


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def score_fold(wald, table, header, rows, fold, number, options, scratch):
    target, group = header.index(table["target"]), table["group_column"]
    train, test = scratch / "train.csv", scratch / "test.csv"
    held = [r for r, f in zip(rows, fold) if f == number]
    write(train, header, [r for r, f in zip(rows, fold) if f != number])
    write(test, header, held)
    command = [wald, "train", train, "--target", table["target"], "--learner", "boost", "--schema", scratch / "schema.json", "--quiet",
               "--task", "classes" if table["task"] in ("binary", "multiclass") else "numbers", "--force", "-o", scratch / "model.wald", *options]
    kept = [c for c in header if c != table["target"] and c not in table["ignore"].split(",") and c != group]
    command += ["--keep=" + c for c in kept] + (["--ignore", table["ignore"]] if table["ignore"] else [])
    if group: command += ["--query", group, "--loss", "ndcg"]
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    subprocess.run([wald, "predict", scratch / "model.wald", test, "--quiet", "--force", "-o", scratch / "out.csv"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(scratch / "out.csv", encoding="utf-8", newline="") as file: predicted = list(csv.DictReader(file))
    actual = [r[target] for r in held]
    if group: return ndcg(predicted, actual, [r[header.index(group)] for r in held]), seconds
    return (rmse if table["task"] == "regression" else log_loss)(predicted, actual), seconds


def tables(folder, wanted):
    """name, columns and rows of each table that is wanted, with the fold of each row."""
    with open(folder / "datasets.tsv", encoding="utf-8") as file: described = list(csv.DictReader(file, delimiter="\t"))
    for table in described:
        if wanted and table["name"] not in wanted: continue
        with opened(folder / table["file"]) as file: header, *rows = csv.reader(file)
        with gzip.open(folder / "folds" / (table["name"] + ".txt.gz"), "rt") as file: fold = [int(f) for f in file.read().split()]
        yield table, header, rows, fold


def score_folds(wald, table, header, rows, fold, options):
    """(score, seconds of training) of each fold."""
    with tempfile.TemporaryDirectory(prefix="wald-quality-") as temporary:
        scratch, words = pathlib.Path(temporary), [c for c in table["categorical"].split(",") if c]
        columns = [{"name": c, "type": "category" if c in words else "number"} for c in header
                   if c not in table["ignore"].split(",") and (c in words or c != table["target"])]
        (scratch / "schema.json").write_text(json.dumps({"wald_schema": 1, "columns": columns}))
        return [score_fold(wald, table, header, rows, fold, k, options, scratch) for k in range(5)]


def arguments():
    folder, wald, rest = pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    options, wanted = (rest[:rest.index("--")], rest[rest.index("--") + 1:]) if "--" in rest else (rest, [])
    return folder, wald, options, wanted


def main():
    folder, wald, options, wanted = arguments()
    best, won, near, count = references(folder), 0, 0, 0
    print(f"{'table':24} {'score':>9} {'ours':>10} {'± sd':>9} {'best peer':>10} {'± sd':>9}  {'s / fold':>8}")
    for table, header, rows, fold in tables(folder, wanted):
        folds = score_folds(wald, table, header, rows, fold, options)
        metric = SCORE.get(table["task"], "log_loss")
        ours, sd = statistics.fmean(f[0] for f in folds), statistics.pstdev(f[0] for f in folds)
        peer, peer_sd, name = best[table["name"], metric]
        worse = peer - ours if metric == "ndcg@10" else ours - peer
        verdict = "won" if worse < 0 else "near" if worse <= peer_sd else "LOST"
        won, near, count = won + (worse < 0), near + (worse <= peer_sd), count + 1
        print(f"{table['name']:24} {metric:>9} {ours:10.5g} {sd:9.3g} {peer:10.5g} {peer_sd:9.3g}  {statistics.fmean(f[1] for f in folds):8.2f}  {verdict:4} {name}", flush=True)
    print(f"better than the best reference on {won} of {count} tables, within one standard deviation on {near}")


if __name__ == "__main__": main()
