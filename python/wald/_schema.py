"""What is public of a table: schemas as files, or as Python writes them."""
import json
import numbers
import os

from ._errors import UsageError
from ._table import level_of

SOURCE = "the schema"


def _declared(name, about):
    """One column: None to leave it out, "number" or "category", a tuple of two bounds, or a list of levels."""
    if about is None: return {"name": name, "ignore": True}
    if isinstance(about, dict): return {"name": name, **about}
    if isinstance(about, str):
        if about not in ("number", "category"):
            raise UsageError(f"the schema says '{about}' of column '{name}'", "write 'number', 'category', (LOW, HIGH) or levels")
        return {"name": name, "type": about}
    if isinstance(about, tuple) and len(about) == 2 and all(isinstance(x, numbers.Real) for x in about):
        return {"name": name, "min": float(about[0]), "max": float(about[1])}
    return {"name": name, "levels": [level_of(level) for level in about]}


def columns_of(schema):
    """A schema as a list of columns, each a dictionary as in a schema file."""
    if schema is None: return []
    if isinstance(schema, (str, os.PathLike)):
        with open(schema, encoding="utf-8") as file: return json.load(file).get("columns", [])
    if "wald_schema" in schema: return list(schema["columns"])
    return [_declared(str(name), about) for name, about in schema.items()]


def text_of_columns(columns): return json.dumps({"wald_schema": 1, "columns": columns})


def text_of_schema(schema):
    """(text, what messages call it). A file is handed over as it is: its faults are the library's to name."""
    if isinstance(schema, (str, os.PathLike)):
        with open(schema, encoding="utf-8", errors="surrogateescape") as file: return file.read(), os.fspath(schema)
    return text_of_columns(columns_of(schema)), SOURCE
