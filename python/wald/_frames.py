"""X as estimators see it: a table whose columns are those of fit."""
import warnings

import numpy as np

from . import _wald
from ._table import add_matrix, as_matrix, distinct, is_frame, names_of, numbered, to_table

_WORDS_ONLY = {"id3"}  # learn from no numbers: to them a column of numbers is one of words


class Frames:
    def _names_at_fit(self, X):
        """Columns' names as the model keeps them; those of a frame are scikit-learn's feature_names_in_ too."""
        names = names_of(X)
        self.__dict__.pop("feature_names_in_", None)
        if names is None: return None
        if not any(isinstance(c, str) for c in X.columns): return numbered(len(names))  # as scikit-learn: not named
        if all(isinstance(c, str) for c in X.columns): self.feature_names_in_ = np.asarray(names, dtype=object)
        return distinct(names)

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

    def _names_as_fitted(self, X):
        """Those of X and those of fit, None where there are none: two that differ are refused."""
        given = names_of(X) if is_frame(X) and all(isinstance(c, str) for c in X.columns) else None
        wanted = getattr(self, "feature_names_in_", None)
        if given is not None and wanted is not None and list(wanted) != given: self._refuse_names(given, list(wanted))
        return given, wanted

    def _table_as_fitted(self, X):
        fitted = self._known()
        given, wanted = self._names_as_fitted(X)
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
