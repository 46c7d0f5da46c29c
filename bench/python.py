#!/usr/bin/python3
"""What Python adds: python.py PACKAGE [FITS]. PACKAGE is the folder that holds the built package wald.

Fits FITS (default 1,000) tables of 200 x 10 with XGBoost and with Wald, the same number of trees and depth, in turns of 50, and
times single-row predictions. Times are of one thread each, of the processor for fits, since other programs may be at work;
medians are shown."""
import statistics
import sys
import time

import numpy as np

sys.path.insert(0, sys.argv[1])
import wald  # noqa: E402

TREES, DEPTH, TURN = 20, 4, 50


def timed(call, clock=time.perf_counter):
    start = clock()
    call()
    return clock() - start


def tables(count, random=np.random.RandomState(0)):
    for _ in range(count):
        X = random.rand(200, 10)
        yield X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.rand(200) > 0.9).astype(int)


def fits(count):
    import xgboost
    kinds = {"wald": lambda: wald.BoostClassifier(trees=TREES, max_depth=DEPTH, max_leaves="none", early_stop="none", rows=1,
                                                  columns_per_node="all", learning_rate=0.3, order="level", threads=1)}
    for method in ("hist", "exact"):  # exact is what it takes itself for so few rows
        kinds[f"xgboost {method}"] = lambda method=method: xgboost.XGBClassifier(
            n_estimators=TREES, max_depth=DEPTH, tree_method=method, n_jobs=1)
    took = {name: [] for name in kinds}
    for start in range(0, count, TURN):
        some = list(tables(min(TURN, count - start)))
        for name, kind in kinds.items():
            took[name].append(timed(lambda: [kind().fit(X, y) for X, y in some], time.process_time) / len(some))
    own = statistics.median(took["wald"])
    for name, times in took.items():
        print(f"{name:13} {count} fits, {TREES} trees of depth {DEPTH}: {1e3 * statistics.median(times):.2f} ms each; "
              f"wald takes {own / statistics.median(times):.3f} of it")


def rows():
    X, y = next(tables(1))
    for name, model in (("20 trees", wald.BoostClassifier(trees=TREES, max_depth=DEPTH, early_stop="none")),
                        ("one tree", wald.TreeClassifier()), ("regressor", wald.BoostRegressor(trees=100, early_stop="none"))):
        model.fit(X, y)
        one = X[:1]
        times = [timed(lambda: model.predict(one)) for _ in range(20_000)]
        print(f"single-row predict, {name}: median {1e6 * statistics.median(times):.1f} microseconds, "
              f"99 % below {1e6 * np.quantile(times, 0.99):.1f}")


if __name__ == "__main__":
    fits(int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    rows()
