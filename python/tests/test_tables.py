"""Tables from whatever holds them."""
import struct
import unittest
import warnings

import numpy as np
import pandas as pd

import arrow
import wald

OPTIONS = {"learner": "cart", "task": "classes"}


def frame():
    return pd.read_csv("data/claims.csv").drop(columns="policy_id")


class Tables(unittest.TestCase):
    def test_a_frame_teaches_what_its_file_does(self):
        file = wald.train("data/claims.csv", "claim", ignore="policy_id", learner="cart")
        held = wald.train(frame(), "claim", learner="cart")
        self.assertEqual(file.tree().text(), held.tree().text())
        self.assertEqual(list(file.predict("data/claims.csv")), list(held.predict(frame())))

    def test_containers_of_the_same_cells_give_the_same_model(self):
        df = frame()
        whole = wald.train(df, "claim", **OPTIONS).to_bytes()
        columns = {c: df[c].tolist() for c in df}
        self.assertEqual(whole, wald.train(columns, "claim", **OPTIONS).to_bytes())
        coded = df.assign(region=df.region.astype("category"), smoker=df.smoker.astype("string"))
        self.assertEqual(whole, wald.train(coded, "claim", **OPTIONS).to_bytes())
        missing = df.assign(children=df.children.astype("Int64"), bmi=df.bmi.astype("Float64"))
        self.assertEqual(whole, wald.train(missing, "claim", **OPTIONS).to_bytes())

    def test_arrays_of_every_number_type_and_order_are_read_alike(self):
        X = np.arange(60).reshape(20, 3) * 37 % 50
        y = (X[:, 0] > 20).astype(int)
        whole = wald.train(X.astype(float), y, **OPTIONS).to_bytes()
        for kind in ("f4", "f8", ">f8", "i1", "i2", "i4", "i8", "u1", "u8"):
            for order in "CF":
                with self.subTest(kind + order):
                    self.assertEqual(whole, wald.train(np.array(X, kind, order=order), y, **OPTIONS).to_bytes())
        self.assertEqual(whole, wald.train(np.repeat(X, 2, axis=0)[::2].astype(float), y, **OPTIONS).to_bytes())
        self.assertEqual(whole, wald.train(X.tolist(), y.tolist(), **OPTIONS).to_bytes())
        named = np.array([tuple(r) for r in X.tolist()], dtype=[("x0", "f8"), ("x1", "i4"), ("x2", "f4")])
        self.assertEqual(whole, wald.train(named, y, **OPTIONS).to_bytes())

    def test_nan_none_and_na_are_missing(self):
        y = [0, 1] * 10
        told = [wald.train({"x": column, "z": list(range(20))}, y, keep="z", **OPTIONS).to_bytes()
                for column in ([1.0, None] * 10, [1.0, float("nan")] * 10, pd.Series([1, pd.NA] * 10, dtype="Int64"),
                               pd.Series([1, pd.NA] * 10, dtype=object))]
        self.assertEqual(len(set(told)), 1)

    def test_an_arrow_stream_is_read_without_arrow(self):
        words = ["a", None, "a longer word than twelve", "b"]
        offsets = struct.pack("<5i", 0, 1, 1, 26, 27)
        text = b"a" + words[2].encode() + b"b"
        views = b"".join(struct.pack("<i12s", 1, w) for w in (b"a", b"")) + struct.pack("<i4sii", 25, b"a lo", 0, 0) + \
            struct.pack("<i12s", 1, b"b")
        chunk = [
            arrow.Column(b"n", b"g", [b"\x0d", struct.pack("<4d", 1, 9, 3, 4)], 4),
            arrow.Column(b"i", b"s", [None, struct.pack("<4h", 1, -2, 3, 4)], 4),
            arrow.Column(b"b", b"b", [None, b"\x05"], 4),
            arrow.Column(b"u", b"u", [b"\x0d", offsets, text], 4),
            arrow.Column(b"v", b"vu", [b"\x0d", views, words[2].encode(), struct.pack("<q", 25)], 4),
            arrow.Column(b"d", b"c", [b"\x0d", b"\x00\x00\x01\x02"], 4,
                         arrow.Column(b"", b"u", [None, offsets[:4] + struct.pack("<3i", 1, 26, 27), text], 3))]
        stream = arrow.Table(chunk, chunk, chunk)
        y = [0, 1, 0, 1] * 3
        plain = {"n": [1, None, 3, 4] * 3, "i": [1, -2, 3, 4] * 3, "b": [1, 0, 1, 0] * 3, "u": words * 3, "v": words * 3,
                 "d": words * 3}
        self.assertEqual(wald.train(stream, y, **OPTIONS).to_bytes(), wald.train(plain, y, **OPTIONS).to_bytes())
        self.assertGreater(stream.released, 4)
        with self.assertRaisesRegex(wald.DataError, "Arrow format 'tdD'"):
            wald.train(arrow.Table([arrow.Column(b"day", b"tdD", [None, bytes(16)], 4)]), y[:4], **OPTIONS)

    def test_categories_of_numbers_are_words(self):
        df = pd.DataFrame({"k": pd.Categorical([3, 1, 2, 1] * 5), "z": range(20)})
        model = wald.train(df, [0, 1, 1, 1] * 5, keep="z", **OPTIONS)
        self.assertEqual(model.describe()["columns"][0]["levels"], ["1", "2", "3"])
        self.assertEqual(list(model.predict({"k": [1, 3], "z": [0, 0]})), [1, 0])

    def test_what_cannot_be_read_is_refused_by_name(self):
        y = [0, 1]
        for bad, words in (({"x": np.array(["2020-01-01"] * 2, "M8[D]")}, "'x' holds dates"),
                           ({"x": [1, 2], "y": [1]}, "column 'y' has 1 row"), (np.array([1j, 2])[:, None], "Complex"),
                           ([[{}], [1]], "string or a number"), (np.zeros(2), "Reshape")):
            with self.subTest(words), self.assertRaisesRegex((ValueError, TypeError), words): wald.train(bad, y)
        with self.assertRaisesRegex(wald.DataError, "lacks a column that the model needs: 'region'"):
            wald.train(frame(), "claim", **OPTIONS).predict(frame().drop(columns="region"))

    def test_unseen_levels_are_warned_of(self):
        model = wald.train(frame(), "claim", **OPTIONS)
        with self.assertWarnsRegex(wald.DataWarning, "level 'Mars', unseen in training"):
            model.predict(frame().assign(region="Mars"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.predict(frame())

    def test_masked_cells_are_missing(self):
        X = np.arange(60.0).reshape(20, 3) * 37 % 50
        y, mask = [0, 1] * 10, X > 40
        told = wald.train(np.where(mask, np.nan, X), y, **OPTIONS).to_bytes()
        self.assertEqual(told, wald.train(np.ma.masked_array(X, mask=mask), y, **OPTIONS).to_bytes())
        self.assertEqual(told, wald.train(np.ma.masked_array(X.astype(int), mask=mask), y, **OPTIONS).to_bytes())

    def test_mistakes_are_told_in_sentences(self):
        X, words = np.random.RandomState(0).rand(40, 2), np.array(["a", "b"] * 20)
        day = pd.date_range("2020-01-01", periods=40)
        for call, said in (
                (lambda: wald.train({"d": day.to_period("D")}, words), "'d' holds dates or times"),
                (lambda: wald.train({"d": [d.date() for d in day]}, words), "'d' holds dates or times"),
                (lambda: wald.train({"d": day, "x": X[:, 0]}, words), "take parts of it"),
                (lambda: wald.train(pd.DataFrame(), "y"), "has no columns"),
                (lambda: wald.train({"x": 1.0}, words), "'x' is a float; give its cells as a list"),
                (lambda: wald.TreeClassifier().fit(X, np.array(["a", None] * 20, dtype=object)), "y contains NaN"),
                (lambda: wald.TreeClassifier().fit(X, pd.array(["a", pd.NA] * 20, dtype="string")), "y contains NaN"),
                (lambda: wald.TreeRegressor().fit(X, pd.array([1, pd.NA] * 20, dtype="Int64")), "y contains NaN"),
                (lambda: wald.TreeClassifier().fit(X, np.array(["a", 1] * 20, dtype=object)), "y holds words beside"),
                (lambda: wald.TreeClassifier().fit("data/iris.csv", words), "is a path"),
                (lambda: wald.TreeClassifier(seed=-1).fit(X, words), "--seed: '-1' is not a number it takes"),
                (lambda: wald.train(X, words, seed=1, threads=-3), "--threads: '-3'"),
                (lambda: wald.tune(X, words, trials=0), "--trials: '0' is not a number it takes"),
                (lambda: wald.cross_validate(X, words, folds=1), "--folds: '1'"),
                (lambda: wald.BoostClassifier(random_state=1), "did you mean 'seed'"),
                (lambda: wald.BoostClassifier(gamma=1), "did you mean 'min_gain'"),
                (lambda: wald.train(X, words, gamma=1), "did you mean --min-gain"),
                (lambda: wald.train(X, words, eta=1), "did you mean --learning-rate"),
                (lambda: wald.BoostClassifier(learning_rat=1), "did you mean 'learning_rate'"),
                (lambda: wald.train(X, words, **OPTIONS).importance(kind="shape"), "no importance is called 'shape'"),
                (lambda: wald.train(X, words, **OPTIONS).tree(-1), "counted from 0")):
            with self.subTest(said), self.assertRaisesRegex((ValueError, TypeError, IndexError), said): call()
