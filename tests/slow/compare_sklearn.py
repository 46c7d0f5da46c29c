#!/usr/bin/python3
"""Compares learner cart with scikit-learn's decision trees on every table of a folder: compare_sklearn.py FOLDER WALD

The numeric columns are taken and the rows complete in them (scikit-learn knows neither categories nor missing values),
rounded to float32 (which it does inside). Fold 0 of FOLDER/folds is held out where that is given, else every fifth row.
Trees are grown with --bins exact --zero-gain yes, once to depth 6 and once fully.

Where two splits gain the same, scikit-learn takes one at random, so the trees are compared node by node: at each
node of Wald's tree scikit-learn searches the best split of the same rows. Either it is the same (column, and threshold
to 1e-12), or its gain is the same to rounding: a tie. (It takes values closer than 1e-7 for equal, so a split finer
than that is Wald's alone; and whether it takes a split that gains exactly nothing, or even splits a node of equal targets,
depends on the rounding of its sums, so such splits count as ties.) Then both whole trees are walked down together until their splits differ, which must be at
ties too, and predict the held-out rows; a row may be predicted differently only if its way leads through such a tie.
"""
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

MOST_NODES = 4000     # nodes checked a tree: all large ones, then a sample of the small ones
warnings.filterwarnings("ignore")


def open_text(path):
    return gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return None


def load(folder, entry):
    with open_text(f"{folder}/{entry['file']}") as file:
        rows = list(csv.reader(file))
    head, rows = rows[0], rows[1:]
    out = set((entry.get("ignore") or "").split(",")) | set((entry.get("categorical") or "").split(",")) | {entry["target"]}
    columns = [c for c, name in enumerate(head) if name not in out and all(r[c] == "" or number(r[c]) is not None for r in rows)
               and 2 * sum(r[c] == "" for r in rows) < len(rows)]
    target = head.index(entry["target"])
    keep = [i for i, r in enumerate(rows) if r[target] != "" and all(r[c] != "" for c in columns)]
    x = np.array([[float(rows[i][c]) for c in columns] for i in keep], dtype=np.float32)
    y = np.array([rows[i][target] for i in keep])
    fold_file = f"{folder}/folds/{entry['name']}.txt.gz"
    if os.path.exists(fold_file):
        with gzip.open(fold_file, "rt") as file:
            folds = [int(line) for line in file.read().split()]
        held = np.array([folds[i] == 0 for i in keep])
    else:
        held = np.arange(len(keep)) % 5 == 0
    return [head[c] for c in columns], x, y, held


def write_csv(path, names, x, y, target):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names + [target])
        for row, label in zip(x.astype(float), y):
            writer.writerow([repr(v) for v in row] + [label])


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} exited {done.returncode}:\n{done.stderr}")
    return done.stdout


def wald_tree(wald, names, train, held, target, kind, depth):
    with tempfile.TemporaryDirectory() as tmp:
        write_csv(f"{tmp}/train.csv", names, *train, target)
        write_csv(f"{tmp}/held.csv", names, *held, target)
        options = ["--bins", "exact", "--zero-gain", "yes", "--task", kind, "--learner", "cart"]
        if depth:
            options += ["--max-depth", str(depth)]
        run(wald, "train", f"{tmp}/train.csv", "--target", target, "--keep", ",".join('"' + n.replace('"', '""') + '"' if "," in n else n for n in names),
            "-o", f"{tmp}/m.wald", "--quiet", *options)
        nodes = json.loads(run(wald, "tree", f"{tmp}/m.wald", "--json"))["nodes"]
        run(wald, "predict", f"{tmp}/m.wald", f"{tmp}/held.csv", "-o", f"{tmp}/p.csv", "--quiet")
        with open(f"{tmp}/p.csv", newline="") as file:
            predictions = [row["prediction"] for row in csv.DictReader(file)]
    return {n["node"]: n for n in nodes}, predictions


def best_stump(maker, x, y):
    stump = maker(max_depth=1, random_state=0).fit(x, y).tree_
    if stump.node_count == 1:
        return None
    return int(stump.feature[0]), stump.threshold[0]


def sum_of_impurity(y, classes):
    if not classes:
        return float(((y - y.mean()) ** 2).sum())
    counts = np.bincount(y).astype(float)
    return counts.sum() - (counts ** 2).sum() / counts.sum()


def gain_of(x, y, column, threshold, classes):
    left = x[:, column] <= threshold
    return sum_of_impurity(y, classes) - sum_of_impurity(y[left], classes) - sum_of_impurity(y[~left], classes)


def rows_by_node(nodes, names, x):
    rows_of = {0: np.arange(len(x))}
    for n in sorted(nodes):                            # children come after their parent
        node = nodes[n]
        if "column" in node:
            left = x[rows_of[n], names.index(node["column"])] <= node["threshold"]
            rows_of[node["children"][0]], rows_of[node["children"][1]] = rows_of[n][left], rows_of[n][~left]
    return rows_of


def same_split(node, names, column, threshold):
    return node["column"] == names[column] and abs(node["threshold"] - threshold) <= 1e-12 * abs(threshold)


def too_fine(xs, column, threshold):
    """Does the threshold part values that scikit-learn takes for equal?"""
    values = np.sort(xs[:, column]).astype(float)
    at = np.searchsorted(values, threshold, side="right")
    return values[at] - values[at - 1] <= 1e-7


def judge(node, names, xs, ys, classes, theirs):
    """'same', 'tie', 'fine' (finer than scikit-learn sees), or a complaint about the node's split against theirs."""
    if "column" not in node and theirs is None:
        return "same"
    if "column" not in node:
        return "tie" if len(set(ys)) == 1 else f"gains {gain_of(xs, ys, *theirs, classes)!r} on {names[theirs[0]]} for scikit-learn, but is a leaf"
    column = names.index(node["column"])
    if theirs is not None and same_split(node, names, *theirs):
        return "same"
    ours, other = gain_of(xs, ys, column, node["threshold"], classes), 0.0 if theirs is None else gain_of(xs, ys, *theirs, classes)
    if abs(ours - other) <= 1e-9 * max(sum_of_impurity(ys, classes), 1e-300):
        return "tie"
    if ours > other and too_fine(xs, column, node["threshold"]):
        return "fine"
    return f"gains {ours!r} on {node['column']}, scikit-learn {other!r} on {theirs and names[theirs[0]]}"


def check_nodes(nodes, rows_of, names, x, y, classes, depth, maker):
    inner = [n for n in sorted(nodes) if len(rows_of[n]) > 1]
    chosen = sorted(inner, key=lambda n: -len(rows_of[n]))[:MOST_NODES // 2]
    chosen += list(np.random.RandomState(0).permutation(sorted(set(inner) - set(chosen)))[:MOST_NODES // 2])
    verdicts = {"same": 0, "tie": 0, "fine": 0}
    complaints = []
    for n in chosen:
        node, xs, ys = nodes[n], x[rows_of[n]], y[rows_of[n]]
        if node["cover"] != len(ys):
            complaints.append(f"node {n}: cover {node['cover']}, but {len(ys)} rows reach it")
        theirs = None if depth and node["depth"] >= depth or len(set(ys)) == 1 else best_stump(maker, xs, ys)
        verdict = judge(node, names, xs, ys, classes, theirs)
        if verdict in verdicts:
            verdicts[verdict] += 1
        else:
            complaints.append(f"node {n} of {len(ys)} rows: {verdict}")
    return len(chosen), verdicts, complaints


def part_ways(nodes, rows_of, names, x, y, classes, tree):
    """Walks both trees down together; gives the nodes where they part, and complaints about those that are no ties."""
    parted, complaints, todo = set(), [], [(0, 0)]
    while todo:
        n, m = todo.pop()
        node = nodes[n]
        theirs = None if tree.children_left[m] < 0 else (int(tree.feature[m]), tree.threshold[m])
        if "column" not in node and theirs is None:
            continue
        verdict = judge(node, names, x[rows_of[n]], y[rows_of[n]], classes, theirs)
        if verdict == "same":
            todo += [(node["children"][0], tree.children_left[m]), (node["children"][1], tree.children_right[m])]
            continue
        parted.add(n)
        if verdict not in ("tie", "fine"):
            complaints.append(f"node {n}, where the whole trees part: {verdict}")
    return parted, complaints


def meets(nodes, names, row, where):
    n = 0
    while n not in where and "column" in nodes[n]:
        n = nodes[n]["children"][0 if row[names.index(nodes[n]["column"])] <= nodes[n]["threshold"] else 1]
    return n in where


def compare_table(folder, wald, entry):
    names, x, y, held = load(folder, entry)
    if not names:
        print(f"{entry['name']:26} no numeric column")
        return None
    classes = entry["task"] in ("binary", "multiclass")
    maker = DecisionTreeClassifier if classes else DecisionTreeRegressor
    complaints = []
    for depth in (6, 0):
        nodes, predictions = wald_tree(wald, names, (x[~held], y[~held]), (x[held], y[held]), entry["target"], "classes" if classes else "numbers", depth)
        labels, coded = np.unique(y[~held], return_inverse=True) if classes else (None, y[~held].astype(float))
        rows_of = rows_by_node(nodes, names, x[~held])
        checked, verdicts, wrong = check_nodes(nodes, rows_of, names, x[~held], coded, classes, depth, maker)
        whole = maker(max_depth=depth or None, random_state=0).fit(x[~held], coded)
        parted, more = part_ways(nodes, rows_of, names, x[~held], coded, classes, whole.tree_)
        wrong += more
        theirs = labels[whole.predict(x[held])] if classes else whole.predict(x[held])
        differ = [i for i in range(len(theirs)) if (predictions[i] != str(theirs[i]) if classes else abs(float(predictions[i]) - theirs[i]) > 1e-9 * max(1.0, abs(theirs[i])))]
        unexplained = [i for i in differ if not meets(nodes, names, x[held][i], parted)]
        if unexplained:
            wrong.append(f"{len(unexplained)} held-out rows are predicted differently though the trees do not part on their way")
        target = y[held] if classes else y[held].astype(float)
        score = [np.mean(np.array(p) == target) if classes else np.sqrt(np.mean((np.array(p, dtype=float) - target) ** 2)) for p in (predictions, [str(t) for t in theirs] if classes else theirs)]
        print(f"{entry['name']:26} depth {depth or 'full':>4}  nodes {len(nodes):6} checked {checked:5} same {verdicts['same']:5} ties {verdicts['tie']:4} finer {verdicts['fine']:2} "
              f"held-out differ {len(differ):5} of {len(theirs):5}  {'accuracy' if classes else 'RMSE'} {score[0]:.5g} / {score[1]:.5g}"
              + ("  WRONG" if wrong else ""), flush=True)
        complaints += [f"{entry['name']}, depth {depth or 'full'}: {w}" for w in wrong]
    return complaints


def main():
    folder, wald = sys.argv[1], os.path.abspath(sys.argv[2])
    with open(f"{folder}/datasets.tsv", newline="") as file:
        entries = list(csv.DictReader(file, delimiter="\t"))
    good = bad = 0
    for entry in entries:
        complaints = compare_table(folder, wald, entry)
        good, bad = good + (complaints == []), bad + bool(complaints)
        for c in (complaints or [])[:5]:
            print(f"  {c}")
    print(f"{good} passed, {bad} failed")
    sys.exit(bad != 0)


main()
