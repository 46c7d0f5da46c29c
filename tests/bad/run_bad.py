#!/usr/bin/python3
"""Runs the corpus of bad inputs against any build: run_bad.py WALD [WORD]

With WORD only the cases whose name holds it, and their answers are shown. Whatever a case expects, every answer must
be one: a known exit code (no signal, no sanitizer report), in time, a line that begins with "error:", printable
text, no file left behind that the case does not expect, and no file that was given changed."""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case as cases  # noqa: E402
import tables, values, words, models, hostile, system  # noqa: E401, E402, F401  (each adds its cases to the list)

# A shell's background job is deaf to interrupts and its children inherit that; the tests send some.
signal.signal(signal.SIGINT, signal.default_int_handler)
CRASH = re.compile(r"Sanitizer|runtime error:|terminate called|core dumped|Assertion|\bstd::\w+")
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
               "ASAN_OPTIONS": "abort_on_error=1:allocator_may_return_null=0", "UBSAN_OPTIONS": "print_stacktrace=1"}


class Answer:
    def __init__(self, code, text, broken=""):
        self.code, self.text, self.broken = code, text, broken

    def because(self, reason): return Answer(self.code, self.text, reason)
    def with_code(self, code): return Answer(code, self.text, self.broken)


class Place:
    """A folder of its own for one case."""

    def __init__(self, program, folder, seconds):
        self.program, self.folder, self.seconds = program, folder, seconds

    def write(self, name, content):
        content = content() if callable(content) else content
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, name): return (self.folder / name).read_bytes()
    def answer(self, code, text): return Answer(code, text)

    def run(self, command, stdin=b"", **more):
        more.setdefault("stdout", subprocess.PIPE)
        if more["stdout"] is not subprocess.PIPE: more["stderr"] = subprocess.PIPE
        try:
            done = subprocess.run(command, cwd=self.folder, input=stdin, timeout=self.seconds, env=ENVIRONMENT,
                                  **{"stderr": subprocess.STDOUT, **more})
        except subprocess.TimeoutExpired:
            return Answer(-1, "", f"not over after {self.seconds} s")
        return Answer(done.returncode, ((done.stdout or b"") + (done.stderr or b"")).decode("utf-8", "surrogateescape"))

    def wald(self, *arguments, stdin=b""): return self.run([self.program, *arguments], stdin)

    def files(self):
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}


def complaint(one, answer, before, after):
    """What is wrong with the answer; empty if nothing is."""
    if answer.broken: return answer.broken
    if answer.code != one.code: return f"exit code {answer.code}, expected {one.code}"
    if CRASH.search(answer.text): return "a crash shows in the text"
    missing = [s for s in one.says if s not in answer.text]
    if missing: return f"does not say {missing}"
    said = [s for s in one.unsaid if s in answer.text]
    if said: return f"says {said}"
    if one.code and isinstance(one.command, str) and not re.search("^error: ", answer.text, re.M): return "no line begins with error:"
    if re.search("[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]", answer.text): return "prints control characters or invalid UTF-8"
    if len(answer.text) > 20_000: return f"an answer of {len(answer.text)} characters"
    new = set(after) - set(before) - set(one.written) - {"b.wald", "good.copy"}
    if new: return f"leaves {sorted(new)}"
    absent = set(one.written) - set(after)
    if absent: return f"did not write {sorted(absent)}"
    changed = [n for n in before if n not in one.written and after.get(n) != before[n]]
    return f"changed {changed}" if changed else ""


def attempt(one, program, fixtures, patience):
    with tempfile.TemporaryDirectory(prefix="wald-bad-") as name:
        place = Place(program, pathlib.Path(name), one.seconds * patience)
        for path in fixtures.iterdir(): shutil.copy(path, place.folder)
        for file, content in one.files.items(): place.write(file, content)
        before = place.files()
        if callable(one.command): answer = one.command(place)
        else: answer = place.wald(*shlex.split(one.command), stdin=one.stdin)
        return answer, complaint(one, answer, before, place.files())


def judged(one, *more):
    try: return attempt(one, *more)
    except Exception: return Answer(-1, traceback.format_exc()), "the case itself failed"


def make_fixtures(program, folder):
    place = Place(program, folder, 60)
    place.write("good.csv", cases.GOOD)
    for target, model in (("claim", "good.wald"), ("premium", "price.wald")):
        table = "good.csv"
        if target == "premium":  # the target has a missing cell there
            table = "price.csv"
            place.write(table, "\n".join(x for x in cases.GOOD.splitlines() if ",," not in x and x[0] != ",") + "\n")
        answer = place.wald("train", table, "--target", target, "-o", model)
        if answer.code: raise SystemExit(f"cannot make {model}: {answer.text}\n0 passed, 1 failed")


def main(program, word=""):
    program = str(pathlib.Path(program).resolve())
    chosen = [c for c in cases.CASES if word in c.name]
    names = [c.name for c in cases.CASES]
    assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    patience = 10 if b"__asan_init" in pathlib.Path(program).read_bytes() else 1
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="wald-bad-") as name:
        fixtures = pathlib.Path(name)
        make_fixtures(program, fixtures)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda one: judged(one, program, fixtures, patience), chosen))
    for one, (answer, wrong) in zip(chosen, answers):
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong: print(f"{one.name}: {wrong}")
        if wrong or word: print("".join(f"    | {ascii(x)[1:-1]}\n" for x in answer.text.splitlines()[:12]), end="")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
