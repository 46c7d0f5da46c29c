"""Learners against each other, against their options and against an attacker: compare, curve, audit.

The program does the work (wald cv, wald curve, wald audit), so that options, refusals and figures are its own; a table in
memory is handed to it as a file with a schema, which keeps the types of its columns."""
import os
import tempfile

import numpy as np

from ._errors import UsageError
from ._model import Picture
from ._options import text_of
from ._program import run
from ._schema import columns_of, text_of_columns
from ._table import add_column, fresh, is_path, to_table
from ._train import Validation


def _as_file(data, target, schema, folder):
    """(path, names of the targets, schema) of any table and target that train takes."""
    if is_path(data): return os.fspath(data), target, schema
    table = to_table(data)
    named = isinstance(target, str) or isinstance(target, (list, tuple)) and set(table.names).issuperset(map(str, target))
    if target is not None and not named:
        name = fresh(str(getattr(target, "name", None) or "target"), set(table.names))
        add_column(table, name, target)
        target = name
    path = os.path.join(folder, "table.csv")
    with open(path, "wb") as file: file.write(table.csv())
    declared = {c["name"]: c for c in columns_of(schema)}
    columns = [{"name": name, "type": "number" if table.is_number(k) else "category"} | declared.get(name, {})
               for k, name in enumerate(table.names)]
    return path, target, {"wald_schema": 1, "columns": columns}


def _asked(verb, data, target, schema, options, folder, **more):
    path, target, schema = _as_file(data, target, schema, folder)
    if target is not None: options["target"] = target
    if schema is not None and not is_path(schema):
        file = os.path.join(folder, "schema.json")
        with open(file, "w", encoding="utf-8") as out: out.write(text_of_columns(columns_of(schema)))
        schema = file
    if schema is not None: options["schema"] = os.fspath(schema)
    return run(verb, path, **{k: v for k, v in (options | more).items() if v is not None and v != ()})


class Comparison(dict):
    """A Validation by the name of each learner; `best` of them by `measure`; `paired` tells how far each other one is from
    the best: difference, its standard error, t, p."""

    def __init__(self, found):
        super().__init__({one["learner"]: Validation({m: np.array([np.nan if f is None else f for f in v["folds"]])
                                                      for m, v in one["metrics"].items()}) for one in found["learners"]})
        self.best, self.measure, self.division = found["best"], found["measure"], found["division"]
        self.paired = {one["learner"]: one["against_best"] for one in found["learners"] if "against_best" in one}

    def __repr__(self):
        lines = [f"{self.measure}; {self.division}"]
        for name, found in self.items():
            rest = f"  p {self.paired[name]['p']:.2g} against {self.best}" if name in self.paired else ""
            lines.append(f"{name:16} {found.mean(self.measure):.4g} +- {found.deviation(self.measure):.2g}{rest}")
        return "\n".join(lines)


def compare(data, target, learners, *, folds=5, repeats=1, measure=None, seed=1, threads=None, schema=None, **options):
    """Cross-validates several learners on the same folds, as `wald cv` does: which is best, and whether by more than chance
    (paired t tests with the variance of Nadeau and Bengio).

    learners: their names. options: those of any of the learners (each goes to those that have it), and of `wald cv`: group, time,
    ignore, keep, weight, task, calibrate, cost, tune, ...

    >>> import wald
    >>> found = wald.compare("data/iris.csv", "class", ["cart", "c45"], folds=3)
    >>> sorted(found), found.measure, len(found["cart"]["accuracy"])
    (['c45', 'cart'], 'log_loss', 3)
    >>> 0 <= found.paired[min(set(found) - {found.best})]["p"] <= 1
    True
    """
    names = learners if isinstance(learners, str) else ",".join(learners)
    with tempfile.TemporaryDirectory() as folder:
        return Comparison(_asked("cv", data, target, schema, options, folder, learner=names, folds=folds, repeats=repeats,
                                 measure=measure, seed=seed, threads=threads))


class Curve(dict):
    """Columns of equal length: `at` (rows, rounds or the option's value), `value` (the same as text), `train` and `held` (means of
    the folds), `train_deviation`, `held_deviation`. `by` and `measure` name the axes; plot() draws them."""

    def __init__(self, found, picture):
        points = found["points"]
        super().__init__(at=np.array([p["at"] for p in points]), value=[p["value"] for p in points])
        for side in ("train", "held"):
            for name, key in ((side, "mean"), (f"{side}_deviation", "std")):
                self[name] = np.array([np.nan if p[side][key] is None else p[side][key] for p in points], dtype=float)
        self.learner, self.by, self.measure, self._picture = found["learner"], found["by"], found["measure"], picture

    def plot(self): return Picture(self._picture)

    def frame(self):
        import pandas
        return pandas.DataFrame(self)

    def _repr_svg_(self): return self._picture

    def __repr__(self):
        lines = [f"{self.measure} of {self.learner} by {self.by}: training rows, rows held out"]
        return "\n".join(lines + [f"{v:>12} {a:.4g} {b:.4g}" for v, a, b in zip(self["value"], self["train"], self["held"])])


def curve(data, target, *, learner=None, by="rows", values=None, folds=None, repeats=None, measure=None, seed=1, threads=None,
          schema=None, **options):
    """How the error falls with more rows (by="rows"), with an option (by="max_depth"), or round by round (by="rounds"), as
    `wald curve` does: on the rows trained on and on rows held out in turn.

    values: of the option, or shares of the rows. options: those of the learner, and of `wald curve`.

    >>> import wald
    >>> found = wald.curve("data/iris.csv", "class", learner="cart", by="max_depth", values=[1, 2, 4], folds=3)
    >>> found["value"], bool(found["train"][0] > found["train"][2])
    (['1', '2', '4'], True)
    >>> found.plot()[:4]
    '<svg'
    """
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "curve.svg")
        found = _asked("curve", data, target, schema, options, folder, learner=learner, by=by.replace("_", "-"),
                       values=values if values is None else text_of(values), folds=folds, repeats=repeats, measure=measure, seed=seed,
                       threads=threads, output=picture)
        with open(picture, encoding="utf-8") as file: return Curve(found, file.read())


def audit(data=None, target=None, *, epsilon=2.0, delta=None, algorithm=None, seconds=50, schema=None, ignore=(), **reading):
    """Attacks the private learner, as `wald audit` does: what it told of one row at least (`epsilon_lower`) beside the claim.

    With data, target and schema also trains once on these rows with canaries among them. A claim that is refuted is a
    wald.Failure; `passed` means that this attack did not refute it, which proves nothing more.

    >>> import wald
    >>> found = wald.audit(epsilon=1, seconds=1)
    >>> found["passed"], found["epsilon_lower"] < 1
    (True, True)
    """
    asked = {"epsilon": epsilon, "delta": delta, "algorithm": algorithm, "seconds": seconds, "ignore": ignore, **reading}
    if data is None:
        if target is not None or schema is not None: raise UsageError("target and schema are of the data", "give data too")
        return run("audit", **{k: v for k, v in asked.items() if v is not None and v != ()})
    with tempfile.TemporaryDirectory() as folder:
        return _asked("audit", data, target, schema, asked, folder)
