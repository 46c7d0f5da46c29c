"""An Arrow stream made with ctypes alone: what polars or pyarrow would hand over."""
import ctypes as c


class Schema(c.Structure): pass


class Array(c.Structure): pass


class Stream(c.Structure): pass


Schema._fields_ = [("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_char_p), ("flags", c.c_int64),
                   ("n_children", c.c_int64), ("children", c.POINTER(c.POINTER(Schema))), ("dictionary", c.POINTER(Schema)),
                   ("release", c.CFUNCTYPE(None, c.POINTER(Schema))), ("private_data", c.c_void_p)]
Array._fields_ = [("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64), ("n_buffers", c.c_int64),
                  ("n_children", c.c_int64), ("buffers", c.POINTER(c.c_void_p)), ("children", c.POINTER(c.POINTER(Array))),
                  ("dictionary", c.POINTER(Array)), ("release", c.CFUNCTYPE(None, c.POINTER(Array))),
                  ("private_data", c.c_void_p)]
Stream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Schema))),
                   ("get_next", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Array))),
                   ("get_last_error", c.CFUNCTYPE(c.c_char_p, c.POINTER(Stream))),
                   ("release", c.CFUNCTYPE(None, c.POINTER(Stream))), ("private_data", c.c_void_p)]
NEW = c.pythonapi.PyCapsule_New
NEW.restype, NEW.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]


class Column:
    """format and buffers as bytes (None = absent); a dictionary is another Column."""

    def __init__(self, name, format, buffers, length, dictionary=None):
        self.name, self.format, self.buffers, self.length, self.dictionary = name, format, buffers, length, dictionary


class Table:
    """Chunks are lists of Columns; an object with the stream interface."""

    def __init__(self, *chunks):
        self.chunks, self.kept, self.at, self.released = chunks, [], 0, 0

    def _keep(self, thing):
        self.kept.append(thing)
        return thing

    def _gone(self, kind):
        def release(pointer):
            pointer.contents.release = kind._fields_[7 if kind is Schema else 8][1]()
            self.released += 1
        return self._keep(kind._fields_[7 if kind is Schema else 8][1](release))

    def _fill_schema(self, into, name, format, children=(), dictionary=None):
        into.name, into.format, into.release = name, format, self._gone(Schema)
        into.n_children = len(children)
        made = [self._keep(Schema()) for _ in children]
        for child, column in zip(made, children):
            self._fill_schema(child, column.name, column.format, (), column.dictionary)
        into.children = self._keep((c.POINTER(Schema) * max(1, len(made)))(*map(c.pointer, made)))
        if dictionary is not None:
            inner = self._keep(Schema())
            self._fill_schema(inner, b"", dictionary.format)
            into.dictionary = c.pointer(inner)

    def _fill_array(self, into, buffers, length, children=(), dictionary=None):
        into.length, into.null_count, into.release = length, -1, self._gone(Array)
        texts = [None if b is None else self._keep(c.create_string_buffer(b, len(b))) for b in buffers]
        into.n_buffers = len(texts)
        into.buffers = self._keep((c.c_void_p * max(1, len(texts)))(*[t and c.addressof(t) for t in texts]))
        made = [self._keep(Array()) for _ in children]
        for child, column in zip(made, children):
            self._fill_array(child, column.buffers, column.length, (), column.dictionary)
        into.n_children, into.children = len(made), self._keep((c.POINTER(Array) * max(1, len(made)))(*map(c.pointer, made)))
        if dictionary is not None:
            inner = self._keep(Array())
            self._fill_array(inner, dictionary.buffers, dictionary.length)
            into.dictionary = c.pointer(inner)

    def __arrow_c_stream__(self, requested_schema=None):
        def schema(_, into):
            self._fill_schema(into.contents, b"", b"+s", self.chunks[0])
            return 0

        def following(_, into):
            if self.at == len(self.chunks):
                into.contents.release = Array._fields_[8][1]()
                return 0
            chunk = self.chunks[self.at]
            self.at += 1
            self._fill_array(into.contents, [None], chunk[0].length, chunk)
            return 0

        def gone(pointer):
            pointer.contents.release = kinds["release"]()
            self.released += 1

        kinds = dict(Stream._fields_)
        stream = self._keep(Stream(kinds["get_schema"](schema), kinds["get_next"](following),
                                   kinds["get_last_error"](lambda _: None), kinds["release"](gone), None))
        return NEW(c.addressof(stream), b"arrow_array_stream", None)
