#!/usr/bin/python3
"""Includes go strictly downwards (the order of docs/decisions and CONTRIBUTING.md); says where they do not."""
import pathlib
import re
import sys

ORDER = [["core"], ["table"], ["prepare", "loss", "privacy"], ["tree", "linear", "kernel", "neighbours", "network"],
         ["model"], ["learn"], ["measure", "explain", "exchange"], ["report"], ["wald"], ["cli"]]
RANK = {layer: rank for rank, layers in enumerate(ORDER) for layer in layers}
ENGINES = set(ORDER[3])
PUBLIC = {"array": "core", "link": "core", "calibration": "core", "loss": "core", "result": "core", "run": "core", "version": "core", "table": "table", "preparation": "table", "task": "table",
          "forest": "tree", "model": "model", "predict": "model", "learn": "learn", "privacy": "learn", "private_task": "privacy",
          "rounds": "learn", "forests": "learn", "measure": "measure", "validate": "measure", "tune": "measure", "decide": "measure", "explain": "explain", "wald": "wald"}


def layer_of(name):  # of "tree/grow.h" or "wald/forest.h"; None = unknown
    folder, _, file = name.partition("/")
    return PUBLIC.get(file.removesuffix(".h")) if folder == "wald" else folder if folder in RANK else None


def complaints(path, name, public):
    includes = re.findall(r'^\s*#\s*include\s+([<"])([^">]+)', path.read_text(encoding="utf-8"), re.M)
    here, seen = layer_of(name), set()
    if here is None: yield "belongs to no layer: name it in tools/check_layers.py"
    for mark, target in includes:
        if mark == "<":
            if public and re.search(r"[./]", target): yield f"a public header includes <{target}>"
            continue
        there = layer_of(target)
        if public and not target.startswith("wald/"): yield f'a public header includes "{target}"'
        if there is None and not (target == "model_generated.h" and here == "model"):
            yield f'includes "{target}", which is in no layer'
        elif name.endswith(("_test.cpp", "_test.h")) and target.startswith("wald/"): continue  # a test may be a user of the whole
        elif there and here and there != here and RANK[there] >= RANK[here]:
            yield f'{here} includes "{target}" of {there}, which is not below it'
        seen.add(there)
    if here in ENGINES and "privacy" in seen or here != "learn" and seen & ENGINES and "privacy" in seen:
        yield "sees an engine and privacy together, which only learn may"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    files = [(p, str(p.relative_to(root / "include")), True) for p in sorted((root / "include").rglob("*.h"))]
    files += [(p, str(p.relative_to(root / "src")), False) for p in sorted((root / "src").rglob("*.[ch]*"))]
    found = [f"{p.relative_to(root)}: {what}" for p, name, public in files for what in complaints(p, name, public)]
    print("\n".join(found + [f"{len(files)} files, {len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__": sys.exit(main())
