"""The estimators keep scikit-learn's contract."""
import pickle
import subprocess
import sys
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import wald

RANDOM = np.random.RandomState(0)
X = RANDOM.rand(120, 4)
LABEL = np.where(X[:, 0] + X[:, 1] > 1, "yes", "no")
NUMBER = X[:, 0] * 3 + X[:, 1]


class Contract(unittest.TestCase):
    """A test an estimator, made below."""


def contract(name):
    def test(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for instance, check in check_estimator(wald.ESTIMATORS[name](), generate_only=True):
                with self.subTest(check.func.__name__): check(instance)
    return test


for estimator in wald.ESTIMATORS:
    setattr(Contract, f"test_{estimator}_passes_every_check_of_scikit_learn", contract(estimator))


class Estimators(unittest.TestCase):
    def test_there_is_one_for_every_learner_and_task(self):
        made = {e._learner for e in wald.ESTIMATORS.values()}
        self.assertEqual(made, {x["name"] for x in wald.learners() if x["needs_target"] and not x["private"]})
        for learner in made:
            words = np.where(X > 0.5, "a", "b").astype(object)
            try: wald.train(words, NUMBER, learner=learner, task="numbers")
            except wald.UsageError as error:
                self.assertNotIn("Regressor", "".join(n for n, e in wald.ESTIMATORS.items() if e._learner == learner), error)

    def test_keywords_and_defaults_are_those_of_the_option_tables(self):
        for learner in wald.learners():
            for estimator in wald.ESTIMATORS.values():
                if estimator._learner != learner["name"]: continue
                params = estimator().get_params()
                self.assertEqual(set(params), {o["name"].replace("-", "_") for o in learner["options"]} | {"seed", "threads"})
                for option in learner["options"]: self.assertIn(option["help"], estimator.__doc__)
        with self.assertRaises(TypeError): wald.TreeClassifier(max_dept=3)
        with self.assertRaisesRegex(wald.UsageError, "--max-depth 0: out of range"):
            wald.TreeClassifier(max_depth=0).fit(X, LABEL)

    def test_text_and_missing_cells_and_text_labels_are_taken_as_they_are(self):
        df = pd.read_csv("data/claims.csv").drop(columns="policy_id")
        y = df.pop("claim")
        model = wald.BoostClassifier(trees=30).fit(df, y)
        self.assertEqual(list(model.classes_), ["no", "yes"])
        self.assertEqual(list(model.feature_names_in_), list(df))
        self.assertEqual(model.n_features_in_, df.shape[1])
        self.assertGreater(model.score(df, y), 0.7)
        self.assertAlmostEqual(model.feature_importances_.sum(), 1)
        with self.assertRaisesRegex(ValueError, "feature names should match"): model.predict(df[df.columns[::-1]])
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(df), model.predict_proba(df))

    def test_search_pipelines_and_cross_validation_work(self):
        search = GridSearchCV(wald.TreeClassifier(), {"max_depth": [1, 2, 4]}, cv=3).fit(X, LABEL)
        self.assertGreater(search.best_params_["max_depth"], 1)
        scores = cross_val_score(make_pipeline(StandardScaler(), wald.BoostRegressor(trees=20)), X, NUMBER, cv=3)
        self.assertGreater(scores.mean(), 0.4)

    def test_single_rows_and_tables_get_the_same_bits(self):
        for model, y in ((wald.BoostClassifier(trees=9), LABEL), (wald.TreeRegressor(), NUMBER)):
            model.fit(X, y)
            one = np.array([model.predict(row[None])[0] for row in X])
            np.testing.assert_array_equal(one, model.predict(X))
        model = wald.BoostClassifier(trees=9).fit(X, LABEL)
        np.testing.assert_array_equal(np.vstack([model.predict_proba(row[None]) for row in X]), model.predict_proba(X))

    def test_the_order_of_rows_and_rows_of_no_weight_do_not_matter(self):
        order = RANDOM.permutation(len(X))
        whole = wald.BoostRegressor(trees=5).fit(X, NUMBER).predict(X)
        np.testing.assert_array_equal(whole, wald.BoostRegressor(trees=5).fit(X[order], NUMBER[order]).predict(X))
        noise = wald.BoostRegressor(trees=5).fit(np.vstack([X, X]), np.append(NUMBER, -NUMBER), np.repeat([2.0, 0.0], len(X)))
        np.testing.assert_array_equal(whole, noise.predict(X))

    def test_an_eval_set_is_measured(self):
        model = wald.TreeClassifier().fit(X[:80], LABEL[:80], eval_set=(X[80:], LABEL[80:]))
        self.assertAlmostEqual(model.evals_result_[0]["accuracy"], model.score(X[80:], LABEL[80:]))

    def test_labels_keep_their_type(self):
        for y in (np.array([3, 11] * 60), np.array([True, False] * 60), np.array([1.0, 2.0] * 60), LABEL,
                  np.array(["b", "a"] * 60, dtype=object)):
            model = wald.TreeClassifier().fit(X, y)
            self.assertEqual(model.predict(X).dtype, y.dtype)
            self.assertGreater(model.score(X, y), 0.4)

    def test_clones_are_equal_and_unfitted(self):
        model = wald.BoostClassifier(trees=3, seed=5).fit(X, LABEL)
        self.assertEqual(clone(model).get_params(), model.get_params())
        self.assertEqual(repr(clone(model)), "BoostClassifier(trees=3, seed=5)")
        with self.assertRaisesRegex(ValueError, "not fitted"): clone(model).predict(X)

    def test_scikit_learn_and_pandas_need_not_be_there(self):
        code = ("import sys; sys.modules['sklearn'] = sys.modules['pandas'] = None\n"
                f"sys.path[:0] = {sys.path[:1]!r}\n"
                "import wald, numpy as np\n"
                "m = wald.TreeClassifier()\n"
                "try: m.predict([[1.0]])\n"
                "except wald.Error as e: print(e.message)\n"
                "print(m.fit([[0.0], [1.0]] * 9, ['a', 'b'] * 9).predict([[1.0]])[0])")
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, "This TreeClassifier instance is not fitted yet\nb\n")
