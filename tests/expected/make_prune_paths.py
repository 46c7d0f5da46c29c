#!/usr/bin/python3
"""Writes tests/expected/prune_paths.json: scikit-learn's minimal cost-complexity pruning paths on tables of data/.

Numbers only, at least five rows a leaf (in smaller leaves several splits often gain the same, and scikit-learn takes
one of them at random). Steps of the same alpha (it lists every node of its own) are joined: the last one is kept.
Run with Debian's python3 and python3-sklearn (1.2.1 made the committed file): tests/expected/make_prune_paths.py
"""
import csv
import json
import os

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLES = [("iris", "class", "gini"), ("iris", "class", "entropy"), ("glass", "Type", "gini"),
          ("diabetes_progression", "progression", "squared_error")]


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
    return np.array([[float(row[c]) for c in numbers] for row in rows]), np.array([row[at] for row in rows])


def main():
    out = []
    for name, target, criterion in TABLES:
        x, y = read(name, target)
        classes = criterion != "squared_error"
        maker = DecisionTreeClassifier if classes else DecisionTreeRegressor
        y = y if classes else y.astype(float)
        path = maker(criterion=criterion, min_samples_leaf=5, random_state=0).cost_complexity_pruning_path(x, y)
        steps = []
        for alpha, impurity in zip(path.ccp_alphas, path.impurities):
            if steps and abs(alpha - steps[-1][0]) <= 1e-11 * max(1, path.impurities[-1]):
                steps.pop()
            steps.append((alpha, impurity))
        steps = [(a, i, int(maker(criterion=criterion, min_samples_leaf=5, random_state=0, ccp_alpha=a * (1 + 1e-9) + 1e-15)
                             .fit(x, y).get_n_leaves())) for a, i in steps]
        out.append({"table": name, "target": target, "criterion": criterion, "alpha": [s[0] for s in steps],
                    "impurity": [s[1] for s in steps], "leaves": [s[2] for s in steps]})
    with open(f"{TOP}/tests/expected/prune_paths.json", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(o) for o in out) + "\n]\n")


main()
