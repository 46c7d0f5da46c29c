#!/usr/bin/python3
"""Shapley values: XGBoost 1.7.4 (Debian's) against Wald on the same trees and rows.

usage: bench/shap.py FOLDER [--quick]     FOLDER takes the generated models and rows

100 trees on 28 columns, depth 6 and 10. Runs alternate between the two programs; a figure is the median of five, per
row and, in the second column, of processor time. Speed-ups are medians of the ratios of neighbouring runs."""
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import xgboost

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, TREES = 28, 100


def train(folder, depth):
    path = folder / f"shap_depth{depth}.json"
    if not path.exists():
        rng = np.random.default_rng(1)
        x = rng.normal(size=(100_000, COLUMNS)).astype(np.float32)
        y = x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + x[:, 3:].sum(axis=1) / 5 + (x[:, 4] > 0) * x[:, 5]
        y = (y + rng.normal(size=len(y)) > 0).astype(np.float32)
        options = {"max_depth": depth, "eta": 0.1, "objective": "binary:logistic", "tree_method": "hist"}
        xgboost.train(options, xgboost.DMatrix(x, y), TREES).save_model(path)
    model = xgboost.Booster()
    model.load_model(path)
    leaves = sum(sum(child < 0 for child in tree["left_children"]) for tree in
                 json.loads(path.read_text())["learner"]["gradient_booster"]["model"]["trees"])
    return path, model, leaves


def rows(folder, count):
    path = folder / f"shap_rows{count}.f32"
    x = np.random.default_rng(2).normal(size=(count, COLUMNS)).astype(np.float32)
    x.tofile(path)
    return path, x


class Wald:
    def __init__(self, model):
        self.process = subprocess.Popen([ROOT / "build/release/bin/bench_shap", model, str(COLUMNS)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, what, path, threads, out="-", limit=1_000_000):
        self.process.stdin.write(f"{what} {path} {threads} {out} {limit}\n")
        self.process.stdin.flush()
        return tuple(map(float, self.process.stdout.readline().split()))


def timed(call):
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def compare(name, ours, our_rows, theirs, their_rows, repeats):
    ours(), theirs()
    pairs = [(theirs(), ours()) for _ in range(repeats)]
    us = [statistics.median(p[i][j] for p in pairs) * 1e6 / (their_rows, our_rows)[i] for i in (0, 1) for j in (0, 1)]
    ratio = [statistics.median(p[0][j] / their_rows / (p[1][j] / our_rows) for p in pairs) for j in (0, 1)]
    print(f"{name:<44} {us[0]:>10.1f} {us[1]:>10.1f} {us[2]:>10.2f} {us[3]:>10.2f} {ratio[0]:>8.1f} {ratio[1]:>8.1f}",
          flush=True)


def difference(wald, what, path, values, folder):
    out = folder / "shap_values.f64"
    wald.run(what, path, 1, out, len(values))
    time.sleep(0.2)
    return float(np.abs(np.fromfile(out).reshape(values.shape) - values).max())


def main():
    folder, quick = pathlib.Path(sys.argv[1]), "--quick" in sys.argv
    repeats = 3 if quick else 5
    print(f"microseconds a row; {TREES} trees, {COLUMNS} columns; XGBoost {xgboost.__version__}")
    print(f"{'':<44} {'theirs':>10} {'cpu':>10} {'Wald':>10} {'cpu':>10} {'faster':>8} {'by cpu':>8}")
    for depth, many, few, pair_few, naive in ((6, 20_000, 400, 8, 200), (10, 2_000, 24, 0, 10)):
        path, model, leaves = train(folder, depth)
        wald = Wald(path)
        (many_path, _), (few_path, few_x) = rows(folder, many), rows(folder, few)
        small = xgboost.DMatrix(few_x)
        print(f"depth {depth}, {leaves} leaves; largest difference of values "
              f"{difference(wald, 'path', few_path, model.predict(small, pred_contribs=True)[:, :-1], folder):.1e}")
        for threads in (1, 2):
            model.set_param({"nthread": threads})
            compare(f"path-dependent, {threads} thread(s)", lambda: wald.run("path", many_path, threads), many,
                    lambda: timed(lambda: model.predict(small, pred_contribs=True)), few, repeats)
        if pair_few:
            (pair_path, pair_x), (some_path, _) = rows(folder, pair_few), rows(folder, 2_000)
            tiny = xgboost.DMatrix(pair_x)
            want = model.predict(tiny, pred_interactions=True)[:, :-1, :-1]
            print(f"interactions; largest difference {difference(wald, 'pairs', pair_path, want, folder):.1e}")
            for threads in (1, 2):
                model.set_param({"nthread": threads})
                compare(f"interactions, {threads} thread(s)", lambda: wald.run("pairs", some_path, threads), 2_000,
                        lambda: timed(lambda: model.predict(tiny, pred_interactions=True)), pair_few, repeats)
        naive_rows, _ = rows(folder, 200)
        out = folder / "naive.f64"
        wald.run("naive", naive_rows, 1, out, naive)
        time.sleep(0.2)
        want = np.fromfile(out).reshape(naive, COLUMNS)
        print(f"background of 100 rows, theirs: row by row in C++; largest difference "
              f"{difference(wald, 'background', naive_rows, want, folder):.1e}")
        compare("interventional, 1 thread(s)", lambda: wald.run("background", many_path, 1), many,
                lambda: wald.run("naive", naive_rows, 1, limit=naive), naive, repeats)


if __name__ == "__main__":
    main()
