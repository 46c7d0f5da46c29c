"""A model: what was learned, and everything that can be asked of it."""
import json
import os
import warnings

import numpy as np

from . import _wald
from ._errors import DataWarning, UsageError
from ._options import running, share, whole
from ._table import add_column, fresh, numbered, to_table


class Picture(str):
    """An SVG file's text. A notebook shows it; save() writes it."""

    def _repr_svg_(self): return str(self)

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file: file.write(self)

    def __repr__(self): return f"<SVG picture of {len(self):,} bytes>"


class Tree:
    """One tree of a model."""

    def __init__(self, core, index):
        if index < 0: raise IndexError("trees are counted from 0")
        core.tree_nodes(index)[:0]  # an index out of range is refused here
        self._core, self.index = core, index

    def text(self, depth=64): return self._core.tree(self.index, "text", depth)

    def show(self, depth=64): print(self.text(depth))

    def rules(self):
        """One line a leaf: the conditions that lead to it."""
        return self._core.tree(self.index, "rules", 0)

    def dot(self, depth=64):
        """In the language of Graphviz."""
        return self._core.tree(self.index, "dot", depth)

    def plot(self, depth=64): return Picture(self._core.tree(self.index, "svg", depth))

    def nodes(self):
        """A dictionary a node, the root first: its values, and of a test its column, threshold and children."""
        return self._core.tree_nodes(self.index)

    def __str__(self): return self.text()

    def _repr_svg_(self): return str(self.plot())


class Explanation:
    """What each column added to each prediction (Shapley values): base + the sum of a row's values is its score.

    base: one number an output; score: rows x outputs; values: rows x outputs x columns; interactions: rows x outputs x
    columns x columns where asked for. Outputs are the model's: one for numbers and for two classes, else one a class.
    """

    def __init__(self, reasons, columns):
        self._reasons, self.columns = reasons, columns
        self.base, self.score, self.values = reasons.base, reasons.score, reasons.values
        self.interactions = reasons.interactions

    def plot(self, kind=None, row=0, column=None, output=0):
        """kind: "beeswarm" (of many rows), "waterfall" (of one row), "bar", or "dependence" on a column."""
        if kind is None: kind = "dependence" if column is not None else "waterfall" if len(self.score) == 1 else "beeswarm"
        if kind not in ("beeswarm", "waterfall", "bar", "dependence"):
            raise UsageError(f"--plot: '{kind}' is none of its choices",
                             "choose one of beeswarm, waterfall, bar, dependence")
        if kind == "dependence" and column is None: raise UsageError("a dependence is on a column", "name it: column=")
        return Picture(self._reasons.svg(kind, row, column or "", output))

    def frame(self, output=0):
        """The values of one output as a pandas frame."""
        import pandas
        return pandas.DataFrame(self.values[:, output, :], columns=self.columns)

    def _repr_svg_(self): return str(self.plot())

    def __repr__(self): return f"<Explanation of {len(self.score)} rows by {len(self.columns)} columns>"


class Measures(dict):
    """Measures by name; `rows` they are of, `classes`, and `confusion`[actual][predicted]."""

    def __init__(self, found):
        super().__init__(found["measures"])
        self.rows, self.classes, self.confusion = found["rows"], found["classes"], np.array(found["confusion"])

    def __repr__(self): return "\n".join(f"{name:22} {value:.4g}" for name, value in self.items())


def column_of(table, role, given):
    """The name of a column of the table; cells given in its place are added. Nothing given: no name."""
    if given is None or isinstance(given, str): return given or ""
    name = fresh(role, set(table.names))
    add_column(table, name, np.asarray(given))
    return name


def class_values(names):
    """Class names as an array: of whole numbers or numbers where all are, else of words."""
    for kind in (int, float):
        try: return np.array([kind(n) for n in names])
        except ValueError: pass
    return np.array(names, dtype=object)


def where_spoken(classes, trees):
    """Predicted classes as they are; where no tree spoke None, for which the array holds objects."""
    if trees.all(): return classes
    out = classes.astype(object)
    out[trees == 0] = None
    return out


class Model:
    """Made by train or load; the same in a file of Model.save and in one of the program wald.

    >>> import wald
    >>> m = wald.train("data/iris.csv", target="class", learner="cart")
    >>> m.predict("data/iris.csv")[:2]
    array(['Iris-setosa', 'Iris-setosa'], dtype=object)
    >>> m.predict_proba("data/iris.csv").shape
    (150, 3)
    """

    def __init__(self, core, notes=(), measures=None, privacy=None):
        self._core, self.notes, self.measures, self.privacy = core, list(notes), measures, privacy
        self._about = core.describe()

    @classmethod
    def load(cls, path): return cls(_wald.load(os.fspath(path)))

    def save(self, path, force=False):
        """Whole or not at all; a file that exists is replaced only with force."""
        self._core.save(os.fspath(path), force)

    def to_bytes(self):
        """The file's content."""
        return self._core.bytes()

    def __getstate__(self):
        return {"model": self.to_bytes(), "notes": self.notes, "measures": self.measures, "privacy": self.privacy}

    def __setstate__(self, state):
        self.__init__(_wald.from_bytes(state["model"]), state["notes"], state["measures"], state["privacy"])

    def __eq__(self, other): return isinstance(other, Model) and self.to_bytes() == other.to_bytes()

    __hash__ = None

    # --- what it is

    learner = property(lambda self: self._about["learner"])
    options = property(lambda self: dict(self._about["options"]), doc="every option with the value used")
    seed = property(lambda self: self._about["seed"])
    n_trees = property(lambda self: self._about["trees"])
    target = property(lambda self: self._about["target"]["name"])
    columns = property(lambda self: [c["name"] for c in self._about["columns"]], doc="those the model uses, by name")
    curve = property(lambda self: self._about["curve"], 
                     doc="train and held-out measure after each round; of adaboost also `rounds`, each with all its figures")

    threshold = property(lambda self: self._about["threshold"],
                         doc="of two classes the second is predicted where its probability is above this; None: above a half")
    found = property(lambda self: dict(self._about["found"]), doc="what training found out: oob_accuracy of forests, ...")

    @property
    def classes(self):
        """The classes in the order of predict_proba's columns; None for numbers."""
        return list(self._about["target"]["levels"]) if self._about["classifies"] else None

    def describe(self):
        """All of it as dictionaries and lists, ready for JSON."""
        return json.loads(json.dumps(self._about))

    def __repr__(self):
        about = self._about
        what = f"{len(self.classes)} classes" if self.classes else "a number"
        lines = [f"{self.learner}: {self.n_trees} tree{'s' * (self.n_trees != 1)}, "
                 + (f"learned from {about['rows']:,} rows, " if about["rows"] else "")  # a private model does not tell
                 + f"{len(self.columns)} columns", f"target {' '.join(about['targets'])}: {what}"]
        if self.classes: lines[1] += f" ({', '.join(self.classes[:6])}{', ...' * (len(self.classes) > 6)})"
        if held := self.curve["held"]:
            best = self.curve["best"]
            if 0 < best <= len(held): lines.append(f"held out: {self.curve['measure']} {held[best - 1]:.4g} after {best} rounds")
        bag = {k[4:]: v for k, v in self.found.items() if k.startswith("oob_") and k != "oob_rows"}
        shown = [f"{k} {bag[k]:.4g}" for k in ("accuracy", "auc", "log_loss", "rmse", "r2") if k in bag]
        if shown: lines.append("out of bag: " + ", ".join(shown))
        if self.measures:
            shown = [f"{k} {self.measures[k]:.4g}" for k in ("accuracy", "auc", "log_loss", "concordance", "ndcg", "rmse", "r2") if k in self.measures]
            lines.append(f"measured on {self.measures.rows:,} rows: " + ", ".join(shown))
        if self.privacy: lines.append(f"private: epsilon {self.privacy['epsilon']:g} at delta {self.privacy['delta']:g}, "
                                      f"{self.privacy['neighbours']}")
        top = [f"{name} {share:.1%}" for name, share in list(self.importance().items())[:5] if share > 0]
        if top: lines.append("most gain from " + ", ".join(top))
        return "\n".join(lines)

    def show(self): print(self)

    # --- what it says

    def _table(self, data, threads=0):
        return to_table(data, model=self._core, threads=threads)

    def _predict(self, data, threads):
        values, codes, said = self._core.predict(self._table(data, threads), threads)
        for warning in said: warnings.warn(warning, DataWarning, stacklevel=3)
        return values, codes

    def predict(self, data, threads=0):
        """The class or the number of each row; of several targets or quantiles a column each."""
        values, codes = self._predict(data, threads)
        if codes is not None: return class_values(self.classes)[codes]
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(self, data, threads=0):
        """The probability of each class: rows x classes."""
        if not self.classes: raise UsageError("the model predicts numbers, which have no probabilities", "call predict")
        return self._predict(data, threads)[0]

    def evaluate(self, data, threads=0, *, query=None, weight=None):
        """Every measure on a table that has the target.

        query: of ranking, the column that says which rows are ranked together, or its cells; that of the training unless
        given. weight: the column that says how much each row counts, or its cells.

        >>> import wald
        >>> m = wald.train("data/iris.csv", target="class", learner="cart")
        >>> m.evaluate("data/iris.csv")["accuracy"] > 0.9
        True
        """
        table = self._table(data, threads)
        columns = [column_of(table, role, given) for role, given in (("query", query), ("weight", weight))]
        found = self._core.evaluate(table, threads, *columns)
        for warning in found["warnings"]: warnings.warn(warning, DataWarning, stacklevel=2)
        return Measures(found)

    # --- why

    def explain(self, data, background=None, interactions=False, threads=0):
        """Exact Shapley values of every row; with a background against its rows, else as the trees counted theirs.

        >>> import wald
        >>> m = wald.train("data/auto_mpg.csv", target="mpg", learner="cart")
        >>> e = m.explain("data/auto_mpg.csv")
        >>> bool(abs(e.base + e.values.sum(axis=2) - e.score).max() < 1e-9)
        True
        >>> e.plot()[:4]
        '<svg'
        """
        against = None if background is None else self._table(background, threads)
        reasons = _wald.Reasons(self._core, self._table(data, threads), against, interactions, [], threads)
        for warning in reasons.warnings: warnings.warn(warning, DataWarning, stacklevel=2)
        return Explanation(reasons, self.columns)

    def importance(self, data=None, kind="gain", repeats=5, seed=1, threads=0):
        """Columns and how much they matter, the most first: shares of the "gain", "cover" or "count" of all splits; with
        data how much worse predictions become when the column is shuffled: by log loss of classes, root mean squared error
        of numbers, concordance of risks, NDCG of rankings."""
        if kind not in ("gain", "cover", "count"):
            raise UsageError(f"no importance is called '{kind}'", "choose one of gain, cover, count; with data the column is shuffled")
        if data is None:
            sizes = self._core.importance()[kind]
            if sizes.size == 0: sizes = self._core.importance()["count"]
            sizes = sizes / (sizes.sum() or 1)
        else:
            sizes = self._core.permutation_importance(self._table(data, threads), repeats, seed, threads)["mean"]
        order = np.argsort(-sizes, kind="stable")
        return {self.columns[i]: float(sizes[i]) for i in order}

    def dependence(self, data, column, output=0, points=40, threads=0):
        """How the score depends on one column (partial dependence): grid, mean, and a picture."""
        found = self._core.dependence(self._table(data, threads), column, output, points, threads)
        found["picture"] = Picture(found.pop("svg"))
        return found

    def tree(self, index=0):
        """One tree, counted from 0.

        >>> import wald
        >>> tree = wald.train("data/golf.csv", target="play", learner="c45").tree(0)
        >>> tree.nodes()[0]["column"]
        'outlook'
        """
        return Tree(self._core, index)

    # --- forests, which remember from the seed who was in which tree's bag

    def _training(self, data, threads): return _wald.training_task(self._core, self._table(data, threads))

    def _asked(self, data, threads):
        """A table to ask the forest about; levels that it does not know are warned of by whoever is called."""
        table = self._table(data, threads)
        for warning in _wald.level_warnings(self._core, table): warnings.warn(warning, DataWarning, stacklevel=3)
        return table

    def out_of_bag(self, data, threads=0):
        """Each row of the training table as the trees see it that did not learn from it: a dictionary of `prediction`,
        `proba` (classes), `trees` that spoke and `measures`. Where none spoke, a number is NaN and a class is None.

        >>> import wald
        >>> m = wald.train("data/iris.csv", target="class", learner="forest", trees=50)
        >>> m.out_of_bag("data/iris.csv")["measures"]["oob_accuracy"] > 0.9
        True
        """
        found = _wald.out_of_bag(self._core, self._training(data, threads), threads)
        values, trees = found["values"], found["trees"]
        values[trees == 0] = np.nan
        out = {"trees": trees, "measures": found["measures"]}
        if found["codes"] is None: return {"prediction": values[:, 0], **out}
        return {"prediction": where_spoken(class_values(self.classes)[found["codes"]], trees), "proba": values, **out}

    def intervals(self, training, data, level=0.9, threads=0):
        """Between which numbers a share `level` of the targets lies, for each row of data: columns low, median, high.
        training: the table that the forest was trained on."""
        which = _wald.interval_quantiles(share("level", level, "the targets", 0.9))
        task = self._training(training, threads)
        return _wald.forest_quantiles(self._core, task, self._asked(data, threads), which, threads)

    def quantiles(self, training, data, quantiles, threads=0):
        """Quantiles of the target, a column each, by the training rows that share leaves with a row."""
        try: which = [float(q) for q in quantiles]
        except (TypeError, ValueError):
            raise UsageError(f"quantiles: {quantiles!r} is no list of numbers", "give some from 0 to 1, for example [0.1, 0.9]") from None
        task = self._training(training, threads)
        return _wald.forest_quantiles(self._core, task, self._asked(data, threads), which, threads)

    def standard_errors(self, training, data, threads=0):
        """How far predictions would move had other rows been drawn for training: rows x width of a prediction. Not of a
        model that calibrate made to say something else than its trees."""
        task = self._training(training, threads)
        return _wald.standard_errors(self._core, task, self._asked(data, threads), threads)

    def proximity(self, data, row=None, threads=0):
        """The share of the trees in which rows end in one leaf: of one row, counted from 0, to all, or of all to all."""
        table = self._asked(data, threads)
        if row is not None: return _wald.proximity(self._core, table, whole("row", row, 0, table.rows - 1), threads)
        return np.array([_wald.proximity(self._core, table, k, threads) for k in range(table.rows)])

    def out_of_bag_importance(self, training, seed=1, threads=0):
        """Columns by what they bring to rows out of bag: dictionaries `gain` (0 on average for noise) and `permutation`."""
        seed, threads = running(seed, threads)
        found = _wald.out_of_bag_importance(self._core, self._training(training, threads), seed, threads)
        return {kind: dict(zip(self.columns, values.tolist())) for kind, values in found.items()}

    def rows(self, width=None, names=None):
        """For single rows in microseconds: an object whose values(X) and labels(X) take few rows of doubles."""
        names = list(names) if names is not None else self.columns if width is None else numbered(width)
        return _wald.Rows(self._core, [names.index(c) for c in self.columns], len(names))
