#!/usr/bin/python3
"""Boosting, Wald against XGBoost (and LightGBM where it can be imported): boost.py FOLDER WALD [TABLE] [ROUNDS] [leaves] [rows=SHARE] [min-leaf=ROWS] [min-hessian=SUM] [threads=N] [only=PROGRAM;...]

100 trees of depth 8 (with the word leaves: of 255 leaves, the best first), rate 0.1, 255 bins, two threads (or N), all rows and columns, no early stopping; interleaved, ROUNDS times
(default 5); medians of the wall time of the fit alone. Wald's includes binning; so does XGBoost's, whose hist method bins
in the first round; LightGBM bins when its data set is made, beforehand, and the time with that is told beside. Categories are categories to Wald and LightGBM, numbers to XGBoost. Quality is on further rows: ROC area, log loss for
several classes, RMSE for numbers. TABLE is one of boost_tables.ROWS (default numbers); its files go to FOLDER.

only=PROGRAM;...: those programs alone, by the names that the output has (as "wald;lightgbm quantised": minutes where the slower peers take an hour). rows=SHARE: every tree of every program is grown from rows drawn anew; LightGBM is run without that too. min-leaf=ROWS, min-hessian=SUM: the least of Wald's leaves (LightGBM's have 20 rows and 0.001 unless
told otherwise, XGBoost's 1 and 1, as Wald's). Where fits take milliseconds the start of a process would be most of what is seen: beside WALD there must be bench_fit (cmake -DWALD_BENCH=ON), which
fits over and over for half a second; so do the others then. There the peers' data sets are made anew for every fit, as Wald's bins are, and once more (`given`) beforehand.
"""
import itertools
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score

import boost_tables as tables


LEAVES = "leaves" in sys.argv
GIVEN = dict(word.split("=", 1) for word in sys.argv[3:] if "=" in word)
SHARE, MIN_LEAF, MIN_HESSIAN = float(GIVEN.get("rows", 1)), GIVEN.get("min-leaf", "1"), GIVEN.get("min-hessian", "1")
THREADS = int(GIVEN.get("threads", 2))
FEW = 10_000  # rows


def quality(y, p):
    if p.ndim == 2: return log_loss(y, p, labels=np.arange(p.shape[1]))
    return roc_auc_score(y, p) if set(np.unique(y)) == {0, 1} else mean_squared_error(y, p, squared=False)


def trained(train, make, rows, given):  # seconds, those of the data set made before, the model; where fits take milliseconds the median of half a second of them, as bench_fit does
    begun = time.perf_counter()
    data = make()
    before = time.perf_counter()
    seconds, making = [], before - begun if given else 0
    while not seconds or rows <= FEW and (len(seconds) < 6 or time.perf_counter() - before < 0.5):
        start = time.perf_counter()
        model = train(data if given else make())
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:] or seconds), making, model


def warm(program, folder, train, kind, words, columns, options):
    schema = f"{folder}/schema.json"
    names = [(f"x{c}", "category" if c in words else "number") for c in range(columns)] + [("y", "number" if kind == "numbers" else "category")]
    with open(schema, "w") as file: json.dump({"wald_schema": 1, "columns": [{"name": n, "type": t} for n, t in names]}, file)
    done = subprocess.run([os.path.join(os.path.dirname(program), "bench_fit"), train, schema, "y", kind, "boost", *(f"{k}={v}" for k, v in options.items()), f"threads={THREADS}"],
                          capture_output=True, text=True, check=True)
    return float(done.stdout)


def wald(program, folder, name, x, y, held):
    words = tables.category_columns(name)
    train, test, model = (f"{folder}/{name}{end}" for end in (".csv", "_held.csv", ".wald"))
    if not os.path.exists(train): tables.write_csv(train, x, y, words)
    if not os.path.exists(test): tables.write_csv(test, *held, words)
    kind = "numbers" if y.dtype.kind == "f" else "classes"
    options = {"trees": "100", "max-depth": "none" if LEAVES else "8", "max-leaves": "255" if LEAVES else "none", "learning-rate": "0.1", "early-stop": "none",
               "rows": str(SHARE), "columns-per-node": "all", "min-leaf": MIN_LEAF, "min-hessian": MIN_HESSIAN}
    done = subprocess.run([program, "train", train, "--target", "y", "--task", kind, "--learner", "boost", *(word for k, v in options.items() for word in ("--" + k, v)),
                           "--threads", str(THREADS), "--force", "--json", "-o", model], capture_output=True, text=True, check=True)
    seconds = json.loads(done.stdout)["seconds"]["fit"] if len(y) > FEW else warm(program, folder, train, kind, words, x.shape[1], options)
    out = subprocess.run([program, "predict", model, test, "--quiet"], capture_output=True, text=True, check=True).stdout
    cells = np.genfromtxt(out.splitlines()[1:], delimiter=",", dtype=float)
    p = cells if kind == "numbers" else cells[:, 2] if cells.shape[1] == 3 else cells[:, 1:]
    return seconds, 0, quality(held[1], p)


def xgboost(x, y, held, given):
    import xgboost as xgb
    classes = len(np.unique(y)) if y.dtype.kind != "f" else 0
    objective = "reg:squarederror" if not classes else "binary:logistic" if classes == 2 else "multi:softprob"
    options = {"tree_method": "hist", "max_depth": 8, "eta": 0.1, "max_bin": 255, "nthread": THREADS, "objective": objective, "verbosity": 0}
    if classes > 2: options["num_class"] = classes
    if SHARE < 1: options["subsample"] = SHARE
    if LEAVES: options |= {"max_depth": 0, "grow_policy": "lossguide", "max_leaves": 255}
    seconds, making, model = trained(lambda data: xgb.train(options, data, 100), lambda: xgb.DMatrix(x, y, nthread=THREADS), len(y), given)
    return seconds, making, quality(held[1], model.predict(xgb.DMatrix(held[0])))


def lightgbm(x, y, held, words, quantised, share, given):
    import lightgbm as lgb
    classes = len(np.unique(y)) if y.dtype.kind != "f" else 0
    objective = "regression" if not classes else "binary" if classes == 2 else "multiclass"
    options = {"max_depth": -1 if LEAVES else 8, "num_leaves": 255, "learning_rate": 0.1, "max_bin": 255, "num_threads": THREADS, "objective": objective, "verbose": -1,
               "use_quantized_grad": quantised}
    if classes > 2: options["num_class"] = classes
    if share < 1: options |= {"bagging_fraction": share, "bagging_freq": 1}
    seconds, making, model = trained(lambda data: lgb.train(options, data, 100),
                             lambda: lgb.Dataset(x, y, params=options, categorical_feature=words or "auto").construct(), len(y), given)
    return seconds, making, quality(held[1], model.predict(held[0]))


def main():
    folder, program = sys.argv[1], os.path.abspath(sys.argv[2])
    name = sys.argv[3] if len(sys.argv) > 3 else "numbers"
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5  # leaves may follow
    (x, y), held = tables.table(name), tables.table(name, held=True)
    runs = {"wald": lambda: wald(program, folder, name, x, y, held)}
    ways = {"": True} if len(y) > FEW else {"": False, ", given": True}  # whether the data set is made beforehand
    for way, given in ways.items(): runs["xgboost" + way] = lambda g=given: xgboost(x, y, held, g)
    try:
        import lightgbm as _
        words = tables.category_columns(name)
        for share, (way, given), quantised in itertools.product(sorted({1, SHARE}), ways.items(), (False, True)):
            of = ("" if share == 1 else f", rows {share:g}") + way
            runs["lightgbm" + " quantised" * quantised + of] = lambda s=share, g=given, q=quantised: lightgbm(x, y, held, words, q, s, g)
    except ImportError:
        pass
    only = GIVEN["only"].split(";") if "only" in GIVEN else list(runs)
    if unknown := set(only) - set(runs): sys.exit(f"boost.py: no program {sorted(unknown)} here; there are {list(runs)}")
    runs = {peer: runs[peer] for peer in runs if peer in {"wald", *only}}  # the others are told as times Wald's
    seconds = {peer: [] for peer in runs}
    for _ in range(rounds):
        for peer, run in runs.items():
            seconds[peer].append(run())
    ours = statistics.median(s for s, _, _ in seconds["wald"])
    for peer, all_runs in seconds.items():
        middle, whole = (statistics.median(times) for times in ([s for s, _, _ in all_runs], [s + making for s, making, _ in all_runs]))
        beside = f"  with its data set {whole:.4f} s  {whole / ours:5.2f}" if whole > middle else ""
        print(f"{name} {x.shape[0]:,} x {x.shape[1]}  {peer:28} {middle:8.4f} s  {middle / ours:5.2f}  quality {all_runs[-1][2]:.4f}{beside}", flush=True)


main()
