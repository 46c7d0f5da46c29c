#!/usr/bin/python3
"""Honest forests on a simulation with known truth: bench/forest_honest.py WALD [--quick]

y = f(x) + noise, f(x) = 2 max(0, x0 - 0.5) + x1 on [0, 1]^4, noise normal of deviation 0.5. (1) Consistency: the root mean squared distance of the prediction from f on 500 new
rows, for growing numbers of rows. (2) How often prediction +- 1.96 standard errors (`wald forest --errors`) holds f, and how often what such forests say on the mean over all tables, which
differs from f by their bias; (3) how often the bounds of `--interval 0.9` hold a new target, over repeated tables."""
import io
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

NOISE, COLUMNS = 0.5, 4


def rows(seed, count):
    random = np.random.default_rng(seed)
    x = random.random((count, COLUMNS))
    f = 2 * np.maximum(0, x[:, 0] - 0.5) + x[:, 1]
    data = pd.DataFrame(x, columns=[f"x{i}" for i in range(COLUMNS)])
    data["y"] = f + NOISE * random.normal(size=count)
    return data, f


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    wald, quick = sys.argv[1], "--quick" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: f"{folder}/{name}"
        common = ["--target", "y", "--learner", "honest-forest", "--columns-per-node", str(COLUMNS), "--quiet", "--force", "-o", at("m.wald")]
        test, truth = rows(1, 500)
        test.to_csv(at("test.csv"), index=False)
        for count in (500, 2000, 8000, 32000, 128000)[: 4 if quick else 5]:
            rows(2, count)[0].to_csv(at("train.csv"), index=False)
            run(wald, "train", at("train.csv"), *common)
            run(wald, "predict", at("m.wald"), at("test.csv"), "-o", at("p.csv"), "--force")
            print(f"{count:6} rows: distance from the truth {np.sqrt(np.mean((pd.read_csv(at('p.csv'))['prediction'] - truth) ** 2)):.4f}", flush=True)
        some, truth = rows(3, 50)
        some.to_csv(at("test.csv"), index=False)
        said_of, error_of, inside, tables = [], [], [], 3 if quick else 20
        for seed in range(tables):
            rows(100 + seed, 1000)[0].to_csv(at("train.csv"), index=False)
            run(wald, "train", at("train.csv"), *common, "--trees", "2000", "--seed", str(seed + 1))
            said = pd.read_csv(io.StringIO(run(wald, "forest", at("m.wald"), at("train.csv"), at("test.csv"), "--errors", "--quiet")))
            said_of.append(said["prediction"]), error_of.append(said["error"])
            said = pd.read_csv(io.StringIO(run(wald, "forest", at("m.wald"), at("train.csv"), at("test.csv"), "--interval", "0.9", "--quiet")))
            y = truth + NOISE * np.random.default_rng(seed).normal(size=50)
            inside.append((said["low"] <= y) & (y <= said["high"]))
        said_of, error_of = np.array(said_of), np.array(error_of)
        for what, centre in (("the truth", truth), ("what such forests say on the mean", said_of.mean(0))):
            print(f"prediction +- 1.96 standard errors holds {what}: {np.mean(np.abs(said_of - centre) <= 1.96 * error_of):.3f} of {said_of.size}")
        print(f"the bounds of 90 % hold a new target: {np.mean(inside):.3f} of {np.size(inside)}")


main()
