"""What can be asked of a model."""
import doctest
import importlib
import json
import pickle
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import wald


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = wald.train("data/claims.csv", "claim", trees=20)
        cls.iris = wald.train("data/iris.csv", "class", learner="cart")

    def test_examples_in_docstrings_are_true(self):
        for name in ("wald", "wald._train", "wald._model", "wald._private", "wald._program", "wald._judge"):
            result = doctest.testmod(importlib.import_module(name))
            self.assertGreater(result.attempted, 0)
            self.assertEqual(result.failed, 0)

    def test_shapley_values_sum_to_the_score_and_are_drawn(self):
        for model, data, outputs in ((self.model, "data/claims.csv", 1), (self.iris, "data/iris.csv", 3)):
            e = model.explain(data, interactions=True)
            self.assertEqual(e.values.shape[1:], (outputs, len(model.columns)))
            np.testing.assert_allclose(e.base + e.values.sum(axis=2), e.score, atol=1e-9)
            np.testing.assert_allclose(e.interactions.sum(axis=3), e.values, atol=1e-9)
            for kind in ("beeswarm", "waterfall", "bar"): self.assertIn("</svg>", e.plot(kind)._repr_svg_())
            self.assertIn("</svg>", e.plot(column=model.columns[0]))
        self.assertIsNone(self.model.explain("data/claims.csv", background="data/claims.csv").interactions)
        with self.assertRaises(wald.UsageError): e.plot("pie")
        with self.assertRaises(IndexError): e.plot("waterfall", row=10_000)

    def test_trees_are_told_in_every_form(self):
        tree = self.iris.tree(0)
        self.assertIn("petal", str(tree))
        self.assertIn("digraph", tree.dot())
        self.assertIn("</svg>", tree._repr_svg_())
        nodes = tree.nodes()
        self.assertEqual(len(nodes), self.iris.describe()["nodes"])
        self.assertTrue(all(0 < k < len(nodes) for n in nodes for k in n.get("children", [])))
        with self.assertRaises(IndexError): self.iris.tree(1)

    def test_measures_and_importance_are_those_of_the_library(self):
        measures = self.iris.evaluate("data/iris.csv")
        self.assertEqual(measures.confusion.sum(), 150)
        self.assertAlmostEqual(measures["accuracy"], np.trace(measures.confusion) / 150)
        self.assertAlmostEqual(sum(self.iris.importance().values()), 1)
        self.assertEqual(set(self.iris.importance("data/iris.csv")), set(self.iris.columns))
        self.assertIn("</svg>", self.model.dependence("data/claims.csv", "age")["picture"])

    def test_a_description_is_ready_for_json_and_a_model_for_pickle(self):
        self.assertEqual(json.loads(json.dumps(self.model.describe()))["learner"], "boost")
        self.assertEqual(pickle.loads(pickle.dumps(self.model)), self.model)
        self.assertIn("boost: ", repr(self.model))

    def test_damaged_files_are_refused(self):
        with tempfile.NamedTemporaryFile(suffix=".wald") as file:
            file.write(self.iris.to_bytes()[:-5])
            file.flush()
            with self.assertRaises(wald.ModelError): wald.load(file.name)
        with self.assertRaises(wald.Error): wald.load("/nowhere/none.wald")

    def test_rounds_are_added_to_a_model(self):
        one = wald.train("data/auto_mpg.csv", "mpg", trees=5, early_stop=None)
        two = wald.train("data/auto_mpg.csv", "mpg", trees=5, early_stop=None, start=one)
        self.assertEqual((one.n_trees, two.n_trees), (5, 10))

    def test_rounds_are_added_from_any_table_that_the_model_could_predict(self):
        how = dict(target="claim", trees=3, early_stop=None)
        one = wald.train("data/claims.csv", **how)
        with open("data/claims.csv", encoding="utf-8") as file: rows = [line.rstrip("\n").split(",") for line in file]
        data = {name: [row[k] or None for row in rows[1:]] for k, name in reversed(list(enumerate(rows[0])))}
        for name in ("age", "bmi", "children", "premium"): data[name] = [float(x) if x else np.nan for x in data[name]]
        del data["policy_id"]
        self.assertEqual(wald.train(data, start=one, **how).to_bytes(), wald.train("data/claims.csv", start=one, **how).to_bytes())
        some = [k for k, (plan, claim) in enumerate(zip(data["plan"], data["claim"])) if plan == "basic" and claim == "no"]
        part = {name: [cells[k] for k in some] for name, cells in data.items()}
        part["region"] = ["moon" if r == "south" else r for r in part["region"]]
        with self.assertWarnsRegex(wald.DataWarning, "'moon', unseen in training"): two = wald.train(part, start=one, **how)
        self.assertEqual((two.n_trees, two.classes), (6, ["no", "yes"]))
        part["claim"] = ["often"] * len(some)
        with self.assertRaisesRegex(wald.DataError, "'often', a class that the model to go on from does not know"):
            wald.train(part, start=one, **how)

    def test_boosting_starts_from_a_number_or_a_model(self):
        how = dict(target="premium", trees=2, early_stop=None)
        one = wald.train("data/claims.csv", start=100.0, **how)
        self.assertEqual(one.options["start"], "100")
        self.assertEqual(wald.train("data/claims.csv", start=one, **how).n_trees, 4)
        with self.assertRaises(wald.UsageError): wald.train("data/claims.csv", start=[1, 2], **how)

    def test_rankers_and_risks_are_measured_by_their_order(self):
        grid = range(120)
        data = {"a": [i * 7 % 20 for i in grid], "b": [i * 11 % 13 for i in grid], "q": [i // 6 for i in grid],
                "grade": [i * 7 % 20 // 7 for i in grid], "w": [1 + i % 3 for i in grid]}
        how = dict(target="grade", ignore="w", trees=5, early_stop=None)
        model = wald.train(data, query="q", valid=data, **how)
        found = model.evaluate(data)
        self.assertEqual(list(found), ["ndcg", "ndcg_10", "map"])
        self.assertEqual(found, model.measures)
        self.assertEqual(found, model.evaluate({k: v for k, v in data.items() if k != "q"}, query=data["q"]))
        self.assertNotEqual(found, model.evaluate(data, query=np.zeros(120)))
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/rank.csv"
            with open(path, "w", encoding="utf-8") as file:
                print(*data, sep=",", file=file)
                for row in zip(*data.values()): print(*row, sep=",", file=file)
            model.save(folder + "/rank.wald")
            told = wald.run("evaluate", folder + "/rank.wald", path, weight="w")["metrics"]
        self.assertEqual(model.evaluate(data, weight="w"), told)
        self.assertEqual(model.evaluate(data, weight=data["w"]), told)
        with self.assertRaisesRegex(wald.DataError, "has no column 'q'"): model.evaluate({"a": [1], "b": [2], "grade": [0]})
        with self.assertRaisesRegex(wald.DataError, "has no column 'q'"): model.importance({"a": [1], "b": [2], "grade": [0]})
        self.assertGreater(model.importance(data)["a"], 0)
        risk = wald.train({k: data[k] for k in "ab"}, target=[1 + x for x in data["a"]], loss="cox", trees=5, early_stop=None)
        self.assertEqual(list(risk.evaluate({**data, "target": [1 + x for x in data["a"]]})), ["concordance"])

    def test_adaboost_tells_its_rounds_and_why_it_ended(self):
        model = wald.train("data/claims.csv", "claim", learner="adaboost", gamma=0.1, ignore="policy_id")
        self.assertRegex(model.notes[-1], "adaboost ended after .* of 100 rounds: .*a smaller --gamma than 0.1")
        rounds = model.curve["rounds"]
        self.assertEqual([r["round"] for r in rounds], list(range(1, model.n_trees + 1)))
        self.assertEqual([r["loss"] for r in rounds], model.curve["train"])
        self.assertAlmostEqual(rounds[-1]["bound"], rounds[-1]["loss"], 12)
        self.assertNotIn("rounds", self.model.curve)
        X, y = np.arange(40.0).reshape(-1, 1), np.repeat(["a", "b"], 20)
        self.assertIn("errs nowhere", wald.AdaBoostClassifier().fit(X, y).model_.notes[-1])

    def test_rows_that_a_model_has_learned_are_not_held_out_when_it_goes_on(self):
        how = dict(target="mpg", trees=5, early_stop=None)
        one = wald.train("data/auto_mpg.csv", **how)
        with self.assertRaisesRegex(wald.UsageError, "has learned all of these rows"):
            wald.train("data/auto_mpg.csv", start=one, holdout=0.2, **how)
        held = wald.train("data/auto_mpg.csv", holdout=0.2, **how)
        self.assertEqual(wald.train("data/auto_mpg.csv", start=held, holdout=0.2, **how).n_trees, 10)
        with self.assertWarnsRegex(wald.DataWarning, "was made from other rows"):
            wald.train("data/auto_mpg.csv", start=held, holdout=0.3, **how)

    def test_several_targets_have_a_column_each(self):
        model = wald.train("data/auto_mpg.csv", ["mpg", "weight"], learner="cart")
        self.assertEqual(model.predict("data/auto_mpg.csv").shape[1], 2)


class Running(unittest.TestCase):
    def long(self, **options):
        X = np.random.RandomState(0).rand(3000, 10)
        return wald.train(X, X[:, 0] + np.random.RandomState(1).rand(3000), trees=1_000_000, early_stop=None,
                          learning_rate=0.001, **options)

    def test_ctrl_c_keeps_what_was_learned(self):
        for after in (0.5, 2.0, 8.0):  # the first round of a loaded machine may take long
            threading.Timer(after, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
            start = time.time()
            try:
                with self.assertWarns(wald.InterruptWarning): model = self.long()
            except KeyboardInterrupt: continue
            self.assertGreater(model.n_trees, 0)
            self.assertLess(time.time() - start, after + 20)
            return
        self.fail("no round was finished in time")

    def test_other_threads_run_while_a_model_is_trained(self):
        counted, stop = [0], threading.Event()

        def count():
            while not stop.wait(0.001): counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        start = time.time()
        wald.train(np.random.RandomState(0).rand(20000, 20), np.random.RandomState(1).rand(20000), trees=30,
                   early_stop=None)
        waited = time.time() - start
        stop.set()
        thread.join()
        self.assertGreater(counted[0], waited * 20)
