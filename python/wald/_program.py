"""Everything else that the program does: its verbs, with its options, from Python."""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sysconfig
import tempfile

import numpy as np

from ._errors import Failure, made
from ._model import Model
from ._options import LEARNERS, PREPARATION, is_switch, option_text, text_of
from ._table import is_frame, is_path, numbered


def program():
    """Where the program wald lies: beside the package, where it was installed, or in the PATH."""
    here = pathlib.Path(__file__).resolve().parent
    for path in (here / "bin" / "wald", here.parent.parent / "bin" / "wald", pathlib.Path(sysconfig.get_path("scripts")) / "wald"):
        if path.is_file() and os.access(path, os.X_OK): return str(path)
    if found := shutil.which("wald"): return found
    raise Failure("the program wald was not found", "install the package with pip, or put the program into the PATH")


def _write_table(data, path):
    if is_frame(data): return data.to_csv(path, index=False)
    if isinstance(data, dict): names, rows = list(data), zip(*data.values())
    else:
        array = np.asarray(data, dtype=object)
        names, rows = numbered(array.shape[1]), array.tolist()
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(names)
        for row in rows: out.writerow(["" if cell is None or cell != cell else cell for cell in row])


def _operand(thing, folder, index):
    """A path as it is; a model or a table as a file of the folder."""
    if is_path(thing): return os.fspath(thing)
    path = os.path.join(folder, f"{index}.wald" if isinstance(thing, Model) else f"table{index}.csv")
    if isinstance(thing, Model): thing.save(path)
    else: _write_table(thing, path)
    return path


# Options that are yes or no; the verbs' own switches have no value.
_SAID = {o["name"] for learner in LEARNERS.values() for o in learner["options"] + PREPARATION if is_switch(o)}


def _words(options, folder):
    for at, (name, value) in enumerate(options.items()):
        name = "--" + name.rstrip("_").replace("_", "-")
        if name[2:] in _SAID and isinstance(value, bool): value = text_of(value)
        if value is None or value is False: continue
        if value is True: yield name  # a switch
        else: yield from (name, _operand(value, folder, f"o{at}") if isinstance(value, Model) or is_frame(value) else option_text(name[2:], value))


def run(verb, *operands, **options):
    """Runs a verb of the program: operands are paths, models or tables, options those of `wald VERB --help` with _ for -.
    Gives back what the program prints with --json. True stands for an option without a value.

    >>> import wald
    >>> found = wald.run("cv", "data/iris.csv", target="class", learner="cart,c45", folds=3)
    >>> [one["learner"] for one in found["learners"]]
    ['cart', 'c45']
    >>> wald.run("profile", {"x": [1, 2, 2], "word": ["a", "b", "a"]})["columns"][1]["name"]
    'word'
    """
    with tempfile.TemporaryDirectory() as folder:
        words = [_operand(o, folder, k) for k, o in enumerate(operands)]
        child = subprocess.Popen([program(), verb, *words, *_words(options, folder), "--json", "--quiet"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
        try: said, complained = child.communicate()
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            raise
    if child.returncode: raise made(child.returncode, *_told(complained))
    return json.loads(said) if said.strip() else {}


def _told(complained):
    """What happened, and what to do about it, as the program printed them."""
    lines = [line.strip() for line in complained.splitlines() if line.strip()]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    fixes = [line.removeprefix("fix: ") for line in lines if line.startswith("fix: ")]
    return (errors or [" ".join(lines)])[0], (fixes or [""])[0]
