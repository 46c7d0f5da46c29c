"""From a table to a model, and how well it may do: train, cross_validate, tune."""
import warnings

import numpy as np

from . import _wald
from ._errors import InterruptWarning, UsageError
from ._model import Model
from ._options import LEARNERS, settings_of, text_of
from ._table import READING, add_column, fresh, to_table


def _names(columns):
    return [columns] if isinstance(columns, str) else list(columns)


def _pose(data, target, given, learner, threads):
    """The task, and what the model is to keep of how it was made."""
    reading = {k: given.pop(k) for k in READING if given.get(k) not in (None, ())}
    if "na" in reading: reading["na"] = _names(reading["na"])
    table = to_table(data, threads=threads, **reading)
    taken = set(table.names)
    roles, recorded = {}, {}
    if target is not None:
        if isinstance(target, str) or (isinstance(target, (list, tuple)) and taken.issuperset(map(str, target))):
            roles["target"] = _names(target)
        else:
            name = fresh(str(getattr(target, "name", None) or "target"), taken)
            add_column(table, name, target)
            roles["target"] = [name]
    elif LEARNERS.get(learner, {}).get("needs_target", True):
        raise UsageError("train needs a target: the column to learn", "name it: target='COLUMN'")
    else:
        roles["no_target"] = True
    for role in ("weight", "query"):
        value = given[role]
        if value is None: continue
        if not isinstance(value, str):
            name = fresh(role, set(table.names))
            add_column(table, name, np.asarray(value))
            value = name
        roles[role] = recorded[role] = value
    for role in ("ignore", "keep"):
        if names := _names(given[role]):
            roles[role], recorded[role] = names, ",".join(names)
    if given["task"]:
        if given["task"] not in ("classes", "numbers"):
            raise UsageError(f"--task: '{given['task']}' is none of its choices", "choose one of classes, numbers")
        roles["task"] = recorded["task"] = given["task"]
    if given["drop_missing_target"]:
        roles["drop_missing_target"] = True
        recorded["drop-missing-target"] = "yes"
    notes = table.notes
    task = _wald.task_of(table, roles)
    return task, recorded, notes + task.notes, reading.get("na", [])


_ROLES = {"weight": None, "query": None, "ignore": (), "keep": (), "task": None, "drop_missing_target": False}


def _split(options):
    """Roles and reading apart from the learner's options."""
    given = {k: options.pop(k, v) for k, v in _ROLES.items()}
    given |= {k: options.pop(k) for k in READING if k in options}
    return given


def train(data, target=None, *, learner=_wald.default_learner, start=None, seed=1, threads=0, **options):
    """Fits a learner to a table.

    data: a path (.csv .tsv .svm, each also .gz; sqlite:FILE?table=T), a pandas frame, a mapping of columns, anything
    with the Arrow stream interface (polars, pyarrow), an array or a list of rows.
    target: the name of the column to learn (several, all numbers, as a list), or the target itself.
    options: those of the learner, named as on the command line with _ for -, and of the table: weight, query, ignore,
    keep, task ("classes" or "numbers"), drop_missing_target; of a file also delimiter, decimal, header, na, schema.
    start: a model of boost to add rounds to.

    Ctrl-C stops a learner that goes by rounds at the next one; the model is what was learned by then.

    >>> import wald
    >>> m = wald.train("data/iris.csv", target="class", learner="cart")
    >>> m.classes
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """
    given = _split(options)
    settings = settings_of(learner, options)
    task, recorded, notes, missing = _pose(data, target, given, learner, threads)
    core, interrupted = _wald.fit(learner, task, settings, seed, threads, missing, recorded,
                                  None if start is None else start._core)
    model = Model(core, notes)
    if interrupted:
        warnings.warn(f"interrupted: the best so far, {model.n_trees} trees, was kept", InterruptWarning, stacklevel=2)
    return model


class Validation(dict):
    """A list of values, one a fold, for each measure; `mean` and `deviation` of one."""

    def mean(self, measure): return float(np.nanmean(self[measure]))

    def deviation(self, measure): return float(np.nanstd(self[measure], ddof=1))

    def __repr__(self):
        return "\n".join(f"{name:22} {np.nanmean(v):.4g} +- {np.nanstd(v, ddof=1):.2g}" for name, v in self.items()
                         if np.isfinite(v).any())


def cross_validate(data, target, *, learner=_wald.default_learner, folds=5, repeats=1, seed=1, threads=0, **options):
    """How well a learner does on rows it has not seen: everything is learned anew in each fold.

    >>> import wald
    >>> v = wald.cross_validate("data/iris.csv", "class", learner="cart", folds=3)
    >>> len(v["accuracy"]), v.mean("accuracy") > 0.85
    (3, True)
    """
    given = _split(options)
    settings = settings_of(learner, options)
    task, *_ = _pose(data, target, given, learner, threads)
    found = _wald.cross_validate(learner, task, settings, folds, repeats, seed, threads)
    if found["interrupted"]:
        warnings.warn(f"interrupted after {found['folds']} folds", InterruptWarning, stacklevel=2)
    return Validation(found["measures"])


class Tuned(dict):
    """The options found, ready to be given to train; `trials` tells all that were tried, `worthwhile` whether they are
    better than the defaults by more than chance."""
    trials = ()
    worthwhile = False


_LOSSES = {"log_loss", "brier", "rmse", "mse", "mae", "mape", "max_error", "pinball"}  # of others more is better


def _quantiles(settings):
    """Where several are asked for; what is not a number is refused when it comes to fitting."""
    words = settings.get("quantile", "").split(",")
    try: return [float(word) for word in words] if len(words) > 1 else []
    except ValueError: return []


def tune(data, target, *, learner=_wald.default_learner, trials=20, seconds=0, folds=5, measure=None, seed=1, threads=0,
         **options):
    """Searches the learner's options by cross-validation; options given are not searched.

    >>> import wald
    >>> found = wald.tune("data/iris.csv", "class", learner="cart", trials=3, folds=3)
    >>> len(found.trials)
    3
    """
    given = _split(options)
    settings = settings_of(learner, options)
    task, *_ = _pose(data, target, given, learner, threads)
    quantiles = _quantiles(settings)
    measure = measure or ("log_loss" if task.classifies else "pinball" if quantiles else "rmse")
    names = _wald.measure_names(task, quantiles)
    if measure not in names: raise UsageError(f"no measure is called '{measure}'", f"give one of {', '.join(names)}")
    found = _wald.tune(learner, task, settings, folds, trials, seconds, measure,
                       measure.split("(")[0] not in _LOSSES, seed, threads)
    best = found["trials"][found["best"]]["settings"] if found["worthwhile"] else {}
    out = Tuned({**{k.replace("-", "_"): text_of(v) for k, v in settings.items()},
                 **{k.replace("-", "_"): v for k, v in best.items()}})
    out.trials, out.worthwhile = found["trials"], found["worthwhile"]
    return out


def load(path):
    """A model from a file written by Model.save or by the program wald.

    >>> import wald, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.wald")
    >>> wald.train("data/iris.csv", "class", learner="cart").save(path)
    >>> wald.load(path).learner
    'cart'
    """
    return Model.load(path)
