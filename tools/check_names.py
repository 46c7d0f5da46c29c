#!/usr/bin/python3
"""One name, one meaning: a type that two files define in one namespace breaks C++'s one-definition rule, which no
compiler or linker reports: the program then takes one type's destructor for the other's. Says where that is so."""
import collections
import pathlib
import re
import sys

OPEN = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{")
CLOSE = re.compile(r"^}  // namespace")
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: : [^;]*)? ?\{")


def types(text):  # with their namespaces; those of unnamed namespaces belong to their file alone
    inside = []
    for line in text.splitlines():
        if opened := OPEN.match(line): inside.append(opened[1])
        elif CLOSE.match(line) and inside: inside.pop()
        elif (found := TYPE.match(line)) and "" not in inside: yield "::".join([*inside, found[1]])


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    files = [p for top in ("include", "src", "python") for p in sorted((root / top).rglob("*.[ch]*")) if p.suffix in (".h", ".cpp")]
    where = collections.defaultdict(list)
    for path in files:
        for name in types(path.read_text(encoding="utf-8")): where[name].append(str(path.relative_to(root)))
    found = [f"{name} is defined in {' and in '.join(at)}: rename one" for name, at in where.items() if len(at) > 1]
    print("\n".join(found + [f"{len(files)} files, {len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__": sys.exit(main())
