"""Programs over files, told as what iterating shows: the values in order, and
the class of each error where it comes."""

from __future__ import annotations

import gzip
import pathlib
import zlib
from typing import Any

import numpy as np

LIMIT = 12


def told(dataset: Any) -> list:
    """What an iterator over the dataset gives, one call after the other."""
    shown: list = []
    iterator = iter(dataset)
    while len(shown) < LIMIT:
        try:
            element = next(iterator)
        except StopIteration:
            return [*shown, "end"]
        except Exception as error:
            shown.append(type(error).__name__)
        else:
            shown.append(plain(element))
    return shown


def plain(element: Any) -> Any:
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    if isinstance(element, tuple):
        return tuple(plain(part) for part in element)
    return np.asarray(element.numpy()).tolist()


def records(tf: Any, folder: pathlib.Path) -> dict[str, bytes]:
    """Files of records, whole and damaged, by their names."""
    rows = [b"a", b"b" * 20, b"", b"dd"]
    made = {}
    for name, options in (("plain", None), ("gzip", "GZIP"), ("zlib", "ZLIB")):
        path = folder / f"{name}.made"
        with tf.io.TFRecordWriter(str(path), options) as writer:
            for row in rows:
                writer.write(row)
        made[name] = path.read_bytes()
        path.unlink()
    whole = made["plain"]

    def flipped(at: int) -> bytes:
        damaged = bytearray(whole)
        damaged[at] ^= 1
        return bytes(damaged)

    made |= {
        "within_the_data": whole[:-3],
        "within_the_header": whole[:-12],
        "length": flipped(17),
        "first_data": flipped(12),
        "second_data": flipped(30),
        "check_of_length": flipped(9),
        "huge": b"\xff" * 7 + b"\x7f" + b"\x00" * 60,
        "empty": b"",
        "gzip_twice": made["gzip"] * 2,
        "gzip_cut": made["gzip"][:-12],
        "gzip_and_more": made["gzip"] + b"more",
        "zlib_twice": made["zlib"] * 2,
        "zlib_cut": made["zlib"][:-6],
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return made


TEXTS = {
    "lines": b"one\r\ntwo\n\nth\rree\nlast",
    "ended": b"x\ny\n",
    "nothing": b"",
    "gz": gzip.compress(b"one\ntwo\n"),
    "zl": zlib.compress(b"one\ntwo"),
    "fixed": b"H" + b"abcdefghi" + b"FF",
    "fixed_gz": gzip.compress(b"H" + b"abcdefghi" + b"FF"),
}

# Name, content, types or defaults of columns, other arguments.
CSV = [
    ("plain", "1,a\n2,b\n", "is", {}),
    ("no_end", "1,a\n2,b", "is", {}),
    ("crlf", "1,a\r\n2,b\r\n", "is", {}),
    ("cr", "1,a\r2,b\r", "is", {}),
    ("empty_lines", "1,a\n\n2,b\n\n", "is", {}),
    ("empty_lines_of_one", "1\n\n2\n", "i", {}),
    ("empty_strings", "x\n\ny\n\n", "S", {}),
    ("quoted", '1,"a,b\nc""d"\n2,"x"\n', "is", {}),
    ("quotes_as_others", '1,"a"\n', "is", {"use_quote_delim": False}),
    ("open_quote", '1,"ab\n2,c\n', "is", {}),
    ("quote_within", '1,"a"b\n2,c\n', "is", {}),
    ("quote_in_plain", '1,a"b\n2,c\n', "is", {}),
    ("too_few", "1\n2,c\n", "is", {}),
    ("too_many", "1,2,3\n2,c\n", "is", {}),
    ("no_number", "x,2\n2,c\n", "is", {}),
    ("missing", ",2\n2,\n3,d\n", "is", {}),
    ("defaults", ",2\n2,\n", "IS", {}),
    ("na_value", "NA,2\n2,NA\n", "IS", {"na_value": "NA"}),
    ("header", "a,b\n1,x\n", "is", {"header": True}),
    ("header_alone", "a,b\n", "is", {"header": True}),
    ("no_header", "", "is", {"header": True}),
    ("quoted_header", '"a\nz",b\n1,x\n', "is", {"header": True}),
    ("one_column", "1,2,3\n4,5,6\n", "i", {"select_cols": [1]}),
    ("two_columns", "1,2,3\n4,5\n6,7,8\n", "ii", {"select_cols": [0, 2]}),
    ("without_one", "1,2,3\n4,5,6\n", "ii", {"exclude_cols": [1]}),
    ("without_too_few", "1,2,3\n4,5,6\n", "i", {"exclude_cols": [1]}),
    ("delimiter", "1;2\n", "ii", {"field_delim": ";"}),
    ("spaces", " 1 , 2.5 \n", "if", {}),
    ("all_types", "1,2,3.5,4.5,x\n", "ilfds", {}),
    ("last_is_empty", "1,", "iS", {}),
    ("more_empty", "1,a,\n2,b,\n", "is", {}),
    ("delimiter_alone", ",", "IS", {}),
    ("too_large", "99999999999\n3\n", "i", {}),
    ("quotes_of_nothing", '"",x\n', "Is", {}),
    ("small_pieces", '1,"abcdefgh\nij"\n2,bb\n', "is", {"buffer_size": 3}),
    ("not_rising", "1,2,3\n", "ii", {"select_cols": [2, 0]}),
    ("negative", "1,2,3\n", "i", {"select_cols": [-1]}),
    ("too_many_selected", "1,2,3\n", "i", {"select_cols": [1, 2]}),
    ("both", "1,2\n", "i", {"select_cols": [1], "exclude_cols": [1]}),
    ("long_delimiter", "1,2\n", "i", {"field_delim": ";;"}),
]


def csv_columns(tf: Any, letters: str) -> list:
    types = {"i": tf.int32, "l": tf.int64, "f": tf.float32, "d": tf.float64}
    types |= {"s": tf.string, "I": [7], "S": ["q"]}
    return [types[letter] for letter in letters]
