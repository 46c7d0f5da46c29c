#!/usr/bin/python3
"""One seed, one model: the file must be the same, byte for byte, whoever makes it.

determinism.py FOLDER WALD [WALD ...] [--learner NAME] [-- TABLE ...]

For every table that FOLDER/datasets.tsv names (columns name, file, task, target, ignore), or those given, and for a few
option sets of the learner (cart, boost or forest), trains with 1, 2, 3 and 8 threads, twice in a shuffled order of work, and with
each of the programs given, and with no better instructions than SSE4 and AVX2, and compares the files with the first;
boost also on two generated tables whose targets have heavy tails. Programs made by other compilers, with other levels of
optimisation, are what it is for; tests/slow/builds.sh makes them."""
import csv
import hashlib
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile

# Shallow and full-depth, coarse and exact bins, another criterion, with and without a held-out part.
CART = {"classes": [[], ["--criterion", "entropy", "--max-depth", "4", "--bins", "16"], ["--holdout", "0.25", "--seed", "7"]],
        "numbers": [[], ["--max-leaves", "12", "--bins", "16"], ["--holdout", "0.25", "--seed", "7"]]}
# Best first and level by level, with and without the search for the best round, exact leaves, dropout, a vector a leaf, all rows and columns (subtrees of few rows).
SHORT = ["--early-stop", "none", "--trees", "12"]
ALL = [*SHORT, "--max-leaves", "none", "--max-depth", "7", "--rows", "1", "--columns-per-node", "all"]
BOOST = {"classes": [["--trees", "12", "--stop-trials", "1"], [*SHORT, "--max-leaves", "none", "--max-depth", "6", "--sampling", "gradient"],
                     [*SHORT, "--vector-leaves", "yes", "--min-leaf", "5"], ALL],
         "numbers": [["--trees", "12", "--stop-trials", "1"], [*SHORT, "--loss", "absolute", "--max-leaves", "none", "--max-depth", "6"],
                     [*SHORT, "--drop", "0.2", "--min-leaf", "5", "--bins", "1000"], ALL]}
# Columns drawn and all of them, weights instead of counts, codes of two bytes, shallow trees.
TEN = ["--trees", "10"]
FOREST = {"classes": [TEN, [*TEN, "--columns-per-node", "1000", "--min-leaf", "3"], [*TEN, "--class-weights", "balanced"],
                      [*TEN, "--bins", "1000", "--sample", "subsample"], [*TEN, "--max-depth", "6"]],
          "numbers": [TEN, [*TEN, "--columns-per-node", "1000", "--min-leaf", "3"], [*TEN, "--bins", "1000", "--sample", "subsample"]]}
OPTIONS = {"cart": CART, "boost": BOOST, "forest": FOREST}
ONE_TREE = [[*SHORT, "--leaf", "linear"] if "--vector-leaves" in options else options for options in BOOST["classes"]]  # a round, of two classes


def options_for(learner, kind):
    return ONE_TREE if (learner, kind) == ("boost", "two") else OPTIONS[learner]["classes" if kind == "two" else kind]


def tables(folder):
    with open(folder / "datasets.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["task"] == "ranking": continue
            yield row["name"], folder / row["file"], row["target"], row.get("ignore") or "", \
                {"regression": "numbers", "binary": "two"}.get(row["task"], "classes")


def heavy_tails(folder):
    """40,000 rows: sums of derivatives of very different sizes, where the order of adding doubles would show."""
    draw = random.Random(1)
    for name, value in (("cauchy", lambda: draw.gauss(0, 1) / draw.gauss(0, 1)), ("pareto", lambda: draw.paretovariate(0.7))):
        path = folder / f"{name}.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write("a,b,c,d,y\n")
            for _ in range(40_000):
                x = [draw.gauss(0, 1) for _ in range(4)]
                file.write(",".join(f"{v:.5g}" for v in x) + f",{(1 + abs(x[0] * x[1])) * value():.17g}\n")
        yield name, path, "y", "", "numbers"


def runs(programs):
    """(what is said of it, program, threads, what is set around it); the first is the one the others must equal."""
    for program in programs:
        for threads in (1, 2, 3, 8): yield f"{program}, {threads} threads", program, threads, {}
        for seed in (1, 2): yield f"{program}, shuffled work {seed}", program, 2, {"WALD_SHUFFLE_WORK": str(seed)}
        for best in ("sse4", "avx2"): yield f"{program}, {best}", program, 2, {"WALD_INSTRUCTIONS": best}


def train(program, learner, path, target, ignore, kind, options, threads, around, out):
    command = [program, "train", str(path), "--target", target, "--learner", learner, "--task", "classes" if kind == "two" else kind, "-o", str(out),
               "--threads", str(threads), "--quiet", "--force", *options] + (["--ignore", ignore] if ignore else [])
    done = subprocess.run(command, env=os.environ | around, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode: return f"exit code {done.returncode}: {done.stdout.strip()}"
    return hashlib.sha256(out.read_bytes()).hexdigest()


def main(folder, *words):
    words, wanted = (words[:words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, ())
    learner, programs = (words[-1], words[:-2]) if "--learner" in words else ("cart", words)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="wald-same-") as temporary:
        out = pathlib.Path(temporary) / "model.wald"
        made = heavy_tails(out.parent) if learner == "boost" else ()
        for name, path, target, ignore, kind in itertools.chain(made, tables(pathlib.Path(folder))):
            if wanted and name not in wanted: continue
            for options in options_for(learner, kind):
                seen = {}
                for words, program, threads, around in runs(programs):
                    seen.setdefault(train(program, learner, path, target, ignore, kind, options, threads, around, out), []).append(words)
                good = len(seen) == 1 and "exit" not in next(iter(seen))
                passed, failed = passed + good, failed + (not good)
                if not good: print(name, *options, *[f"\n  {k}: {'; '.join(v)}" for k, v in seen.items()])
    print(f"each of these was trained {len(list(runs(programs)))} times:")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
