"""Private learning keeps to its terms."""
import json
import os
import pickle
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np
import pandas as pd

import wald

SCHEMA = {"policy_id": None, "age": (18, 100), "region": ["east", "north", "south", "west"], "smoker": ["no", "yes"],
          "bmi": (10, 60), "children": (0, 10), "plan": ["basic", "complete", "plus"], "premium": (0, 2000),
          "claim": ["no", "yes"]}
PROGRAM = os.path.join(os.environ["WALD_BUILD"], "bin/wald")


def train(**options):
    return wald.train("data/claims.csv", "claim", learner="private-boost", **options)


class Private(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.ledger = os.path.join(self.folder, "claims.ledger")

    def test_train_spends_from_a_ledger_and_says_so(self):
        model = train(epsilon=2, delta=1e-5, schema=SCHEMA, ledger=self.ledger)
        self.assertEqual((model.privacy["epsilon"], model.privacy["ledger"]), (2, self.ledger))
        told = wald.privacy(self.ledger)
        self.assertAlmostEqual(told["spent"], 2, places=6)
        self.assertTrue(told["intact"])
        self.assertEqual(told["entries"][-1]["model"], model.options["model-id"])
        self.assertIn("private: epsilon 2", repr(model))
        with self.assertRaisesRegex(wald.PrivacyError, "this run would make it"): train(epsilon=1, schema=SCHEMA, ledger=self.ledger)
        self.assertEqual(wald.privacy(self.ledger, budget=4)["budget"], 4)
        train(epsilon=1, delta=1e-5, schema=SCHEMA, ledger=self.ledger)
        self.assertEqual(pickle.loads(pickle.dumps(model)).privacy, model.privacy)
        again = wald.train("data/claims.csv", "claim", ledger=self.ledger + "2",
                           private=wald.Private(epsilon=3, schema=SCHEMA, trees=5))
        self.assertEqual((again.n_trees, again.privacy["epsilon"]), (5, 3))

    def test_the_program_can_read_and_verify_what_python_wrote(self):
        model = train(epsilon=2, schema=SCHEMA, ledger=self.ledger)
        path = os.path.join(self.folder, "private.wald")
        model.save(path)
        said = subprocess.run([PROGRAM, "privacy", self.ledger, path, "--json"], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue(json.loads(said.stdout)["intact"])

    def test_what_nobody_paid_for_is_refused_in_the_words_of_the_program(self):
        for options, words in (({"seed": 3}, ["--seed", "3"]), ({"holdout": 0.2}, ["--holdout", "0.2"]),
                               ({"weight": "bmi"}, ["--weight", "bmi"]), ({"keep": "bmi"}, ["--keep", "bmi"]),
                               ({"calibrate": "sigmoid"}, ["--calibrate", "sigmoid"])):
            with self.assertRaises((wald.PrivacyError, wald.UsageError)) as raised:
                train(epsilon=2, schema=SCHEMA, ledger=self.ledger, **options)
            said = subprocess.run([PROGRAM, "train", "data/claims.csv", "--target", "claim", "--learner", "private-boost",
                                   "--epsilon", "2", *words, "-o", os.path.join(self.folder, "none.wald")],
                                  capture_output=True, text=True)
            self.assertIn(raised.exception.message, said.stderr)
        with self.assertRaisesRegex(wald.PrivacyError, "it needs a schema"): train(epsilon=2, ledger=self.ledger)
        with self.assertRaisesRegex(wald.UsageError, "needs to know epsilon"): train(schema=SCHEMA, ledger=self.ledger)
        with self.assertRaisesRegex(wald.PrivacyError, "'bmi' may hold is not declared"):
            train(epsilon=2, ledger=self.ledger, schema={k: v for k, v in SCHEMA.items() if k != "bmi"})
        self.assertFalse(os.path.exists(self.ledger))
        with self.assertRaisesRegex(wald.UsageError, "no name to find the ledger by"):
            wald.train(pd.read_csv("data/claims.csv"), "claim", private=wald.Private(epsilon=2, schema=SCHEMA))

    def test_by_a_link_a_table_has_no_other_ledger(self):
        table, link = (os.path.join(self.folder, name) for name in ("claims.csv", "link.csv"))
        shutil.copy("data/claims.csv", table)
        os.symlink("claims.csv", link)
        wald.train(table, "claim", private=wald.Private(epsilon=1, schema=SCHEMA))
        with self.assertRaisesRegex(wald.PrivacyError, "1 is spent"):
            wald.train(link, "claim", private=wald.Private(epsilon=0.5, schema=SCHEMA))
        with self.assertRaisesRegex(wald.PrivacyError, "do not add up"):
            wald.train(link, "claim", private=wald.Private(epsilon=0.5, schema=SCHEMA, contributor="policy_id"))
        with self.assertRaisesRegex(wald.UsageError, "no budget"): wald.privacy(table + ".ledger", budget=-1)

    def test_a_schema_says_whose_a_row_is(self):
        by_policy = SCHEMA | {"policy_id": {"contributor": True, "max_rows": 3}}
        said = "all rows (at most 3) of one contributor in column 'policy_id'"
        df = pd.read_csv("data/claims.csv")
        for data in ("data/claims.csv", df):
            model = wald.train(data, "claim", private=wald.Private(epsilon=1, schema=by_policy, ledger=os.path.join(self.folder, type(data).__name__)))
            self.assertIn(said, model.privacy["neighbours"])
            self.assertNotIn("policy_id", model.columns)
        for other in ({"contributor": "age"}, {"max_rows_per_contributor": 2}, {"contributor": df["policy_id"]}):
            with self.assertRaisesRegex(wald.UsageError, "the schema"):
                wald.train(df, "claim", private=wald.Private(epsilon=1, schema=by_policy, ledger=self.ledger, **other))
        with self.assertRaisesRegex(wald.PrivacyError, "not how many rows of a party count") as raised:
            wald.train(df, "claim", private=wald.Private(epsilon=1, ledger=self.ledger, schema=SCHEMA | {"policy_id": {"contributor": True}}))
        self.assertIn('"max_rows": K', raised.exception.cure)
        self.assertFalse(os.path.exists(self.ledger))
        clf = wald.PrivateBoostClassifier(epsilon=1, schema=by_policy, ledger=self.ledger, buy="none").fit(df.drop(columns="claim"), df["claim"])
        self.assertIn(said, clf.privacy_["neighbours"])
        self.assertEqual(clf.predict(df.drop(columns="claim")).shape, (300,))
        with self.assertRaisesRegex(wald.UsageError, r"max_rows_per_contributor without fit\(contributor"):
            wald.PrivateBoostClassifier(schema=SCHEMA, max_rows_per_contributor=3).fit(df.drop(columns="claim"), df["claim"])
        plain = wald.train("data/claims.csv", "claim", learner="cart", schema=by_policy, max_depth=2)
        self.assertNotIn("policy_id", plain.columns)

    def test_an_estimator_keeps_to_a_schema(self):
        df = pd.read_csv("data/claims.csv")
        X, y = df.drop(columns="claim"), df["claim"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = wald.PrivateBoostClassifier(epsilon=8, schema=SCHEMA, ledger=self.ledger, buy="none").fit(X, y)
        self.assertEqual((list(model.classes_), model.privacy_["epsilon"]), (["no", "yes"], 8))
        self.assertGreater(model.score(X, y), 0.5)
        self.assertNotIn("remark", model.model_.options)
        rare = wald.PrivateBoostClassifier(schema=SCHEMA | {"claim": ["maybe", "no", "yes"]}, ledger=self.ledger + "3").fit(X, y)
        self.assertEqual(list(rare.classes_), ["maybe", "no", "yes"])
        self.assertEqual(rare.predict_proba(X).shape, (len(X), 3))

    def test_what_an_estimator_does_not_protect_is_warned_of(self):
        X = np.random.RandomState(0).rand(60, 3)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = wald.PrivateBoostClassifier().fit(X, X[:, 0] > 0.5)
        self.assertEqual([w.category for w in said], [wald.PrivacyWarning] * 2)
        self.assertRegex(str(said[0].message) + str(said[1].message), "classes were read off y.*no ledger")
        self.assertIn("observed", model.model_.options["remark"])
        for refused in ({"sample_weight": np.ones(60)}, {"eval_set": (X, X[:, 0])}):
            with self.assertRaisesRegex(wald.PrivacyError, next(iter(refused))):
                wald.PrivateBoostRegressor().fit(X, X[:, 0], **refused)
        with self.assertRaisesRegex(wald.PrivacyError, "not declared"): wald.PrivateBoostRegressor(buy="none").fit(X, X[:, 0])
        with self.assertRaises(TypeError): wald.PrivateBoostRegressor(seed=1)

    @unittest.mock.patch("warnings.warn", lambda *a, **k: None)
    def test_asked_the_same_again_it_repeats_itself_and_spends_nothing(self):
        X = np.random.RandomState(1).rand(300, 3)
        one = wald.PrivateBoostRegressor(epsilon=4, ledger=self.ledger).fit(X, X[:, 0])
        two = wald.PrivateBoostRegressor(epsilon=4, ledger=self.ledger).fit(X, X[:, 0])
        np.testing.assert_array_equal(one.predict(X), two.predict(X))
        self.assertEqual(len(wald.privacy(self.ledger)["entries"]), 2)  # the budget, and one release
        other = X.copy()
        other[0, 0] += 1e-9
        three = wald.PrivateBoostRegressor(epsilon=4).fit(other, X[:, 0])
        self.assertNotEqual(three.model_.to_bytes(), one.model_.to_bytes())

    @unittest.mock.patch("warnings.warn", lambda *a, **k: None)
    def test_bounds_of_numbers_are_bought_for_columns_and_target(self):
        random = np.random.RandomState(2)
        X = random.rand(20_000, 2) * [100, 1]
        y = 1000 + 3 * X[:, 0]
        model = wald.PrivateBoostRegressor(epsilon=8).fit(X, y)
        self.assertGreater(model.score(X, y), 0.8)
        whose = np.arange(20_000) // 2
        less = wald.PrivateBoostRegressor(epsilon=8, max_rows_per_contributor=2).fit(X, y, contributor=whose)
        self.assertIn("all rows (at most 2) of one contributor", less.privacy_["neighbours"])
