"""The tables of bench/boost*.py, generated from a seed: table(NAME) -> x, y, kinds; HELD more rows for judging."""
import numpy as np

ROWS = {"numbers": 1_000_000, "categories": 1_000_000, "regression": 500_000, "classes": 500_000, "wide": 20_000,
        "long": 10_000_000, "small": 500}
HELD = {name: min(200_000, max(2_000, rows // 5)) for name, rows in ROWS.items()}


def numbers(random, rows, columns=28):
    """Binary; some columns depend on others, some have few values."""
    x = random.normal(size=(rows, columns)).astype(np.float32)
    half = columns // 4
    x[:, half:2 * half] = np.abs(x[:, half:2 * half]) * x[:, :half]
    x[:, 3 * half:] = np.round(x[:, 3 * half:], 1)
    signal = x[:, 0] - x[:, 1] * x[:, 2 % columns] + np.sin(2 * x[:, 3 % columns]) + 0.5 * x[:, half + 1] + (x[:, -1] > 0.5) * x[:, 4 % columns]
    y = (2 * signal + random.logistic(size=rows) > 0).astype(int)
    return np.round(x, 5), y


def categories(random, rows):
    """Binary; four numbers and columns of 20, 300, 300 and 2 levels whose levels differ."""
    levels = (20, 300, 300, 2)
    codes = np.column_stack([np.minimum(random.geometric(3 / k, size=rows) - 1, k - 1) if k > 2 else random.randint(0, 2, rows) for k in levels])
    effects = [np.random.RandomState(7 + i).normal(size=k) for i, k in enumerate(levels)]
    x = random.normal(size=(rows, 4)).astype(np.float32)
    signal = sum(e[codes[:, i]] for i, e in enumerate(effects)) * 0.7 + x[:, 0] * effects[0][codes[:, 0]] + np.abs(x[:, 1])
    return np.column_stack([np.round(x, 4), codes]), (signal + random.logistic(size=rows) > 0.7).astype(int)


def regression(random, rows):
    x = random.normal(size=(rows, 90)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + 2 * np.sin(x[:, 2]) + np.abs(x[:, 3]) * x[:, 4] + x[:, 5:15].sum(1) * 0.3 + random.normal(size=rows) * 2
    return np.round(x, 4), np.round(y, 5)


def classes(random, rows):
    """Seven classes; ten numbers and forty-four indicators."""
    x = random.normal(size=(rows, 10)).astype(np.float32)
    flags = (random.uniform(size=(rows, 44)) < 0.08).astype(np.float32)
    weight = np.random.RandomState(5).normal(size=(54, 7))
    score = np.column_stack([x, flags]) @ weight + 2 * np.sin(x[:, :7]) * x[:, 1:8] + random.gumbel(size=(rows, 7)) * 1.5
    return np.column_stack([np.round(x, 4), flags]), score.argmax(1)


MAKERS = {"numbers": numbers, "categories": categories, "regression": regression, "classes": classes,
          "wide": lambda r, n: numbers(r, n, 2000), "long": lambda r, n: numbers(r, n, 10), "small": lambda r, n: numbers(r, n, 10)}


def table(name, held=False):
    x, y = MAKERS[name](np.random.RandomState(2 if held else 1), HELD[name] if held else ROWS[name])
    return np.asarray(x, dtype=np.float32), y


def category_columns(name):
    return [4, 5, 6, 7] if name == "categories" else []


def write_csv(path, x, y, words=()):
    """Category codes become words so that every reader takes them for categories."""
    import pandas as pd
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(x.shape[1])])
    for c in words:
        frame[f"x{c}"] = "k" + frame[f"x{c}"].astype(int).astype(str)
    frame["y"] = y
    frame.to_csv(path, index=False, float_format="%.6g")
