#!/usr/bin/python3
"""Runs the transcripts of tests/cli: run_cli_tests.py WALD [--update] [FILE.test ...]

A transcript is what a person would see. It runs in an empty folder of its own, with the wald under test on PATH and
the tables of data/ in $DATA; tests/cli/README.md describes the format. --update writes what was seen into the file,
for a person to read before it is committed; lines with `...` that still match are kept."""
import pathlib
import shutil
import sys
import tempfile

import expect


def parse(text):
    """Yields (line number, command, expected lines, expected exit code); comments and blank lines end a step."""
    step = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            if step: yield step
            step = [number, line[2:], [], 0]
        elif step and not step[2] and line.startswith("> "): step[1] += "\n" + line[2:]
        elif step and line.startswith("[") and line.endswith("]") and line[1:-1].isdigit(): step[3] = int(line[1:-1])
        elif step: step[2].append(line)
    if step: yield step


def trimmed(lines):
    """Without the comments and blank lines that follow the output of a step."""
    while lines and (not lines[-1].strip() or lines[-1].startswith("# ")): lines = lines[:-1]
    return lines


def run_file(path, wald):
    """Returns (steps passed, complaints, the text with what was seen)."""
    text, passed, complaints, seen = path.read_text(encoding="utf-8"), 0, [], []
    folder = tempfile.mkdtemp(prefix="wald-cli-")
    steps = list(parse(text))
    head = text.splitlines()[: steps[0][0] - 1] if steps else []
    for number, command, lines, code in steps:
        expected, after = trimmed(lines), lines[len(trimmed(lines)):]
        got, output = expect.run(command, folder, wald)
        same = got == code and expect.matches(expected, output)
        passed += same
        if not same:
            complaints.append(f"{path.name}:{number}: $ {command.splitlines()[0]}\n    exit code {got}, expected {code}\n"
                              + expect.difference(expected, output))
        shown = expected if same else output.splitlines()
        seen += ["$ " + command.replace("\n", "\n> ")] + shown + ([f"[{got}]"] if got else []) + after
    shutil.rmtree(folder)
    return passed, complaints, "\n".join(head + seen) + "\n"


def main(arguments):
    update = "--update" in arguments
    arguments = [x for x in arguments if x != "--update"]
    wald, files = arguments[0], [pathlib.Path(x) for x in arguments[1:]]
    files = files or sorted((expect.ROOT / "tests/cli").rglob("*.test"))
    passed = failed = 0
    for path in files:
        good, complaints, seen = run_file(path, wald)
        if update and complaints: path.write_text(seen, encoding="utf-8")
        print("\n".join(complaints), end="\n" if complaints else "")
        passed, failed = passed + good, failed + len(complaints)
    return expect.close(passed, failed)


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
