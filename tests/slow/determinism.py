#!/usr/bin/python3
"""One seed, one model: the file must be the same, byte for byte, whoever makes it.

determinism.py FOLDER WALD [WALD ...]

For every table that FOLDER/datasets.tsv names (columns name, file, task, target, ignore) and for a few option sets,
trains with 1, 2, 4 and 7 threads, twice in a shuffled order of work, and with each of the programs given, and
compares the files with the first."""
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

# Shallow and full-depth, coarse and exact bins, another criterion, with and without a held-out part.
OPTIONS = {"classes": [[], ["--criterion", "entropy", "--max-depth", "4", "--bins", "16"], ["--holdout", "0.25", "--seed", "7"]],
           "numbers": [[], ["--max-leaves", "12", "--bins", "16"], ["--holdout", "0.25", "--seed", "7"]]}


def tables(folder):
    with open(folder / "datasets.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["task"] == "ranking": continue
            yield row["name"], folder / row["file"], row["target"], row.get("ignore") or "", \
                "numbers" if row["task"] == "regression" else "classes"


def runs(programs):
    """(what is said of it, program, threads, shuffle seed); the first is the one the others must equal."""
    for program in programs:
        for threads in (1, 2, 4, 7): yield f"{program}, {threads} threads", program, threads, 0
        for seed in (1, 2): yield f"{program}, shuffled work {seed}", program, 2, seed


def train(program, path, target, ignore, kind, options, threads, shuffle, out):
    command = [program, "train", str(path), "--target", target, "--learner", "cart", "--task", kind, "-o", str(out),
               "--threads", str(threads), "--quiet", "--force", *options] + (["--ignore", ignore] if ignore else [])
    done = subprocess.run(command, env=os.environ | {"WALD_SHUFFLE_WORK": str(shuffle)} if shuffle else None,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode: return f"exit code {done.returncode}: {done.stdout.strip()}"
    return hashlib.sha256(out.read_bytes()).hexdigest()


def main(folder, *programs):
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="wald-same-") as temporary:
        out = pathlib.Path(temporary) / "model.wald"
        for name, path, target, ignore, kind in tables(pathlib.Path(folder)):
            for options in OPTIONS[kind]:
                seen = {}
                for words, program, threads, shuffle in runs(programs):
                    seen.setdefault(train(program, path, target, ignore, kind, options, threads, shuffle, out), []).append(words)
                good = len(seen) == 1 and "exit" not in next(iter(seen))
                passed, failed = passed + good, failed + (not good)
                if not good: print(name, *options, *[f"\n  {k}: {'; '.join(v)}" for k, v in seen.items()])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
