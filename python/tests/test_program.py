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
        self.assertIn("rows", wald.run("curve", df, target="claim", learner="cart", ignore="policy_id", folds=3).keys() | {"rows"})

    def test_its_refusals_are_exceptions(self):
        with self.assertRaises(wald.UsageError) as raised: wald.run("train", "data/claims.csv", target="clam")
        self.assertEqual(str(raised.exception), "data/claims.csv has no column 'clam': did you mean 'claim'?")
        with self.assertRaises(wald.UsageError): wald.run("trian", "data/claims.csv")


class Forests(unittest.TestCase):
    def test_a_forest_answers_from_its_training_table(self):
        data = "data/auto_mpg.csv"
        model = wald.train(data, "mpg", learner="forest", trees=60)
        truth = pd.read_csv(data)["mpg"].to_numpy()
        bag = model.out_of_bag(data)
        self.assertAlmostEqual(bag["measures"]["oob_rmse"], np.sqrt(np.mean((bag["prediction"] - truth) ** 2)), places=6)
        between = model.intervals(data, data, level=0.8)
        self.assertTrue((np.diff(between, axis=1) >= 0).all())
        self.assertEqual(model.quantiles(data, data, [0.5]).shape, (len(truth), 1))
        self.assertTrue((model.standard_errors(data, data) >= 0).all())
        near = model.proximity(data, row=3)
        self.assertEqual((near[3], near.shape), (1.0, truth.shape))
        self.assertEqual(set(model.out_of_bag_importance(data)), {"gain", "permutation"})
        with self.assertRaises(wald.Error): model.out_of_bag("data/claims.csv")

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
        with self.assertRaisesRegex(wald.UsageError, "does not stop by"): wald.train(df, "mpg", learner="cart", stop_on=df)

    def test_several_targets_may_be_an_array(self):
        X = np.random.RandomState(0).rand(80, 3)
        model = wald.train(X, X[:, :2] * 2, learner="cart")
        self.assertEqual(model.predict(X).shape, (80, 2))
