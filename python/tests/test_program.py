"""Everything that the program does can be asked from Python."""
import unittest

import numpy as np
import pandas as pd

import wald


class Program(unittest.TestCase):
    def test_its_verbs_take_models_and_frames(self):
        df = pd.read_csv("data/claims.csv")
        model = wald.train(df, "claim", learner="forest", trees=20, ignore="policy_id")
        self.assertEqual(wald.run("show", model)["learner"], "forest")
        self.assertEqual(wald.run("evaluate", model, df)["rows"], len(df))
        self.assertEqual(len(wald.run("importance", model, df)["importance"]), len(model.columns))
        self.assertEqual(wald.run("curve", df, target="claim", learner="cart", ignore="policy_id", folds=3)["by"], "rows")

    def test_its_refusals_are_exceptions(self):
        with self.assertRaises(wald.UsageError) as raised: wald.run("train", "data/claims.csv", target="clam")
        self.assertEqual(str(raised.exception), "data/claims.csv has no column 'clam': did you mean 'claim'?")
        with self.assertRaises(wald.UsageError): wald.run("trian", "data/claims.csv")


class Judging(unittest.TestCase):
    """What compare, curve and audit make of tables in memory is what the program makes of their file."""

    def test_learners_are_compared_on_the_same_folds(self):
        df = pd.read_csv("data/claims.csv").drop(columns="policy_id")
        found = wald.compare(df.drop(columns="claim"), df["claim"], ["cart", "boost"], folds=3, trees=20, measure="auc")
        self.assertEqual((list(found), found.measure), (["cart", "boost"], "auc"))
        file = wald.run("cv", "data/claims.csv", target="claim", ignore="policy_id", learner="cart,boost", folds=3, trees=20)
        for one in file["learners"]:
            np.testing.assert_array_equal(found[one["learner"]]["accuracy"], one["metrics"]["accuracy"]["folds"])
        alone = wald.cross_validate(df, "claim", learner="cart", folds=3)
        np.testing.assert_array_equal(found["cart"]["auc"], alone["auc"])
        self.assertEqual(set(found.paired), {"cart", "boost"} - {found.best})
        self.assertIn("p ", repr(found))
        with self.assertRaisesRegex(wald.UsageError, "did you mean --trees"): wald.compare(df, "claim", ["cart", "boost"], tres=3)

    def test_types_of_columns_in_memory_are_kept(self):
        random = np.random.RandomState(0)
        df = pd.DataFrame({"kind": pd.Categorical(random.choice([10, 2, 33], 200)), "x": random.rand(200).astype("f4"),
                           'a "b", c': random.choice(["1", "2", None], 200)})
        y = np.where((df["kind"] == 2) | (df["x"] > 0.9), "hit", "miss")
        one = wald.compare(df, y, "cart", folds=3)["cart"]
        two = wald.cross_validate(df, y, learner="cart", folds=3)
        for measure in two: np.testing.assert_array_equal(one[measure], two[measure])

    def test_curves_are_columns_and_a_picture(self):
        X = np.random.RandomState(1).rand(150, 3)
        found = wald.curve(X, X[:, 0] + X[:, 1], learner="cart", folds=3)
        self.assertEqual(len(found["at"]), len(found["held"]))
        self.assertLess(found["held"][-1], found["held"][0])
        self.assertEqual(list(found.frame().columns), list(found))
        self.assertIn("</svg>", found.plot())
        rounds = wald.curve("data/auto_mpg.csv", "mpg", by="rounds", trees=30)
        self.assertEqual((rounds.by, len(rounds["train"]) > 3), ("rounds", True))
        few = wald.curve(X, X[:, 0], learner="cart", by="max_depth", values=[1, 3], folds=3, merge_leaves=False)
        self.assertEqual(list(few["at"]), [1, 3])
        with self.assertRaisesRegex(wald.UsageError, "has no option 'max-dept'"): wald.curve(X, X[:, 0], learner="cart", by="max_dept")

    def test_an_audit_takes_rows_and_their_schema(self):
        df = pd.DataFrame(np.random.RandomState(0).rand(300, 2), columns=["a", "b"])
        df["y"] = np.where(df["a"] > 0.5, "u", "v")
        found = wald.audit(df, "y", epsilon=2, seconds=1, schema={"a": (0, 1), "b": (0, 1), "y": ["u", "v"]})
        self.assertTrue(found["passed"])
        self.assertGreater(found["own_rows"]["canaries"], 0)
        with self.assertRaises(wald.UsageError): wald.audit(epsilon=99)


class Forests(unittest.TestCase):
    def test_a_forest_answers_from_its_training_table(self):
        data = "data/auto_mpg.csv"
        model = wald.train(data, "mpg", learner="forest", trees=60)
        truth = pd.read_csv(data)["mpg"].to_numpy()
        bag = model.out_of_bag(data)
        self.assertAlmostEqual(bag["measures"]["oob_rmse"], np.sqrt(np.mean((bag["prediction"] - truth) ** 2)), places=6)
        between = model.intervals(data, data, level=0.8)
        np.testing.assert_array_equal(between, model.quantiles(data, data, [0.1, 0.5, 0.9]))
        self.assertTrue((np.diff(between, axis=1) >= 0).all())
        self.assertEqual(model.quantiles(data, data, [0.5]).shape, (len(truth), 1))
        self.assertTrue((model.standard_errors(data, data) >= 0).all())
        near = model.proximity(data, row=3)
        self.assertEqual((near[3], near.shape), (1.0, truth.shape))
        self.assertEqual(set(model.out_of_bag_importance(data)), {"gain", "permutation"})
        with self.assertRaises(wald.Error): model.out_of_bag("data/claims.csv")

    def test_a_forest_refuses_what_is_no_question(self):
        data = "data/auto_mpg.csv"
        model = wald.train(data, "mpg", learner="forest", trees=6)
        for level in (1.5, 0, -0.1, float("nan"), "x", None):
            with self.assertRaisesRegex(wald.UsageError, "is not a share of the targets: give a number between 0 and 1"):
                model.intervals(data, data, level=level)
        for which in ([1.5], [0.1, float("nan")], [-0.1], ["x"], 0.5):
            with self.assertRaisesRegex(wald.UsageError, "quantile"): model.quantiles(data, data, which)
        for row in (-1, 1.5, 398, "x"):
            with self.assertRaisesRegex(wald.UsageError, "give a whole number from 0 to 397"): model.proximity(data, row)
        with self.assertRaisesRegex(wald.UsageError, "--seed: '-1' is not"): model.out_of_bag_importance(data, seed=-1)
        calibrated = wald.train("data/claims.csv", "claim", learner="forest", trees=6, calibrate="sigmoid")
        with self.assertRaisesRegex(wald.UsageError, "--calibrate"): calibrated.standard_errors("data/claims.csv", "data/claims.csv")

    def test_a_forest_warns_of_levels_that_it_does_not_know(self):
        df = pd.read_csv("data/claims.csv")
        model, moon = wald.train(df, "premium", learner="forest", trees=6), df.assign(region="moon")
        for ask in (lambda: model.intervals(df, moon), lambda: model.quantiles(df, moon, [0.5]),
                    lambda: model.standard_errors(df, moon), lambda: model.proximity(moon, 0)):
            with self.assertWarnsRegex(wald.DataWarning, "'moon', unseen in training") as warned: ask()
            self.assertEqual(warned.filename, __file__)

    def test_rows_that_no_tree_left_out_have_no_prediction(self):
        data = "data/claims.csv"
        bag = wald.train(data, "claim", learner="forest", trees=2).out_of_bag(data)
        silent = bag["trees"] == 0
        self.assertTrue(silent.any() and np.isnan(bag["proba"][silent]).all())
        self.assertEqual(set(bag["prediction"][silent]), {None})
        self.assertEqual(set(bag["prediction"][~silent]), {"no", "yes"})
        bag = wald.train(data, "premium", learner="forest", trees=2).out_of_bag(data)
        np.testing.assert_array_equal(np.isnan(bag["prediction"]), bag["trees"] == 0)

    def test_forests_of_regions_tell_nothing_out_of_bag(self):
        data = "data/claims.csv"
        model = wald.train(data, "claim", learner="forest", trees=6, regions=8)
        self.assertIn("wald cv", model.notes[-1])
        with self.assertRaisesRegex(wald.UsageError, "--regions"): model.out_of_bag(data)

    def test_what_speaks_of_a_target_is_refused_where_there_is_none(self):
        for name, value in (("target", "class"), ("query", "class"), ("holdout", 0.2), ("calibrate", "sigmoid")):
            with self.assertRaisesRegex(wald.UsageError, f"learner isolation-forest has no target, so {name} has no meaning"):
                wald.train("data/iris.csv", learner="isolation-forest", **{name: value})
        self.assertEqual(wald.train("data/iris.csv", learner="isolation-forest", trees=3).n_trees, 3)

    def test_decisions_and_rows_held_out_are_those_of_the_program(self):
        model = wald.train("data/claims.csv", "claim", learner="cart", holdout=0.25, cost="fp=1,fn=20", calibrate="isotonic")
        self.assertEqual(model.measures.rows, 75)
        self.assertLess(model.threshold, 0.5)
        other = wald.train("data/claims.csv", "claim", learner="cart", valid="data/claims.csv")
        self.assertEqual(other.measures, other.evaluate("data/claims.csv"))
        with self.assertRaisesRegex(wald.UsageError, "'2' is not a share of the rows"): wald.train("data/claims.csv", "claim", holdout=2)

    def test_a_table_to_stop_on_chooses_the_round(self):
        df = pd.read_csv("data/auto_mpg.csv")
        df = df.drop(columns="name")
        model = wald.train(df[:250], "mpg", trees=500, learning_rate=0.2, stop_on=df[250:])
        self.assertAlmostEqual(min(model.curve["held"]), model.evaluate(df[250:])["rmse"], places=9)
        pair = wald.train(df[:250].drop(columns="mpg"), df["mpg"][:250], trees=500, learning_rate=0.2,
                          stop_on=(df[250:].drop(columns="mpg"), df["mpg"][250:]))
        self.assertEqual(pair.n_trees, model.n_trees)
        with self.assertRaisesRegex(wald.UsageError, "does not stop by"): wald.train(df[:250], "mpg", learner="cart", stop_on=df[250:])
        with self.assertRaisesRegex(wald.Error, "stop"): wald.train(df, "mpg", stop_on=df)
        none = df[250:].assign(mpg=0.0)
        with self.assertRaisesRegex(wald.Error, "--loss gamma needs targets above 0, but row 1"):
            wald.train(df[:250], "mpg", loss="gamma", stop_on=none)
        with self.assertRaisesRegex(wald.Error, "--loss gamma needs targets above 0, but row 1"):
            wald.BoostRegressor(loss="gamma").fit(df[:250].drop(columns="mpg"), df["mpg"][:250],
                                                  eval_set=(none.drop(columns="mpg"), none["mpg"]))

    def test_a_table_to_stop_on_has_weights_where_the_training_has(self):
        df = pd.read_csv("data/auto_mpg.csv").drop(columns="name").assign(w=np.arange(398) % 5 + 0.5)
        model = wald.train(df[:250], "mpg", weight="w", trees=500, learning_rate=0.2, stop_on=df[250:])
        self.assertAlmostEqual(min(model.curve["held"]), model.evaluate(df[250:], weight="w")["rmse"], places=9)

    def test_several_targets_may_be_an_array(self):
        X = np.random.RandomState(0).rand(80, 3)
        model = wald.train(X, X[:, :2] * 2, learner="cart")
        self.assertEqual(model.predict(X).shape, (80, 2))
