#!/usr/bin/python3
"""The evidence table: Wald on every table of a data folder, with the folds given there, beside its reference scores.

usage: bench/judgement.py WALD DATA [--learner boost] [--tune 60s] [--tune-folds 2] [--tables a,b] [--most-rows N] [-o TABLE.md]

DATA holds datasets.tsv, folds/NAME.txt.gz and reference_scores.tsv. Each fold is predicted by a model of the other four:
with the defaults (wald cv), and with --tune the first folds also by what `wald tune --budget` finds on the training rows. All
scores are computed here, from the predictions, as the reference's were. What is already in TABLE.md's .json is not run again.
"""
import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

LOSSES = {"log_loss", "rmse", "mae", "poisson_deviance"}
MAIN = {"binary": "log_loss", "multiclass": "log_loss", "regression": "rmse", "ranking": "ndcg@10"}


def read_tsv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_table(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ndcg10(relevance, score):
    order = np.argsort(-score, kind="stable")[:10]
    gain = lambda r: float(np.sum((2.0 ** r - 1) / np.log2(np.arange(len(r)) + 2)))
    best = gain(np.sort(relevance)[::-1][:10])
    return gain(relevance[order]) / best if best > 0 else None


def fold_scores(info, truth, rows, group, number):
    """Of one fold. truth: of all rows; rows: the predictions, with their row numbers."""
    at = [int(r["row"]) - 1 for r in rows]
    actual = [truth[i] for i in at]
    if info["task"] in ("binary", "multiclass"):
        from sklearn.metrics import f1_score, roc_auc_score
        names = [key[2:] for key in rows[0] if key.startswith("p_")]
        code = {name: k for k, name in enumerate(names)}
        same = lambda text: code[text] if text in code else next(k for n, k in code.items() if float(n) == float(text))
        y = np.array([same(t) for t in actual])
        p = np.clip([[float(r["p_" + n]) for n in names] for r in rows], 1e-6, None)
        p /= p.sum(axis=1, keepdims=True)
        label = np.array([same(r["prediction"]) for r in rows])
        out = {"accuracy": float(np.mean(label == y)), "log_loss": float(-np.mean(np.log(p[np.arange(len(y)), y])))}
        if len(names) == 2 and len(set(y)) == 2: out["roc_auc"] = float(roc_auc_score(y, p[:, 1]))
        if len(names) > 2: out["macro_f1"] = float(f1_score(y, label, average="macro", labels=range(len(names)), zero_division=0))
        return out
    y, p = np.array(actual, float), np.array([float(r["prediction"]) for r in rows])
    if info["task"] == "ranking":
        query = np.array([group[i] for i in at])
        found = [ndcg10(y[query == q], p[query == q]) for q in dict.fromkeys(query)]
        return {"ndcg@10": float(np.mean([f for f in found if f is not None]))}
    out = {"rmse": math.sqrt(np.mean((y - p) ** 2)), "mae": float(np.mean(abs(y - p)))}
    out["r2"] = float(1 - np.mean((y - p) ** 2) / np.var(y))
    return out


def roles(info):
    out = ["--target", info["target"], "--task", "classes" if info["task"] in ("binary", "multiclass") else "numbers"]
    if info["ignore"]: out += ["--ignore", info["ignore"]]
    if info["task"] == "ranking": out += ["--query", info["group_column"], "--loss", "ndcg"]
    return out


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0: raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def columns_of(info, table):
    return [row[info["target"]] for row in table], [row[info["group_column"]] for row in table] if info["group_column"] else None


def judge(wald, data, info, learner):
    """Scores of each fold, by wald cv."""
    path = os.path.join(data, info["file"])
    with tempfile.TemporaryDirectory() as folder:
        held = os.path.join(folder, "held.csv")
        said = run([wald, "cv", path, "--learner", learner, "--json", "--quiet", "-o", held,
                    "--folds-file", os.path.join(data, "folds", info["name"] + ".txt.gz")] + roles(info))
        seconds = json.loads(said)["learners"][0]["seconds"]
        predictions = read_table(held)
    truth, group = columns_of(info, read_table(path))
    folds = {}
    for row in predictions: folds.setdefault(int(row["fold"]), []).append(row)
    scores = [fold_scores(info, truth, folds[f], group, f) for f in sorted(folds)]
    names = {name for one in scores for name in one}
    return {"seconds": seconds, **{n: [one[n] for one in scores if n in one] for n in sorted(names)}}


def judge_tuned(wald, data, info, learner, budget, number):
    """The main score of one fold by the model of wald tune on the rows of the others, and by that of the defaults on the same."""
    table = read_table(os.path.join(data, info["file"]))
    with gzip.open(os.path.join(data, "folds", info["name"] + ".txt.gz"), "rt") as file: fold = file.read().split()
    held = sorted(set(fold), key=int)[number]
    rows = [str(i + 1) for i, f in enumerate(fold) if f == held]
    truth, group = columns_of(info, table)
    with tempfile.TemporaryDirectory() as folder:
        for name, inside in (("train", False), ("test", True)):
            with open(f"{folder}/{name}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, table[0].keys())
                writer.writeheader()
                writer.writerows(row for row, f in zip(table, fold) if (f == held) == inside)

        def score(verb, *options):
            said = json.loads(run([wald, verb, f"{folder}/train.csv", "--learner", learner, "--json", "--quiet", "--force",
                                   "-o", f"{folder}/m.wald", *options] + roles(info)))
            run([wald, "predict", f"{folder}/m.wald", f"{folder}/test.csv", "--quiet", "--force", "-o", f"{folder}/said.csv"])
            predictions = [{**p, "row": r} for p, r in zip(read_table(f"{folder}/said.csv"), rows)]
            return fold_scores(info, truth, predictions, group, number)[MAIN[info["task"]]], said

        tuned, said = score("tune", "--budget", budget)
        default = score("train")[0] if said["worthwhile"] else tuned  # where nothing was worth it, the model is that of the defaults
    return {"score": tuned, "default": default, "trials": len(said["trials"]), "kept": not said["worthwhile"]}


def rank(own, others):
    """Among all of them, less being better; ties share."""
    return 1 + sum(o < own for o in others) + 0.5 * sum(o == own for o in others)


def line_of(info, found, reference):
    """The cells of a table's line, and the verdicts; within: by no more than one standard error of the best reference worse."""
    measure = MAIN[info["task"]]
    sign = 1 if measure in LOSSES else -1
    of = [(sign * float(r["mean"]), r["model"], float(r["mean"]), float(r["std"])) for r in reference
          if r["name"] == info["name"] and r["metric"] == measure and not r["model"].startswith("trivial")]
    if not of or "defaults" not in found: return None
    _, model, bar, spread = min(of)
    error = spread / math.sqrt(4)  # the standard error of a mean of five folds, their deviation having the divisor 5
    scores = found["defaults"][measure]
    mean = float(np.mean(scores))
    verdict = {"within": sign * (mean - bar) <= error, "better": sign * (mean - bar) <= 0, "rank": rank(sign * mean, [o[0] for o in of])}
    cells = [info["name"], measure, f"{bar:.4g} ({model})", f"{mean:.4g}{'' if verdict['within'] else ' (worse)'}"]
    tuned = found.get("tuned", {})
    if tuned:
        own, was = np.mean([t["score"] for t in tuned.values()]), np.mean([t["default"] for t in tuned.values()])
        verdict["gain"] = sign * (own - was) <= 1e-12
        changed = sum(not t["kept"] for t in tuned.values())
        cells.append(f"{own:.4g} ({was:.4g}){f', changed in {changed} of {len(tuned)}' if changed else ''}; "
                     f"{', '.join(str(t['trials']) for t in tuned.values())}")
    else: cells.append("")
    return cells, verdict


def report(all_found, infos, reference, path):
    lines = ["| table | measure | best reference | defaults | tuned (defaults) on the folds tuned; trials |", "|---|---|---|---|---|"]
    verdicts = []
    for info in infos:
        found = line_of(info, all_found[info["name"]], reference) if info["name"] in all_found else None
        if found is None: continue
        lines.append("| " + " | ".join(found[0]) + " |")
        verdicts.append(found[1])
    summary = [f"Defaults: within one standard error of the best reference on {sum(v['within'] for v in verdicts)} of {len(verdicts)} "
               f"tables, at least as good on {sum(v['better'] for v in verdicts)}; mean rank among the references and Wald "
               f"{np.mean([v['rank'] for v in verdicts]):.2f}."] if verdicts else []
    gains = [v["gain"] for v in verdicts if "gain" in v]
    if gains: summary.append(f"Tuned: at least as good as the defaults on {sum(gains)} of {len(gains)} tables.")
    text = "\n".join(lines + [""] + summary) + "\n"
    print(text)
    if path:
        with open(path, "w", encoding="utf-8") as out: out.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wald")
    parser.add_argument("data")
    parser.add_argument("--learner", default="boost")
    parser.add_argument("--tune", default="")
    parser.add_argument("--tune-folds", type=int, default=2)
    parser.add_argument("--tables", default="")
    parser.add_argument("--most-rows", type=int, default=10 ** 9)
    parser.add_argument("-o", "--output", default="")
    given = parser.parse_args()
    reference = read_tsv(os.path.join(given.data, "reference_scores.tsv"))
    wanted = set(filter(None, given.tables.split(",")))
    infos = [i for i in read_tsv(os.path.join(given.data, "datasets.tsv"))
             if (not wanted or i["name"] in wanted) and int(i["rows"]) <= given.most_rows]
    kept = given.output + ".json" if given.output else ""
    found = json.load(open(kept)) if kept and os.path.exists(kept) else {}
    wald = os.path.abspath(given.wald)

    def keep(info, kind, of, number, work):
        if number in of: return
        try:
            of[number] = work()
        except (RuntimeError, KeyError) as error:
            print(f"{info['name']}, {kind}: {error}", file=sys.stderr)
            return
        print(f"{info['name']}, {kind}: {of[number]}", file=sys.stderr, flush=True)
        if kept: json.dump(found, open(kept, "w"))

    for info in infos:
        keep(info, "defaults", found.setdefault(info["name"], {}), "defaults", lambda: judge(wald, given.data, info, given.learner))
    for number in range(given.tune_folds if given.tune else 0):
        for info in infos:
            keep(info, f"tuned, fold {number + 1}", found[info["name"]].setdefault("tuned", {}), str(number),
                 lambda: judge_tuned(wald, given.data, info, given.learner, given.tune, number))
    report({n: f for n, f in found.items() if f}, infos, reference, given.output)


main()
