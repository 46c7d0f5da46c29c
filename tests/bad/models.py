"""Using a model: tables that do not fit it, model files that are broken or hostile."""
import random

from case import GOOD, case

# good.wald (classes) and price.wald (numbers) are made of GOOD and stand in every case's folder.
PREDICT = "predict good.wald new.csv -o p.csv"
OUT = {"written": ("p.csv",)}


def new(name, text, code, *says, **more):
    case(name, {"new.csv": text}, more.pop("command", PREDICT), code, *says, **more)


new("a column the model needs is missing", "age,region\n30,north\n", 3, "new.csv", "'premium'")
new("a needed column under a similar name", "age,Region,premium\n30,north,300\n", 3, "'region'", "Region")
new("further columns and another order", "colour,premium,region,age\nred,300,north,30\n", 0, **OUT)
new("a level the model has not seen", "age,region,premium\n30,mars,300\n31,mars,310\n32,north,320\n", 0, "'region'", "mars", **OUT)
new("words where the model wants numbers", "age,region,premium\n30,north,300\nold,south,310\n", 3, "new.csv:3", "'age'", "old")
new("a category that has become numbers", "age,region,premium\n30,7,300\n", 0, "'region'", **OUT)
new("nothing but missing cells to predict from", "age,region,premium\n,,\n,,\n", 0, **OUT)
new("no row to predict", "age,region,premium\n", 3, "new.csv", "no rows")
new("an empty file to predict from", "", 3, "new.csv", "empty")
new("a ragged row to predict from", "age,region,premium\n30,north\n", 3, "new.csv:2: 2 fields, expected 3")
new("infinite numbers to predict from", "age,region,premium\ninf,north,-inf\n", 0, **OUT)
new("a number beyond every double to predict from", "age,region,premium\n1e999,north,1\n", 3, "new.csv:2", "1e999")
new("no target to judge by", "age,region,premium\n30,north,300\n", 3, "'claim'", command="evaluate good.wald new.csv")
new("a class the model has not seen", "age,region,premium,claim\n30,north,300,maybe\n", 3, "new.csv", "row 1", "maybe",
    command="evaluate good.wald new.csv")
new("a missing label to judge by", "age,region,premium,claim\n30,north,300,\n", 3, "new.csv", "'claim' is missing in row 1",
    command="evaluate good.wald new.csv")
new("a word where a number is to be judged", "age,region,premium,claim\n30,north,cheap,no\n", 3, "new.csv:2", "cheap",
    command="evaluate price.wald new.csv")
new("one class only to judge by", "age,region,premium,claim\n30,north,300,no\n31,north,310,no\n", 0, "accuracy",
    command="evaluate good.wald new.csv", unsaid=("nan",))
new("a row that is not there", GOOD, 2, "99", command="tree good.wald --path 99 new.csv")
case("a model that is not there", {"new.csv": GOOD}, "predict none.wald new.csv", 1, "cannot read none.wald")
case("a folder as model", {"m.wald/inner": "a", "new.csv": GOOD}, "predict m.wald new.csv", 1, "m.wald", "folder")
case("table and model in the wrong order", {"new.csv": GOOD}, "predict new.csv good.wald", 4, "new.csv")
case("a model as table", {}, "train good.wald --target y -o m.wald", 3, "good.wald")

# ---- broken files ---------------------------------------------------------------------------------------------


def broken(name, change, *says):
    """The bytes of good.wald after change; every verb that loads a model must refuse them."""
    def attempt(place):
        place.write("b.wald", change(place.read("good.wald")))
        return place.wald("show", "b.wald")
    case(name, {}, attempt, 4, "b.wald", *says)


def many(name, variants):
    """A case of its own would be a line each; here every variant of good.wald must be refused."""
    def attempt(place):
        answer = None
        for what, content in variants(place.read("good.wald")):
            place.write("b.wald", content)
            answer = place.wald("show", "b.wald")
            if answer.code != 4 or "b.wald" not in answer.text: return answer.because(f"{what} was not refused")
        return answer
    case(name, {}, attempt, 4, "b.wald", seconds=60)


def flips(good):
    draw = random.Random(5)
    for _ in range(60):
        at, bit = draw.randrange(len(good)), draw.randrange(8)
        yield f"bit {bit} of byte {at} turned", good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1:]


def smears(good):
    draw = random.Random(6)
    for _ in range(30):
        at = draw.randrange(len(good) - 8)
        word = draw.choice([b"\0" * 8, b"\xff" * 8, b"\xff\xff\xff\x7f\xff\xff\xff\x7f", draw.randbytes(8)])
        if good[at:at + 8] != word: yield f"bytes {at} to {at + 7} overwritten", good[:at] + word + good[at + 8:]


broken("an empty model file", lambda good: b"")
broken("a model file of one byte", lambda good: good[:1])
broken("a model file of zeros", lambda good: b"\0" * len(good))
broken("a model file of random bytes", lambda good: random.Random(4).randbytes(len(good)))
broken("a model file of text", lambda good: b"this is not a model\n" * 100)
broken("a model file with bytes appended", lambda good: good + b"\0" * 8)
broken("a model file twice over", lambda good: good + good)
broken("a model file without its first bytes", lambda good: good[8:])
broken("a model file whose halves are exchanged", lambda good: good[len(good) // 2:] + good[:len(good) // 2])
broken("the head of a model before zeros", lambda good: good[:64] + b"\0" * (len(good) - 64))
many("model files cut short", lambda good: [(f"{n} of {len(good)} bytes", good[:n]) for n in range(2, len(good), max(1, len(good) // 40))])
many("model files with a bit turned", flips)
many("model files with bytes overwritten", smears)
