#!/usr/bin/python3
"""Writes adaboost.json: what scikit-learn's AdaBoostClassifier(algorithm="SAMME") finds, for src/learn/adaboost_test.cpp.

Made with scikit-learn 1.2.1. Trees of the depth named grow on the columns of numbers, missing rows left out. scikit-learn
breaks ties between columns by chance; only rounds before the first such tie are kept, found by fitting with several seeds."""
import json
import pathlib

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
CASES = [("glass", "Type", 2, 20), ("claims", "claim", 1, 40), ("penguins", "species", 1, 10), ("claims", "claim", 2, 40)]


def fitted(x, y, depth, rounds, seed):
    weak = DecisionTreeClassifier(max_depth=depth, random_state=seed)
    return AdaBoostClassifier(weak, n_estimators=rounds, algorithm="SAMME", random_state=seed).fit(x, y)


def main():
    out = []
    for table, target, depth, rounds in CASES:
        data = pd.read_csv(DATA / f"{table}.csv")
        columns = [c for c in data.columns if c != target and data[c].dtype != object and data[c].nunique() < len(data)]
        data = data[columns + [target]].dropna()
        x, y = data[columns].to_numpy(float), data[target].astype(str).to_numpy()
        models = [fitted(x, y, depth, rounds, seed) for seed in range(6)]
        errors = [m.estimator_errors_ for m in models]
        same = 0
        while same < min(map(len, errors)) and np.ptp([e[same] for e in errors]) < 1e-13:
            same += 1
        model = fitted(x, y, depth, same, 0)
        decision = model.decision_function(x)
        out.append({"table": table, "target": target, "columns": columns, "depth": depth, "rows": len(data), "rounds": same,
                    "errors": list(model.estimator_errors_[:same]), "weights": list(model.estimator_weights_[:same]),
                    "classes": list(model.classes_), "decision": np.asarray(decision).tolist()})
        print(table, depth, same, columns)
    path = pathlib.Path(__file__).with_name("adaboost.json")
    path.write_text(json.dumps(out) + "\n")


main()
