#!/usr/bin/python3
"""One decision tree on 1,000,000 x 28 numbers, Wald against scikit-learn: cart.py FOLDER WALD [ROUNDS]

Both fit the same rows, interleaved, ROUNDS times (default 5); printed are the medians of the wall time of the fit alone
(Wald: two threads, 255 bins, binning included; scikit-learn has one thread for a tree), their ratio, and the accuracy on
200,000 further rows. The table is generated from a seed into FOLDER.
"""
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from sklearn.tree import DecisionTreeClassifier

ROWS, HELD, COLUMNS = 1_000_000, 200_000, 28


def make(seed, rows):
    random = np.random.RandomState(seed)
    x = random.normal(size=(rows, COLUMNS)).astype(np.float32)
    x[:, 7:14] = np.abs(x[:, 7:14]) * x[:, :7]                      # dependent columns
    x[:, 21:] = np.round(x[:, 21:], 1)                             # columns of few values
    signal = x[:, 0] - x[:, 1] * x[:, 2] + np.sin(2 * x[:, 3]) + 0.5 * x[:, 8] + (x[:, 22] > 0.5) * x[:, 4]
    y = (signal + random.logistic(size=rows) > 0).astype(int)
    return np.round(x, 5), y


def write(path, x, y):
    if not os.path.exists(path):
        names = ",".join(f"x{i}" for i in range(COLUMNS)) + ",y"
        np.savetxt(path + ".part", np.column_stack([x, y]), fmt=["%.6g"] * COLUMNS + ["%d"], delimiter=",", header=names, comments="")
        os.rename(path + ".part", path)


def wald_fit(wald, folder, depth):
    model = f"{folder}/cart.wald"
    done = subprocess.run([wald, "train", f"{folder}/cart_train.csv", "--target", "y", "--learner", "cart", "--threads", "2", "--force",
                           "--max-depth", str(depth) if depth else "none", "-o", model, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["seconds"]["fit"]


def wald_accuracy(wald, folder):
    done = subprocess.run([wald, "evaluate", f"{folder}/cart.wald", f"{folder}/cart_held.csv", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["metrics"]["accuracy"]


def main():
    folder, wald = sys.argv[1], os.path.abspath(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    (x, y), (held_x, held_y) = make(1, ROWS), make(2, HELD)
    write(f"{folder}/cart_train.csv", x, y)
    write(f"{folder}/cart_held.csv", held_x, held_y)
    for depth in (8, 0):
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(wald_fit(wald, folder, depth))
            start = time.perf_counter()
            peer = DecisionTreeClassifier(max_depth=depth or None, random_state=0).fit(x, y)
            theirs.append(time.perf_counter() - start)
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"depth {depth or 'full':>4}: wald {a:.3f} s, scikit-learn {b:.2f} s, {b / a:.1f} times faster; "
              f"held-out accuracy {wald_accuracy(wald, folder):.4f} / {np.mean(peer.predict(held_x) == held_y):.4f}", flush=True)


main()
