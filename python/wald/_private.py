"""Private learning: schemas, the ledger, and answers that are repeated rather than drawn again."""
import collections
import os
import shlex
import warnings

from . import _wald
from ._errors import PrivacyError, PrivacyWarning, UsageError
from ._model import Model
from ._options import settings_of
from ._schema import text_of_schema
from ._table import add_column, fresh, is_path, to_table

# Asked the same again of the same rows, the same answer is given: noise drawn anew would tell more of them, and cost
# more. So two fits alike are equal, though no noise has a seed. Answers live as long as the process, so many of them.
_MOST = 64
_answers = collections.OrderedDict()


class Private(dict):
    """The terms of a private model, for train(private=...): epsilon, delta, schema, ledger and what else private-boost has."""

    def __init__(self, epsilon, **terms): super().__init__(epsilon=epsilon, **terms)


def answer(task, terms, settings, ledger, data, threads, missing=()):
    """(core, what was told and spent, notes) of a private task."""
    key = (task.key, tuple(sorted(settings.items())), ledger, repr(sorted(terms.items())))
    if key in _answers: _answers.move_to_end(key)
    else: _answers[key] = _wald.fit_private(task, terms, settings, ledger, data, threads, list(missing))
    if len(_answers) > _MOST: _answers.popitem(last=False)
    return _answers[key]


def in_words(names, asked):
    """The answer, or the program's refusal in the words of the caller."""
    try: return asked()
    except (PrivacyError, UsageError) as error:
        text = [error.message, error.cure]
        for option, keyword in names.items(): text = [t.replace(f"--{option}", keyword) for t in text]
        raise type(error)(*text) from None


def refuse(given, names=None):
    """The refusal of options that nobody paid for."""
    in_words(names or {}, lambda: _wald.check_private(list(given)))


def default_ledger(path):
    """Beside the data: claims.csv.ledger; by each of its links a table would have a budget of its own"""
    path = os.fspath(path)
    if path.startswith("sqlite:"): path = path[7:].split("?")[0]
    return (os.path.realpath(path) if os.path.islink(path) else path) + ".ledger"


def _ledger_of(data, ledger):
    if ledger is not None: return os.fspath(ledger)
    if is_path(data): return default_ledger(data)
    raise UsageError("a table in memory has no name to find the ledger by", "name it: ledger=FILE")


def _schema_of(data, schema):
    if schema is not None: return text_of_schema(schema)
    where = os.fspath(data) if is_path(data) else "DATA"
    raise PrivacyError("a private learner may not look what the columns hold: it needs a schema",
                       f"make one without looking, wald profile {where} --schema-only --schema {where}.schema.json, fill it "
                       "in from what is public, then give schema=")


def terms_of(learner, target, settings, contributor="", ignore=(), accepts=False, remark=""):
    """What the library wants to know, with the command for the ledger."""
    asked = {"learner": learner, "target": target, **settings, "contributor": contributor, "ignore": ",".join(ignore)}
    command = "train " + " ".join(f"--{k} {shlex.quote(v)}" for k, v in asked.items() if v)
    return {"learner": learner, "target": target, "contributor": contributor, "ignore": list(ignore), "accepts_observed": accepts,
            "remark": remark, "command": command + " --accept-observed-bounds" * accepts}


def train_privately(data, target, learner, threads, options):
    """train() of a private learner."""
    ignore = options.pop("ignore", ())
    ignore = [ignore] if isinstance(ignore, str) else list(ignore)
    schema, ledger, contributor = (options.pop(k, None) for k in ("schema", "ledger", "contributor"))
    accepts = bool(options.pop("accept_observed_bounds", False))
    refuse([k.rstrip("_").replace("_", "-") for k, v in options.items() if v is not None])
    reading = {k: options.pop(k) for k in ("delimiter", "decimal", "header", "na") if k in options}
    settings = settings_of(learner, options)
    if target is None: raise UsageError("train needs a target: the column to learn", "name it: target='COLUMN'")
    text, source = _schema_of(data, schema)
    ledger = _ledger_of(data, ledger)
    name = target if isinstance(target, str) else "y"
    whose = contributor if isinstance(contributor, str) else "" if contributor is None else "contributor"
    whose, settings = _wald.contributor(text, source, whose, name, settings)
    terms = terms_of(learner, name, settings, whose, ignore, accepts)
    _wald.check_account(terms, settings, ledger)
    if is_path(data): reading |= {"schema": text, "schema_source": source, "secret": whose}
    table = to_table(data, threads=threads, **reading)
    if not isinstance(target, str):
        name = terms["target"] = fresh("y", set(table.names))
        add_column(table, name, target)
    if contributor is not None and not isinstance(contributor, str):
        terms["contributor"] = fresh("contributor", set(table.names))
        add_column(table, terms["contributor"], contributor)
    buys = settings.get("buy", "none") != "none"
    task = _wald.private_task(table, text, source, terms, buys)
    core, told, notes = answer(task, terms, settings, ledger, os.fspath(data) if is_path(data) else "the table", threads,
                               reading.get("na", ()))
    return Model(core, notes, privacy=told)


def privacy(ledger, budget=None, delta=None):
    """What has been spent on a data set, what is left, and whether the ledger's chain is whole; budget sets another one.

    >>> import wald, tempfile, os
    >>> schema = {"age": (18, 100), "premium": (0, 2000), "claim": ["no", "yes"]}
    >>> ledger = os.path.join(tempfile.mkdtemp(), "claims.ledger")
    >>> m = wald.train("data/claims.csv", "claim", learner="private-boost", epsilon=2, ledger=ledger, schema=schema,
    ...                ignore=["policy_id", "region", "smoker", "bmi", "children", "plan"])
    >>> round(wald.privacy(ledger)["spent"], 3), wald.privacy(ledger)["intact"]
    (2.0, True)
    """
    path = os.fspath(ledger)
    if budget is not None: _wald.set_budget(path, float(budget), float(delta or _wald.ledger(path)["delta"]))
    return _wald.ledger(path)


def warn_unkept(told, level=3):
    """Of models for which no ledger is kept."""
    if told["ledger"] is None:
        warnings.warn("no ledger keeps account of what private models tell of these rows together: name one, ledger=FILE",
                      PrivacyWarning, stacklevel=level)
