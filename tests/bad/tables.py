"""Tables: whole files, their lines and cells, encodings and compression."""
import gzip
import random

from case import TRAIN, case, table


def rows(*lines):
    return "\n".join(lines) + "\n"


def plenty(extra="", count=2000, header="a,b,y"):
    """A sane table, long enough that several threads read it, with one line put in near its end."""
    draw = random.Random(3)
    lines = [header] + [f"{draw.randrange(1000)},{draw.random():.3f},{draw.choice(['u', 'v'])}" for _ in range(count)]
    return rows(*lines[:-10], *([extra] if extra else []), *lines[-10:])


# ---- whole files ----------------------------------------------------------------------------------------------
table("an empty file", "", 3, "t.csv", "empty")
table("a file of one line end", "\n", 3, "t.csv", "empty")
table("a file of line ends", "\r\n\r\n\n", 3, "t.csv", "empty")
table("nothing but a byte order mark", b"\xef\xbb\xbf", 3, "t.csv", "empty")
table("a header and no row", "a,b,y\n", 3, "t.csv", "no rows")
table("a header without line end", "a,b,y", 3, "t.csv", "no rows")
table("one row", rows("a,b,y", "1,2,yes"), 0, "one class")
table("one row with a number as target", rows("a,b,y", "1,2,3.5"), 0)
table("the target is the only column", rows("y", "1", "2"), 3, "no columns to learn")
table("one column that is not the target", rows("a", "1", "2"), 2, "no column 'y'")
table("a file of zero bytes", b"\0" * 5000, 3, "t.csv", "binary")
table("a binary file", bytes(range(256)) * 20, 3, "t.csv", "binary")
case("a file that is not there", {}, TRAIN, 1, "cannot read t.csv: No such file")
case("a folder as table", {"t.csv/inner": "a"}, TRAIN, 1, "t.csv", "folder")
case("nothing on standard input", {}, "train - --target y -o m.wald", 3, "standard input", "empty")
case("a table on standard input", {}, "train - --target claim -o m.wald", 0, "12 rows",
     stdin=b"age,claim\n" + b"".join(b"%d,%s\n" % (i, b"yes" if i > 6 else b"no") for i in range(12)))
case("SVMlight on standard input", {}, "train - --target target -o m.wald", 0, "12 rows", "SVMlight",
     stdin=b"".join(b"%d 1:%d 3:1\n" % (1 if i > 6 else -1, i) for i in range(12)))
case("an ending no reader knows", {"t.xlsx": b"PK\3\4" + b"\0" * 40}, "train t.xlsx --target y -o m.wald", 3, "t.xlsx")

# ---- lines ----------------------------------------------------------------------------------------------------
table("a row with too few fields", rows("a,b,y", "1,2,x", "3,z", "4,5,x"), 3, "t.csv:3: 2 fields, expected 3")
table("a row with too many fields", rows("a,b,y", "1,2,x", "3,4,5,z"), 3, "t.csv:3: 4 fields, expected 3")
table("a ragged row far down", plenty("17,0.5"), 3, "t.csv:1992: 2 fields, expected 3")
table("a ragged row below a quoted line end", rows("a,b,y", '1,"two', 'lines",x', "3,z"), 3, "t.csv:4: 2 fields, expected 3")
table("an unclosed quote", rows("a,b,y", '1,"2,x', "3,4,z"), 3, "t.csv:2", "quote")
table("an unclosed quote far down", plenty('17,"0.5,u'), 3, "t.csv:1992", "quote")
table("an unclosed quote at the very end", 'a,b,y\n1,2,x\n3,4,"', 3, "t.csv:3", "quote")
table("a quote as the whole file", '"', 3, "t.csv:1", "quote")
table("text after a closing quote", rows("a,b,y", '1,"2"3,x', "4,5,z"), 3, "t.csv:2", "quote")
table("a quote within a plain field", rows("a,b,y", '1,5" pipe,x', '2,6" pipe,z'), 0)
table("quoted commas, quotes and line ends", rows('"a","b, c",y', '1,"x ""and"" y",u', '2,"two', 'lines",v'), 0)
table("carriage returns as line ends", "a,b,y\r1,2,u\r3,4,v\r", 0, "2 rows")
table("line ends of both kinds", "a,b,y\r\n1,2,u\n3,4,v\r\n", 0, "2 rows")
table("no line end after the last row", "a,b,y\n1,2,u\n3,4,v", 0, "2 rows")
table("blank lines between rows", "a,b,y\n\n1,2,u\n\n\n3,4,v\n\n", 0, "2 rows")
table("a row of commas", rows("a,b,y", "1,2,u", ",,", "3,4,v"), 3, "'y'", "row 2")
table("semicolons and decimal commas", rows("a;b;y", "1,5;2,25;u", "2,5;3;v", "3,5;4,125;u"), 0, "3 rows")
table("decimal commas between commas", rows("a,b,y", "1,5,2,25,u", "2,5,3,5,v"), 3, "t.csv:2: 5 fields, expected 3")
table("quoted decimal commas", rows("a,b,y", '"1,5","2,25",u', '"2,5","3,5",v'), 0)
table("bars", rows("a|b|y", "1|2|u", "2|3|v"), 0, "2 rows", "2 numbers")
table("tabs", rows("a\tb\ty", "1\t2\tu", "2\t3\tv"), 0, "2 rows")
table("colons in cells", rows("a,b,y", "12:30,1:2,u", "13:45,3:4,v"), 0)

# ---- encodings ------------------------------------------------------------------------------------------------
table("invalid UTF-8 in a cell", b"a,b,y\n1,caf\xe9,u\n2,tea,v\n", 3, "t.csv:2", "UTF-8")
table("invalid UTF-8 in the header", b"a,\xff\xfe,y\n1,2,u\n2,3,v\n", 3, "t.csv:1", "UTF-8")
table("overlong UTF-8", b"a,b,y\n1,\xc0\xaf,u\n2,x,v\n", 3, "t.csv:2", "UTF-8")
table("UTF-8 that ends too soon", b"a,b,y\n1,2,u\n2,3,\xe2\x82", 3, "t.csv:3", "UTF-8")
table("UTF-16", "a,b,y\n1,2,u\n".encode("utf-16"), 3, "UTF-16")
table("UTF-16 without a mark", "a,b,y\n1,2,u\n".encode("utf-16-le"), 3, "UTF-16", "utf-16le")
table("UTF-16 the other way round without a mark", "a,b,y\n1,2,u\n".encode("utf-16-be"), 3, "UTF-16", "utf-16be")
table("a NUL in a number", b"a,b,y\n1,2\x003,u\n2,3,v\n", 3, "t.csv:2", "NUL")
table("a NUL in a word", b"a,b,y\n1,w\x00rd,u\n2,x,v\n", 3, "t.csv:2", "NUL")
table("a NUL in the header", b"a,b\x00,y\n1,2,u\n2,3,v\n", 3, "t.csv", "binary")
table("a byte order mark before the header", b"\xef\xbb\xbfy,a\nu,1\nv,2\n", 0, "2 rows")
table("names in many scripts", rows("größe,価格,возраст,y", "1,2,3,u", "2,3,4,v"), 0, "2 rows")
table("terminal commands in a name", rows("a\x1b[2J,b,y", "1,2,u", "2,x"), 3, "t.csv:3", unsaid=("\x1b[2J",))
table("terminal commands in the cell complained of", rows("a,y", "1,2", "2,\x1b]0;owned\x07"), 3, "t.csv",
      command="train t.csv --target y --task numbers -o m.wald", unsaid=("\x1b]0",))

# ---- headers --------------------------------------------------------------------------------------------------
table("the same name twice", rows("a,a,y", "1,2,u", "2,3,v"), 0, "renamed 'a_2'")
table("a column without name", rows("a,,y", "1,2,u", "2,3,v"), 0)
table("a name of a hundred thousand letters", rows("a" * 100_000 + ",y", "1,u", "2,v"), 0)
table("blanks around names and cells", rows(" a , b ,y", " 1 , x ,u", " 2 , y ,v"), 0)

# ---- sizes ----------------------------------------------------------------------------------------------------
table("a hundred thousand columns", lambda: rows(",".join(f"c{i}" for i in range(100_000)) + ",y",
      *[",".join(str((i * 7 + r * 13) % 10) for i in range(100_000)) + f",{'uv'[r % 2]}" for r in range(6)]), 0, "6 rows", seconds=20)
table("more columns than the limit", lambda: rows(",".join(f"c{i}" for i in range(1_000_001)), ",".join(["1"] * 1_000_001)),
      3, "t.csv:1", "more than 1,000,000 columns")
table("a cell of ten megabytes", lambda: rows("a,b,y", "1," + "x" * 10_000_000 + ",u", "2,z,v"), 3, "t.csv:2", "'b'")
table("a quoted cell of ten megabytes", lambda: rows("a,b,y", '1,"' + "x\n" * 5_000_000 + '",u', "2,z,v"), 3, "t.csv:2", "'b'")
table("a number of ten thousand digits", rows("a,y", "1" * 10_000 + ",u", "2,v"), 0, "'a'", "beyond 2^53")

# ---- compression ----------------------------------------------------------------------------------------------
PACKED = gzip.compress(plenty().encode(), mtime=0)
TRAIN_GZ = "train t.csv.gz --target y -o m.wald"
case("a packed table", {"t.csv.gz": PACKED}, TRAIN_GZ, 0, "2,000 rows")
case("two packed parts in one file", {"t.csv.gz": gzip.compress(b"a,y\n1,u\n") + gzip.compress(b"2,v\n")}, TRAIN_GZ, 0, "2 rows")
case("a packed table cut short", {"t.csv.gz": PACKED[:-300]}, TRAIN_GZ, 3, "t.csv.gz", "ends too early")
case("a packed table cut in its header", {"t.csv.gz": PACKED[:5]}, TRAIN_GZ, 3, "t.csv.gz")
case("a packed table with one bit turned", {"t.csv.gz": PACKED[:900] + bytes([PACKED[900] ^ 4]) + PACKED[901:]}, TRAIN_GZ, 3, "t.csv.gz")
case("a packed table with a wrong checksum", {"t.csv.gz": PACKED[:-8] + b"\1\2\3\4" + PACKED[-4:]}, TRAIN_GZ, 3, "t.csv.gz")
case("plain text named .gz", {"t.csv.gz": plenty()}, TRAIN_GZ, 0, "2,000 rows")
case("a packed empty file", {"t.csv.gz": gzip.compress(b"")}, TRAIN_GZ, 3, "t.csv.gz", "empty")
case("a hundred megabytes of zeros, packed", {"t.csv.gz": lambda: gzip.compress(b"\0" * 100_000_000)}, TRAIN_GZ, 3, "t.csv.gz", "binary", seconds=20)
