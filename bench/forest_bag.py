#!/usr/bin/python3
"""Out of bag against five folds, on every table of a data folder: bench/forest_bag.py DATA WALD [--tables a,b] [OPTION VALUE]...

Of each fold of DATA/folds a forest of the other four (defaults, or the options given) predicts the rows, and is measured out of
bag while it is trained. Told per table: the error of all rows held out (share of wrong classes, or root mean squared error), and
the means over the five forests of the error out of bag and of the error expected of all trees together, each with its distance
from the folds in standard errors. A standard error is that of the error of all rows held out: of a share, sqrt(p (1 - p) / n); of
a root mean squared error, by the spread of the squared errors. Ranking tables are left out.
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


def lines_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def table(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as file: csv.writer(file).writerows(lines)
    return path


def same(said, truth):
    if said == truth: return True
    try: return float(said) == float(truth)
    except ValueError: return False


def error_of(losses, classes):
    """And its standard error."""
    mean = float(np.mean(losses))
    if classes: return mean, math.sqrt(max(mean * (1 - mean), 0) / len(losses))
    root = math.sqrt(mean)
    return root, float(np.std(losses, ddof=1)) / math.sqrt(len(losses)) / (2 * root)


def folds(wald, folder, info, options, work):
    head, *rows = lines_of(f"{folder}/{info['file']}")
    with gzip.open(f"{folder}/folds/{info['name']}.txt.gz", "rt") as file: fold = np.array([int(v) for v in file.read().split()])
    classes, target = info["task"] != "regression", head.index(info["target"])
    told = ["accuracy", "expected_accuracy"] if classes else ["rmse", "expected_rmse"]
    losses, bag = [], []
    for k in np.unique(fold):
        learn = table(f"{work}/learn.csv", [head, *(rows[i] for i in np.flatnonzero(fold != k))])
        held = table(f"{work}/held.csv", [head, *(rows[i] for i in np.flatnonzero(fold == k))])
        fit = subprocess.run([wald, "train", learn, "--target", info["target"], "--task", "classes" if classes else "numbers", "--learner", "forest",
                              *(["--ignore", info["ignore"]] if info["ignore"] else []), *options, "-o", f"{work}/m.wald", "--force", "--json"],
                             capture_output=True, text=True)
        if fit.returncode != 0: raise RuntimeError(fit.stderr.strip())
        found = json.loads(fit.stdout)["out_of_bag"]
        bag.append([found.get(key, math.nan) for key in told])
        said = subprocess.run([wald, "predict", f"{work}/m.wald", held, "-q"], capture_output=True, text=True, check=True).stdout
        for row, i in zip(csv.DictReader(said.splitlines()), np.flatnonzero(fold == k)):
            truth = rows[i][target]
            losses.append(not same(row["prediction"], truth) if classes else (float(row["prediction"]) - float(truth)) ** 2)
    means = np.mean(bag, axis=0)
    return error_of(np.array(losses, float), classes), [1 - m if classes else m for m in means]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("wald")
    parser.add_argument("--tables")
    args, options = parser.parse_known_args()
    with open(f"{args.data}/datasets.tsv", newline="") as file: infos = [i for i in csv.DictReader(file, delimiter="\t") if i["task"] != "ranking"]
    if args.tables: infos = [i for i in infos if i["name"] in args.tables.split(",")]
    within = [0, 0]
    for info in infos:
        with tempfile.TemporaryDirectory() as work:
            (error, off), bag = folds(os.path.abspath(args.wald), args.data, info, options, work)
        far = [abs(b - error) / off if off > 0 else (0.0 if b == error else math.inf) for b in bag]
        within = [w + (not f > 2) for w, f in zip(within, far)]
        print(f"{info['name']:26} folds {error:10.4f} +- {off:.4f}   out of bag {bag[0]:10.4f} ({far[0]:.2f})   expected {bag[1]:10.4f} ({far[1]:.2f})", flush=True)
    print(f"within two standard errors: out of bag {within[0]} of {len(infos)}, expected {within[1]}")


if __name__ == "__main__": sys.exit(main())
