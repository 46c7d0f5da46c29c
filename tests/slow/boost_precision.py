#!/usr/bin/python3
"""The derivatives that boosting rounds to whole numbers cost nothing: against a second implementation in doubles.

boost_precision.py FOLDER WALD [-- TABLE ...]

Every table of two classes or of numbers that FOLDER/datasets.tsv names (columns name, file, task, target, ignore), or
those given, and two generated ones, one of them with a target of heavy tails. Categories are replaced by the numbers of
their levels. Five folds; 50 trees of depth 6, all rows and columns. The reference below has the same bins, the same
gains and the same steps, and nothing in it is rounded: its sums of derivatives are sums of doubles. A table fails where
the mean score on held-out rows (log loss, or root mean squared error) moves by more than a tenth of the standard
deviation over the folds."""
import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

TREES, DEPTH, RATE, L2, MIN_HESSIAN, BINS, FOLDS = 50, 6, 0.1, 1.0, 1.0, 255, 5
GENERATED = 60_000  # rows


# --- bins: as many as distinct values, else of nearly equal shares of the rows --------------------------------------

def bin_sizes(counts, bins):
    if len(counts) <= bins: return [1] * len(counts)
    sizes, rows, filled, size = [], int(counts.sum()), 0, 0
    for i, count in enumerate(counts):
        filled, size, left = filled + int(count), size + 1, bins - len(sizes)
        following = int(counts[i + 1]) if i + 1 < len(counts) else 0
        full = filled * left >= rows or (2 * filled + following) * left > 2 * rows
        if i + 1 == len(counts) or (full and left > 1):
            sizes.append(size)
            rows, filled, size = rows - filled, 0, 0
    return sizes


def binned(column):
    """codes (0 = missing), and the least and the greatest value of each bin"""
    known = ~np.isnan(column)
    distinct, counts = np.unique(column[known], return_counts=True)
    last = np.cumsum(bin_sizes(counts, BINS)) - 1 if len(distinct) else np.array([], dtype=int)
    codes = np.zeros(len(column), dtype=np.int64)
    codes[known] = np.searchsorted(distinct[last], column[known]) + 1 if len(distinct) else 0
    return codes, distinct[np.concatenate([[0], last[:-1] + 1])] if len(distinct) else distinct, distinct[last]


# --- the reference --------------------------------------------------------------------------------------------------

def gain_of(g, h): return 0.5 * g * g / (h + L2)


def best_splits(codes, place, g, h, nodes):
    """Of every node of a level: gain, column, last bin to the left, first to the right, whether missing values go left."""
    width = BINS + 1
    best = np.zeros(nodes), np.full(nodes, -1), np.zeros(nodes, dtype=int), np.zeros(nodes, dtype=int), np.zeros(nodes, dtype=bool)
    all_g, all_h = np.bincount(place, g, nodes), np.bincount(place, h, nodes)
    parent = gain_of(all_g, all_h)
    for c in range(codes.shape[1]):
        cell = place * width + codes[:, c]
        sums = [np.bincount(cell, v, nodes * width).reshape(nodes, width) for v in (g, h)]
        rows = np.bincount(cell, minlength=nodes * width).reshape(nodes, width)
        left_g, left_h, left_rows = (np.cumsum(s[:, 1:], axis=1) for s in (*sums, rows))
        for missing_left in (True, False):
            lg, lh = left_g + missing_left * sums[0][:, :1], left_h + missing_left * sums[1][:, :1]
            rg, rh = all_g[:, None] - lg, all_h[:, None] - lh
            gain = gain_of(lg, lh) + gain_of(rg, rh) - parent[:, None]
            gain[(lh < MIN_HESSIAN) | (rh < MIN_HESSIAN)] = -1
            # The cut behind the last value says "is missing", where missing values go right; else it is none.
            none = left_rows == left_rows[:, -1:] if missing_left else np.broadcast_to(rows[:, :1] == 0, gain.shape)
            gain[none] = -1
            # Columns that divide a node alike have the same gain, but not the same rounding: then the first is taken.
            close = 1e-10 * (parent + gain.max(axis=1).clip(0))
            bin_at = (gain >= gain.max(axis=1, keepdims=True) - close[:, None]).argmax(axis=1)
            found = gain[np.arange(nodes), bin_at]
            better = found > best[0] + close
            heavier = 2 * left_h[np.arange(nodes), bin_at] >= all_h
            best[0][better], best[1][better], best[2][better] = found[better], c, bin_at[better] + 1
            best[3][better] = ((rows > 0) & (np.arange(width) > bin_at[:, None] + 1))[better].argmax(axis=1)  # 0 = none
            best[4][better] = np.where(rows[better, 0] > 0, missing_left, heavier[better])
    return best


def grow(codes, bins, g, h, held):
    """What a tree adds to its own rows and to those held out."""
    place, away = np.zeros(len(g), dtype=np.int64), np.zeros(len(held), dtype=np.int64)
    out, there = np.zeros(len(g)), np.zeros(len(held))
    live, alive, nodes = np.arange(len(g)), np.arange(len(held)), 1
    for level in range(DEPTH + 1):
        sums = np.bincount(place[live], g[live], nodes), np.bincount(place[live], h[live], nodes)
        value = -RATE * sums[0] / (sums[1] + L2)
        out[live], there[alive] = value[place[live]], value[away[alive]]
        if level == DEPTH: break
        gain, column, last, after, missing_left = best_splits(codes[live], place[live], g[live], h[live], nodes)
        # As for new rows: the middle between the values of the node on either side of the cut.
        cut = np.array([np.inf if c < 0 or b == 0 else (bins[c][1][a - 1] + bins[c][0][b - 1]) / 2 for c, a, b in zip(column, last, after)])
        for rows, x, where, below in ((live, codes, place, last), (alive, held, away, cut)):
            node = where[rows]
            cell = x[rows, np.maximum(column[node], 0)]
            missing = cell == 0 if x is codes else np.isnan(cell)
            where[rows] = 2 * node + ~np.where(missing, missing_left[node], cell <= below[node])
        live, alive = live[column[place[live] // 2] >= 0], alive[column[away[alive] // 2] >= 0]
        nodes *= 2
        if not len(live): break
    return out, there


def reference(x, y, held, kind):
    made = [binned(x[:, c]) for c in range(x.shape[1])]
    codes, bins = np.column_stack([code for code, *_ in made]), [edges for _, *edges in made]
    mean = y.mean()
    start = mean if kind == "numbers" else np.log(mean / (1 - mean))
    score, there = np.full(len(y), start), np.full(len(held), start)
    for _ in range(TREES):
        p = score if kind == "numbers" else 1 / (1 + np.exp(-score))
        added = grow(codes, bins, p - y, np.ones(len(y)) if kind == "numbers" else p * (1 - p), held)
        score, there = score + added[0], there + added[1]
    return there


# --- the comparison -------------------------------------------------------------------------------------------------

def wald(program, folder, x, y, held, kind):
    names = [f"x{c}" for c in range(x.shape[1])]
    files = [folder / name for name in ("train.csv", "held.csv", "model.wald", "out.csv")]
    words = y if kind == "numbers" else np.where(y > 0, "yes", "no")
    pd.DataFrame(x, columns=names).assign(y=words).to_csv(files[0], index=False)
    pd.DataFrame(held, columns=names).to_csv(files[1], index=False)
    subprocess.run([program, "train", files[0], "--target", "y", "--task", kind, "--learner", "boost", "--trees", str(TREES),
                    "--max-depth", str(DEPTH), "--max-leaves", "none", "--learning-rate", str(RATE), "--l2", str(L2),
                    "--min-hessian", str(MIN_HESSIAN), "--bins", str(BINS), "--rows", "1", "--columns-per-node", "all",
                    "--early-stop", "none", "--keep", ",".join(names), "--force", "--quiet", "-o", files[2]],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "predict", files[2], files[1], "--raw", "--force", "--quiet", "-o", files[3]], check=True,
                   stdout=subprocess.DEVNULL)
    return pd.read_csv(files[3])["score"].to_numpy()


def loss_of(score, y, kind):
    if kind == "numbers": return float(np.sqrt(np.mean((score - y) ** 2)))
    return float(np.mean(np.logaddexp(0, score) - y * score))


def generated(name):
    random = np.random.RandomState(1)
    x = random.normal(size=(GENERATED, 8)).round(4)
    signal = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + np.abs(x[:, 3])
    if name == "generated_classes": return x, (signal + random.logistic(size=GENERATED) > 0.5).astype(float), "classes"
    return x, signal + 2 * random.standard_t(2, size=GENERATED), "numbers"  # of infinite variance


def table_of(folder, row):
    frame = pd.read_csv(folder / row["file"], na_values=["?"], keep_default_na=True, low_memory=False)
    frame = frame.drop(columns=[c for c in (row.get("ignore") or "").split(",") if c])
    frame = frame[frame[row["target"]].notna()]
    y = frame.pop(row["target"])
    kind = "numbers" if row["task"] == "regression" else "classes"
    for name in frame:
        if frame[name].dtype == object or frame[name].dtype == bool:
            known = frame[name].astype("category").cat.codes
            frame[name] = np.where(known < 0, np.nan, known)
    y = y.astype(float) if kind == "numbers" else (y.astype(str) == sorted(y.astype(str).unique())[-1]).astype(float)
    return frame.to_numpy(dtype=float), y.to_numpy(), kind


def tables(folder, wanted):
    with open(folder / "datasets.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["task"] in ("binary", "regression") and (not wanted or row["name"] in wanted):
                yield row["name"], *table_of(folder, row)
    for name in ("generated_classes", "generated_heavy_tails"):
        if not wanted or name in wanted: yield name, *generated(name)


def main(folder, program, *words):
    wanted, passed, failed = words[1:], 0, 0
    print(f"{'table':24} {'rows':>7} {'wald':>12} {'doubles':>12} {'± sd':>10} {'moved / (sd / 10)':>18}")
    with tempfile.TemporaryDirectory(prefix="wald-precision-") as temporary:
        for name, x, y, kind in tables(pathlib.Path(folder), wanted):
            fold = np.random.RandomState(0).permutation(len(y)) % FOLDS
            ours, theirs = [], []
            for k in range(FOLDS):
                train, held = fold != k, fold == k
                if kind == "classes" and len(np.unique(y[train])) < 2: continue
                ours.append(loss_of(wald(program, pathlib.Path(temporary), x[train], y[train], x[held], kind), y[held], kind))
                theirs.append(loss_of(reference(x[train], y[train], x[held], kind), y[held], kind))
            moved, sd = abs(np.mean(ours) - np.mean(theirs)), np.std(theirs)
            share = 10 * moved / sd
            passed, failed = passed + (share <= 1), failed + (not share <= 1)
            print(f"{name:24} {len(y):7,} {np.mean(ours):12.6g} {np.mean(theirs):12.6g} {sd:10.3g} {share:18.3f}"
                  f"{'' if share <= 1 else '  FAILED'}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
