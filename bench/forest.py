#!/usr/bin/python3
"""Forests against scikit-learn and ranger: bench/forest.py DATAFOLDER WALD [--rounds 5] [--trees 100] [--tables made,letter,...]

100 fully grown trees (`wald`), and by Wald also 100 whose least split it chooses out of bag, its default (`wald auto`), two threads, programs in turn, medians of the rounds: seconds of wall time of the fit and of predicting all rows. Each does the same work: `fit` measures out of bag
(`wald train`: what `--json` says, with binning; scikit-learn with oob_score; ranger's default), `fit only` does not (the library's fit by bench_fit, built with -DWALD_BENCH=ON, beside WALD;
scikit-learn's default; ranger without oob.error). `predict` is what each needs in the process that has just made or loaded the forest (Wald: a new one); `warm` is the same of Wald's Python package and scikit-learn
with the matrix that both were fitted on (where the package is beside WALD's folder, in ../python). Then on five folds (DATAFOLDER/folds) accuracy and, for two
classes, the area under the ROC curve, each with its standard error over the folds, and Wald's accuracy out of bag on each training part, of the trees that speak of a row and as expected of all. `made` is a table of 100,000 x 28 numbers from a
seed. scikit-learn gets categories as codes; ranger gets factors. Last, the size of 500 trees on disk against scikit-learn's pickle. Needs Debian's python3-sklearn and r-cran-ranger.
"""
import argparse
import csv
import gzip
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = 2
WARM = False  # whether there is a Python package to measure
TABLES = {"covtype": ("covtype_20k", "Cover_Type"), "letter": ("letter", "letter"), "adult": ("adult", None)}


def made(rows=100_000, columns=28):
    random = np.random.RandomState(1)
    x = random.normal(size=(rows, columns)).astype(np.float32)
    x[:, 7:14] = np.abs(x[:, 7:14]) * x[:, :7]
    x[:, 21:] = np.round(x[:, 21:], 1)
    signal = x[:, 0] - x[:, 1] * x[:, 2] + np.sin(2 * x[:, 3]) + 0.5 * x[:, 8] + (x[:, 22] > 0.5) * x[:, 4]
    data = pd.DataFrame(np.round(x, 5), columns=[f"x{i}" for i in range(columns)])
    data["y"] = np.where(signal + random.logistic(size=rows) > 0, "yes", "no")
    return data, "y", np.arange(rows) % 5


def load(folder, name):
    if name == "made": return made()
    file, target = TABLES[name]
    path = next(p for p in (f"{folder}/{file}.csv", f"{folder}/{file}.csv.gz") if os.path.exists(p))
    data = pd.read_csv(path, keep_default_na=False, na_values=[""])
    with open(f"{folder}/datasets.tsv", newline="") as lines:
        entry = next(r for r in csv.DictReader(lines, delimiter="\t") if r["name"] == file)
    target = target or entry["target"]
    data = data.drop(columns=[c for c in (entry.get("ignore") or "").split(",") if c])
    for c in data.columns:  # ranger takes no missing values: a level, or the median
        if data[c].dtype == object: data[c] = data[c].fillna("none")
        else: data[c] = data[c].fillna(data[c].median())
    data[target] = "c" + data[target].astype(str)
    with gzip.open(f"{folder}/folds/{file}.txt.gz", "rt") as lines:
        return data, target, np.array([int(v) for v in lines.read().split()])


class Wald:
    def __init__(self, program, folder, trees, name="wald", options={"min-split": "2"}):
        self.program, self.folder, self.trees, self.name, self.options = program, folder, trees, name, options

    def run(self, train, test, target, x_train, y_train, x_test):
        f = self.folder
        words = [{"name": c, "type": "category" if train[c].dtype == object else "number"} for c in train.columns]
        with open(f"{f}/schema.json", "w") as file: json.dump({"wald_schema": 1, "columns": words}, file)
        told = json.loads(subprocess.run([self.program, "train", f"{f}/train.csv", "--target", target, "--learner", "forest", "--trees", str(self.trees), "--schema", f"{f}/schema.json",
                                          "--keep", ",".join(c for c in train.columns if c != target), "--threads", str(THREADS), "-o", f"{f}/m.wald", "--force", "--json",
                                          *(word for name, value in self.options.items() for word in (f"--{name}", value))],
                                         capture_output=True, text=True, check=True).stdout)
        said = json.loads(subprocess.run([self.program, "predict", f"{f}/m.wald", f"{f}/test.csv", "--threads", str(THREADS), "-o", f"{f}/p.csv", "--force", "--json"],
                                         capture_output=True, text=True, check=True).stdout)
        p = pd.read_csv(f"{f}/p.csv").iloc[:, 1:].to_numpy()
        self.out_of_bag = [told["out_of_bag"][key] for key in ("accuracy", "expected_accuracy")]
        return told["seconds"]["fit"], said["seconds"]["predict"], p

    def fit_only(self, train, test, target, x_train, y_train, x_test):
        fit = os.path.join(os.path.dirname(self.program), "bench_fit")
        return float(subprocess.run([fit, f"{self.folder}/train.csv", f"{self.folder}/schema.json", target, "classes", "forest", f"trees={self.trees}",
                                     *(f"{name}={value}" for name, value in self.options.items())], capture_output=True, text=True,
                                    check=True).stdout)

    def warm(self, x_train, y_train, x_test):
        import wald
        model = wald.ForestClassifier(trees=self.trees, threads=THREADS, **{name.replace("-", "_"): int(value) for name, value in self.options.items()}).fit(x_train, y_train)
        start = time.perf_counter()
        model.predict_proba(x_test)
        return time.perf_counter() - start


class Sklearn:
    name = "scikit-learn"

    def __init__(self, trees):
        self.trees = trees

    def run(self, train, test, target, x_train, y_train, x_test):
        start = time.perf_counter()
        self.model = RandomForestClassifier(self.trees, n_jobs=THREADS, random_state=0, oob_score=True).fit(x_train, y_train)
        fitted = time.perf_counter()
        p = self.model.predict_proba(x_test)
        return fitted - start, time.perf_counter() - fitted, p

    def fit_only(self, train, test, target, x_train, y_train, x_test):
        start = time.perf_counter()
        self.model = RandomForestClassifier(self.trees, n_jobs=THREADS, random_state=0).fit(x_train, y_train)
        return time.perf_counter() - start

    def warm(self, x_train, y_train, x_test):
        start = time.perf_counter()
        self.model.predict_proba(x_test)
        return time.perf_counter() - start


class Ranger:
    name = "ranger"

    def __init__(self, folder, trees):
        self.folder, self.trees = folder, trees

    def told(self, target, *more):
        f = self.folder
        done = subprocess.run(["Rscript", f"{HERE}/forest.R", f"{f}/train.csv", f"{f}/test.csv", target, str(self.trees), str(THREADS), f"{f}/r.csv", *more],
                              capture_output=True, text=True, check=True)
        return [float(word) for word in done.stdout.split()]

    def run(self, train, test, target, x_train, y_train, x_test):
        fit, say = self.told(target)[:2]
        return fit, say, pd.read_csv(f"{self.folder}/r.csv", header=None).to_numpy()

    def fit_only(self, train, test, target, x_train, y_train, x_test):
        return self.told(target, "fit")[0]

    def warm(self, x_train, y_train, x_test):
        return float("nan")


def coded(data, target):
    x = data.drop(columns=target).copy()
    for c in x.columns:
        if x[c].dtype == object: x[c] = pd.factorize(x[c], sort=True)[0]
    return x.to_numpy(np.float32)


def prepare(folder, data, target, train, test):
    data.iloc[train].to_csv(f"{folder}/train.csv", index=False)
    data.iloc[test].to_csv(f"{folder}/test.csv", index=False)
    x, y = coded(data, target), data[target].to_numpy()
    return data.iloc[train], data.iloc[test], target, x[train], y[train], x[test]


def times(folder, name, data, target, programs, rounds):
    every = np.arange(len(data))
    given = prepare(folder, data, target, every, every)
    seconds = {p.name: [] for p in programs}
    for _ in range(rounds):
        for p in programs: seconds[p.name].append((*p.run(*given)[:2], p.fit_only(*given), p.warm(*given[3:]) if WARM else float("nan")))
    middle = {n: [statistics.median(s[k] for s in v) for k in range(4)] for n, v in seconds.items()}
    for k, what in ((0, "fit"), (2, "fit only"), (1, "predict"), (3, "warm")):
        if what == "warm" and not WARM: continue
        print(f"{name:8} {what:8}" + "".join(f"  {n} {m[k]:.3f} s" + ("" if n == "wald" else f" ({m[k] / middle['wald'][k]:.1f} times)") for n, m in middle.items() if m[k] == m[k]), flush=True)


def folds(folder, name, data, target, fold, programs):
    classes = np.unique(data[target])
    found = {p.name: [] for p in programs}
    bag = []
    for k in range(5):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        given, y = prepare(folder, data, target, train, test), data[target].to_numpy()[test]
        for p in programs:
            shares = p.run(*given)[2]
            area = roc_auc_score(y == classes[1], shares[:, 1]) if len(classes) == 2 else np.nan
            found[p.name].append((np.mean(classes[shares.argmax(1)] == y), area))
        bag.append(next(p for p in programs if p.name == "wald auto").out_of_bag)
    text = lambda v: f"{np.mean(v):.4f} +- {np.std(v, ddof=1) / np.sqrt(5):.4f}"
    for n, v in found.items():
        a = np.array(v)
        print(f"{name:8} {n:12} accuracy {text(a[:, 0])}" + (f"   area {text(a[:, 1])}" if len(classes) == 2 else ""), flush=True)
    ours = np.array(found["wald auto"])[:, 0]
    n = len(data)
    error = np.sqrt(np.mean(ours) * (1 - np.mean(ours)) / n)
    for what, found in zip(("out of bag", "expected"), np.mean(bag, axis=0)):
        print(f"{name:8} {what:12} accuracy {found:.4f}, {abs(found - np.mean(ours)) / error:.1f} standard errors ({error:.4f}) from the folds", flush=True)


def sizes(folder, program):
    data, target, _ = made()
    every = np.arange(len(data))
    given = prepare(folder, data, target, every, every[:1000])
    Wald(program, folder, 500).run(*given)
    ours = os.path.getsize(f"{folder}/m.wald")
    small = Sklearn(50)
    small.run(*given)
    theirs = 10 * len(pickle.dumps(small.model))
    print(f"500 trees of 100,000 x 28: {ours / 1e6:.0f} MB, scikit-learn's pickle {theirs / 1e6:.0f} MB (ten times that of 50 trees): {theirs / ours:.1f} times", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("wald")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--tables", default="made,covtype,letter,adult")
    parser.add_argument("--skip", default="", help="of times,folds,sizes")
    args = parser.parse_args()
    global WARM
    package = os.path.join(os.path.dirname(os.path.abspath(args.wald)), "..", "python")
    WARM = os.path.isdir(package)
    sys.path.insert(0, package)
    with tempfile.TemporaryDirectory() as folder:
        wald = os.path.abspath(args.wald)
        programs = [Wald(wald, folder, args.trees), Wald(wald, folder, args.trees, "wald auto", {}), Sklearn(args.trees), Ranger(folder, args.trees)]
        for name in args.tables.split(","):
            data, target, fold = load(args.folder, name)
            if "times" not in args.skip: times(folder, name, data, target, programs, args.rounds)
            if "folds" not in args.skip: folds(folder, name, data, target, fold, programs)
        if "sizes" not in args.skip: sizes(folder, os.path.abspath(args.wald))


main()
