#!/usr/bin/python3
"""The checkers are trusted only because they are seen to complain."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402
import check_names  # noqa: E402
import check_sizes  # noqa: E402
import expect  # noqa: E402
import run_cli_tests  # noqa: E402


def layer_complaints(name, text, public=False):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.cpp"
        path.write_text(text)
        return list(check_layers.complaints(path, name, public))


class Layers(unittest.TestCase):
    def test_downwards_is_allowed(self):
        self.assertEqual(layer_complaints("tree/grow.cpp", '#include "core/text.h"\n#include "tree/tree.h"\n#include <vector>\n'), [])

    def test_upwards_sideways_and_unknown_are_not(self):
        for include in ("learn/cart.h", "linear/solve.h", "wald/model.h", "grow.h", "wald/unheard.h"):
            self.assertTrue(layer_complaints("tree/grow.cpp", f'#include "{include}"\n'), include)

    def test_a_public_header_sees_only_public_headers_and_std(self):
        self.assertEqual(layer_complaints("wald/model.h", '#include "wald/table.h"\n#include <map>\n', True), [])
        for include in ('"core/text.h"', "<fmt/format.h>", "<zlib.h>"):
            self.assertTrue(layer_complaints("wald/model.h", f"#include {include}\n", True), include)

    def test_only_learn_sees_an_engine_and_privacy(self):
        both = '#include "privacy/budget.h"\n#include "tree/grow.h"\n'
        self.assertEqual(layer_complaints("learn/private_boost.cpp", both), [])
        self.assertTrue(layer_complaints("measure/audit.cpp", both))
        self.assertTrue(layer_complaints("tree/grow.cpp", '#include "privacy/budget.h"\n'))


class Names(unittest.TestCase):
    def test_types_carry_their_namespaces_and_unnamed_ones_are_nobodys(self):
        text = "namespace wald {\nnamespace {\nstruct Own {\n};\n}  // namespace\nstruct Shared {\n};\nstruct Said;\nenum class Kind { A };\n}  // namespace wald\n"
        self.assertEqual(list(check_names.types(text)), ["wald::Shared", "wald::Kind"])


class Sizes(unittest.TestCase):
    def lengths(self, text): return [last - first + 1 for first, last in check_sizes.functions(text)]

    def test_functions_are_measured_with_their_heads(self):
        self.assertEqual(self.lengths("int f(int a,\n      int b) {\n  return a + b;\n}\nvoid g() {}\n"), [4, 1])

    def test_methods_and_nested_blocks_count_once(self):
        text = "namespace n {\nstruct S {\n  int x = 0;\n  S() : x(1) {\n    if (x) {\n    }\n  }\n  bool operator==(const S&) const { return true; }\n};\n}\n"
        self.assertEqual(self.lengths(text), [4, 1])

    def test_braces_in_texts_and_comments_do_not_count(self):
        self.assertEqual(self.lengths('void f() {\n  g("}{", \'{\', 1\'000);  // }\n}\nint table[] = {1, 2};\n'), [3])


class Transcripts(unittest.TestCase):
    def test_dots_stand_for_anything(self):
        self.assertTrue(expect.matches(["a", "...", "z ... end"], "a\nb\nc\nz 12 end\n"))
        self.assertTrue(expect.matches(["...", "z"], "z\n"))
        self.assertFalse(expect.matches(["a"], "a\nb\n"))
        self.assertFalse(expect.matches(["a...c"], "a\nc\n"))

    def test_steps_are_read(self):
        steps = list(run_cli_tests.parse("# head\n$ one\n> two\nout\n[3]\n\n$ three\n"))
        self.assertEqual([(s[1], run_cli_tests.trimmed(s[2]), s[3]) for s in steps], [("one\ntwo", ["out"], 3), ("three", [], 0)])


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    wrong = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - wrong} passed, {wrong} failed", flush=True)
    sys.exit(1 if wrong else 0)
