"""scikit-learn estimators, one or two a learner, made from the learners' own list. scikit-learn need not be there."""
import inspect
import sys
import warnings

import numpy as np

from . import _wald
from ._errors import DataError, DataWarning, Error, InterruptWarning
from ._model import Measures, Model
from ._options import default_of, describe, estimator_names, keyword_of, settings_of, type_of
from ._table import add_column, add_matrix, as_matrix, fresh, is_frame, names_of, numbered, to_table

_WORDS_ONLY = {"id3"}  # learn from no numbers: to them a column of numbers is one of words


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

    def __init__(self, core, names, classes, order, notes=()):
        self.core, self.names, self.classes, self.order, self.notes = core, names, classes, order, list(notes)
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
                "notes": self.notes}

    def __setstate__(self, state):
        self.__init__(_wald.from_bytes(state["model"]), state["names"], state["classes"], state["order"], state["notes"])


def _one_dimension(y, name):
    """y as a plain array of one dimension."""
    if y is None: raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None.")
    if not isinstance(y, np.ndarray): y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples,), for example using ravel().", _sklearn("DataConversionWarning", UserWarning),
                      stacklevel=4)
        return y[:, 0]
    if y.ndim != 1: raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    return y


def _finite(values, what):
    if not np.isfinite(values).all():
        if np.isnan(values).any(): raise ValueError(f"Input {what} contains NaN.")
        raise ValueError(f"Input {what} contains infinity or a value too large for dtype('float64').")
    return values


class Estimator:
    """What all estimators share; see the classes made of it."""
    _learner = ""

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

    def _unusual(self):
        """The parameters that are not at their defaults."""
        params = self.get_params()
        return {k: v for k, v in params.items() if v is not self._usual[k] and v != self._usual[k]}

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._unusual().items())})"

    def _more_tags(self):
        return {"allow_nan": True, "requires_y": True, "X_types": ["2darray", "string"]}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags
        classes = self._estimator_type == "classifier"
        return Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=True), transformer_tags=None,
                    classifier_tags=ClassifierTags() if classes else None,
                    regressor_tags=None if classes else RegressorTags(),
                    input_tags=InputTags(allow_nan=True, string=True, categorical=True))

    def __sklearn_is_fitted__(self): return "_fitted" in self.__dict__

    # --- tables

    def _names_at_fit(self, X):
        """Columns' names as the model keeps them; those of a frame are scikit-learn's feature_names_in_ too."""
        names = names_of(X)
        self.__dict__.pop("feature_names_in_", None)
        if names is None: return None
        if all(isinstance(c, str) for c in X.columns): self.feature_names_in_ = np.asarray(names, dtype=object)
        if len(set(names)) != len(names): raise DataError("two columns have the same name", "rename one of them")
        return names

    def _table(self, X, names):
        """A table of X under these names (None: numbered ones), and the names."""
        if is_frame(X) or hasattr(X, "__arrow_c_stream__") and not isinstance(X, np.ndarray):
            table = to_table(X, names, "X")
            shape = (table.rows, len(table.names))
        else:
            X = as_matrix(X)
            shape = X.shape
            if names is None or len(names) != shape[1]: names = numbered(shape[1])
            table = _wald.Table("X")
            if 0 not in shape: add_matrix(table, X, names)
        if self._learner in _WORDS_ONLY: table.turn_to_words()
        if shape[0] == 0: raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
        if shape[1] == 0: raise ValueError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        return table

    def _table_as_fitted(self, X):
        fitted = self._known()
        given = names_of(X) if is_frame(X) and all(isinstance(c, str) for c in X.columns) else None
        wanted = getattr(self, "feature_names_in_", None)
        if given is not None and wanted is not None and list(wanted) != given: self._refuse_names(given, list(wanted))
        if given is None and wanted is not None and not hasattr(X, "__arrow_c_stream__"):
            warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names",
                          UserWarning, stacklevel=4)
        if given is not None and wanted is None:
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without feature names", UserWarning,
                          stacklevel=4)
        width = X.shape[1] if is_frame(X) else None
        table = self._table(X, fitted.names if width in (None, self.n_features_in_) else None)
        width = len(table.names)
        if width != self.n_features_in_:
            raise ValueError(f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                             "features as input")
        return table

    def _refuse_names(self, given, wanted):
        unseen, gone = [n for n in given if n not in wanted], [n for n in wanted if n not in given]
        text = "The feature names should match those that were passed during fit.\n"
        if unseen: text += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in sorted(unseen)[:5])
        if gone: text += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {n}\n" for n in sorted(gone)[:5])
        if not unseen and not gone: text += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(text)

    def _known(self):
        fitted = self.__dict__.get("_fitted")
        if fitted is None: raise _not_fitted(self)
        return fitted

    # --- fitting

    def fit(self, X, y, sample_weight=None, eval_set=None):
        """Learns from X (an array, a frame, anything train takes but a path) and y.

        sample_weight: how much each row counts; 0 is as if it were not there. Up to 100,000 rows their order does not
        matter, though a learner may draw some of them. eval_set: a pair (X, y) or a list of them, measured after training, in
        evals_result_."""
        names = self._names_at_fit(X)
        table = self._table(X, names)
        names = table.names
        y = self._target(_one_dimension(y, type(self).__name__))
        if len(y) != table.rows:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{table.rows}, {len(y)}]")
        weight = self._weights(sample_weight, table.rows)
        target = fresh("y", set(names))
        self._add_target(table, target, y)
        roles = {"target": [target], "keep": names, "task": self._kind}
        if weight is not None:
            roles["weight"] = fresh("sample_weight", {*names, target})
            add_column(table, roles["weight"], weight)
        task = _wald.task_of(table.arranged(roles.get("weight", "")), roles)
        options = self._unusual()
        seed, threads = options.pop("seed", 1), options.pop("threads", 0)
        core, interrupted = _wald.fit(self._learner, task, settings_of(self._learner, options, False), seed, threads)
        self._keep(core, names, y, task.notes)
        self.n_features_in_ = len(names)
        if interrupted: warnings.warn("interrupted: the best so far was kept", InterruptWarning, stacklevel=2)
        if eval_set is not None: self.evals_result_ = self._evaluate(eval_set, target)
        return self

    def _weights(self, weight, rows):
        if weight is None: return None
        weight = np.asarray(weight, dtype=np.float64)
        if weight.ndim == 0: weight = np.full(rows, weight)
        if weight.ndim != 1: raise ValueError("Sample weights must be 1D array or scalar")
        if len(weight) != rows: raise ValueError(f"sample_weight.shape == {weight.shape}, expected ({rows},)!")
        return _finite(weight, "sample_weight")

    def _evaluate(self, eval_set, target):
        out = []
        for X, y in [eval_set] if isinstance(eval_set, tuple) else eval_set:
            table = self._table_as_fitted(X)
            self._add_target(table, target, _one_dimension(y, type(self).__name__))
            out.append(Measures(self._fitted.core.evaluate(table, self.threads)))
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
        return Model(fitted.core, fitted.notes)

    @property
    def feature_importances_(self):
        """Each column's share of the gain of all splits."""
        fitted, model = self._known(), self.model_
        share = model.importance()
        return np.array([share.get(name, 0.0) for name in fitted.names])


class ClassifierBase(Estimator):
    _estimator_type = "classifier"
    _kind = "classes"

    def _target(self, y):
        if y.dtype.kind == "f":
            _finite(y, "y")
            if (y != np.floor(y)).any():
                raise ValueError("Unknown label type: 'continuous'. A classifier learns classes; a regressor numbers.")
        elif y.dtype.kind == "c": raise ValueError("Complex data not supported")
        return y

    def _add_target(self, table, name, y):
        numbers = y.dtype.kind in "iuf"
        add_column(table, name, y if numbers else np.array([str(v) for v in y.tolist()], dtype=object))

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
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


class RegressorBase(Estimator):
    _estimator_type = "regressor"
    _kind = "numbers"

    def _target(self, y):
        if y.dtype.kind == "c": raise ValueError("Complex data not supported")
        try: y = y.astype(np.float64, copy=False)
        except (TypeError, ValueError): raise ValueError("y holds words; a regressor learns numbers") from None
        return _finite(y, "y")

    def _add_target(self, table, name, y): add_column(table, name, np.asarray(y, dtype=np.float64))

    def _keep(self, core, names, y, notes): self._fitted = _Fitted(core, names, None, None, notes)

    def predict(self, X):
        """The number of each row."""
        rows = self._known().rows()
        values = rows.values(X) if rows and not hasattr(self, "feature_names_in_") else None
        return (self._predict(X)[0] if values is None else values)[:, 0]

    def score(self, X, y, sample_weight=None):
        """R squared: 1 less the share of the variance of y that is left."""
        y = np.asarray(y, dtype=np.float64)
        left = np.average((y - self.predict(X)) ** 2, weights=sample_weight)
        whole = np.average((y - np.average(y, weights=sample_weight)) ** 2, weights=sample_weight)
        return float(1 - left / whole) if whole > 0 else (1.0 if left == 0 else 0.0)


def _constructor(options):
    """__init__ with a keyword an option; it judges nothing, as scikit-learn wants it."""
    defaults = {keyword_of(o["name"]): default_of(o) for o in options} | {"seed": 1, "threads": 0}

    def __init__(self, **given):
        for name in given:
            if name not in defaults: raise TypeError(f"{type(self).__name__}() has no keyword {name!r}")
        self.__dict__.update(defaults | given)

    __init__.__signature__ = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)] +
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v) for n, v in defaults.items()])
    return __init__


_EXAMPLE = """
    Examples
    --------
    >>> import wald
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [{y}] * 5
    >>> wald.{name}({given}).fit(X, y).predict([[0.0], [3.0]]).shape
    (2,)
"""


def _documentation(learner, name, base):
    lines = [f"{learner['help'][0].upper()}{learner['help'][1:]}, as a scikit-learn {base._estimator_type}.", "",
             "    Text and category columns, missing values and text labels are taken as they are.", "", "    Parameters",
             "    ----------"]
    for o in learner["options"]:
        lines += [f"    {keyword_of(o['name'])} : {type_of(o)}, default {default_of(o)!r}", f"        {describe(o)}"]
    lines += ["    seed : int, default 1", "        of all randomness: the same seed gives the same model",
              "    threads : int, default 0", "        threads to use, 0 = all; results do not depend on it"]
    few = "trees=5" if any(o["name"] == "trees" for o in learner["options"]) else ""
    y = "'a', 'a', 'b', 'b'" if base is ClassifierBase else "0.0, 0.0, 1.0, 1.0"
    return "\n".join(lines) + "\n" + _EXAMPLE.format(name=name, y=y, given=few)


def make_all(module):
    """Name to class, for every learner that has a target."""
    out = {}
    for name, learner, classifies in estimator_names():
        base = ClassifierBase if classifies else RegressorBase
        out[name] = type(name, (base,), {"_learner": learner["name"], "__init__": _constructor(learner["options"]),
                                         "__doc__": _documentation(learner, name, base), "__module__": module})
    return out
