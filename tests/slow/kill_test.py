#!/usr/bin/python3
"""kill -9 at random moments of `wald train`: the target is absent, the old model, or the whole new one.

kill_test.py WALD [KILLS]

Half the runs start without a file, half replace one with --force. The moments are drawn over the measured length of
a run, half of them over its last tenth, where the file is written; the table has random labels and the tree is
grown fully, so that the file is large and writing it takes a while. The seed of the moments is printed."""
import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROWS = 60_000


def make_table(path):
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write("a,b,c,d,y\n")
        for _ in range(ROWS):
            file.write(",".join(f"{draw.random():.6f}" for _ in range(4)) + f",{draw.choice('xyz')}\n")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "absent"


def train(wald, table, out, seed):
    return [wald, "train", str(table), "--target", "y", "--learner", "cart", "-o", str(out), "--quiet", "--force",
            "--holdout", "0.1", "--seed", str(seed)]


def run_and_kill(command, after):
    """Returns whether the run was over before the moment came."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    over = process.poll() is not None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return over


def main(wald, kills="200"):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wald-kill-"))
    table, old, out = folder / "t.csv", folder / "old.wald", folder / "out.wald"
    make_table(table)
    subprocess.run(train(wald, table, old, 1), check=True)
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(train(wald, table, out, 2), check=True)
        times.append(time.monotonic() - start)
    length, new = sorted(times)[1], digest(out)
    before = digest(old)
    assert before != new, "the two seeds must give two models"
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"a run takes {length:.2f} s, the model has {out.stat().st_size} bytes, seed {seed}")
    draw, seen, failed, left = random.Random(seed), {}, 0, 0
    for i in range(int(kills)):
        out.unlink(missing_ok=True)
        if i % 2: os.link(old, folder / "link"), os.replace(folder / "link", out)
        moment = length * (draw.uniform(0.9, 1.02) if i % 4 < 2 else draw.uniform(0, 1))
        over = run_and_kill(train(wald, table, out, 2), moment)
        found = digest(out)
        word = {"absent": "absent", before: "the old one", new: "the new one"}.get(found, "SOMETHING ELSE")
        if word == "absent" and i % 2: word = "THE OLD ONE IS GONE"
        if word == "the new one" and subprocess.run([wald, "show", str(out)], stdout=subprocess.DEVNULL).returncode:
            word = "THE NEW ONE DOES NOT LOAD"
        if digest(old) != before: word = "THE OLD FILE WAS WRITTEN INTO"
        failed += word.isupper()
        seen[word, over] = seen.get((word, over), 0) + 1
        for path in folder.iterdir():  # what a killed run cannot remove; it must never have the target's name
            if path not in (table, old, out): left += 1; path.unlink()
    for (word, over), count in sorted(seen.items()):
        print(f"{count:4} {word}{' (the run was over)' if over else ''}")
    print(f"{left} temporary files were left behind by killed runs")
    for path in folder.iterdir(): path.unlink()
    folder.rmdir()
    print(f"{int(kills) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
