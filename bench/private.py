#!/usr/bin/python3
"""Accuracy, speed and audit of private-boost: the table of docs/methods/private-boosting.md.

usage: bench/private.py FOLDER [WALD] [abalone adult dpboost floors tails speed]   FOLDER holds abalone.csv, adult.csv.gz and datasets.tsv

abalone: five folds, ten shuffles. adult: rows with a missing cell and the column fnlwgt left out (45,222 rows), 80 to 20, ten
shuffles. delta 1e-5, add or remove one row, everything charged, bounds as round numbers below. floors: every table of
FOLDER with 1,000 rows or more at epsilon 0.1 and 0.2, ten shuffles, against the exact mean and majority; bounds there are
rounded from the table. tails: auto_claims and motorcycle_insurance, against the mean, 100 trainings at each of six epsilons.
What follows +- is the standard error of a mean.
"""
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

EPSILONS = [0.5, 1, 2, 4]
ABALONE = {"Sex": ["F", "I", "M"], "Length": [0, 1], "Diameter": [0, 1], "Height": [0, 0.5], "Whole_weight": [0, 3],
           "Shucked_weight": [0, 2], "Viscera_weight": [0, 1], "Shell_weight": [0, 1], "Rings": [0, 30]}
ADULT = {"age": [0, 100], "education-num": [0, 20], "capital-gain": [0, 100000], "capital-loss": [0, 5000], "hours-per-week": [0, 100]}


def schema_of(frame, bounds):
    columns = []
    for name in frame.columns:
        about = bounds.get(name)
        if about is None: about = sorted(frame[name].dropna().astype(str).unique())
        columns.append({"name": name, "levels": about} if isinstance(about[0], str) else {"name": name, "min": about[0], "max": about[1]})
    return {"wald_schema": 1, "columns": columns}


def rounded_bounds(frame, target, kind):
    """Bounds of numbers rounded outwards to one digit of their range, as somebody might declare them."""
    out = {}
    for name in frame.columns:
        if frame[name].dtype == object or (name == target and kind != "regression"): continue
        low, high = frame[name].min(), frame[name].max()
        unit = 10 ** math.floor(math.log10(high - low)) if high > low else 1
        low, high = math.floor(low / unit) * unit, math.ceil(high / unit) * unit
        out[name] = [float(low), float(high if high > low else low + unit)]
    return out


class Bench:
    def __init__(self, wald, folder):
        self.wald, self.at = wald, folder

    def train(self, train, test, target, schema, epsilon, *more):
        train.to_csv(self.at / "train.csv", index=False)
        test.to_csv(self.at / "test.csv", index=False)
        (self.at / "schema.json").write_text(json.dumps(schema))
        ledger = self.at / "train.csv.ledger"
        ledger.unlink(missing_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [self.wald, "train", "train.csv", "--target", target, "--learner", "private-boost", "--epsilon", str(epsilon),
                   "--schema", "schema.json", "-o", "m.wald", "--force", "--quiet", "--threads", "1", *more]
        if "dpboost" not in more: command += ["--delta", "1e-5"]
        done = subprocess.run(command, cwd=self.at, capture_output=True, text=True)
        if done.returncode: raise RuntimeError(done.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = subprocess.run([self.wald, "evaluate", "m.wald", "test.csv", "--json", "--quiet"], cwd=self.at, capture_output=True, text=True).stdout
        return json.loads(text)["metrics"], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def mean(rows): return sum(rows) / len(rows)


def scatter(rows):
    """The standard error of the mean: noise is drawn anew in each training."""
    return float(np.std(rows, ddof=1)) / math.sqrt(len(rows))


def abalone(bench, folder, *more):
    data = pd.read_csv(folder / "abalone.csv")
    schema, rmse = schema_of(data, ABALONE), {e: [] for e in EPSILONS}
    for shuffle in range(10):
        order = np.random.RandomState(shuffle).permutation(len(data))
        for fold in range(5):
            held = order[fold::5]
            rest = np.setdiff1d(order, held)
            for e in EPSILONS:
                measured, _ = bench.train(data.iloc[rest], data.iloc[held], "Rings", schema, e, "--structure-seed", str(5 * shuffle + fold), *more)
                rmse[e].append(measured["rmse"])
    print("abalone RMSE", *more, "  ".join(f"{e}: {mean(r):.3f} +- {scatter(r):.3f}" for e, r in rmse.items()), flush=True)


def adult_rows(folder):
    return pd.read_csv(folder / "adult.csv.gz", na_values="?", skipinitialspace=True).dropna().drop(columns="fnlwgt")


def adult(bench, folder, *more):
    data = adult_rows(folder)
    schema, error, auc, seconds = schema_of(data, ADULT), {e: [] for e in EPSILONS}, {e: [] for e in EPSILONS}, []
    for shuffle in range(10):
        order = np.random.RandomState(shuffle).permutation(len(data))
        cut = len(data) * 4 // 5
        for e in EPSILONS:
            measured, took = bench.train(data.iloc[order[:cut]], data.iloc[order[cut:]], "income", schema, e, "--structure-seed", str(shuffle), *more)
            error[e].append(100 * (1 - measured["accuracy"]))
            auc[e].append(measured["auc"])
            seconds.append(took)
    print(f"adult, {len(data)} rows, error % / AUC", *more, "  ".join(f"{e}: {mean(error[e]):.2f} +- {scatter(error[e]):.2f} / {mean(auc[e]):.4f}" for e in EPSILONS),
          f"  processor seconds with reading: {mean(seconds):.3f}", flush=True)


def against_floor(bench, folder, row, epsilons, trainings):
    data = pd.read_csv(folder / row.file, na_values="?", low_memory=False)
    data = data.drop(columns=str(row.ignore).split(",") if isinstance(row.ignore, str) else []).dropna(subset=[row.target])
    data = data[[c for c in data.columns if data[c].notna().any()]]
    if row.task != "regression": data[row.target] = data[row.target].astype(str) + "_"
    schema = schema_of(data, rounded_bounds(data, row.target, row.task))
    ours, above, floors = {e: [] for e in epsilons}, {e: [] for e in epsilons}, []
    for training in range(trainings):
        order = np.random.RandomState(training % 10).permutation(len(data))
        cut = len(data) * 4 // 5
        train, test = data.iloc[order[:cut]], data.iloc[order[cut:]]
        if row.task == "regression": floors.append(math.sqrt(((test[row.target] - train[row.target].mean()) ** 2).mean()))
        else: floors.append(100 * (test[row.target] != train[row.target].mode()[0]).mean())
        for e in epsilons:
            measured, _ = bench.train(train, test, row.target, schema, e, "--structure-seed", str(training))
            ours[e].append(measured["rmse"] if row.task == "regression" else 100 * (1 - measured["accuracy"]))
            above[e].append(100 * (ours[e][-1] / floors[-1] - 1))
    told = "  ".join(f"{e}: {mean(ours[e]):.4g} ({mean(above[e]):+.2f} +- {scatter(above[e]):.2f} %)" for e in epsilons)
    print(f"{row.name:22} floor {mean(floors):10.4g}  epsilon {told}", flush=True)


def floors(bench, folder):
    about = pd.read_csv(folder / "datasets.tsv", sep="\t")
    for row in about[(about.rows >= 1000) & (about.task != "ranking")].itertuples():
        if row.name != "mnist_t10k": against_floor(bench, folder, row, [0.1, 0.2], 10)


def tails(bench, folder):
    about = pd.read_csv(folder / "datasets.tsv", sep="\t")
    for row in about[about.name.isin(["auto_claims", "motorcycle_insurance"])].itertuples():
        against_floor(bench, folder, row, [0.1, 0.2, 0.5, 1, 2, 4], 100)


def speed(bench, folder):
    random = np.random.RandomState(1)
    x = random.normal(size=(1_000_000, 50)).round(3)
    data = pd.DataFrame(x, columns=[f"x{i}" for i in range(50)])
    data["y"] = np.where(x[:, 0] + x[:, 1] * x[:, 2] + random.logistic(size=len(x)) > 0, "yes", "no")
    schema = schema_of(data.iloc[:1000], {f"x{i}": [-6, 6] for i in range(50)})
    data.to_csv(bench.at / "large.csv", index=False)
    (bench.at / "large.json").write_text(json.dumps(schema))
    began = time.time()
    text = subprocess.run([bench.wald, "train", "large.csv", "--target", "y", "--learner", "private-boost", "--epsilon", "1", "--schema", "large.json",
                           "--trees", "200", "--threads", "2", "-o", "l.wald", "--json", "--quiet"], cwd=bench.at, capture_output=True, text=True).stdout
    print("1,000,000 x 50 rows, 200 trees, two threads:", json.loads(text)["seconds"], f"wall {time.time() - began:.1f} s", flush=True)


def main():
    words = sys.argv[1:]
    if not words: sys.exit(__doc__)
    folder, wald = pathlib.Path(words[0]), str(pathlib.Path(words[1] if len(words) > 1 else "build/release/bin/wald").resolve())
    wanted = words[2:] or ["abalone", "adult", "dpboost", "floors", "tails", "speed"]
    with tempfile.TemporaryDirectory() as at:
        bench = Bench(wald, pathlib.Path(at))
        if "abalone" in wanted: abalone(bench, folder)
        if "adult" in wanted: adult(bench, folder)
        if "dpboost" in wanted: abalone(bench, folder, "--algorithm", "dpboost"), adult(bench, folder, "--algorithm", "dpboost")
        if "floors" in wanted: floors(bench, folder)
        if "tails" in wanted: tails(bench, folder)
        if "speed" in wanted: speed(bench, folder)


if __name__ == "__main__": main()
