#!/usr/bin/python3
"""Makes tests/data/xgboost_trees.tsv: boosted trees of Debian's XGBoost, node by node, for boost_xgboost_test.cpp.

make_xgboost_trees.py > tests/data/xgboost_trees.tsv

Columns of numbers alone, as many bins as distinct values, two trees a table. A line is a node: its way from the root (l and r), the
sum of second derivatives (cover), the column it tests or -, whether missing values go left, the gain, and the leaf's value.
"""
import csv
import json
import math
import sys

import numpy
import xgboost

TABLES = [("auto_mpg", "mpg", "squared"), ("diabetes_progression", "progression", "squared"), ("claims", "claim", "logistic")]
OPTIONS = dict(tree_method="hist", max_bin=4096, max_depth=4, eta=0.3, reg_lambda=1.5, reg_alpha=0.5, gamma=0, min_child_weight=4, nthread=1)


def number(cell):
    try: return float(cell) if cell else math.nan
    except ValueError: return None


def numbers_of(name, target):
    with open(f"data/{name}.csv", encoding="utf-8", newline="") as file: rows = list(csv.DictReader(file))
    columns = [c for c in rows[0] if c != target and all(number(r[c]) is not None for r in rows)]
    return columns, numpy.array([[number(r[c]) for c in columns] for r in rows]), [r[target] for r in rows]


def tell(name, round_, node, path, columns):
    if "leaf" in node:
        print(name, round_, path, f"{node['cover']:.9g}", "-", "-", 0, f"{node['leaf']:.9g}", sep="\t")
        return
    left = next(c for c in node["children"] if c["nodeid"] == node["yes"])
    right = next(c for c in node["children"] if c["nodeid"] == node["no"])
    print(name, round_, path, f"{node['cover']:.9g}", columns[int(node["split"][1:])], "l" if node["missing"] == node["yes"] else "r", f"{node['gain']:.9g}", 0, sep="\t")
    tell(name, round_, left, path + "l", columns)
    tell(name, round_, right, path + "r", columns)


def main():
    print(f"# made by tools/make_xgboost_trees.py with XGBoost {xgboost.__version__}")
    print("table", "round", "path", "cover", "column", "missing", "gain", "leaf", sep="\t")
    for name, target, loss in TABLES:
        columns, x, y = numbers_of(name, target)
        y = numpy.array([float(v) for v in y]) if loss == "squared" else numpy.array([v == max(y) for v in y], dtype=float)
        objective = dict(objective="reg:squarederror", base_score=y.mean()) if loss == "squared" else dict(objective="binary:logistic", base_score=y.mean())
        model = xgboost.train(OPTIONS | objective, xgboost.DMatrix(x, y), 2)
        for round_, text in enumerate(model.get_dump(dump_format="json", with_stats=True)): tell(name, round_, json.loads(text), ".", columns)


main()
