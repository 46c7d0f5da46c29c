#!/usr/bin/python3
"""Decision trees against rpart, Weka's J48 and scikit-learn on every table of a folder: bench/trees.py FOLDER WALD [--out FILE.md]
WALD is the program; bench_fit, built with -DWALD_BENCH=ON, lies beside it.

Five folds (FOLDER/folds where present), the same for all; accuracy or root mean squared error on the held-out folds and nodes
of the tree (means), seconds of training without reading the table (medians). On each fold the methods run one after the other.
Wald and scikit-learn: by the clock, each with the threads it uses unless told otherwise, in a process that has fitted before (the
median of all fits of half a second, of at least five, of the first if it takes that long), so the machine should have nothing else to do. rpart: processor time. J48: the lesser of what Weka reports and the processor time of its run less that of a run whose
model is one leaf. Wald's learners: id3 (tables of categories only), c45, cart, cart --prune cost, and cart with models in its
leaves. rpart runs with its defaults, which stop early, and with cp = 0, which does the work of cart --prune cost: a full tree and
one for each of ten folds. scikit-learn gets categories as codes and the median for missing numbers, since its trees know neither.
With --keep FILE finished results are kept there, and a further run goes on with the others; --methods a,b runs only those. Needs
Debian's python3-sklearn, r-cran-rpart and weka.
"""
import argparse
import csv
import gzip
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

HERE = os.path.dirname(os.path.abspath(__file__))
WEKA = "/usr/share/java/weka.jar"
WALD = {"id3": ["--learner", "id3"], "c45": ["--learner", "c45"], "cart": ["--learner", "cart"],
        "cart pruned": ["--learner", "cart", "--prune", "cost", "--prune-rule", "least", "--min-leaf", "2"],
        "model tree": ["--learner", "cart", "--prune", "cost", "--prune-rule", "least", "--min-leaf", "10"]}
PEERS = ["rpart", "rpart cp=0", "J48", "scikit-learn"]
METHODS = [*WALD, *PEERS]
LONGEST = 600  # seconds a method may take on one fold before it is left out of the table


def open_text(path):
    return gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")


def is_number(cell):
    try:
        float(cell)
        return True
    except ValueError:
        return False


class Table:
    def __init__(self, folder, entry):
        with open_text(f"{folder}/{entry['file']}") as file:
            rows = list(csv.reader(file))
        head, rows = rows[0], rows[1:]
        target = head.index(entry["target"])
        rows_kept = [i for i, r in enumerate(rows) if r[target] != ""]
        out = set(filter(None, (entry.get("ignore") or "").split(","))) | {entry.get("group_column") or ""}
        keep = [c for c, n in enumerate(head) if n not in out and c != target and len({r[c] for r in rows}) > 1]
        self.name, self.classes = entry["name"], entry["task"] in ("binary", "multiclass")
        self.binary = entry["task"] == "binary"
        self.head = [head[c] for c in keep]
        self.target = entry["target"]
        self.rows = [[rows[i][c] for c in keep] for i in rows_kept]
        self.y = [rows[i][target] for i in rows_kept]
        stated = set(filter(None, (entry.get("categorical") or "").split(",")))
        self.words = [n in stated or not all(r[c] == "" or is_number(r[c]) for r in self.rows) for c, n in enumerate(self.head)]
        path = f"{folder}/folds/{entry['name']}.txt.gz"
        if os.path.exists(path):
            with gzip.open(path, "rt") as file:
                folds = [int(line) for line in file.read().split()]
            self.fold = [folds[i] for i in rows_kept]
        else:
            self.fold = [i % 5 for i in range(len(self.rows))]

    def write(self, path, rows):
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([self.head + [self.target]] + [self.rows[i] + [self.y[i]] for i in rows])

    def schema(self, path):
        kinds = [*zip(self.head, self.words), (self.target, self.classes)]
        with open(path, "w") as file:
            json.dump({"wald_schema": 1, "columns": [{"name": n, "type": "category" if w else "number"} for n, w in kinds]}, file)

    def arff(self, path, rows):
        quote = lambda s: "'" + s.replace("\\", "\\\\").replace("'", "\\'") + "'"
        with open(path, "w") as file:
            file.write("@relation t\n")
            for c, n in enumerate(self.head + [self.target]):
                cells = {r[c] for r in self.rows} if c < len(self.head) else set(self.y)
                words = self.words[c] if c < len(self.head) else self.classes
                kind = "{" + ",".join(map(quote, sorted(cells - {""}))) + "}" if words else "numeric"
                file.write(f"@attribute {quote(n)} {kind}\n")
            file.write("@data\n")
            for i in rows:
                cells = ["?" if v == "" else quote(v) if w else v for v, w in zip(self.rows[i], self.words)]
                file.write(",".join(cells + [quote(self.y[i]) if self.classes else self.y[i]]) + "\n")


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, **more)


def timed(command):
    """The finished process and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wald(program, table, to, name):
    extra = list(WALD[name])
    if name == "model tree": extra += ["--leaf", "logistic" if table.classes else "linear"]
    done = run([program, "train", f"{to}/train.csv", "--target", table.target, "--schema", f"{to}/schema.json", "--task",
                "classes" if table.classes else "numbers", "--keep", ",".join(table.head),
                "-o", f"{to}/m.wald", "--force", "--quiet", *extra])
    if done.returncode != 0: return None
    kind = "classes" if table.classes else "numbers"
    options = [f"{name[2:]}={value}" for name, value in zip(extra[2::2], extra[3::2])]
    done = run([os.path.join(os.path.dirname(program), "bench_fit"), f"{to}/train.csv", f"{to}/schema.json", table.target, kind,
                extra[1], *options], check=True)
    seconds = float(done.stdout)
    nodes = run([program, "show", f"{to}/m.wald"]).stdout
    done = run([program, "predict", f"{to}/m.wald", f"{to}/test.csv", "--quiet"])
    with open(f"{to}/said", "w") as file: file.write(done.stdout)
    with open(f"{to}/said", newline="") as file:
        said = [r[0] for r in list(csv.reader(file))[1:]]
    return said, int(re.search(r"([\d,]+) nodes?", nodes)[1].replace(",", "")), seconds


def rpart(table, to, full):
    words = "\x1f".join(n for n, w in zip(table.head, table.words) if w)
    done = run(["Rscript", f"{HERE}/trees.R", f"{to}/train.csv", f"{to}/test.csv", table.target,
                "class" if table.classes else "anova", words, f"{to}/said", "full" if full else "default"])
    if done.returncode != 0: return None
    nodes, seconds = done.stdout.split()[:2]
    with open(f"{to}/said") as file: return file.read().split("\n")[:-1], int(nodes), float(seconds)


def j48(table, to):
    if not table.classes: return None
    java = ["java", "-Xmx4g", "-XX:+UseSerialGC", "-cp", WEKA]
    files = ["-t", f"{to}/train.arff", "-T", f"{to}/test.arff"]
    done, seconds = timed([*java, "weka.classifiers.trees.J48", *files])
    right = re.search(r"Error on test data.*?Correctly Classified Instances\s+(\d+)", done.stdout, re.S)
    if not right: return None
    _, rest = timed([*java, "weka.classifiers.rules.ZeroR", *files])
    reported = float(re.search(r"Time taken to build model: ([\d.]+)", done.stdout)[1])
    return int(right[1]), int(re.search(r"Size of the tree\s*:\s*(\d+)", done.stdout)[1]), min(reported, max(seconds - rest, 0.001))


def steady_seconds(fit, span=0.5):  # as bench_fit measures
    def spent():
        start = time.perf_counter()
        fit()
        return time.perf_counter() - start
    first = spent()
    if first >= span: return first
    seconds = []
    while len(seconds) < 5 or sum(seconds) < span: seconds.append(spent())
    return float(np.median(seconds))


def sklearn(table, train, test):
    columns = []
    for c, words in enumerate(table.words):
        cells = [r[c] for r in table.rows]
        if words:
            code = {v: i for i, v in enumerate(sorted(set(cells)))}
            columns.append(np.array([code[v] for v in cells], dtype=np.float32))
        else:
            v = np.array([float(x) if x != "" else np.nan for x in cells])
            columns.append(np.where(np.isnan(v), np.nanmedian(v[train]), v).astype(np.float32))
    x = np.stack(columns, axis=1)
    y = np.array(table.y) if table.classes else np.array(table.y, dtype=float)
    tree = DecisionTreeClassifier(random_state=0) if table.classes else DecisionTreeRegressor(random_state=0)
    x_train, y_train = x[train], y[train]
    seconds = steady_seconds(lambda: tree.fit(x_train, y_train))
    return list(tree.predict(x[test])), tree.tree_.node_count, seconds


def score(table, said, test):
    if isinstance(said, int): return said / len(test)
    if table.classes: return sum(str(s) == table.y[i] for s, i in zip(said, test)) / len(test)
    return math.sqrt(sum((float(s) - float(table.y[i])) ** 2 for s, i in zip(said, test)) / len(test))


def measure(table, program, methods):
    results = {m: [] for m in methods}
    for fold in range(5):
        train = [i for i, f in enumerate(table.fold) if f != fold]
        test = [i for i, f in enumerate(table.fold) if f == fold]
        with tempfile.TemporaryDirectory() as to:
            table.write(f"{to}/train.csv", train), table.write(f"{to}/test.csv", test), table.schema(f"{to}/schema.json")
            if table.classes: table.arff(f"{to}/train.arff", train), table.arff(f"{to}/test.arff", test)
            for method in methods:
                if results[method] is None: continue
                try:
                    got = wald(program, table, to, method) if method in WALD else rpart(table, to, "cp" in method) if method in PEERS[:2] else \
                        j48(table, to) if method == "J48" else sklearn(table, train, test)
                except subprocess.TimeoutExpired:
                    got = None
                if got is None: results[method] = None
                else: results[method].append((score(table, got[0], test), got[1], got[2]))
    middle = lambda r: (*np.mean(r, axis=0)[:2], float(np.median([one[2] for one in r])))
    return {m: None if not r else middle(r) for m, r in results.items()}


def applies(table, method):
    if method in ("id3", "c45", "J48") and not table.classes: return False
    if method == "id3" and not all(table.words): return False
    if method == "model tree" and table.classes and not table.binary: return False
    return True


def ranks(results, classes, among):
    have = [m for m in among if results.get(m)]
    return {m: 1 + sum((results[o][0] > results[m][0] + 1e-9) if classes else (results[o][0] < results[m][0] - 1e-9) for o in have)
            + 0.5 * sum(o != m and abs(results[o][0] - results[m][0]) <= 1e-9 for o in have) for m in have}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder"), parser.add_argument("wald"), parser.add_argument("--out"), parser.add_argument("--only")
    parser.add_argument("--keep"), parser.add_argument("--methods")
    given = parser.parse_args()
    with open(f"{given.folder}/datasets.tsv", newline="") as file:
        entries = [e for e in csv.DictReader(file, delimiter="\t") if e["task"] != "ranking"]
    if given.only: entries = [e for e in entries if e["name"] in given.only.split(",")]
    entries.sort(key=lambda e: int(e["rows"]) * int(e["columns"]))
    lines = ["| table | " + " | ".join(METHODS) + " |", "|---|" + "---|" * len(METHODS)]
    collected = []
    kept = {}
    if given.keep and os.path.exists(given.keep):
        with open(given.keep) as file: kept = json.load(file)
    for entry in entries:
        table = Table(given.folder, entry)
        results = kept.setdefault(table.name, {})
        wanted = given.methods.split(",") if given.methods else METHODS
        results.update(measure(table, given.wald, [m for m in wanted if m not in results and applies(table, m)]))
        if given.keep:
            with open(given.keep, "w") as file: json.dump(kept, file)
        collected.append((table, results))
        cell = lambda r: "" if r is None else f"{r[0]:.4g} · {r[1]:.0f} · {r[2]:.2g} s"
        lines.append(f"| {table.name}{'' if table.classes else ' (RMSE)'} | " + " | ".join(cell(results.get(m)) for m in METHODS) + " |")
        print(lines[-1], flush=True)
    summary = []
    for title, classes in (("accuracy", True), ("RMSE", False)):
        own = ["c45", "cart", "cart pruned", "model tree"] if classes else ["cart", "cart pruned", "model tree"]
        peers = [p for p in PEERS if classes or p != "J48"]
        for m in own:
            per = [ranks(r, classes, [m, *peers]) for t, r in collected if t.classes == classes and all(r.get(o) for o in [m, *peers])]
            if not per: continue
            mean = sorted((np.mean([p[o] for p in per]), o) for o in [m, *peers])
            summary.append(f"Mean rank by {title}, {m} among the peers on {len(per)} tables: " + ", ".join(f"{o} {v:.2f}" for v, o in mean))
    for m, peer in (("cart", "scikit-learn"), ("cart pruned", "rpart cp=0"), ("c45", "J48")):
        fast = [(t.name, r[peer][2] / r[m][2]) for t, r in collected if len(t.rows) > 5000 and r.get(m) and r.get(peer)]
        if fast: summary.append(f"Seconds of {peer} over those of {m}, tables above 5,000 rows: " + ", ".join(f"{n} {x:.1f}" for n, x in fast))
    text = "\n".join(lines + [""] + summary) + "\n"
    print("\n".join(summary))
    if given.out:
        with open(given.out, "w") as file: file.write(text)


main()
