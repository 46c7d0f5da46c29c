#!/usr/bin/python3
"""Prediction: XGBoost 1.7.4 (Debian's) against Wald on the same trees and rows.

usage: bench/predict.py FOLDER [--quick]     FOLDER takes the generated models and rows

500 trees of depth 8, trained on 100,000 rows, on 1,000,000 x 28 numbers, two threads; XGBoost predicts from a DMatrix made beforehand and, in place, from the
array; LightGBM, where it can be imported, with trees of its own of the same shape; the fastest counts. Runs alternate between the programs; a figure is the median of five. Then single rows, one call each."""
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import xgboost

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, TREES, DEPTH, THREADS = 28, 500, 8, 2


def rows(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, COLUMNS)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + x[:, 3:].sum(axis=1) / 5 + (x[:, 4] > 0) * x[:, 5]
    return x, (y + rng.normal(size=count) > 0).astype(np.float32)


def train(folder, count):
    path = folder / f"predict_{count}.json"
    if not path.exists():
        x, y = rows(count, 1)
        options = {"max_depth": DEPTH, "eta": 0.1, "objective": "binary:logistic", "tree_method": "hist", "nthread": THREADS}
        xgboost.train(options, xgboost.DMatrix(x, y), TREES).save_model(path)
    model = xgboost.Booster({"nthread": THREADS})
    model.load_model(path)
    return path, model


def lightgbm_model(count):
    """Trees of its own of the same shape, where it can be imported."""
    try:
        import lightgbm
    except ImportError:
        return None
    options = {"num_leaves": 2 ** DEPTH, "max_depth": DEPTH, "learning_rate": 0.1, "objective": "binary", "num_threads": THREADS, "verbose": -1}
    return lightgbm.train(options, lightgbm.Dataset(*rows(count, 1)), TREES)


class Wald:
    def __init__(self, model, table):
        self.process = subprocess.Popen([ROOT / "build/release/bin/bench_predict", model, str(COLUMNS), table],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return tuple(map(float, self.process.stdout.readline().split()))


def timed(call):
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def main():
    folder, quick = pathlib.Path(sys.argv[1]), "--quick" in sys.argv
    folder.mkdir(parents=True, exist_ok=True)
    count = 200_000 if quick else 1_000_000
    path, model = train(folder, 30_000 if quick else 100_000)
    x, _ = rows(count, 2)
    table = folder / f"predict_{count}.f32"
    x.tofile(table)
    matrix = xgboost.DMatrix(x, nthread=THREADS)
    wald = Wald(path, table)
    out = folder / "predict.f64"
    wald.ask(f"table {THREADS} {out}")
    theirs, ours = model.predict(matrix, output_margin=True), np.fromfile(out)
    print(f"largest difference of a score: {np.abs(theirs - ours).max():.2g}")
    runs = {"xgboost DMatrix": [], "xgboost in place": [], "wald": [], "wald one thread": []}
    peer = lightgbm_model(30_000 if quick else 100_000)
    if peer: runs["lightgbm"] = []
    for _ in range(5):
        runs["wald"].append(wald.ask(f"table {THREADS} -"))
        fresh = xgboost.DMatrix(x, nthread=THREADS)  # of one that it has seen XGBoost keeps the predictions
        runs["xgboost DMatrix"].append(timed(lambda: model.predict(fresh, output_margin=True)))
        del fresh
        if peer: runs["lightgbm"].append(timed(lambda: peer.predict(x, raw_score=True, num_threads=THREADS)))
        runs["wald one thread"].append(wald.ask("table 1 -"))
        runs["xgboost in place"].append(timed(lambda: model.inplace_predict(x, predict_type="margin")))
    middle = {name: [statistics.median(r[k] for r in values) for k in (0, 1)] for name, values in runs.items()}
    for name, (wall, cpu) in middle.items():
        print(f"{name:18} {wall:8.3f} s wall {cpu:8.3f} s cpu {count / wall / 1e6:8.2f} million rows a second")
    best = min((name for name in middle if not name.startswith("wald")), key=lambda name: middle[name][0])
    for k, what in ((0, "wall"), (1, "cpu")):
        ratio = statistics.median(b[k] / w[k] for b, w in zip(runs[best], runs["wald"]))
        print(f"speed-up over {best}, {what}: {ratio:.1f}")
    wald.ask("row 2000")
    print(f"one row, one thread: {statistics.median(wald.ask('row 5000')[0] for _ in range(5)):.2f} microseconds")


if __name__ == "__main__":
    main()
