"""What the user writes: verbs, options, schema and configuration files, other sources than CSV."""
import sqlite3
import tempfile

from case import GOOD, TRAIN, case, table
from tables import rows

DATA = {"claims.csv": GOOD}
FIT = "train claims.csv --target claim -o m.wald"

# ---- verbs and options ----------------------------------------------------------------------------------------
case("an unknown verb", {}, "trian claims.csv", 2, "trian", "did you mean train?")
case("an unknown option", DATA, "train claims.csv --taget claim -o m.wald", 2, "--taget", "did you mean --target?")
case("no target", DATA, "train claims.csv -o m.wald", 2, "--target")
case("no table", {}, "train --target y -o m.wald", 2, "DATA")
case("two tables", DATA, "train claims.csv claims.csv --target claim -o m.wald", 2, "claims.csv")
case("an option without its value", DATA, "train claims.csv -o m.wald --target", 2, "--target")
case("an option given twice", DATA, FIT + " --max-depth 3 --max-depth 4", 2, "--max-depth", "twice")
case("a learner nobody knows", DATA, FIT + " --learner carrt", 2, "carrt", "did you mean 'cart'?")
case("a criterion nobody knows", DATA, FIT + " --learner cart --criterion ginny", 2, "ginny", "did you mean 'gini'?")
case("a criterion for numbers, a target of classes", DATA, FIT + " --learner cart --criterion variance", 2, "variance")
for option, value in (("max-depth", "-1"), ("max-depth", "deep"), ("max-depth", "99999999999999999999"), ("max-depth", "3.5"),
                      ("max-depth", ""), ("bins", "1"), ("bins", "70000"), ("min-leaf", "-3"), ("min-gain", "nan"),
                      ("holdout", "1"), ("holdout", "-0.1"), ("holdout", "nan"), ("threads", "-1"), ("threads", "many"),
                      ("seed", "-1"), ("seed", "18446744073709551616")):
    case(f"--{option} {value or 'empty'}", DATA, f"{FIT} --{option} '{value}'", 2, f"--{option}", value)
case("an option of another learner", DATA, FIT + " --learner cart --learning-rate 0.1", 2, "--learning-rate")
case("a thousand threads", DATA, FIT + " --learner cart --threads 1000", 0)

# ---- schema files ---------------------------------------------------------------------------------------------
SCHEMED = FIT + " --schema s.json"


def schema(name, text, code, *says, **more):
    case(name, DATA | {"s.json": text}, more.pop("command", SCHEMED), code, *says, **more)


case("a schema that is not there", DATA, SCHEMED, 1, "cannot read s.json")
schema("an empty schema", "", 3, "s.json")
schema("a schema that is not JSON", "age = number", 3, "s.json")
schema("a schema cut short", '{"wald_schema": 1, "columns": [{"name": "age", "ty', 3, "s.json")
schema("a schema that is a list", "[]", 3, "s.json")
schema("a schema with an unknown key", '{"wald_schema": 1, "columns": [{"name": "age", "tipe": "number"}]}', 3, "s.json", "tipe")
schema("a schema with an unknown type", '{"wald_schema": 1, "columns": [{"name": "age", "type": "nubmer"}]}', 3, "s.json", "nubmer")
schema("a schema with a number as name", '{"wald_schema": 1, "columns": [{"name": 7}]}', 3, "s.json", "name")
schema("a schema with a name twice", '{"wald_schema": 1, "columns": [{"name": "age"}, {"name": "age"}]}', 3, "s.json", "age")
schema("a schema with bounds the wrong way round", '{"wald_schema": 1, "columns": [{"name": "age", "type": "number", "min": 9, "max": 1}]}', 3, "s.json", "age")
schema("a schema nested a hundred thousand deep", "[" * 100_000, 3, "s.json")
schema("a schema of invalid UTF-8", b'{"wald_schema": 1, "columns": [{"name": "\xff"}]}', 3, "s.json")
schema("a schema with a number beyond every double", '{"wald_schema": 1, "columns": [{"name": "age", "type": "number", "min": 1e999}]}', 3, "s.json")
schema("a column of words declared a number", '{"wald_schema": 1, "columns": [{"name": "region", "type": "number"}]}', 3, "claims.csv:2", "'region'", "north")
schema("a value outside its declared bounds", '{"wald_schema": 1, "columns": [{"name": "age", "type": "number", "min": 0, "max": 60}]}', 3,
       "claims.csv:7", "'age'", "62")
schema("a level that was not declared", '{"wald_schema": 1, "columns": [{"name": "region", "type": "category", "levels": ["north", "south", "east"]}]}', 3,
       "claims.csv:6", "'region'", "west")
schema("a declared column the table lacks", '{"wald_schema": 1, "columns": [{"name": "height", "type": "number"}]}', 0, "height")

# ---- configuration --------------------------------------------------------------------------------------------
case("a configuration that is not there", DATA, FIT + " --config c.json", 1, "cannot read c.json")
case("a configuration that is not JSON", DATA | {"c.json": "max-depth: 3"}, FIT + " --config c.json", 2, "c.json")
case("a configuration with an unknown key", DATA | {"c.json": '{"max-dept": 3}'}, FIT + " --config c.json", 2, "max-dept", "max-depth")
case("a configuration with a key twice", DATA | {"c.json": '{"max-depth": 3, "min-leaf": 2, "max-depth": 4}'}, FIT + " --config c.json", 2, "c.json", "'max-depth' is set twice")
case("a configuration nested deep", DATA | {"c.json": "[" * 100_000}, FIT + " --config c.json", 2, "c.json")

# ---- SVMlight -------------------------------------------------------------------------------------------------


def svm(name, text, code, *says, **more):
    case(name, {"t.svm": text}, "train t.svm --target target -o m.wald", code, *says, **more)


svm("a sparse table", rows("1 1:0.5 3:2", "-1 2:1", "1 1:0.25 2:3 # a comment"), 0, "3 rows")
svm("a sparse table whose indices fall", rows("1 3:0.5 1:2", "-1 2:1"), 0, "2 rows")
svm("a sparse table with an index twice", rows("1 1:0.5 1:2", "-1 2:1"), 3, "t.svm:1")
svm("a sparse table with index zero and words", rows("1 0:0.5", "-1 x:1"), 3, "t.svm:2")
svm("a sparse table with a word as value", rows("1 1:0.5", "-1 2:much"), 3, "t.svm:2", "much")
svm("a sparse table of four billion columns", rows("1 1:0.5", "-1 4000000000:1"), 3, "t.svm:2", "4000000000")
svm("a sparse table without label", rows("1 1:0.5", "2:1"), 3, "t.svm:2")
svm("an empty sparse table", "", 3, "t.svm", "empty")

# ---- SQLite ---------------------------------------------------------------------------------------------------


def database():
    with tempfile.NamedTemporaryFile() as file:
        base = sqlite3.connect(file.name)
        base.execute("create table t (a real, y text)")
        base.execute("create table void (a real, y text)")
        base.executemany("insert into t values (?, ?)", [(i, "uv"[i > 5]) for i in range(10)])
        base.commit()
        base.close()
        return open(file.name, "rb").read()


def sql(name, what, code, *says, content=database, **more):
    case(name, {"d.db": content}, f"train 'sqlite:d.db?{what}' --target y -o m.wald", code, *says, **more)


sql("a table of a database", "table=t", 0, "10 rows")
sql("a table the database lacks", "table=u", 2, "d.db", "u")
sql("an empty table of a database", "table=void", 3, "no rows")
sql("a query with a mistake", "query=selct a, y from t", 2, "selct")
sql("a query that would change the database", "query=delete from t", 2, "d.db")
sql("two queries in one", "query=select a, y from t; delete from t", 2, "d.db")
sql("neither table nor query", "", 2, "table=")
sql("a table name that is a query", "table=t; drop table t", 2, "d.db")
sql("text named as a database", "table=t", 3, "d.db", content="this is no database, only text that is long enough to be read")
sql("a database cut short", "table=t", 3, "d.db", content=lambda: database()[:3000])
case("a database that is not there", {}, "train 'sqlite:none.db?table=t' --target y -o m.wald", 1, "none.db")
