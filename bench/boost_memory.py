#!/usr/bin/python3
"""Peak memory of boosting, each program in a process of its own: boost_memory.py FOLDER WALD [TABLE]

The fit of bench/boost.py, once. Wald reads its CSV file; the others get the same rows as an array of 32-bit numbers from a file
of theirs, and their figures include Python and the array."""
import os
import subprocess
import sys

COMMON = "import numpy as np; a = np.load({file!r}); x, y = a[:, :-1].copy(), a[:, -1].copy(); del a; "
XGBOOST = COMMON + ("import xgboost as xgb; xgb.train(dict(tree_method='hist', max_depth=8, eta=0.1, max_bin=255, nthread=2, "
                    "objective='binary:logistic'), xgb.DMatrix(x, y, nthread=2), 100)")
LIGHTGBM = COMMON + ("import lightgbm as lgb; lgb.train(dict(max_depth=8, num_leaves=255, learning_rate=0.1, max_bin=255, num_threads=2, "
                     "objective='binary', verbose=-1, use_quantized_grad={quantised}), lgb.Dataset(x, y), 100)")


def make(name, csv, array):
    import numpy as np

    import boost_tables as tables
    x, y = tables.table(name)
    if not os.path.exists(csv): tables.write_csv(csv, x, y, tables.category_columns(name))
    if not os.path.exists(array): np.save(array, np.column_stack([x, y]).astype(np.float32))


def peak(command):
    """MB, or None where it failed"""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    return used.ru_maxrss / 1024 if status == 0 else None


def main():
    folder, program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    name = sys.argv[3] if len(sys.argv) > 3 else "numbers"
    csv, array, model = (f"{folder}/{name}{end}" for end in (".csv", ".npy", ".wald"))
    if "make" in sys.argv: return make(name, csv, array)
    # In a process of its own: what a parent has used counts as used by its children.
    subprocess.run([sys.executable, __file__, folder, program, name, "make"], check=True)
    kind = ["--task", "classes"]
    runs = {"wald": [program, "train", csv, "--target", "y", *kind, "--learner", "boost", "--trees", "100", "--max-depth", "8",
                     "--max-leaves", "none", "--learning-rate", "0.1", "--early-stop", "none", "--rows", "1", "--columns-per-node",
                     "all", "--threads", "2", "--force", "--quiet", "-o", model],
            "xgboost": [sys.executable, "-c", XGBOOST.format(file=array)],
            "lightgbm": [sys.executable, "-c", LIGHTGBM.format(file=array, quantised=False)],
            "lightgbm quantised": [sys.executable, "-c", LIGHTGBM.format(file=array, quantised=True)]}
    for who, command in runs.items():
        mb = peak(command)
        print(f"{name}  {who:20} {'not there' if mb is None else f'{mb:6.0f} MB'}", flush=True)


main()
