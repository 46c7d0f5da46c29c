#!/usr/bin/python3
"""Ledgers under kill -9 and under runs at once: a crash may waste budget, but no model is without its line.

ledger_test.py WALD

A private training is killed at every system call of some kinds, by strace, first without a ledger and then with one that
has room. Then ten runs at once compete for a budget, also where they have to make the ledger first."""
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

CALLS = ["write", "fsync", "link", "rename", "unlink", "flock", "close", "lseek", "fchmod", "exit_group"]
MOST = 40  # calls of one kind
SCHEMA = {"wald_schema": 1, "columns": [{"name": "x", "min": 0, "max": 1}, {"name": "y", "levels": ["no", "yes"]}]}


class Table:
    def __init__(self, wald, at):
        self.wald, self.at = wald, at
        (at / "d.csv").write_text("x,y\n" + "".join(f"{i / 200},{'yes' if i % 3 else 'no'}\n" for i in range(200)))
        (at / "s.json").write_text(json.dumps(SCHEMA))

    def clean(self, budget):
        for path in self.at.iterdir():
            if path.name not in ("d.csv", "s.json"): path.unlink()
        if budget: subprocess.run([self.wald, "privacy", "d.csv.ledger", "--budget", str(budget)], cwd=self.at, check=True, capture_output=True)

    def training(self, model="m.wald"):
        return [self.wald, "train", "d.csv", "--target", "y", "--learner", "private-boost", "--epsilon", "1", "--schema", "s.json",
                "-o", model, "--quiet"]

    def verify(self, model):
        """Whether the ledger is whole and has the model's line."""
        return subprocess.run([self.wald, "privacy", "d.csv.ledger", *model], cwd=self.at, capture_output=True).returncode == 0

    def releases(self):
        ledger = self.at / "d.csv.ledger"
        return ledger.read_text().count('"what":"release"') if ledger.exists() else 0


def killed(table):
    kills = wrong = 0
    for call, budget in itertools.product(CALLS, (0, 3)):
        for when in range(1, MOST):
            table.clean(budget)
            done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={when}",
                                   *table.training()], cwd=table.at, capture_output=True)
            if done.returncode == 0: break
            kills += 1
            model = [path.name for path in table.at.glob("m.wald")]
            parts = [path for path in table.at.iterdir() if path.name.startswith(".m.wald")]
            there = (table.at / "d.csv.ledger").exists()
            if (there and not table.verify(model)) or (model and not there) or (parts and table.releases() == 0):
                wrong += 1
                print(f"killed at {call} {when}, budget {budget}: model {model}, {table.releases()} releases, ledger {'there' if there else 'not there'}")
    print(f"{kills} kills, {wrong} wrong")
    return wrong


def at_once(table, runs=10, rounds=5):
    wrong = 0
    for turn, (budget, most) in itertools.product(range(rounds), ((0, 1), (1, 1), (2, 3))):
        table.clean(budget)
        started = [subprocess.Popen(table.training(f"m{i}.wald"), cwd=table.at, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for i in range(runs)]
        codes = sorted(run.wait() for run in started)
        models = [path.name for path in table.at.glob("m*.wald")]
        fine = codes == [0] * most + [5] * (runs - most) and len(models) == table.releases() == most and all(table.verify([m]) for m in models)
        if not fine:
            wrong += 1
            print(f"round {turn}, budget {budget}: exit codes {codes}, {len(models)} models, {table.releases()} releases")
    print(f"{3 * rounds} times ten runs at once, {wrong} wrong")
    return wrong


def main():
    if len(sys.argv) != 2: sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        table = Table(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
        wrong = at_once(table)
        if shutil.which("strace"): wrong += killed(table)
        else: print("without strace nothing is killed")
    sys.exit(wrong > 0)


if __name__ == "__main__": main()
