"""Arrays of floats and doubles are read where they lie."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import weakref

import numpy as np
import pandas as pd

import wald

CODE = """
import sys
sys.path[:0] = {path!r}
import numpy as np
import wald
X = np.empty(({rows}, 40), dtype={kind!r}, order={order!r})
random = np.random.RandomState(0)
for c in range(40): X[:, c] = random.randint(0, 1000, {rows})
y = X[:, 0] + X[:, 1]
few = X[:500].copy()
run = lambda X, y: {call}
run(few, y[:500].copy())
def peak(): return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = peak()
run(X, y)
print((peak() - before) / X.nbytes)
"""
TRAIN = "wald.train(X, y, learner='cart', max_depth=2, bins=64, threads=1)"
FIT = "wald.TreeRegressor(max_depth=2, bins=64, threads=1).fit(X, y).predict(X)"


def growth(rows=240_000, **how):
    """How much memory a call took besides the array, in sizes of the array; of so many rows that pages of 2 MB are few of it."""
    code = CODE.format(path=sys.path[:1], rows=rows, **how)
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


class Memory(unittest.TestCase):
    def test_arrays_of_floats_and_doubles_are_not_copied(self):
        # Codes of a byte a cell, by columns and by rows, and what is of the length of a column.
        for kind, order, call in (("f8", "C", TRAIN), ("f8", "F", FIT), ("f4", "C", FIT), ("f4", "F", TRAIN)):
            with self.subTest(kind + order + call[:10]):
                self.assertLess(growth(kind=kind, order=order, call=call), 0.6 if kind == "f8" else 0.9)

    def test_rows_put_into_another_order_are_not_copied_either(self):
        self.assertLess(growth(90_000, kind="f8", order="C", call=FIT), 0.6)  # see python/arrange.h

    def test_an_array_is_let_go_and_may_change_once_it_was_learned_from(self):
        X = np.random.RandomState(0).rand(200, 3)
        model = wald.TreeRegressor().fit(X, X[:, 0])
        reasons = model.model_.explain(X)
        drawn = reasons.plot("beeswarm")
        self.assertEqual(sys.getrefcount(X), 2)
        X[:] = np.nan
        self.assertEqual(reasons.plot("beeswarm"), drawn)

    def test_an_array_lives_as_long_as_it_is_read(self):
        class Watched(np.ndarray): pass
        X = np.random.RandomState(0).rand(50, 2).view(Watched)
        gone = weakref.ref(X)
        table = wald._wald.Table("X")
        table.add_matrix(["a", "b"], X)
        del X
        self.assertIsNotNone(gone())
        del table
        self.assertIsNone(gone())


class SameBytes(unittest.TestCase):
    def test_lent_arrays_teach_what_a_file_does(self):
        random = np.random.RandomState(1)
        wide = np.round(random.rand(400, 9) * 50, 2).astype(np.float32)
        wide[random.rand(400, 9) < 0.05] = np.nan
        y = np.round(np.nan_to_num(wide[:, 0]) + np.nan_to_num(wide[:, 4]), 1)
        names = [f"x{i}" for i in range(9)]
        for kind in (np.float32, np.float64):
            X = wide.astype(kind)
            text = pd.DataFrame(X.astype(np.float64), columns=names).assign(target=y)
            path = os.path.join(tempfile.mkdtemp(), "table.csv")
            text.to_csv(path, index=False, float_format="%.17g")
            for learner in ("cart", "boost", "forest"):
                options = {"learner": learner, "task": "numbers"} | ({} if learner == "cart" else {"trees": 5})
                whole = wald.train(path, "target", **options)
                views = {"C": np.ascontiguousarray(X), "F": np.asfortranarray(X), "every second": np.repeat(X, 2, 1)[:, ::2],
                         "backwards": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1], "frame": pd.DataFrame(X, columns=names)}
                views["locked"] = views["C"].copy()
                views["locked"].flags.writeable = False
                for name, view in views.items():
                    with self.subTest(f"{learner} {kind.__name__} {name}"):
                        model = wald.train(view, y, **options)
                        self.assertEqual(model.to_bytes(), whole.to_bytes())
                        np.testing.assert_array_equal(model.predict(view), whole.predict(path))
            pathlib.Path(path).unlink()
