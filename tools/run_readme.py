#!/usr/bin/python3
"""Runs the documentation: run_readme.py WALD

The `sh` blocks of README.md and of each page of docs/guide and docs/methods run in order, a page in one empty folder
that holds a copy of the bundled tables. The `text` block that follows one must be what it printed (`...` stands for
anything). A block marked ```sh skip is for the eye only. A `cpp` block must be the program that the install test
builds and runs. An options table must name what `wald train --learner NAME --help` names, with its default."""
import json
import pathlib
import re
import shutil
import sys
import tempfile

import expect

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.S | re.M)


def run_block(code, expected, folder, wald):
    got, output = expect.run("set -e\n" + code, folder, wald)
    if got: return f"exit code {got}\n{output}"
    if expected is None or expect.matches(expected.splitlines(), output): return ""
    return "printed something else\n" + expect.difference(expected.splitlines(), output)


def run_page(path, wald):
    """Yields (line, complaint or "") for every block that is run or compared."""
    text = path.read_text(encoding="utf-8")
    blocks = [(text.count("\n", 0, m.start()) + 1, m[1], m[2].strip(), m[3]) for m in BLOCK.finditer(text)]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wald-tour-"))
    for table in (expect.ROOT / "data").glob("*.csv"): shutil.copy(table, folder)
    for (line, kind, mark, code), after in zip(blocks, blocks[1:] + [(0, "", "", "")]):
        if kind == "sh" and mark != "skip":
            yield line, run_block(code, after[3] if after[1] == "text" else None, folder, wald)
        if kind == "cpp" and mark != "skip":
            program = (expect.ROOT / "tests/install/main.cpp").read_text(encoding="utf-8")
            yield line, "" if code == program else "is not the program of tests/install/main.cpp"
    shutil.rmtree(folder)


def check_options(path, wald):
    """The rows `| --name | default | ... |` of a method's page against what the program says of itself."""
    written = {m[1]: m[2].strip("` ") for m in
               re.finditer(r"^\| `--([\w-]+)` \| ([^|]+) \|", path.read_text(encoding="utf-8"), re.M)}
    code, output = expect.run(f"wald train --learner {path.stem} --help --json", "/", wald)
    try: options = {o["name"]: str(o["default"]) for o in json.loads(output)["options"]}
    except (ValueError, KeyError, TypeError): return f"wald train --learner {path.stem} --help --json: exit code {code}\n{output}"
    wrong = [f"--{k}: page {written.get(k)!r}, program {options.get(k)!r}"
             for k in sorted(written.keys() | options.keys()) if written.get(k) != options.get(k)]
    return "\n".join(wrong)


def main(wald):
    pages = [expect.ROOT / "README.md"] + sorted((expect.ROOT / "docs").glob("guide/*.md"))
    methods = sorted((expect.ROOT / "docs").glob("methods/*.md"))
    passed = failed = 0
    results = [(p, line, what) for p in pages + methods for line, what in run_page(p, wald)]
    learners = [p for p in methods if "\n## Options\n" in p.read_text(encoding="utf-8")]
    results += [(p, 1, check_options(p, wald)) for p in learners]
    for path, line, complaint in results:
        passed, failed = passed + (not complaint), failed + bool(complaint)
        if complaint: print(f"{path.relative_to(expect.ROOT)}:{line}: {complaint}")
    return expect.close(passed, failed)


if __name__ == "__main__": sys.exit(main(sys.argv[1]))
