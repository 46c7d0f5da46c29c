#!/usr/bin/python3
"""kill -9 at random moments of `wald train`: the target is absent, the old model, or the whole new one.

kill_test.py WALD [KILLS]

Half the runs start without a file, half replace one with --force. Of each half a part is killed at a moment drawn
over the whole length of a run, a part at once or a little after the temporary file appears, that is while saving.
The table has random labels and the tree is grown fully, so that the file is large. The seed of the moments is printed."""
import collections
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROWS = 60_000


def make_table(path):
    draw = random.Random(1)
    lines = [",".join(f"{draw.random():.6f}" for _ in range(4)) + f",{draw.choice('xyz')}\n" for _ in range(ROWS)]
    path.write_text("a,b,c,d,y\n" + "".join(lines))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "absent"


def train(wald, table, out, seed, force):
    return [wald, "train", str(table), "--target", "y", "--learner", "cart", "-o", str(out), "--quiet",
            "--seed", str(seed)] + (["--force"] if force else [])


def timed(command):
    start = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - start


def run_and_kill(command, folder, after, saving):
    """Kills `after` seconds from the start, or from the first sight of the temporary file; says whether the run was over."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while saving and process.poll() is None and not any(name.startswith(".out") for name in os.listdir(folder)): pass
    time.sleep(after)
    over = process.poll() is not None
    process.kill()
    process.wait()
    return over


def verdict(wald, out, found, old, new, replaced):
    if found == "absent": return "THE OLD FILE IS GONE" if replaced else "absent"
    if found == old: return "the old one"
    if found != new: return "NEITHER THE OLD NOR THE NEW ONE"
    loads = subprocess.run([wald, "show", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    return "the new one" if loads else "A NEW ONE THAT DOES NOT LOAD"


def main(wald, kills=200):
    seed = int.from_bytes(os.urandom(4), "big")
    draw, seen, left = random.Random(seed), collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix="wald-kill-") as name:
        folder = pathlib.Path(name)
        table, kept, out = folder / "t.csv", folder / "old.wald", folder / "out.wald"
        make_table(table)
        timed(train(wald, table, kept, 1, False))
        length = sorted(timed(train(wald, table, out, 2, True)) for _ in range(3))[1]
        old, new = digest(kept), digest(out)
        print(f"a run takes {length:.2f} s, the model has {out.stat().st_size} bytes, seed {seed}")
        for i in range(kills):
            replaced, saving = i % 2 == 1, i % 4 < 2
            out.unlink(missing_ok=True)
            if replaced: out.write_bytes(kept.read_bytes())
            over = run_and_kill(train(wald, table, out, 2, replaced), folder,
                                draw.uniform(0, 0.01) if saving else draw.uniform(0, length), saving)
            where = "while saving" if saving else "anywhere"
            seen[where, verdict(wald, out, digest(out), old, new, replaced), over] += 1
            for path in set(folder.iterdir()) - {table, kept, out}:  # a killed run cannot remove its temporary file
                left += 1
                path.unlink()
    for (where, word, over), count in sorted(seen.items()):
        print(f"{count:4} killed {where}: {word}{' (the run was over)' if over else ''}")
    print(f"{left} temporary files were left by killed runs")
    failed = sum(count for (_, word, _), count in seen.items() if word.isupper())
    print(f"{kills - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__": sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
