#!/usr/bin/python3
"""Installs a build into an empty folder, builds main.cpp against it as a stranger would, and runs both programs.

run_install.py BUILD-FOLDER"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode: raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\n0 passed, 1 failed")
    return done.stdout


def expected_files(prefix):
    """What an installation must hold, wherever the system keeps its libraries."""
    for pattern in ("bin/wald", "include/wald/wald.h", "lib*/**/libwald.a", "lib*/**/cmake/Wald/WaldConfig.cmake",
                    "lib*/**/cmake/Wald/WaldConfigVersion.cmake", "lib*/**/cmake/Wald/WaldTargets.cmake",
                    "share/doc/**/LICENSE", "share/bash-completion/completions/wald", "share/zsh/**/_wald",
                    "share/fish/**/wald.fish"):
        if not list(prefix.glob(pattern)): yield pattern


def main(build):
    work = pathlib.Path(tempfile.mkdtemp(prefix="wald-install-"))
    try:
        prefix = work / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        missing = list(expected_files(prefix))
        if missing: raise SystemExit(f"not installed: {', '.join(missing)}\n0 passed, 1 failed")
        # A stranger's tree: the repository is not beside it, only the installed prefix is known.
        shutil.copytree(HERE, work / "program", ignore=shutil.ignore_patterns("*.py"))
        run("cmake", "-G", "Ninja", "-S", work / "program", "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DCMAKE_BUILD_TYPE=Release",
            env={k: v for k, v in os.environ.items() if not k.startswith("CCACHE")})
        run("cmake", "--build", work / "build")
        said = run(work / "build/accuracy", ROOT / "data/iris.csv")
        if said != "accuracy 0.9733\n": raise SystemExit(f"the program said {said!r}\n0 passed, 1 failed")
        run(prefix / "bin/wald", "--version")
        print("2 passed, 0 failed")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__": main(sys.argv[1])
