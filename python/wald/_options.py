"""Options of the learners: Python keywords from the same tables that the command line reads."""
import keyword
import math
import numbers

from . import _wald
from ._errors import UsageError

# Learners whose estimators are not simply called after them, and those that learn classes alone.
_SHORT = {"cart": "Tree", "c45": "C45", "id3": "Id3", "adaboost": "AdaBoost", "anyboost": "AnyBoost"}
_CLASSES_ONLY = {"id3", "c45", "adaboost"}
LEARNERS = {learner["name"]: learner for learner in _wald.learners()}
PREPARATION = _wald.preparation_options()
# What the program has no default for. An estimator must be ready to fit: at an epsilon in the middle of what people
# choose, with a share of it for bounds that no schema declares.
_PRIVATE_DEFAULTS = {"epsilon": 1.0, "buy": "bounds=0.1"}
# (keyword, type, default, sentence) of what estimators have besides.
_DECIDING = (("calibrate", "str", "none", "make probabilities right on average, by a curve learned from rows held out in "
              "turn (none | sigmoid | isotonic)"),
             ("cost", "dict | str", None, "what a false positive and a false negative cost, {'fp': 1, 'fn': 12}: decide at "
              "the least cost, on rows held out in turn"),
             ("odds", "str", None, "negatives per positive where the model will be used, '9:1'; as in y unless given"),
             ("positive", "object", None, "the class that cost and odds call positive; the second unless given"))
_RUNNING = (("seed", "int", 1, "of all randomness: the same seed gives the same model"),
            ("threads", "int", 0, "threads to use, 0 = all; results do not depend on it"))
_PRIVATE = (("schema", "dict | str", None, "what is public of the columns and of the target: a schema file, or {'age': (18, "
             "100), 'region': ['east', 'west'], 'id': None}; what it leaves open is bought or refused"),
            ("ledger", "str", None, "the file that keeps account of what was spent on these rows"),
            ("accept_observed_bounds", "bool", False, "take bounds and levels that a schema calls observed, which then are "
             "not protected"))


def keyword_of(option):
    """max-depth -> max_depth"""
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def is_switch(option):
    return option["choices"] == ["no", "yes"]


def default_of(option):
    """The default as a Python value: a number where it is one, True or False, else the word."""
    text = option["default"]
    if is_switch(option): return text == "yes"
    if option["kind"] in ("whole number", "number"):
        for kind in (int, float):
            try: return kind(text)
            except ValueError: pass
    return text


def type_of(option):
    """As in a signature: `int | str` where a word may stand for a number."""
    if is_switch(option): return "bool"
    if option["kind"] == "whole number": return "int | str" if ", or " in option["range"] else "int"
    if option["kind"] == "number": return "float | str" if ", or " in option["range"] else "float"
    return "str"


def _whole_name(name, separators):
    """In double quotes, as in CSV, where a list would part it otherwise."""
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in separators + '"') else name


def _member(value):
    """Of a list: a list within it is a group of names; a text with quotes has seen to its commas itself."""
    if isinstance(value, (list, tuple)): return "+".join(_whole_name(text_of(name), ",+") for name in value)
    text = text_of(value)
    return text if '"' in text else _whole_name(text, ",")


def text_of(value):
    """A Python value as the command line writes it."""
    if value is True: return "yes"
    if value is False: return "no"
    if value is None: return "none"
    if isinstance(value, str): return value
    if isinstance(value, dict): return ",".join(f"{_whole_name(str(k), ',')}={text_of(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1: return ",".join(map(_member, value))
    if type(value).__name__ in ("bool_", "bool"): return "yes" if value else "no"  # NumPy's
    if isinstance(value, numbers.Integral): return str(int(value))
    if not isinstance(value, numbers.Real): return str(value)
    number = float(value) if isinstance(value, float) else float(str(value))  # a float32 as it is printed
    return str(int(number)) if math.isfinite(number) and number == int(number) else repr(number)


# Numbers, of which some are a share or a count: 1.0 could be meant for either, and the library refuses it.
_NUMBERS = {o["name"] for learner in LEARNERS.values() for o in learner["options"] if o["kind"] == "number"}


def option_text(name, value, numbers_among=_NUMBERS):
    """A Python value as the command line writes it for this option: a float keeps its decimal point."""
    text = text_of(value)
    is_float = isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)
    return text + ".0" if is_float and name in numbers_among and text.removeprefix("-").isdigit() else text


def share(option, value, what="the rows", example=0.2):
    """A share of `what`, refused as by the program."""
    try: number = float(value)
    except (TypeError, ValueError): number = 0
    if 0 < number < 1: return number
    raise UsageError(f"--{option}: '{text_of(value)}' is not a share of {what}", f"give a number between 0 and 1, for example {example}")


def whole(option, value, low, high):
    """A whole number within its bounds, refused as by the program."""
    if isinstance(value, numbers.Integral) and low <= value <= high: return int(value)
    raise UsageError(f"--{option}: '{text_of(value)}' is not a number it takes", f"give a whole number from {low} to {high}")


def running(seed, threads):
    """(seed, threads), where they are such; 0 threads: all."""
    return whole("seed", seed, 0, 2**64 - 1), whole("threads", threads, 0, 4096)


def settings_of(learner, options, check=True):
    """Keywords to settings; the library judges names and values, with its own words, here or when it fits."""
    names = {name: name.rstrip("_").replace("_", "-") for name in options}
    own = {o["name"] for o in LEARNERS.get(learner, {}).get("options", ()) if o["kind"] == "number"}
    settings = {names[name]: option_text(names[name], value, own) for name, value in options.items()}
    if check: _wald.check_settings(learner, settings)
    return settings


def describe(option):
    return f"{option['help']} ({option['range']})"


def keywords_of(learner, classifies):
    """(keyword, type, default, sentence) of an estimator's constructor."""
    options = learner["options"] if learner["private"] else learner["options"] + PREPARATION
    rows = [(keyword_of(o["name"]), type_of(o), default_of(o), describe(o)) for o in options]
    if learner["private"]:
        rows = [(n, t, _PRIVATE_DEFAULTS.get(n, d), s) for n, t, d, s in rows]
        return rows + [*_PRIVATE, _RUNNING[1]]
    return rows + [*(_DECIDING if classifies else ()), *_RUNNING]


DECIDING = tuple(row[0] for row in _DECIDING)


def deciding_of(options):
    """Takes calibrate, cost, odds and positive out of the options; what the library and the model's record want."""
    given = {k: options.pop(k) for k in DECIDING if k in options}
    words = {k: text_of(v) for k, v in given.items() if v is not None}
    if words.get("calibrate") == "none": del words["calibrate"]
    how = dict(words)
    if "cost" in how: how["cost"] = [part.strip() for part in how["cost"].split(",")]
    return how, words


def estimator_names():
    """(name, learner, whether it classifies) of every estimator."""
    for learner in LEARNERS.values():
        if not learner["needs_target"]: continue
        stem = _SHORT.get(learner["name"], "".join(part.capitalize() for part in learner["name"].split("-")))
        yield stem + "Classifier", learner, True
        if learner["name"] not in _CLASSES_ONLY: yield stem + "Regressor", learner, False


_EXAMPLE = """
    Examples
    --------
    >>> import wald
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, [{y}] * 5
    >>> wald.{name}({given}).fit(X, y).predict([[0.0], [3.0]]).shape
    (2,)
"""


def documentation(learner, name, kind, keywords):
    """Of an estimator's class; kind: classifier or regressor."""
    lines = [f"{learner['help'][0].upper()}{learner['help'][1:]}, as a scikit-learn {kind}.", "",
             "    Text and category columns, missing values and text labels are taken as they are.", "", "    Parameters",
             "    ----------"]
    for keyword, takes, default, help in keywords: lines += [f"    {keyword} : {takes}, default {default!r}", f"        {help}"]
    few = "trees=5" if any(o["name"] == "trees" for o in learner["options"]) else ""
    y = "'a', 'a', 'b', 'b'" if kind == "classifier" else "0.0, 0.0, 1.0, 1.0"
    return "\n".join(lines) + "\n" + _EXAMPLE.format(name=name, y=y, given=few)
