"""What estimators of private learners do otherwise."""
import warnings

import numpy as np

from . import _wald
from ._errors import PrivacyWarning
from ._estimators import plain_target
from ._options import settings_of
from ._private import answer, in_words, refuse, terms_of, warn_unkept
from ._schema import SOURCE, columns_of, text_of_columns
from ._table import add_column, as_many, fresh, level_of

_OWN = ("schema", "ledger", "accept_observed_bounds", "threads")


class PrivateEstimator:
    """fit() that looks at nothing it has not paid for.

    Bounds and levels of the columns come from the schema; of columns that it leaves out the type is taken from X and the
    rest bought with a share of epsilon (`buy`), or refused with buy="none". Classes that no schema declares are read
    off y: a model cannot hide the names of its classes, and says so with a warning."""

    def fit(self, X, y, *, contributor=None, **refused):
        """Learns from X and y. contributor: whose row each is; then all rows of a party are protected together. Weights
        and an eval_set are refused. Asked the same again of the same rows, the same model is given, and nothing spent."""
        self._refuse({k: v for k, v in refused.items() if v is not None})
        names = self._names_at_fit(X)
        table = self._table(X, names)
        names = table.names
        target = fresh(str(getattr(y, "name", None) or "y"), set(names))
        y = self._target(plain_target(y, type(self).__name__))
        as_many(table.rows, y)
        options = {"epsilon": self.epsilon, "buy": self.buy} | {k: v for k, v in self._asked().items() if k not in _OWN}
        settings = settings_of(self._learner, options)
        buys = settings["buy"] != "none"
        columns, observed = self._declared(table, names, target, y, buys)
        self._add_target(table, target, y)
        whose = "" if contributor is None else fresh("contributor", {*names, target})
        if contributor is not None: add_column(table, whose, np.asarray(contributor))
        whose, settings = self._contributor(text_of_columns(columns), whose, target, settings)
        terms = terms_of(self._learner, target, settings, whose, (), bool(self.accept_observed_bounds),
                         "classes of the target were observed in the data" if observed else "")
        task = _wald.private_task(table, text_of_columns(columns), SOURCE, terms, buys)
        core, told, notes = answer(task, terms, settings, "" if self.ledger is None else str(self.ledger), "X", self.threads)
        self._keep(core, names, self._classes_of(core, y), notes)
        self._fitted.privacy = told
        self.n_features_in_ = len(names)
        warn_unkept(told)
        return self

    def _contributor(self, schema, whose, target, settings):
        """The column that tells whose a row is, and the settings with what the schema says of it."""
        words = {"max-rows-per-contributor": "max_rows_per_contributor", "contributor": "fit(contributor=...)"}
        return in_words(words, lambda: _wald.contributor(schema, SOURCE, whose, target, settings))

    def _refuse(self, refused):
        words = {"sample_weight": "weight", "eval_set": "valid"}
        for name in refused:
            if name not in words: raise TypeError(f"fit() got an unexpected keyword argument {name!r}")
        refuse([words[name] for name in refused], {v: k for k, v in words.items()} | {"wald evaluate": "Model.evaluate"})

    def _declared(self, table, names, target, y, buys):
        """The schema's columns with what X itself says, and whether classes were read off y."""
        columns = columns_of(self.schema)
        known = {c.get("name") for c in columns}
        if buys:
            columns += [{"name": name, "type": "number" if table.is_number(k) else "category"}
                        for k, name in enumerate(names) if name not in known]
        if target in known: return columns, False
        if self._estimator_type == "regressor":
            return columns + ([{"name": target, "type": "number"}] if buys else []), False
        warnings.warn(f"the classes were read off y and are not protected: declare them, schema={{'{target}': [...]}}",
                      PrivacyWarning, stacklevel=3)
        return columns + [{"name": target, "levels": self._words(np.unique(y))}], True

    def _words(self, classes): return [level_of(c) for c in classes.tolist()]

    def _classes_of(self, core, y):
        """The classes as y has them, those declared that no row is of included."""
        if self._estimator_type == "regressor": return y
        kept, seen = core.classes(), np.unique(y)
        if set(self._words(seen)) == set(kept): return y
        if y.dtype.kind in "iuf": return np.array([float(k) for k in kept]).astype(y.dtype)
        return np.array(kept, dtype=object if y.dtype.kind == "O" else None)

    @property
    def privacy_(self):
        """What the model told and spent: epsilon, delta, neighbours, mechanism, ledger, epsilon_left."""
        return self._known().privacy
