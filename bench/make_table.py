#!/usr/bin/python3
"""Writes the numeric table that bench/read_csv.py reads: rows x 28 seeded decimals of varying size.

usage: make_table.py OUT.csv [--rows 1000000] [--digits 5|17]
"""
import argparse

import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--digits", type=int, default=5, help="5: as %%.5f; 17: every double in full")
    args = parser.parse_args()
    columns = 28
    rng = np.random.default_rng(20)
    scale = 10.0 ** rng.integers(-1, 3, columns)  # column by column from 0.1 to 100
    header = ",".join(["label"] + [f"x{i}" for i in range(1, columns)])
    form = "%.5f" if args.digits == 5 else "%.17g"
    with open(args.out, "w", encoding="ascii") as out:
        out.write(header + "\n")
        for start in range(0, args.rows, 100_000):
            n = min(100_000, args.rows - start)
            values = rng.standard_normal((n, columns)) * scale
            values[:, 0] = values[:, 0] > 0
            line = "%d," + ",".join([form] * (columns - 1)) + "\n"
            out.write("".join(line % tuple(row) for row in values))


if __name__ == "__main__":
    main()
