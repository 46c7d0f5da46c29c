"""One bad, or nasty but valid, input: the files it needs, the command, the exit code and words of the answer."""
import dataclasses
import typing

# A table with a number, a category, missing cells and a target; models made of it are in every case's folder.
GOOD = """age,region,premium,claim
34,north,310.5,no
51,south,420,yes
,east,295,no
45,north,,yes
29,west,250,no
62,south,510,yes
38,east,330,no
57,south,465.25,yes
41,west,298,no
33,north,305,no
48,,441,yes
26,west,240,no
"""
TRAIN = "train t.csv --target y -o m.wald"


@dataclasses.dataclass
class Case:
    name: str
    files: dict  # name -> text, bytes, or a function that makes them
    command: typing.Any  # words for wald as one text; or a function of a Place that returns an Answer
    code: int
    says: tuple  # each must occur in standard error or standard output
    unsaid: tuple = ()  # none of these may occur
    prepared: tuple = ()  # commands that must succeed before
    written: tuple = ()  # files that must exist afterwards; otherwise none may be new
    stdin: bytes = b""
    seconds: float = 10  # on a release build; sanitizers get ten times as much


CASES = []


def case(name, files, command, code, *says, **more):
    """A command that fails must leave nothing behind; one that trains must leave m.wald."""
    if isinstance(command, str) and " -o m.wald" in command and code == 0: more.setdefault("written", ("m.wald",))
    CASES.append(Case(name, files, command, code, says, **more))


def table(name, text, code, *says, **more):
    """The commonest case: train on this text, whose target is y."""
    case(name, {"t.csv": text}, more.pop("command", TRAIN), code, *says, **more)
