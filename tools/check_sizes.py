#!/usr/bin/python3
"""Sizes that keep the code readable: lines of a file and of a function, headers seen, depth of includes.

Functions are found by their braces: a block outside any other function whose head has an argument list. Only headers of
src/ are counted: the installed ones are few, small and the same for everybody."""
import pathlib
import re
import statistics
import sys

FILE_LINES, FUNCTION_LINES, MEDIAN_LINES, HEADERS, DEPTH = 400, 80, 8, 25, 8
ROOT = pathlib.Path(__file__).resolve().parent.parent
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
                   r'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|concept|extern)\b")


def blanked(text):  # comments, literals and preprocessor lines removed, line ends kept
    return NOISE.sub(lambda m: "\n" * m.group().count("\n"), text)


def opens_function(head):
    if "(" not in head or re.search(r"=\s*$", head): return False
    before = head.split("(")[0]
    return not (SCOPE.search(re.sub(r"<[^()]*>", "", before)) and "operator" not in before)


def functions(text):
    """Yields (first line, last line) of every function body with its head."""
    depth, inside, start, line = 0, None, 0, 1
    text = blanked(text)
    for at, char in enumerate(text):
        if char == "\n": line += 1
        if char == "{":
            head = text[start:at]
            if inside is None and opens_function(head):
                inside = (depth, line - head.lstrip().count("\n"))
            depth += 1
        elif char == "}":
            depth -= 1
            if inside and inside[0] == depth:
                yield inside[1], line
                inside = None
        if char in "{};" or (char == ":" and text[start:at].strip() in ("public", "private", "protected")): start = at + 1


def included(path):
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)', path.read_text(encoding="utf-8"), re.M):
        if (ROOT / "src" / name).exists(): yield ROOT / "src" / name


def headers_seen(path, depth=0, seen=None):
    """All of our headers below path, and how deep the includes go."""
    seen = {} if seen is None else seen
    for header in included(path):
        if seen.get(header, -1) < depth + 1 and depth < 30:
            seen[header] = depth + 1
            headers_seen(header, depth + 1, seen)
    return seen


def check_file(path, lengths):
    text = path.read_text(encoding="utf-8")
    name, lines = path.relative_to(ROOT), text.count("\n")
    if lines > FILE_LINES: yield f"{name}: {lines} lines, at most {FILE_LINES}"
    if path.suffix not in (".h", ".cpp"): return
    for first, last in functions(text):
        length = last - first + 1
        if length > FUNCTION_LINES: yield f"{name}:{first}: a function of {length} lines, at most {FUNCTION_LINES}"
        if not path.stem.endswith("_test"): lengths.append(length)
    if path.suffix == ".cpp":
        seen = headers_seen(path)
        deepest = max(seen.values(), default=0)
        if len(seen) > HEADERS: yield f"{name}: sees {len(seen)} of our headers, at most {HEADERS}"
        if deepest > DEPTH: yield f"{name}: includes {deepest} deep, at most {DEPTH}"


def main():
    files = [ROOT / "dev", ROOT / "CMakeLists.txt"]
    for folder in ("include", "src", "tests", "bench", "tools", "cmake", "python"):
        files += [p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in (".h", ".cpp", ".py", ".sh", ".cmake")]
    lengths = []
    found = [what for path in files for what in check_file(path, lengths)]
    median = statistics.median(lengths or [0])
    if median > MEDIAN_LINES: found.append(f"the median function has {median} lines, at most {MEDIAN_LINES}")
    print("\n".join(found))
    print(f"{len(files)} files, {len(lengths)} functions, median {median:g} lines, longest {max(lengths, default=0)}")
    return 1 if found else 0


if __name__ == "__main__": sys.exit(main())
