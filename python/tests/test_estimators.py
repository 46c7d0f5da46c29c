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


# Whatever the package shows that can be fitted.
FOUND = {name: thing for name, thing in vars(wald).items()
         if isinstance(thing, type) and hasattr(thing, "fit") and hasattr(thing, "get_params") and name != "PrivateEstimator"}


class Contract(unittest.TestCase):
    """A test an estimator, made below."""


# One check wants every class predicted after 20 or 30 rows, which is to learn them nearly by heart. No learner that keeps
# epsilon = 1, the default, does so: these options let a private model tell that much, and nobody should take them for rows
# that are secret. With them every check passes; without them all others do.
TELLING = {"epsilon": 16, "delta": 0.1, "trees": 10, "histogram_share": 0, "public_rows": 1000, "buy": "none",
           "schema": {f"x{i}": (-3, 3) for i in range(50)}}
BY_HEART = {"check_classifiers_classes"}


def contract(kind, options, beyond=frozenset()):
    def test(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            checks = list(check_estimator(kind(**options), generate_only=True))
            self.assertGreater(len(checks), 30)
            for instance, check in checks:
                if check.func.__name__ in beyond: continue
                with self.subTest(check.func.__name__): check(instance)
    return test


for found, kind in FOUND.items():
    secret = found == "PrivateBoostClassifier"
    setattr(Contract, f"test_{found}_passes_every_check_of_scikit_learn", contract(kind, TELLING if secret else {}))
    if secret: setattr(Contract, f"test_{found}_of_epsilon_1_passes_every_other_check", contract(kind, {}, BY_HEART))


class Estimators(unittest.TestCase):
    def test_every_estimator_was_found(self): self.assertEqual(FOUND, wald.ESTIMATORS)

    def test_there_is_one_for_every_learner_and_task(self):
        made = {e._learner for e in wald.ESTIMATORS.values()}
        self.assertEqual(made, {x["name"] for x in wald.learners() if x["needs_target"]})
        for learner in made - {"private-boost"}:
            words = np.where(X > 0.5, "a", "b").astype(object)
            try: wald.train(words, NUMBER, learner=learner, task="numbers")
            except wald.UsageError as error:
                self.assertNotIn("Regressor", "".join(n for n, e in wald.ESTIMATORS.items() if e._learner == learner), error)

    def test_keywords_and_defaults_are_those_of_the_option_tables(self):
        for learner in wald.learners():
            for estimator in wald.ESTIMATORS.values():
                if estimator._learner != learner["name"]: continue
                params, words = estimator().get_params(), {o["name"].replace("-", "_") for o in learner["options"]}
                for option in learner["options"]: self.assertIn(option["help"], estimator.__doc__)
                if learner["private"]:
                    self.assertEqual(set(params) - words, {"schema", "ledger", "accept_observed_bounds", "threads"})
                    continue
                self.assertEqual(words - set(params), set())
                self.assertLessEqual({"impute", "scale", "seed", "threads"}, set(params))
                self.assertEqual("calibrate" in params, estimator.__name__.endswith("Classifier"))
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

    def test_few_rows_of_a_frame_and_all_of_them_get_the_same_bits(self):
        df = pd.read_csv("data/claims.csv").drop(columns="policy_id")
        y = df.pop("claim")
        numbers = df.select_dtypes("number").assign(half=np.float32(0.1) * np.arange(len(df), dtype=np.float32))
        for frame in (df, numbers, numbers.astype("f4"), numbers[["bmi"]], df.astype({"children": "Int64"})):
            model = wald.BoostClassifier(trees=9).fit(frame, y)
            np.testing.assert_array_equal(np.vstack([model.predict_proba(frame[k:k + 1]) for k in range(20)]),
                                          model.predict_proba(frame)[:20])

    def test_the_order_of_rows_and_rows_of_no_weight_do_not_matter(self):
        order = RANDOM.permutation(len(X))
        whole = wald.BoostRegressor(trees=5).fit(X, NUMBER).predict(X)
        np.testing.assert_array_equal(whole, wald.BoostRegressor(trees=5).fit(X[order], NUMBER[order]).predict(X))
        noise = wald.BoostRegressor(trees=5).fit(np.vstack([X, X]), np.append(NUMBER, -NUMBER), np.repeat([2.0, 0.0], len(X)))
        np.testing.assert_array_equal(whole, noise.predict(X))

    def test_an_eval_set_is_measured(self):
        model = wald.TreeClassifier().fit(X[:80], LABEL[:80], eval_set=(X[80:], LABEL[80:]))
        self.assertAlmostEqual(model.evals_result_[0]["accuracy"], model.score(X[80:], LABEL[80:]))

    def test_boosting_keeps_the_round_that_is_best_on_the_eval_set(self):
        noise = np.random.RandomState(3)
        big = noise.rand(400, 4)
        number = big[:, 0] * 3 + big[:, 1] + noise.randn(400)
        one, two = (big[:200], number[:200]), (big[200:], number[200:])
        for options in ({}, {"drop": 0.1}, {"leaf": "linear"}, {"impute": "mean", "scale": "standard"}):
            with self.subTest(str(options)):
                model = wald.BoostRegressor(trees=300, learning_rate=0.2, early_stop=15, **options)
                model.fit(*one, eval_set=[(X, NUMBER), two])
                curve = model.model_.curve
                best = int(np.argmin(curve["held"])) + 1
                self.assertEqual((model.best_iteration_, model.model_.n_trees), (best, best))
                self.assertLess(len(curve["held"]), 300)
                self.assertAlmostEqual(min(curve["held"]), model.evals_result_[-1]["rmse"], places=9)
                whole = wald.BoostRegressor(trees=best, learning_rate=0.2, early_stop=None, **options).fit(*one)
                np.testing.assert_array_equal(whole.predict(big), model.predict(big))
        with self.assertRaisesRegex(ValueError, "eval_set"): wald.BoostRegressor().fit(*one, eval_set=(big[:, :2], number))

    def test_an_eval_set_judges_classes_too(self):
        y = np.where(np.random.RandomState(5).rand(120) < X[:, 0], "b", np.where(X[:, 1] > 0.5, "a", "c"))
        model = wald.BoostClassifier(trees=200, early_stop=10).fit(X[:70], y[:70], eval_set=(X[70:], y[70:]))
        self.assertAlmostEqual(min(model.model_.curve["held"]), model.evals_result_[0]["log_loss"], places=9)
        every = wald.BoostClassifier(trees=7, early_stop=None).fit(X[:70], y[:70], eval_set=(X[70:], y[70:]))
        self.assertEqual((every.best_iteration_, len(every.model_.curve["held"])), (7, 7))

    def test_several_targets_are_learned_in_one_model(self):
        both = np.column_stack([NUMBER, -2 * X[:, 2]])
        for estimator in (wald.TreeRegressor(), wald.BoostRegressor(trees=30)):
            model = estimator.fit(X, both)
            self.assertEqual(model.predict(X).shape, both.shape)
            np.testing.assert_array_equal(model.predict(X[:1]), model.predict(X)[:1])
            self.assertGreater(model.score(X, both), 0.5)
        named = wald.TreeRegressor().fit(X, pd.DataFrame(both, columns=["one", "two"]))
        self.assertEqual(named.model_.describe()["targets"], ["one", "two"])
        with self.assertRaisesRegex(ValueError, "1d array"): wald.ForestRegressor(trees=3).fit(X, both)

    def test_several_quantiles_have_a_column_each(self):
        model = wald.BoostRegressor(loss="quantile", quantile=[0.1, 0.5, 0.9], trees=30).fit(X, NUMBER)
        self.assertTrue((np.diff(model.predict(X), axis=1) >= 0).all())

    def test_preparation_and_decisions_are_keywords(self):
        frame = pd.DataFrame({"x": X[:, 0], "word": np.where(X[:, 1] > 0.5, "a", None)})
        dear = wald.BoostClassifier(trees=30, cost={"fp": 1, "fn": 50}, categories="one-hot", impute="mode").fit(frame, LABEL)
        plain = wald.BoostClassifier(trees=30).fit(frame, LABEL)
        self.assertGreater((dear.predict(frame) == "yes").sum(), (plain.predict(frame) == "yes").sum())
        self.assertEqual(dear.model_.options["cost"], "fp=1,fn=50")
        smooth = wald.TreeClassifier(calibrate="sigmoid").fit(X, LABEL)
        self.assertEqual(smooth.model_.describe()["calibrated"], "sigmoid")
        with self.assertRaisesRegex(wald.UsageError, "'fp' is not a cost"): wald.TreeClassifier(cost="fp").fit(X, LABEL)
        self.assertEqual(len(dear.feature_importances_), 2)

    def test_forests_tell_of_rows_out_of_bag(self):
        weight = np.repeat([1.0, 0.0], 60)
        model = wald.ForestClassifier(trees=60).fit(X, LABEL, weight)
        bag = model.out_of_bag(X, LABEL, weight)
        self.assertTrue((bag["trees"][60:] == 0).all() and np.isnan(bag["proba"][60:]).all())
        self.assertEqual(set(bag["prediction"][60:]), {None})
        right = (bag["prediction"] == LABEL)[:60][bag["trees"][:60] > 0].mean()
        self.assertAlmostEqual(model.oob_score_, right, delta=0.02)
        self.assertAlmostEqual(wald.ForestRegressor(trees=60).fit(X, NUMBER).oob_score_, 0.8, delta=0.2)
        with self.assertRaises(AttributeError): wald.TreeClassifier().fit(X, LABEL).oob_score_

    def test_options_are_taken_as_numpy_holds_them(self):
        model = wald.BoostClassifier(trees=np.int64(3), learning_rate=np.float32(0.1), vector_leaves=np.bool_(False),
                                     early_stop=None).fit(X, LABEL)
        self.assertEqual((model.model_.n_trees, model.model_.options["learning-rate"]), (3, "0.1"))

    def test_a_float_is_no_number_of_columns(self):
        for columns in (1.0, np.float32(1), 2.0):
            with self.assertRaisesRegex(wald.UsageError, "neither a share"): wald.ForestClassifier(columns_per_node=columns).fit(X, LABEL)
            with self.assertRaisesRegex(wald.UsageError, "neither a share"): wald.train(X, LABEL, columns=columns)
            with self.assertRaisesRegex(wald.UsageError, "neither a share"):
                wald.run("train", "data/claims.csv", target="claim", learner="forest", columns_per_node=columns)
        for learner in (wald.ForestClassifier(columns_per_node=1, rows=1.0, trees=3.0), wald.BoostClassifier(columns=0.5, rows=1.0, trees=3)):
            self.assertEqual(learner.fit(X, LABEL).model_.n_trees, 3)

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

    def test_labels_of_many_digits_stay_apart(self):
        half = (X[:, 0] > 0.5).astype(int)
        for y in (-1.0 * half, half * 1e15, half * 10**17, 1234567890123456789 + half, 2**53 + half, -10**17 * half):
            model = wald.TreeClassifier().fit(X, y)
            self.assertEqual(model.score(X, y), 1)
            self.assertEqual(list(model.classes_), sorted(set(y.tolist())))

    def test_a_score_judges_row_by_row(self):
        model = wald.TreeClassifier().fit(X, LABEL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(model.score(X, LABEL[:, None]), model.score(X, LABEL))
        with self.assertRaisesRegex(ValueError, "inconsistent"): model.score(X, ["yes"])

    def test_a_class_of_ones_own_may_have_other_defaults(self):
        class Mine(wald.BoostClassifier):
            def __init__(self, trees=7, max_depth=2, name="mine"):
                super().__init__(trees=trees, max_depth=max_depth)
                self.name = name
        options = Mine().fit(X, LABEL).model_.options
        self.assertEqual((options["trees"], options["max-depth"]), ("7", "2"))
        self.assertEqual(repr(clone(Mine(trees=9))), "Mine(trees=9)")

    def test_errors_tell_of_rows_by_their_places(self):
        with self.assertRaisesRegex(wald.Error, "row 120"): wald.BoostClassifier().fit(X, LABEL, np.r_[np.ones(119), -1])
        with self.assertRaisesRegex(wald.Error, "row 120"):
            wald.BoostRegressor(loss="poisson").fit(X, np.r_[NUMBER[1:], -3])

    def test_columns_are_known_by_name_everywhere(self):
        frame = pd.DataFrame(X[:, :3], columns=list("abc"))
        with self.assertRaisesRegex(ValueError, "same order"):
            wald.BoostRegressor(trees=5).fit(frame, NUMBER, eval_set=(frame[["c", "b", "a"]], NUMBER))
        twice = pd.DataFrame(X[:, :2], columns=["a", "a"]).assign(k=LABEL)
        with self.assertRaisesRegex(wald.DataError, "same name"): wald.train(twice, "k")

    def test_min_hessian_alone_says_how_much_a_node_needs(self):
        settings = dict(trees=1, early_stop=None, rows=1, columns_per_node="all", max_depth=10, max_leaves=None, l2=1)
        few = np.arange(8.0)[:, None]
        for least, leaves in ((0, 8), (1, 1)):  # a quarter a row, and XGBoost grows 8 leaves too; four rows each gain nothing
            model = wald.BoostClassifier(min_hessian=least, **settings).fit(few, [0, 1] * 4)
            self.assertEqual(len(model.model_.tree(0).nodes()), 2 * leaves - 1)

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
