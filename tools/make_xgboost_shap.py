#!/usr/bin/python3
"""Writes tests/data/xgboost_shap.json: a small XGBoost model (Debian's 1.7.4), rows with missing cells, and XGBoost's own
Shapley values and interactions of them, which src/explain/xgboost_test.cpp holds Wald's against."""
import json
import pathlib
import tempfile

import numpy as np
import xgboost

COLUMNS, ROWS = 6, 12
KEPT = ("default_left", "left_children", "right_children", "loss_changes", "split_conditions", "split_indices",
        "sum_hessian")


def rounded(values):
    return [float(f"{x:.8g}") for x in np.asarray(values, dtype=np.float64).ravel()]


def main():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(3000, COLUMNS)).astype(np.float32)
    x[rng.random(x.shape) < 0.1] = np.nan
    full = np.nan_to_num(x)
    y = (full[:, 0] * full[:, 1] + full[:, 2] + np.sin(2 * full[:, 3]) > 0).astype(np.float32)
    options = {"max_depth": 5, "eta": 0.3, "objective": "binary:logistic", "tree_method": "exact", "base_score": 0.3,
               "nthread": 1}
    model = xgboost.train(options, xgboost.DMatrix(x, y), 8)
    rows = xgboost.DMatrix(x[:ROWS])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.json"
        model.save_model(path)
        learner = json.loads(path.read_text())["learner"]
    trees = [{key: tree[key] for key in KEPT} for tree in learner["gradient_booster"]["model"]["trees"]]
    param = {key: learner["learner_model_param"][key] for key in ("base_score", "num_feature")}
    out = {"learner": {"gradient_booster": {"model": {"trees": trees}}, "learner_model_param": param,
                       "objective": {"name": learner["objective"]["name"]}},
           "made_by": f"tools/make_xgboost_shap.py with XGBoost {xgboost.__version__}",
           "rows": [[None if np.isnan(cell) else float(cell) for cell in row] for row in x[:ROWS]],
           "values": rounded(model.predict(rows, pred_contribs=True)),
           "pairs": rounded(model.predict(rows, pred_interactions=True)[:, :-1, :-1])}
    path = pathlib.Path(__file__).resolve().parent.parent / "tests/data/xgboost_shap.json"
    path.write_text(json.dumps(out, separators=(",", ":")) + "\n")
    print(f"wrote {path.name}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
