#!/usr/bin/python3
"""What rounding the derivatives costs: boost_precision.py FOLDER WALD [OPTION ...] [-- TABLE ...]

As boost_quality.py, each fold once with the default --gradient-bits and once with 44, whose sums are as fine as sums of doubles
(tests/slow/boost_precision.py has real ones). Printed is how far the mean score moves, in tenths of the standard deviation over the folds;
a table fails where it moves by more than one.
"""
import statistics
import sys

import boost_quality as quality

FINE = ["--gradient-bits", "44"]


def main():
    folder, wald, options, wanted = quality.arguments()
    failed = 0
    print(f"{'table':24} {'default':>10} {'44 bits':>10} {'± sd':>9} {'moved / (sd / 10)':>18}")
    for table, header, rows, fold in quality.tables(folder, wanted):
        coarse = [f[0] for f in quality.score_folds(wald, table, header, rows, fold, options)]
        fine = [f[0] for f in quality.score_folds(wald, table, header, rows, fold, options + FINE)]
        moved, sd = abs(statistics.fmean(coarse) - statistics.fmean(fine)), statistics.pstdev(fine)
        share = 10 * moved / sd if sd > 0 else 0 if moved == 0 else float("inf")
        failed += share > 1
        print(f"{table['name']:24} {statistics.fmean(coarse):10.6g} {statistics.fmean(fine):10.6g} {sd:9.3g} {share:18.2f}{'  FAILED' if share > 1 else ''}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
