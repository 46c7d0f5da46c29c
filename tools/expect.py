"""Shared by the test runners: runs shell text in a folder with wald on PATH, compares output with a pattern."""
import os
import pathlib
import re
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A shell's background job is deaf to interrupts and its children inherit that; the tests send some.
signal.signal(signal.SIGINT, signal.default_int_handler)


def environment(wald):
    """The same for every machine: no colour, no locale, only the wald under test; DATA is the folder of tables."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WALD_", "LC_")) and k not in ("LANG", "TERM")}
    env |= {"PATH": f"{pathlib.Path(wald).resolve().parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1", "COLUMNS": "100", "DATA": str(ROOT / "data"), "ROOT": str(ROOT)}
    return env


def run(command, folder, wald, timeout=120):
    """Returns (exit code, both outputs in the order written)."""
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=environment(wald), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    return done.returncode, done.stdout.decode("utf-8", "backslashreplace")


def pattern(lines):
    """`...` alone on a line stands for any lines, also none; within a line for any text."""
    parts = []
    for line in lines:
        if line.strip() == "...": parts.append(r"(?:[^\n]*\n)*?")
        else: parts.append(r"[^\n]*?".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.compile("".join(parts) + r"\s*")


def matches(lines, output):
    return pattern(lines).fullmatch(output if output.endswith("\n") or not output else output + "\n") is not None


def difference(lines, output):
    """Both texts, for the eye."""
    return "\n".join(["    expected:"] + [f"      {x}" for x in lines] + ["    got:"] +
                     [f"      {x}" for x in output.splitlines()[:40]])


def close(passed, failed):
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
