"""Tables from what Python programs hold."""
import numbers
import os
import sys

import numpy as np

from . import _wald
from ._errors import DataError

READING = ("delimiter", "decimal", "header", "na", "schema")


def is_path(data):
    return isinstance(data, (str, os.PathLike))


def _pandas():
    return sys.modules.get("pandas")  # whoever holds a frame has imported it


def _frames():
    pandas = _pandas()
    return () if pandas is None else (pandas.DataFrame,)


def is_frame(data): return isinstance(data, _frames())


def _not_available():
    pandas = _pandas()
    return None if pandas is None else pandas.NA


def refuse_missing(y):
    """A target of objects must have none of None, NaN, pandas' NA and NaT."""
    gone = _not_available()
    if any(v is None or v is gone or v != v for v in y.ravel().tolist()): raise ValueError("Input y contains NaN.")


def finite(values, what):
    if not np.isfinite(values).all():
        if np.isnan(values).any(): raise ValueError(f"Input {what} contains NaN.")
        raise ValueError(f"Input {what} contains infinity or a value too large for dtype('float64').")
    return values


def as_many(rows, y):
    if len(y) != rows: raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(y)}]")


def level_of(value):
    """A category's value as the word a file would hold."""
    if isinstance(value, str): return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return str(int(value)) if value == int(value) else repr(float(value))
    return str(value)


def _refuse(name, what, into="turn it into one of them"):
    raise DataError(f"column '{name}' holds {what}, which is neither a number nor a word", f"{into}, or leave the column out")


def _refuse_times(name): _refuse(name, "dates or times", "take parts of it (.dt.year, .dt.month) or the days since a date")


def add_column(table, name, values):
    """One column: an array, a series, or any sequence of numbers, words and missing cells."""
    pandas = _pandas()
    if pandas is not None and isinstance(values, (pandas.Series, pandas.Index, pandas.Categorical)):
        dtype = values.dtype
        if isinstance(dtype, pandas.CategoricalDtype):
            held = values.cat if isinstance(values, pandas.Series) else values
            return table.add_codes(name, np.asarray(held.codes), [level_of(c) for c in held.categories])
        if pandas.api.types.is_extension_array_dtype(dtype) and dtype.kind in "iufb":
            values = values.to_numpy(dtype="float64", na_value=np.nan)
        elif pandas.api.types.is_extension_array_dtype(dtype) and dtype.kind in "mM":
            _refuse_times(name)
        else:
            values = values.to_numpy()
    array = _unmasked(values) if isinstance(values, np.ndarray) else _array(values)
    if array.ndim == 0: raise ValueError(f"column '{name}' is a {type(values).__name__}; give its cells as a list, [...]")
    if array.ndim != 1: raise ValueError(f"column '{name}' has {array.ndim} dimensions, not one")
    if array.dtype.kind in "biuf": return table.add_matrix([name], array)
    if array.dtype.kind == "c": raise ValueError(f"Complex data not supported: column '{name}'")
    if array.dtype.kind in "mM": _refuse_times(name)
    if array.dtype.kind == "S": _refuse(name, "bytes")
    try: return table.add_objects(name, array.tolist(), _not_available(), False)
    except TypeError as error:
        if str(error).endswith(_TIMES): _refuse_times(name)
        raise TypeError(f"column '{name}': {error}") from None


# Cells of columns of objects that are times, by the end of their type's name.
_TIMES = ("date", "datetime", "time", "timedelta", "Timestamp", "Timedelta", "Period", "datetime64")


def _unmasked(array):
    """Masked cells are missing."""
    if not isinstance(array, np.ma.MaskedArray): return array
    if array.dtype.kind in "biuf": return array.astype(np.float64).filled(np.nan)
    return array.astype(object).filled(None)


def _array(values):
    """A sequence as an array whose cells keep their kind: numbers are not turned into words."""
    array = np.asarray(values)
    return array if array.dtype.kind in "biufcmM" else np.asarray(values, dtype=object)


def numbered(width):
    return [f"x{i}" for i in range(width)]


def as_matrix(data):
    """A list of rows or an array, in two dimensions."""
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise TypeError("sparse matrices are not taken; X.toarray() makes a dense one")
    if is_path(data): raise TypeError(f"'{os.fspath(data)}' is a path, which train, load and a Model take")
    array = _unmasked(data) if isinstance(data, np.ndarray) else _array(data)
    if array.dtype.kind == "c": raise ValueError("Complex data not supported")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data using "
                         "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row.")
    return array


def names_of(data):
    """The names of the columns where the data has any, else None."""
    if is_frame(data): return [str(c) for c in data.columns]
    return None


def distinct(names):
    if len(set(names)) != len(names): raise DataError("two columns have the same name", "rename one of them")
    return names


def add_matrix(table, array, names):
    if array.dtype.kind in "biuf": return table.add_matrix(names, array)
    for name, column in zip(names, array.T): add_column(table, name, column)


_FEW = 32  # rows


def to_table(data, names=None, source="the table", model=None, threads=0, start=None, **reading):
    """Any table: a path, a frame, a mapping of columns, an Arrow stream, an array or a list of rows."""
    if is_path(data): return _wald.read_file(os.fspath(data), reading, model, threads, start)
    if reading: raise TypeError(f"{', '.join(reading)}: only for files")
    table = _wald.Table(source)
    if isinstance(data, (dict, *_frames())) and len(data) == 0 and len(getattr(data, "columns", ())) == 0:
        raise DataError(f"{source} has no columns", "give a table that has some")
    if is_frame(data):
        names = names or distinct(names_of(data))
        few = data.to_numpy() if len(data) <= _FEW else None  # pandas takes longer to part columns than to join few rows
        if few is not None and few.dtype.kind == "f": table.add_matrix(names, few)
        else:
            for name, (_, column) in zip(names, data.items()): add_column(table, name, column)
    elif isinstance(data, dict):
        for name, column in zip(distinct([str(name) for name in data]), data.values()): add_column(table, name, column)
    elif hasattr(data, "__arrow_c_stream__"):
        return _wald.table_from_arrow(data.__arrow_c_stream__(), source)
    elif isinstance(data, np.ndarray) and data.dtype.names:
        for name in data.dtype.names: add_column(table, name, data[name])
    else:
        array = as_matrix(data)
        add_matrix(table, array, names or numbered(array.shape[1]))
    return table


def fresh(name, taken):
    """The name, or one like it that no column has."""
    while name in taken: name += "_"
    return name
