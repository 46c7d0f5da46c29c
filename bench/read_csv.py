#!/usr/bin/python3
"""Wald's table reader against pandas' C reader on 1,000,000 x 28 numbers, two threads.

usage: read_csv.py FOLDER [--rows N] [--runs 5] [--program build/release/bin/bench_read_csv]

FOLDER receives the generated files (about 240 MB, 90 MB packed, 530 MB in full precision); they are made once.
Each run is a process of its own, Wald and pandas in turn; medians are reported. pandas is timed inside the process,
around read_csv alone, with its C engine. Memory of Wald is the peak of RssAnon, that is without the mapped pages of
the file, sampled at every progress call of a run of its own; pandas' is the growth of VmHWM. Processor time is of all
threads together: on a busy machine it tells more than the seconds.
"""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PANDAS = """
import json, resource, sys, time
import pandas
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, cpu = time.perf_counter(), time.process_time()
table = pandas.read_csv(sys.argv[1], engine="c")
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
print(json.dumps({"seconds": seconds, "cpu": cpu, "rows": len(table), "columns": table.shape[1], "peak": grown}))
"""


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def make_files(folder, rows):
    plain, full, packed = folder / f"n{rows}.csv", folder / f"n{rows}_full.csv", folder / f"n{rows}.csv.gz"
    for path, digits in ((plain, "5"), (full, "17")):
        if not path.exists():
            subprocess.run([sys.executable, HERE / "make_table.py", path, "--rows", str(rows), "--digits", digits], check=True)
    if not packed.exists():
        with open(plain, "rb") as source, gzip.open(packed, "wb", 6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
    return {"decimals": plain, "full precision": full, "gzip": packed}


def measure(path, args):
    wald, pandas = [], []
    for _ in range(args.runs):
        wald.append(run([args.program, path, "2"]))
        pandas.append(run(["/usr/bin/python3", "-c", PANDAS, path]))
    sampled = run([args.program, path, "2"], SAMPLE="1")
    assert wald[0]["rows"] == pandas[0]["rows"] and wald[0]["columns"] == pandas[0]["columns"]
    cells = wald[0]["rows"] * wald[0]["columns"]
    ours, theirs = (statistics.median(r["seconds"] for r in runs) for runs in (wald, pandas))
    our_cpu, their_cpu = (statistics.median(r["cpu"] for r in runs) for runs in (wald, pandas))
    return {
        "bytes": os.path.getsize(path),
        "wald_seconds": ours,
        "pandas_seconds": theirs,
        "ratio": theirs / ours,
        "wald_cpu": our_cpu,
        "pandas_cpu": their_cpu,
        "wald_peak_per_float32_table": sampled["peak_anonymous"] / (4 * cells),
        "pandas_peak_per_float32_table": statistics.median(r["peak"] for r in pandas) / (4 * cells),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--program", default=str(HERE.parent / "build/release/bin/bench_read_csv"))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, path in make_files(args.folder, args.rows).items():
        results[name] = r = measure(path, args)
        if not args.json:
            print(f"{name:15} {r['bytes'] / 1e6:6.0f} MB   wald {r['wald_seconds']:.3f} s   pandas {r['pandas_seconds']:.3f} s   "
                  f"{r['ratio']:.1f} times faster   processor {r['wald_cpu']:.2f} s, {r['pandas_cpu']:.2f} s   peak memory {r['wald_peak_per_float32_table']:.2f} x float32 table "
                  f"(pandas {r['pandas_peak_per_float32_table']:.2f})", flush=True)
    if args.json:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
