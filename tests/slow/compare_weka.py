#!/usr/bin/python3
"""Compares learner c45 with Weka's J48 on every classification table of a folder: compare_weka.py FOLDER WALD [--write FILE]

Both train on the whole table with their defaults and once without pruning; compared are leaves, size and training
errors. Levels are written in the order of their bytes, as Wald sorts them, so that ties fall alike. Weka takes values
closer than 1e-5 for equal: it gets columns with finer values in larger units, which changes no tree. Needs Debian's weka
and a Java runtime. --write keeps J48's figures for the fast tests (tests/expected/j48.tsv).
"""
import argparse
import csv
import decimal
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

JAR = "/usr/share/java/weka.jar"


def open_text(path):
    return gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")


def number(cell):
    try:
        float(cell)
        return True
    except ValueError:
        return False


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def units(cells):
    """How far to move the decimal point so that different values are at least 1e-3 apart."""
    values = sorted({float(c) for c in cells if c != ""})
    gap = min((b - a for a, b in zip(values, values[1:])), default=1)
    return 0 if gap > 1.5e-5 else 3 - decimal.Decimal(repr(gap)).adjusted()


def prepare(folder, entry, to):
    """Writes the same columns as ARFF and CSV; the types are those of datasets.tsv."""
    with open_text(f"{folder}/{entry['file']}") as file:
        rows = list(csv.reader(file))
    head, rows = rows[0], rows[1:]
    out = set(filter(None, (entry.get("ignore") or "").split(",")))
    words = set(filter(None, (entry.get("categorical") or "").split(",")))
    words |= {n for c, n in enumerate(head) if not all(r[c] == "" or number(r[c]) for r in rows)}
    keep = [c for c, n in enumerate(head) if n not in out and n != entry["target"] and any(r[c] != "" for r in rows)]
    target = head.index(entry["target"])
    keep.append(target)
    with open(f"{to}/t.csv", "w", newline="") as file:
        csv.writer(file).writerows([[head[c] for c in keep]] + [[r[c] for c in keep] for r in rows])
    with open(f"{to}/schema.json", "w") as file:
        json.dump({"wald_schema": 1, "columns": [{"name": head[c], "type": "category" if head[c] in words or c == target else "number"}
                               for c in keep]}, file)
    with open(f"{to}/t.arff", "w") as file:
        file.write("@relation t\n")
        levels, shift = {}, {}
        for c in keep:
            if head[c] in words or c == target:
                levels[c] = sorted({r[c] for r in rows if r[c] != ""}, key=lambda s: s.encode())
                file.write(f"@attribute {quoted(head[c])} {{{','.join(quoted(v) for v in levels[c])}}}\n")
            else:
                shift[c] = units([r[c] for r in rows])
                file.write(f"@attribute {quoted(head[c])} numeric\n")
        file.write("@data\n")
        for r in rows:
            file.write(",".join("?" if r[c] == "" else quoted(r[c]) if c in levels else
                                str(decimal.Decimal(r[c]).scaleb(shift[c])) if shift[c] else r[c] for c in keep) + "\n")


def weka(folder, extra):
    done = subprocess.run(["java", "-Xmx3g", "-cp", JAR, "weka.classifiers.trees.J48", "-t", f"{folder}/t.arff", "-no-cv", *extra],
                          capture_output=True, text=True)
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", done.stdout)
    size = re.search(r"Size of the tree\s*:\s*(\d+)", done.stdout)
    if not size: sys.exit(f"weka said: {done.stdout[-500:]} {done.stderr[-500:]}")
    errors = re.search(r"Incorrectly Classified Instances\s+(\d+)", done.stdout)
    return int(leaves[1]), int(size[1]), int(errors[1]) if errors else 0


def wald(program, folder, target, extra):
    subprocess.run([program, "train", f"{folder}/t.csv", "--target", target, "--schema", f"{folder}/schema.json", "--learner",
                    "c45", "-o", f"{folder}/m.wald", "--force", "--quiet", "--keep", *kept(folder, target), *extra],
                   check=True, stdout=subprocess.DEVNULL)
    nodes = json.loads(subprocess.run([program, "tree", f"{folder}/m.wald", "--json"], check=True, capture_output=True).stdout)["nodes"]
    scores = json.loads(subprocess.run([program, "evaluate", f"{folder}/m.wald", f"{folder}/t.csv", "--json"], check=True,
                                       capture_output=True).stdout)
    confusion = scores["confusion"]
    if isinstance(confusion, dict): confusion = confusion["counts"]
    wrong = sum(sum(row) for row in confusion) - sum(row[i] for i, row in enumerate(confusion))
    return sum("column" not in n for n in nodes), len(nodes), round(wrong)


def kept(folder, target):
    with open(f"{folder}/t.csv", newline="") as file:
        return [",".join(n for n in next(csv.reader(file)) if n != target)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder"), parser.add_argument("wald"), parser.add_argument("--write"), parser.add_argument("--only")
    given = parser.parse_args()
    with open(f"{given.folder}/datasets.tsv", newline="") as file:
        entries = [e for e in csv.DictReader(file, delimiter="\t") if e["task"] in ("binary", "multiclass")]
    same = different = 0
    lines = ["# J48 of Weka 3.6.14 (Debian weka), written by tests/slow/compare_weka.py", "table\ttarget\toptions\tleaves\tsize\terrors"]
    for entry in entries:
        if given.only and entry["name"] not in given.only.split(","): continue
        if int(entry["columns"]) > 200: continue  # J48 takes long and says nothing new
        with tempfile.TemporaryDirectory() as to:
            prepare(given.folder, entry, to)
            for name, theirs, ours in [("pruned", [], []), ("unpruned", ["-U"], ["--prune", "none"])]:
                want, got = weka(to, theirs), wald(given.wald, to, entry["target"], ours)
                lines.append("\t".join(map(str, [entry["name"], entry["target"], name, *want])))
                same, different = same + (want == got), different + (want != got)
                print(f"{entry['name']:26} {name:9} J48 {want} c45 {got}{'' if want == got else '   <- differs'}", flush=True)
    print(f"{same} the same, {different} different")
    if given.write:
        with open(given.write, "w") as file: file.write("\n".join(lines) + "\n")


main()
