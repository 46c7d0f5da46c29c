"""The program and the package make the same models."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import wald

PROGRAM = pathlib.Path(os.environ["WALD_BUILD"]) / "bin/wald"


def by_program(*arguments):
    path = os.path.join(tempfile.mkdtemp(), "model.wald")
    subprocess.run([PROGRAM, "train", *arguments, "-q", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return pathlib.Path(path)


class SameBytes(unittest.TestCase):
    def check(self, arguments, *data, **options):
        path = by_program(*arguments)
        model = wald.train(*data, **options)
        self.assertEqual(path.read_bytes(), model.to_bytes())
        self.assertIn(model.learner, repr(model))
        return path

    def test_every_learner_makes_the_bytes_of_the_program(self):
        for learner in wald.learners():
            data = "data/tic_tac_toe.csv" if learner["name"] == "id3" else "data/claims.csv"
            target = {"data/tic_tac_toe.csv": "Class", "data/claims.csv": "claim"}[data]
            if learner["private"]: continue  # draws its noise from the operating system
            if not learner["needs_target"]: target = None
            named = ["--target", target] if target else []
            with self.subTest(learner["name"]):
                self.check([data, *named, "--learner", learner["name"]], data, target, learner=learner["name"])

    def test_options_roles_and_seeds_are_those_of_the_program(self):
        self.check(["data/claims.csv", "--target", "premium", "--ignore", "claim,plan", "--keep", "policy_id", "--weight",
                    "children", "--trees", "7", "--learning-rate", "0.1", "--max-depth", "none", "--seed", "9", "--na", "basic",
                    "--indicator", "yes", "--monotone", "bmi=up"],
                   "data/claims.csv", "premium", ignore=["claim", "plan"], keep="policy_id", weight="children", trees=7,
                   learning_rate=0.1, max_depth=None, seed=9, na="basic", indicator=True, monotone={"bmi": "up"})

    def test_a_loss_for_numbers_says_that_few_counts_are_numbers(self):
        self.check(["data/claims.csv", "--target", "children", "--drop-missing-target", "--loss", "poisson", "--trees", "5"],
                   "data/claims.csv", "children", drop_missing_target=True, loss="poisson", trees=5)
        about = dict(target="children", drop_missing_target=True, trees=5, early_stop=None)
        self.assertEqual(wald.train("data/claims.csv", loss="poisson", **about).classes, None)
        self.assertNotEqual(wald.train("data/claims.csv", **about).classes, None)
        self.assertIn("rmse", wald.cross_validate("data/claims.csv", loss="poisson", folds=2, **about))
        with self.assertRaisesRegex(wald.UsageError, "is for numbers, but the target 'children' has classes"):
            wald.train("data/claims.csv", loss="poisson", task="classes", **about)

    def test_constraints_that_preparation_would_break_are_refused(self):
        about = dict(target="premium", ignore=["claim"], trees=5, early_stop=None)
        for made in ({"powers": 2}, {"products": True}, {"impute": "draw"}):
            with self.assertRaisesRegex(wald.UsageError, "--monotone"):
                wald.train("data/claims.csv", monotone={"bmi": "up"}, **made, **about)
        with self.assertRaisesRegex(wald.UsageError, r"'age\*bmi'"):
            wald.train("data/claims.csv", interactions=[["age", "plan"], "bmi"], products=True, **about)
        wald.train("data/claims.csv", interactions=[["region", "age"], "bmi"], categories="one-hot", powers=2, **about)

    def test_names_with_commas_and_groups_of_columns_are_those_of_the_program(self):
        with open("data/claims.csv", encoding="utf-8") as table: text = table.read()
        renamed = os.path.join(tempfile.mkdtemp(), "claims.csv")
        with open(renamed, "w", encoding="utf-8") as table: table.write(text.replace("age", '"age, years"', 1).replace("bmi", "b+i", 1))
        self.check([renamed, "--target", "claim", "--trees", "7", "--early-stop", "none", "--monotone", '"age, years"=up,b+i=down',
                    "--interactions", '"age, years"+"b+i",plan', "--class-weights", "yes=2"],
                   renamed, "claim", trees=7, early_stop=None, monotone={"age, years": "up", "b+i": "down"},
                   interactions=[["age, years", "b+i"], "plan"], class_weights={"yes": 2})

    def test_preparation_decisions_and_rows_held_out_are_those_of_the_program(self):
        self.check(["data/claims.csv", "--target", "claim", "--impute", "median", "--categories", "one-hot", "--calibrate", "sigmoid",
                    "--cost", "fp=1,fn=12", "--holdout", "0.2", "--trees", "20"],
                   "data/claims.csv", "claim", impute="median", categories="one-hot", calibrate="sigmoid",
                   cost={"fp": 1, "fn": 12}, holdout=0.2, trees=20)

    def test_a_saved_model_is_one_file_for_both(self):
        path = self.check(["data/iris.csv", "--target", "class", "--learner", "cart"], "data/iris.csv", "class",
                          learner="cart")
        model = wald.load(path)
        again = path.with_name("again.wald")
        model.save(again)
        self.assertEqual(path.read_bytes(), again.read_bytes())
        with self.assertRaises(wald.Error): model.save(again)
        model.save(again, force=True)

    def test_a_refusal_has_the_words_of_the_program(self):
        said = subprocess.run([PROGRAM, "train", "data/claims.csv", "--target", "clam"], capture_output=True, text=True)
        with self.assertRaises(wald.UsageError) as raised: wald.train("data/claims.csv", "clam")
        self.assertIn(raised.exception.message, said.stderr)
        self.assertIn(raised.exception.cure, said.stderr)
        for options in ({"max_dept": 3}, {"trees": 0}, {"loss": "squard"}, {"learner": "bost"}):
            with self.assertRaises(wald.UsageError): wald.train("data/claims.csv", "claim", **options)
