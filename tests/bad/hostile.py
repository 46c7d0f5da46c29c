"""Model files made by somebody who knows the format (docs/formats/model.md) and computes the checksum anew."""
import ctypes
import random
import struct

from case import GOOD, case

HEADER, ALIGN = 64, 64
NODES, VALUES, GAIN, CUTS = 2, 3, 4, 6  # numbers of sections
NAN, INF = struct.pack("<d", float("nan")), struct.pack("<d", float("inf"))


class Digest(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def sealed(content, length=None):
    """Right magic, length and checksum: what stands inside must be judged on its own."""
    hashing = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    hashing.restype, hashing.argtypes = Digest, [ctypes.c_char_p, ctypes.c_size_t]
    content = content[:16] + struct.pack("<Q", len(content) if length is None else length) + content[24:]
    rest = content[:32] + content[48:]
    digest = hashing(rest, len(rest))
    return content[:32] + struct.pack(">QQ", digest.high, digest.low) + content[48:]


def sections(content):
    """(offset, length) of each section."""
    count = struct.unpack_from("<I", content, 12)[0]
    at, out = HEADER + -(-count * 8 // ALIGN) * ALIGN, []
    for length in struct.unpack_from(f"<{count}Q", content, HEADER):
        out.append((at, length))
        at += -(-length // ALIGN) * ALIGN
    return out


def put(content, at, piece):
    return content[:at] + piece + content[at + len(piece):]


def node(content, kind):
    """Offset of the first node of this kind (0 leaf, 1 threshold)."""
    start, length = sections(content)[NODES]
    return next(at for at in range(start, start + length, 12) if content[at + 3] >> 4 & 3 == kind)


def hostile(name, change, *says):
    def attempt(place):
        good = place.read("good.wald")
        changed = change(good)
        if sealed(good) != good: return place.answer(-1, "").because("the format of models has changed; mend tests/bad/hostile.py")
        if changed == good: return place.answer(-1, "").because("the case changes nothing")
        place.write("b.wald", changed)
        return place.wald("predict", "b.wald", "good.csv")
    case(f"hostile: {name}", {}, attempt, 4, "b.wald", *says)


def in_node(name, kind, offset, form, value, *says):
    hostile(name, lambda good: sealed(put(good, node(good, kind) + offset, struct.pack(form, value))), *says)


def in_section(name, number, piece, offset=0):
    hostile(name, lambda good: sealed(put(good, sections(good)[number][0] + offset, piece)))


in_node("a column that is not there", 1, 0, "<H", 1000)
in_node("a column of another type", 1, 0, "<H", 1)
in_node("a node that is its own child", 1, 4, "<I", 0)
in_node("a child beyond the last node", 1, 4, "<I", 0xFFFFFFFE)
in_node("a threshold that is not there", 1, 8, "<I", 0x7FFFFFFF)
in_node("a fourth way for missing values", 1, 3, "<B", 0xD0)
in_node("a column beyond all", 1, 3, "<B", 0x1F)
in_node("a threshold turned into a set", 1, 3, "<B", 0x20)
in_node("a threshold turned into one child a level", 1, 3, "<B", 0x30)
in_node("a leaf that asks a column", 0, 0, "<I", 1)
in_node("a leaf with a way for missing values", 0, 3, "<B", 0x40)
in_node("a leaf of a value that is not there", 0, 8, "<I", 1000)
in_node("a leaf turned into a threshold", 0, 3, "<B", 0x10)
in_node("a negative weight of a leaf", 0, 4, "<f", -5)
in_node("a weight that is no number", 0, 4, "<f", float("nan"))
in_section("a tree that begins elsewhere", 1, struct.pack("<Q", 1))
in_section("a tree with more nodes than there are", 1, struct.pack("<Q", 2**40), 8)
in_section("a probability that is no number", VALUES, NAN)
in_section("an infinite probability", VALUES, INF)
in_section("a gain that is no number", GAIN, struct.pack("<f", float("nan")))
in_section("a threshold that is no number", CUTS, NAN)
hostile("four billion sections", lambda good: sealed(put(good, 12, b"\xff\xff\xff\xff")))
hostile("no section", lambda good: sealed(put(good, 12, b"\0\0\0\0")))
hostile("a section of exabytes", lambda good: sealed(put(good, HEADER, struct.pack("<Q", 2**63))))
hostile("sections whose lengths wrap around", lambda good: sealed(put(good, HEADER, struct.pack("<QQ", 2**64 - 64, 128))))
hostile("a length of exabytes", lambda good: sealed(good, 2**62))
hostile("reserved bytes of the header in use", lambda good: sealed(put(good, 24, b"\1")))
hostile("a format of the future", lambda good: sealed(put(good, 8, b"\2\0")), "newer Wald")
hostile("a format that never was", lambda good: sealed(put(good, 8, b"\0\0")))
hostile("an empty description", lambda good: sealed(put(good, sections(good)[0][0], b"\0" * sections(good)[0][1])))


def resealed(place):
    """Bytes at random with a right checksum: refused, or sound enough to predict."""
    draw, good, answer = random.Random(8), place.read("good.wald"), None
    for _ in range(60):
        at = draw.randrange(HEADER, len(good) - 8)
        word = draw.choice([draw.randbytes(draw.randrange(1, 8)), b"\xff" * 4, b"\0" * 4, b"\xff\xff\xff\x7f"])
        place.write("b.wald", sealed(put(good, at, word)))
        answer = place.wald("predict", "b.wald", "good.csv")
        if answer.code not in (0, 3, 4): return answer.because(f"bytes {word.hex()} at {at}: exit code {answer.code}")
    return answer.with_code(0)


case("hostile: bytes at random under a right checksum", {"good.csv": GOOD}, resealed, 0, seconds=60)
