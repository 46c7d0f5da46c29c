#!/usr/bin/python3
"""Writes tests/data/sklearn_trees.tsv: decision trees of scikit-learn on the small tables of data/.

scikit-learn breaks ties of equal gain by a random order of the columns, so a whole tree of its own is one of many.
Here each node is grown by scikit-learn's own search on one column at a time (a tree of depth 1), and of the columns
with the same gain the first is taken, which is Wald's rule. Rows of even number train, the others are predicted.
Run with Debian's python3 and python3-sklearn (1.2.1 made the committed file): tools/make_sklearn_trees.py
"""
import csv
import os
import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TABLES = [("iris", "class", True), ("glass", "Type", True), ("golf", "play", True), ("diabetes_progression", "progression", False)]


def read(name, target):
    with open(f"{TOP}/data/{name}.csv", newline="") as file:
        rows = list(csv.reader(file))
    head, rows = rows[0], rows[1:]
    at = head.index(target)
    numbers = []
    for c in range(len(head)):
        try:
            [float(row[c]) for row in rows]
            numbers += [c] if c != at else []
        except ValueError:
            pass
    x = np.array([[float(row[c]) for c in numbers] for row in rows])
    return [head[c] for c in numbers], x, np.array([row[at] for row in rows])


def best_split(x, y, maker):
    best = None
    for c in range(x.shape[1]):
        stump = maker(max_depth=1, random_state=0).fit(x[:, [c]], y).tree_
        if stump.node_count == 1:
            continue
        n = stump.weighted_n_node_samples
        gain = n[0] * stump.impurity[0] - n[1] * stump.impurity[1] - n[2] * stump.impurity[2]
        if best is None or gain > best[0] * (1 + 1e-9) + 1e-9:
            best = (gain, c, stump.threshold[0])
    return best


def grow(x, y, rows, maker, depth, out, path="."):
    value = y[rows].mean() if maker is DecisionTreeRegressor else None
    split = None if depth == 0 or len(set(y[rows])) == 1 else best_split(x[rows], y[rows], maker)
    if split is None:
        out.append((path, len(rows), -1, 0.0, value))
        return
    _, column, threshold = split
    out.append((path, len(rows), column, threshold, value))
    left = x[rows, column].astype(np.float32) <= threshold
    grow(x, y, rows[left], maker, depth - 1, out, path + "l")
    grow(x, y, rows[~left], maker, depth - 1, out, path + "r")


def main():
    with open(f"{TOP}/tests/data/sklearn_trees.tsv", "w") as file:
        file.write("# made by tools/make_sklearn_trees.py with scikit-learn 1.2.1\n")
        file.write("table\ttarget\tdepth\tpath\trows\tcolumn\tthreshold\tvalue\n")
        for name, target, classes in TABLES:
            names, x, y = read(name, target)
            y = y if classes else y.astype(float)
            maker = DecisionTreeClassifier if classes else DecisionTreeRegressor
            for depth in (3, 1000):
                nodes = []
                grow(x, y, np.arange(0, len(y), 2), maker, depth, nodes)
                for path, rows, column, threshold, value in nodes:
                    file.write(f"{name}\t{target}\t{depth}\t{path}\t{rows}\t{names[column] if column >= 0 else '-'}\t{threshold:.9g}\t"
                               f"{'-' if value is None else format(value, '.12g')}\n")


main()
