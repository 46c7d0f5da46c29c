#!/usr/bin/python3
"""Tests the Python package: run.py BUILD_FOLDER [NAME...]. The package is BUILD_FOLDER/python, the program
BUILD_FOLDER/bin/wald."""
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main(build, *names):
    build = pathlib.Path(build).resolve()
    sys.path[:0] = [str(build / "python"), str(pathlib.Path(__file__).parent)]
    os.environ["WALD_BUILD"] = str(build)
    os.chdir(ROOT)  # examples name data/...
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover(str(pathlib.Path(__file__).parent))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
