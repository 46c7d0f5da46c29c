"""From a table to a model, and how well it may do: train, cross_validate, tune."""
import warnings

import numpy as np

from . import _wald
from ._errors import DataWarning, InterruptWarning, UsageError
from ._model import Measures, Model, column_of
from ._options import LEARNERS, deciding_of, running, settings_of, share, text_of, whole
from ._private import train_privately
from ._schema import text_of_schema
from ._table import READING, add_column, fresh, to_table


def _names(columns):
    return [columns] if isinstance(columns, str) else list(columns)


def _add_targets(table, target, taken):
    """Targets that are no columns of the table: one, or of two dimensions several; their names."""
    if getattr(target, "ndim", 1) != 2:
        name = fresh(str(getattr(target, "name", None) or "target"), taken)
        add_column(table, name, target)
        return [name]
    frame = hasattr(target, "iloc")
    names = [str(c) for c in target.columns] if frame else [f"target{k}" for k in range(target.shape[1])]
    names = [fresh(name, taken) for name in names]
    for k, name in enumerate(names): add_column(table, name, target.iloc[:, k] if frame else target[:, k])
    return names


def _judge(stop_on, targets, threads):
    """The table to stop by: any with the target, or a pair of columns and target."""
    if stop_on is None: return None
    if not isinstance(stop_on, tuple): return to_table(stop_on, threads=threads)
    table = to_table(stop_on[0], threads=threads)
    y = stop_on[1]
    for k, name in enumerate(targets):
        add_column(table, name, y if len(targets) == 1 else y.iloc[:, k] if hasattr(y, "iloc") else np.asarray(y)[:, k])
    return table


def _pose(data, target, given, learner, settings, threads, start=None):
    """The task, and what the model is to keep of how it was made."""
    reading = {k: given.pop(k) for k in READING if given.get(k) not in (None, ())}
    if "na" in reading: reading["na"] = _names(reading["na"])
    if "schema" in reading: reading["schema"], reading["schema_source"] = text_of_schema(reading["schema"])
    table = to_table(data, threads=threads, start=start, **reading)
    taken = set(table.names)
    roles, recorded = {}, {}
    if target is not None:
        if isinstance(target, str) or (isinstance(target, (list, tuple)) and taken.issuperset(map(str, target))):
            roles["target"] = _names(target)
        else:
            roles["target"] = _add_targets(table, target, taken)
    elif LEARNERS.get(learner, {}).get("needs_target", True):
        raise UsageError("train needs a target: the column to learn", "name it: target='COLUMN'")
    else:
        roles["no_target"] = True
    for role in ("weight", "query"):
        if given[role] is not None: roles[role] = recorded[role] = column_of(table, role, given[role])
    for role in ("ignore", "keep"):
        if names := _names(given[role]):
            roles[role], recorded[role] = names, ",".join(names)
    if given["task"]:
        if given["task"] not in ("classes", "numbers"):
            raise UsageError(f"--task: '{given['task']}' is none of its choices", "choose one of classes, numbers")
        roles["task"] = recorded["task"] = given["task"]
    elif "loss" in settings: roles["loss"] = settings["loss"]  # says what the target is, as on the command line
    if given["drop_missing_target"]:
        roles["drop_missing_target"] = True
        recorded["drop-missing-target"] = "yes"
    notes = table.notes
    task, said = (_wald.task_of(table, roles), ()) if start is None else _wald.task_going_on(table, roles, start)
    for warning in said: warnings.warn(warning, DataWarning, stacklevel=3)
    return task, recorded, notes + task.notes, reading.get("na", []), roles.get("target", [])


_ROLES = {"weight": None, "query": None, "ignore": (), "keep": (), "task": None, "drop_missing_target": False}


def _split(options):
    """Roles and reading apart from the learner's options."""
    given = {k: options.pop(k, v) for k, v in _ROLES.items()}
    given |= {k: options.pop(k) for k in READING if k in options}
    return given


# What only a target gives a meaning.
_OF_TARGETS = ("target", "task", "holdout", "valid", "stop_on", "drop_missing_target", "calibrate", "cost", "odds", "positive",
               "query")


def _refuse_targets(learner, given):
    """Of learners that have none, anything that speaks of one."""
    if LEARNERS.get(learner, {}).get("needs_target", True): return
    for name in _OF_TARGETS:
        value = given.get(name)
        if value is not None and value is not False:
            raise UsageError(f"learner {learner} has no target, so {name} has no meaning", "leave it away; ignore keeps a column out")


def train(data, target=None, *, learner=_wald.default_learner, start=None, seed=None, threads=0, holdout=None, valid=None,
          stop_on=None, private=None, **options):
    """Fits a learner to a table.

    data: a path (.csv .tsv .svm, each also .gz; sqlite:FILE?table=T), a pandas frame, a mapping of columns, anything
    with the Arrow stream interface (polars, pyarrow), an array or a list of rows.
    target: the name of the column to learn (several, all numbers, as a list), or the target itself.
    options: those of the learner and of preparation, named as on the command line with _ for -; of the table: weight,
    query, ignore, keep, task ("classes" or "numbers"), drop_missing_target, schema; of a file also delimiter, decimal,
    header, na; of decisions calibrate, cost, odds, positive.
    start: a model of boost to add rounds to, as --continue does; or the number that boosting begins from, as --start does.
    holdout: a share of the rows to measure on, which the model does not see; valid: another table to measure on. What was
    measured is in the model's `measures`.
    stop_on: another table that has the target, or a pair (columns, target): boost keeps the round that is best on its
    rows, in the place of rows of its own held out.
    private: wald.Private(epsilon=..., schema=..., ledger=...) for learner private-boost.

    Ctrl-C stops a learner that goes by rounds at the next one; the model is what was learned by then.

    >>> import wald
    >>> m = wald.train("data/iris.csv", target="class", learner="cart", holdout=0.2)
    >>> m.classes
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    >>> m.measures["accuracy"] > 0.8
    True
    """
    if start is not None and not isinstance(start, Model): options, start = {**options, "start": start}, None
    if private is not None: learner, options = "private-boost", {**private, **options}
    if LEARNERS.get(learner, {}).get("private"):
        unpaid = {"seed": seed, "holdout": holdout, "valid": valid if valid is not None else stop_on, "continue": start}
        return train_privately(data, target, learner, threads, options | {k: v for k, v in unpaid.items() if v is not None})
    _refuse_targets(learner, options | {"target": target, "holdout": holdout, "valid": valid, "stop_on": stop_on})
    given = _split(options)
    decide, decided = deciding_of(options)
    settings = settings_of(learner, options)
    seed, threads = running(1 if seed is None else seed, threads)
    if holdout is not None and valid is not None:
        raise UsageError("--holdout and --valid exclude each other", "measure on rows held out or on another table")
    part = None if holdout is None else share("holdout", holdout)
    before = None if start is None else start._core
    task, recorded, notes, missing, targets = _pose(data, target, given, learner, settings, threads, before)
    held = None
    if part is not None:
        task, held, warning = _wald.hold_out(task, part, seed, before)
        if warning: warnings.warn(warning, DataWarning, stacklevel=2)
        recorded["holdout"] = text_of(holdout)
    core, interrupted, told = _wald.fit(learner, task, settings, seed, threads, missing, recorded | decided,
                                  before, decide, _judge(stop_on, targets, threads))
    notes += told
    if interrupted:
        model = Model(core, notes)
        warnings.warn(f"interrupted: the best so far, {model.n_trees} trees, was kept", InterruptWarning, stacklevel=2)
        return model
    found = None
    if held is not None: found = core.evaluate_task(held, threads)
    elif valid is not None: found = core.evaluate(to_table(valid, model=core, threads=threads), threads)
    for warning in found["warnings"] if found else (): warnings.warn(warning, DataWarning, stacklevel=2)
    return Model(core, notes, Measures(found) if found else None)


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
    seed, threads = running(seed, threads)
    folds, repeats = whole("folds", folds, 2, 2**30), whole("repeats", repeats, 1, 1000)
    task, *_ = _pose(data, target, given, learner, settings, threads)
    found = _wald.cross_validate(learner, task, settings, folds, repeats, seed, threads)
    if found["interrupted"]:
        if not found["folds"]: raise KeyboardInterrupt
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
    seed, threads = running(seed, threads)
    folds, trials = whole("folds", folds, 2, 2**30), whole("trials", trials, 0 if seconds > 0 else 1, 1_000_000)
    task, *_ = _pose(data, target, given, learner, settings, threads)
    quantiles = _quantiles(settings)
    survival = settings.get("loss") == "cox"
    names = _wald.measure_names(task, quantiles, survival)
    of_quantiles = quantiles or "quantile" in (settings.get("loss"), settings.get("leaf"))
    usual = "log_loss" if task.classifies else "concordance" if survival else "pinball" if of_quantiles else "ndcg" if "ndcg" in names else "rmse"
    measure = measure or usual
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
