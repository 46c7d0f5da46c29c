"""scikit-learn estimators, one or two a learner, made from the learners' own list. scikit-learn need not be there."""
import difflib
import inspect
import sys
import warnings

import numpy as np

from . import _wald
from ._errors import DataWarning, Error, InterruptWarning
from ._frames import Frames
from ._model import Measures, Model, where_spoken
from ._options import LEARNERS, deciding_of, documentation, estimator_names, keywords_of, running, settings_of
from ._table import add_column, as_many, finite, fresh, refuse_missing


def _sklearn(name, fallback):
    """A class of sklearn.exceptions where scikit-learn is in use, so that its own code catches it."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, name, fallback)


def _not_fitted(estimator):
    kind = _sklearn("NotFittedError", None)
    bases = (Error, ValueError, AttributeError) if kind is None else (Error, kind)
    name = type(estimator).__name__
    return type("NotFitted", bases, {})(f"This {name} instance is not fitted yet", "call fit with a table first")


class _Fitted:
    """What fit leaves behind. Parts that not every user needs are made when first asked for."""

    def __init__(self, core, names, classes, order, notes=(), privacy=None):
        self.core, self.names, self.classes, self.order, self.notes = core, names, classes, order, list(notes)
        self.privacy = privacy  # what a private model told and spent
        self._rows = None

    def rows(self):
        if self._rows is None:
            about = self.core.describe()
            plain = self.order is None and all(c["type"] == "number" for c in about["columns"])
            places = [self.names.index(c["name"]) for c in about["columns"]] if plain else []
            self._rows = _wald.Rows(self.core, places, len(self.names)) if plain else False
        return self._rows

    def __getstate__(self):
        return {"model": self.core.bytes(), "names": self.names, "classes": self.classes, "order": self.order,
                "notes": self.notes, "privacy": self.privacy}

    def __setstate__(self, state):
        self.__init__(_wald.from_bytes(state["model"]), state["names"], state["classes"], state["order"], state["notes"],
                      state["privacy"])


def plain_target(y, name, several=False):
    """y as a plain array of one dimension, or of two where there may be several targets."""
    if y is None: raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
    if not isinstance(y, np.ndarray): y = np.asarray(y)
    if several and y.ndim == 2 and y.shape[1] > 0: return y if y.shape[1] > 1 else y[:, 0]
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples,), for example using ravel().", _sklearn("DataConversionWarning", UserWarning),
                      stacklevel=4)
        return y[:, 0]
    if y.ndim != 1: raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    return y


class Estimator(Frames):
    """What all estimators share; see the classes made of it."""
    _learner = ""
    _several = False  # targets: y may have two dimensions

    def get_params(self, deep=True): return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params):
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known}.")
            setattr(self, name, value)
        return self

    def _parameters(self):
        own = type(self)
        if "_usual" not in own.__dict__:  # a class of somebody's own may have another constructor
            given = inspect.signature(own.__init__).parameters
            own._usual = {name: p.default for name, p in given.items() if name != "self"}
        return list(own._usual)

    def _other_than(self, usual):
        given = {k: getattr(self, k) for k in usual}
        return {k: v for k, v in given.items() if v is not usual[k] and v != usual[k]}

    def _asked(self):
        """The learner's options that are not at the learner's defaults, whatever those of a class of somebody's own are."""
        return self._other_than(next(c for c in type(self).__mro__ if "_learner" in c.__dict__)._usual)

    def __repr__(self):
        self._parameters()
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._other_than(self._usual).items())})"

    def _more_tags(self):
        return {"allow_nan": True, "requires_y": True, "X_types": ["2darray", "string"], "multioutput": self._several,
                "poor_score": LEARNERS[self._learner]["private"]}  # noise hides what tables of few rows say

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags
        classes, poor = self._estimator_type == "classifier", LEARNERS[self._learner]["private"]
        return Tags(estimator_type=self._estimator_type, transformer_tags=None,
                    target_tags=TargetTags(required=True, multi_output=self._several),
                    classifier_tags=ClassifierTags(poor_score=poor) if classes else None,
                    regressor_tags=None if classes else RegressorTags(poor_score=poor),
                    input_tags=InputTags(allow_nan=True, string=True, categorical=True))

    def __sklearn_is_fitted__(self): return "_fitted" in self.__dict__

    def _known(self):
        fitted = self.__dict__.get("_fitted")
        if fitted is None: raise _not_fitted(self)
        return fitted

    # --- fitting

    def fit(self, X, y, sample_weight=None, eval_set=None):
        """Learns from X (an array, a frame, anything train takes but a path) and y; of learners of several targets y may
        have a column each.

        sample_weight: how much each row counts; 0 is as if it were not there. Up to 100,000 rows their order does not
        matter, though a learner may draw some of them. eval_set: a pair (X, y) or a list of them. Boosting stops by the
        last of them and keeps the round that is best on it (best_iteration_), in the place of rows held out; all are
        measured after training, in evals_result_."""
        given = X, y, sample_weight
        table, names, targets, y, roles = self._pose(*given)
        pairs = self._pairs(eval_set, names, targets)
        options = self._asked()
        decide, decided = deciding_of(options)
        seed, threads = running(options.pop("seed", 1), options.pop("threads", 0))
        judge = pairs[-1] if pairs and self._learner == "boost" else None
        settings = settings_of(self._learner, options, False)

        def learn(rows):
            task = _wald.task_of(rows, roles)
            return task, *_wald.fit(self._learner, task, settings, seed, threads, [], decided, None, decide, judge)

        try: task, core, interrupted, told = learn(table.arranged(roles.get("weight", "")))
        except Error as error:
            try: learn(self._pose(*given)[0])  # which tells of rows by their places in X
            except Error as told: error = told
            raise error from None
        self._keep(core, names, y, task.notes + told)
        self.n_features_in_ = len(names)
        if interrupted: warnings.warn("interrupted: the best so far was kept", InterruptWarning, stacklevel=2)
        self.__dict__.pop("evals_result_", None)
        if pairs: self.evals_result_ = [Measures(core.evaluate(table, self.threads)) for table in pairs]
        return self

    def _pose(self, X, y, sample_weight):
        """The table with its targets and weights, the names of its columns and targets, y, and what is what."""
        names = self._names_at_fit(X)
        table = self._table(X, names)
        names = table.names
        given, y = y, self._target(plain_target(y, type(self).__name__, self._several))
        as_many(table.rows, y)
        weight = self._weights(sample_weight, table.rows)
        targets = self._target_names(given, y, names)
        self._add_targets(table, targets, y)
        roles = {"target": targets, "keep": names, "task": self._kind}
        if weight is not None:
            roles["weight"] = fresh("sample_weight", {*names, *targets})
            add_column(table, roles["weight"], weight)
        return table, names, targets, y, roles

    def _target_names(self, given, y, names):
        if y.ndim == 1: return [fresh("y", set(names))]
        own = [str(c) for c in getattr(given, "columns", ())] or [f"y{k}" for k in range(y.shape[1])]
        return [fresh(name, set(names)) for name in own]

    def _add_targets(self, table, targets, y):
        if y.ndim == 1: return self._add_target(table, targets[0], y)
        for k, name in enumerate(targets): self._add_target(table, name, y[:, k])

    def _weights(self, weight, rows):
        if weight is None: return None
        weight = np.asarray(weight, dtype=np.float64)
        if weight.ndim == 0: weight = np.full(rows, weight)
        if weight.ndim != 1: raise ValueError("Sample weights must be 1D array or scalar")
        if len(weight) != rows: raise ValueError(f"sample_weight.shape == {weight.shape}, expected ({rows},)!")
        return finite(weight, "sample_weight")

    def _pairs(self, eval_set, names, targets):
        """Tables of the pairs, each with its targets."""
        pairs, out = [] if eval_set is None else [eval_set] if isinstance(eval_set, tuple) else eval_set, []
        if not isinstance(pairs, list) or not all(isinstance(p, (tuple, list)) and len(p) == 2 for p in pairs):
            raise ValueError("eval_set is a pair (X, y) or a list of such pairs")
        for X, y in pairs:
            self._names_as_fitted(X)
            table = self._table(X, names)
            if len(table.names) != len(names):
                raise ValueError(f"X of eval_set has {len(table.names)} features, but X has {len(names)}")
            y = self._target(plain_target(y, type(self).__name__, self._several))
            if len(y) != table.rows or (y.shape[1:] or (1,))[0] != len(targets):
                raise ValueError(f"y of eval_set has the shape {y.shape}, its X {table.rows} rows")
            self._add_targets(table, targets, y)
            out.append(table)
        return out

    # --- asking

    def _predict(self, X):
        values, codes, said = self._fitted.core.predict(self._table_as_fitted(X), self.threads)
        for warning in said: warnings.warn(warning, DataWarning, stacklevel=4)
        return values, codes

    @property
    def model_(self):
        """The wald.Model: explain, trees, save and all else."""
        fitted = self._known()
        return Model(fitted.core, fitted.notes, privacy=fitted.privacy)

    @property
    def best_iteration_(self):
        """Of learners that go by rounds: how many of them the model keeps."""
        return self._known().core.describe()["curve"]["best"]

    @property
    def oob_score_(self):
        """Of forests: accuracy or R squared on rows out of bag."""
        found = self._known().core.describe()["found"]
        name = "oob_accuracy" if self._estimator_type == "classifier" else "oob_r2"
        if name not in found: raise AttributeError(f"{type(self).__name__} has no rows out of bag")
        return found[name]

    def out_of_bag(self, X, y, sample_weight=None):
        """Of forests, given the table they were fitted to: as Model.out_of_bag, in the order of X; rows of weight 0 have no
        prediction either."""
        fitted = self._known()
        table, _, _, y, roles = self._pose(X, y, sample_weight)
        rows = table.arrangement(roles.get("weight", ""))
        task = _wald.task_of(table.arranged(roles.get("weight", "")), roles)
        found = _wald.out_of_bag(fitted.core, task, self.threads)
        place = rows if len(rows) else np.arange(len(y))
        values = np.full((len(y), found["values"].shape[1]), np.nan)
        trees = np.zeros(len(y), dtype=np.int64)
        values[place], trees[place] = found["values"], found["trees"]
        values[trees == 0] = np.nan
        out = {"trees": trees, "measures": found["measures"]}
        if self._estimator_type != "classifier": return {"prediction": values[:, 0], **out}
        proba = np.full((len(y), len(self.classes_)), np.nan)
        proba[:, slice(None) if fitted.order is None else fitted.order] = values
        said = self.classes_[np.nan_to_num(proba, nan=-1).argmax(axis=1)]
        return {"prediction": where_spoken(said, trees), "proba": proba, **out}

    @property
    def feature_importances_(self):
        """Each column's share of the gain of all splits."""
        fitted, model = self._known(), self.model_
        share = model.importance()
        return np.array([share.get(name, 0.0) for name in fitted.names])


_FAR = 1e15  # whole numbers from here on are written with an exponent


class ClassifierBase(Estimator):
    _estimator_type = "classifier"
    _kind = "classes"

    def _target(self, y):
        if y.dtype.kind == "f":
            finite(y, "y")
            if (y != np.floor(y)).any():
                raise ValueError("Unknown label type: 'continuous'. A classifier learns classes; a regressor numbers.")
            y = y + 0.0  # -0 is 0
        elif y.dtype.kind == "c": raise ValueError("Complex data not supported")
        elif y.dtype.kind == "O":
            refuse_missing(y)
            if len({isinstance(v, str) for v in y.tolist()}) == 2:
                raise ValueError("y holds words beside other things: classes are all words or all numbers, y.astype(str) makes them words")
        return y

    def _add_target(self, table, name, y):
        number = y.dtype.kind in "iuf"
        if number and len(y) > 0 and (y.min() <= -_FAR or y.max() >= _FAR):  # no double tells such neighbours apart
            y = np.array([str(int(v)) for v in y.tolist()], dtype=object)
        elif not number: y = np.array([str(v) for v in y.tolist()], dtype=object)
        add_column(table, name, y)

    def _keep(self, core, names, y, notes):
        classes = np.unique(y)
        kept = core.classes()  # in the model's order; some may have had no weight
        words = {str(int(c)) if classes.dtype.kind in "iuf" else str(c): c for c in classes.tolist()}
        self.classes_ = classes
        order = None
        if [str(w) for w in words] != kept:
            place = {w: i for i, w in enumerate(words)}
            order = np.array([place[w] for w in kept])
        self._fitted = _Fitted(core, names, classes, order, notes)

    def predict(self, X):
        """The class of each row."""
        fitted = self._known()
        rows = fitted.rows()
        codes = rows.labels(X) if rows and not hasattr(self, "feature_names_in_") else None
        if codes is None: codes = self._predict(X)[1]
        if fitted.order is not None: codes = fitted.order[codes]
        return self.classes_[codes]

    def predict_proba(self, X):
        """The probability of each class, in the order of classes_."""
        fitted = self._known()
        rows = fitted.rows()
        values = rows.values(X) if rows and not hasattr(self, "feature_names_in_") else None
        if values is not None: return values
        values = self._predict(X)[0]
        if fitted.order is None: return values
        out = np.zeros((len(values), len(self.classes_)))
        out[:, fitted.order] = values
        return out

    def predict_log_proba(self, X):
        with np.errstate(divide="ignore"): return np.log(self.predict_proba(X))

    def score(self, X, y, sample_weight=None):
        """The share of rows whose class is predicted."""
        y, said = plain_target(y, type(self).__name__), self.predict(X)
        as_many(len(said), y)
        return float(np.average(said == y, weights=sample_weight))


class RegressorBase(Estimator):
    _estimator_type = "regressor"
    _kind = "numbers"

    def _target(self, y):
        if y.dtype.kind == "c": raise ValueError("Complex data not supported")
        if y.dtype.kind == "O": refuse_missing(y)
        try: y = y.astype(np.float64, copy=False)
        except (TypeError, ValueError): raise ValueError("y holds words; a regressor learns numbers") from None
        return finite(y, "y")

    def _add_target(self, table, name, y): add_column(table, name, np.asarray(y, dtype=np.float64))

    def _keep(self, core, names, y, notes): self._fitted = _Fitted(core, names, None, None, notes)

    def predict(self, X):
        """The number of each row; of several targets or quantiles a column each."""
        rows = self._known().rows()
        values = rows.values(X) if rows and not hasattr(self, "feature_names_in_") else None
        if values is None: values = self._predict(X)[0]
        return values[:, 0] if values.shape[1] == 1 else values

    def score(self, X, y, sample_weight=None):
        """R squared: 1 less the share of the variance of y that is left; of several targets their mean."""
        y, said = np.asarray(y, dtype=np.float64), self.predict(X)
        if y.ndim == 2 and y.shape[1] == 1: y = y[:, 0]
        left = np.atleast_1d(np.average((y - said) ** 2, axis=0, weights=sample_weight))
        whole = np.atleast_1d(np.average((y - np.average(y, axis=0, weights=sample_weight)) ** 2, axis=0, weights=sample_weight))
        return float(np.mean([1 - a / b if b > 0 else float(a == 0) for a, b in zip(left, whole)]))


# What scikit-learn calls it; names of XGBoost and LightGBM are known to the library.
_ELSEWHERE = {"random_state": "seed", "n_jobs": "threads", "min_samples_leaf": "min_leaf", "min_samples_split": "min_split",
              "max_leaf_nodes": "max_leaves", "max_features": "columns_per_node"}


def _called_here(name): return _ELSEWHERE.get(name) or _wald.known_elsewhere(name).replace("-", "_")


def _constructor(keywords):
    """__init__ with a keyword an option; it judges nothing, as scikit-learn wants it."""
    defaults = {name: default for name, _, default, _ in keywords}

    def __init__(self, **given):
        for name in given:
            if name in defaults: continue
            near = [_called_here(name)] if _called_here(name) in defaults else difflib.get_close_matches(name, defaults, 1)
            raise TypeError(f"{type(self).__name__}() has no keyword {name!r}" + "".join(f": did you mean {n!r}?" for n in near))
        self.__dict__.update(defaults | given)

    __init__.__signature__ = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)] +
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v) for n, v in defaults.items()])
    return __init__


def make_all(module, private):
    """Name to class, for every learner that has a target. private: what estimators of private learners have besides."""
    out = {}
    for name, learner, classifies in estimator_names():
        base = ClassifierBase if classifies else RegressorBase
        keywords = keywords_of(learner, classifies)
        parts = {"_learner": learner["name"], "__init__": _constructor(keywords), "__module__": module,
                 "_usual": {keyword: default for keyword, _, default, _ in keywords},
                 "_several": learner["several_targets"] and not classifies,
                 "__doc__": documentation(learner, name, base._estimator_type, keywords)}
        out[name] = type(name, (private, base) if learner["private"] else (base,), parts)
    return out
