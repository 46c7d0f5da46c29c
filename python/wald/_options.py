"""Options of the learners: Python keywords from the same tables that the command line reads."""
import keyword

from . import _wald

# Learners whose estimators are not simply called after them, and those that learn classes alone.
_SHORT = {"cart": "Tree", "c45": "C45", "id3": "Id3", "adaboost": "AdaBoost", "anyboost": "AnyBoost"}
_CLASSES_ONLY = {"id3", "c45", "adaboost"}
LEARNERS = {learner["name"]: learner for learner in _wald.learners()}


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


def text_of(value):
    """A Python value as the command line writes it."""
    if value is True: return "yes"
    if value is False: return "no"
    if value is None: return "none"
    if isinstance(value, str): return value
    if isinstance(value, dict): return ",".join(f"{k}={text_of(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)): return ",".join(text_of(v) for v in value)
    return repr(float(value)) if isinstance(value, float) and value != int(value) else str(int(value))


def settings_of(learner, options, check=True):
    """Keywords to settings; the library judges names and values, with its own words, here or when it fits."""
    settings = {name.rstrip("_").replace("_", "-"): text_of(value) for name, value in options.items()}
    if check: _wald.check_settings(learner, settings)
    return settings


def describe(option):
    return f"{option['help']} ({option['range']})"


def estimator_names():
    """(name, learner, whether it classifies) of every estimator."""
    for learner in LEARNERS.values():
        if not learner["needs_target"] or learner["private"]: continue
        stem = _SHORT.get(learner["name"], "".join(part.capitalize() for part in learner["name"].split("-")))
        yield stem + "Classifier", learner, True
        if learner["name"] not in _CLASSES_ONLY: yield stem + "Regressor", learner, False
