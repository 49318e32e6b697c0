"""tf.io.decode_proto of messages that protobuf reads and writes again first:
`sanitize`, and all that come as text."""

from __future__ import annotations

import numpy as np
import pytest
from test_protos import both, described, dtype_of, filled

tf = pytest.importorskip("tensorflow")
descriptors = pytest.importorskip("google.protobuf.descriptor_pb2")

NAMES = ["a", "b", "i", "s", "m", "e", "r", "x", "re", "d", "n", "o"]
DTYPES = (
    "int32 string int32 string string int32 int32 string int32 float64 string int32"
).split()


def types() -> bytes:
    field = descriptors.FieldDescriptorProto
    files = descriptors.FileDescriptorSet()
    for syntax in ("proto2", "proto3"):
        file = files.file.add(name=f"{syntax}.proto", package=syntax, syntax=syntax)
        enum = file.enum_type.add(name="E")
        for i, name in enumerate("ABC"):
            enum.value.add(name=name, number=i)
        message = file.message_type.add(name="M")
        message.oneof_decl.add(name="choice")

        def add(name, number, kind, label=1, of=message, **others):
            return of.field.add(
                name=name, number=number, type=getattr(field, f"TYPE_{kind}"),
                label=label, **others,
            )  # fmt: skip

        own, colour = f".{syntax}.M", f".{syntax}.E"
        add("a", 1, "INT32", oneof_index=0)
        add("b", 2, "STRING", oneof_index=0)
        add("n", 11, "MESSAGE", oneof_index=0, type_name=own)
        add("i", 3, "INT32")
        add("s", 4, "STRING")
        add("m", 5, "MESSAGE", type_name=own)
        add("e", 6, "ENUM", type_name=colour)
        add("r", 7, "INT32", 3)
        entry = message.nested_type.add(name="XEntry")
        entry.options.map_entry = True
        add("key", 1, "INT32", of=entry)
        add("value", 2, "STRING", of=entry)
        add("x", 8, "MESSAGE", 3, type_name=f"{own}.XEntry")
        add("re", 9, "ENUM", 3, type_name=colour)
        add("d", 10, "DOUBLE")
        if syntax == "proto3":
            message.oneof_decl.add(name="_o")
            add("o", 12, "INT32", proto3_optional=True, oneof_index=1)
        else:
            add("o", 12, "INT32")
            required = file.message_type.add(name="Q")
            add("q", 1, "INT32", 2, of=required)
            add("i", 3, "INT32", of=required)
    return files.SerializeToString()


SOURCE = b"bytes://" + types()
MESSAGES = {
    "oneof": b"\x08\x05\x12\x01x",
    "oneof, the other": b"\x12\x01x\x08\x05",
    "oneof, a message": b"\x08\x05\x5a\x02\x18\x01",
    "oneof of zero": b"\x08\x00",
    "defaults": b"\x18\x00\x22\x00\x60\x00",
    "twice": b"\x18\x01\x18\x02\x22\x01a\x22\x01b",
    "merged": b"\x2a\x02\x18\x01\x2a\x03\x22\x01y",
    "merged within": b"\x2a\x04\x2a\x02\x18\x01\x2a\x05\x2a\x03\x22\x01y",
    "order within": b"\x2a\x05\x22\x01q\x18\x00",
    "enum": b"\x30\x07\x30\x01",
    "enum, unknown last": b"\x30\x01\x30\x07",
    "enums": b"\x48\x01\x48\x09\x48\x02",
    "packed enums": b"\x4a\x03\x01\x09\x02",
    "map": b"".join(
        b"\x42\x05\x08%c\x12\x01%c" % (*x,) for x in (b"\2a", b"\1b", b"\2c")
    ),
    "empty entry": b"\x42\x00",
    "a key alone": b"\x42\x02\x08\x05",
    "another type": b"\x1d\x01\x02\x03\x04\x18\x05",
    "no UTF-8": b"\x22\x01\xff",
    "no UTF-8 within": b"\x2a\x03\x22\x01\xff",
    "cut off": b"\x18",
    "cut off within": b"\x2a\x01\x18",
    "minus zero": b"\x51\0\0\0\0\0\0\0\x80",
    "zero": b"\x51\0\0\0\0\0\0\0\0",
    "large": b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "both packed and not": b"\x3a\x02\x01\x02\x38\x03",
    "unknown": b"\x78\x01\x18\x04",
    "a group": b"\x1b\x1c\x18\x02",
    "nothing": b"",
}


def decoded(m, message, given, form, sanitize, names=NAMES, dtypes=DTYPES):
    return m.io.decode_proto(
        given, message, names, [m.as_dtype(d) for d in dtypes], SOURCE, form, sanitize
    )


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("syntax", ["proto2", "proto3"])
def test_what_is_left_of_a_message(syntax, name):
    for sanitize in (True, False):
        if name == "another type" and not sanitize:
            continue  # an error there, for wire types alone
        both(
            lambda m, s=sanitize: decoded(
                m, f"{syntax}.M", [MESSAGES[name]], "binary", s
            )
        )


@pytest.mark.parametrize("syntax", ["proto2", "proto3"])
def test_texts(syntax):
    for text in (
        b"i: 0 s: '' d: 0",
        b"i: 5 d: -0.0 o: 0 r: [1, 2]",
        b"m { s: '' i: 0 } e: C re: [A, B]",
        b"x { key: 3 } x { value: 'v' }",
        b"a: 0",
    ):
        both(lambda m, t=text: decoded(m, f"{syntax}.M", [t], "text", False))


def test_fields_that_have_to_be_there():
    for given, form in ((b"\x18\x05", "binary"), (b"i: 5", "text")):
        for sanitize in (False, True):
            made = both(
                lambda m, g=given, f=form, s=sanitize: decoded(
                    m, "proto2.Q", [g], f, s, ["i"], ["int32"]
                )
            )
            fails = sanitize or form == "text"
            assert (made == "DataLossError") == fails


@pytest.mark.parametrize("syntax", ["proto2", "proto3"])
def test_damaged_messages(syntax):
    source, cls = described(syntax)
    names = [f.name for f in cls.DESCRIPTOR.fields]
    dtypes = [dtype_of(n.partition("_")[2]) for n in names]
    rng = np.random.default_rng(3)
    seen = []
    for i in range(150):
        text = bytearray(
            filled(cls, i).SerializeToString() + filled(cls, i + 1).SerializeToString()
        )
        for _ in range(int(rng.integers(3))):
            if text:
                text[int(rng.integers(len(text)))] ^= 1 << int(rng.integers(8))
        made = both(
            lambda m, t=bytes(text): m.io.decode_proto(
                [t], f"{syntax}.Outer.M", names, [m.as_dtype(d) for d in dtypes],
                b"bytes://" + source, "binary", True,
            )
        )  # fmt: skip
        seen.append(isinstance(made, str))
    assert 0 < sum(seen) < len(seen)
