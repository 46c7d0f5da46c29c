"""Wald learns from tables: decision trees, boosting and their kin, the same to the last bit for any number of threads.

>>> import wald
>>> m = wald.train("data/claims.csv", target="claim", learner="cart", max_depth=3)
>>> sorted(set(m.predict("data/claims.csv")))
['no', 'yes']

train, cross_validate and tune take paths, pandas frames, Arrow streams, mappings and arrays; the classes named
...Classifier and ...Regressor are scikit-learn estimators. Both take the options of the program wald, with _ for -.
"""
from . import _estimators
from ._errors import (DataError, DataWarning, Error, Failure, Interrupted, InterruptWarning, ModelError, PrivacyError,
                      PrivacyWarning, UsageError)
from ._judge import Comparison, Curve, audit, compare, curve
from ._model import Explanation, Measures, Model, Picture, Tree
from ._private import Private, privacy
from ._private_estimators import PrivateEstimator
from ._program import run
from ._train import Tuned, Validation, cross_validate, load, train, tune
from ._wald import learners
from ._wald import version as __version__

ESTIMATORS = _estimators.make_all(__name__, PrivateEstimator)
globals().update(ESTIMATORS)

__all__ = ["Comparison", "Curve", "DataError", "DataWarning", "ESTIMATORS", "Error", "Explanation", "Failure", "InterruptWarning", "Interrupted",
           "Measures", "Model", "ModelError", "Picture", "PrivacyError", "PrivacyWarning", "Private", "Tree", "Tuned",
           "UsageError", "Validation", "audit", "compare", "cross_validate", "curve", "learners", "load", "privacy", "run", "train", "tune", *ESTIMATORS]
