"""tf.io.decode_proto, encode_proto and ParseSequenceExample on both modules: values
of every kind of field, and classes of errors."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import graphkiln as gk

tf = pytest.importorskip("tensorflow")
descriptors = pytest.importorskip("google.protobuf.descriptor_pb2")
from google.protobuf import descriptor_pool, message_factory  # noqa: E402

KINDS = (
    "DOUBLE FLOAT INT64 UINT64 INT32 FIXED64 FIXED32 BOOL STRING MESSAGE BYTES "
    "UINT32 ENUM SFIXED32 SFIXED64 SINT32 SINT64"
).split()
TYPES = ("float32 float64 int32 int64 uint32 uint64 bool string int8 float16").split()


def described(syntax: str):
    """A set of descriptors of a message with a field of each kind, single and
    repeated, and its class."""
    field = descriptors.FieldDescriptorProto
    files = descriptors.FileDescriptorSet()
    file = files.file.add(name=f"{syntax}.proto", package=syntax, syntax=syntax)
    colour = file.enum_type.add(name="Colour")
    for i, name in enumerate(("RED", "GREEN", "BLUE")):
        colour.value.add(name=name, number=i + (syntax == "proto2"))
    inner = file.message_type.add(name="Inner")
    inner.field.add(name="x", number=1, type=field.TYPE_INT32, label=1)
    message = file.message_type.add(name="Outer").nested_type.add(name="M")
    number = 1
    for kind in KINDS:
        for label, prefix in ((1, "one"), (3, "all")):
            made = message.field.add(
                name=f"{prefix}_{kind.lower()}",
                number=number,
                type=getattr(field, f"TYPE_{kind}"),
                label=label,
            )
            number += 7
            if kind in ("MESSAGE", "ENUM"):
                name = "Inner" if kind == "MESSAGE" else "Colour"
                made.type_name = f".{syntax}.{name}"
            if label == 3 and kind in ("INT32", "FLOAT", "SINT64"):
                made.options.packed = syntax == "proto2"
    if syntax == "proto2":
        for kind, value in {
            "INT32": "-42", "UINT64": "18446744073709551615", "DOUBLE": "1.5e300",
            "FLOAT": "-inf", "BOOL": "true", "STRING": "h\u00e9", "BYTES": "\\001\\nz",
            "ENUM": "BLUE", "SINT32": "-7", "FIXED32": "4000000000",
        }.items():  # fmt: skip
            made = message.field.add(
                name=f"otherwise_{kind.lower()}",
                number=number,
                type=getattr(field, f"TYPE_{kind}"),
                label=1,
                default_value=value,
            )
            number += 1
            if kind == "ENUM":
                made.type_name = ".proto2.Colour"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    cls = message_factory.GetMessageClass(
        pool.FindMessageTypeByName(f"{syntax}.Outer.M")
    )
    return files.SerializeToString(), cls


def dtype_of(kind: str) -> str:
    kind = kind.lower()
    if kind in ("string", "bytes", "message"):
        return "string"
    if kind == "enum":
        return "int32"
    plain = {"double": "float64", "float": "float32", "bool": "bool"}
    sized = (
        kind.replace("sfixed", "int").replace("sint", "int").replace("fixed", "uint")
    )
    return plain.get(kind, sized)


def filled(cls, seed: int):
    rng = np.random.default_rng(seed)
    message = cls()
    for field in cls.DESCRIPTOR.fields:
        kind = field.name.partition("_")[2].upper()
        dtype = dtype_of(kind)

        def value(kind=kind, dtype=dtype):
            if kind == "MESSAGE":
                return None
            if kind == "ENUM":
                return int(rng.integers(1, 3))
            if dtype == "string":
                text = "xyz"[: int(rng.integers(0, 4))]
                return text.encode() if kind == "BYTES" else text
            if dtype == "bool":
                return bool(rng.integers(2))
            if dtype.startswith("float"):
                return float(np.float32(rng.normal()))
            limits = np.iinfo(dtype)
            return int(rng.integers(limits.min, limits.max, dtype=dtype))

        if rng.random() < 0.4:
            continue
        if field.name.startswith("all"):
            for _ in range(int(rng.integers(4))):
                if kind == "MESSAGE":
                    getattr(message, field.name).add(x=5)
                else:
                    getattr(message, field.name).append(value())
        elif kind == "MESSAGE":
            getattr(message, field.name).x = -3
        else:
            setattr(message, field.name, value())
    return message


def both(call):
    """What it gives on both modules, which is compared."""
    results = []
    for module in (tf, gk):
        try:
            made = module.nest.flatten(call(module))
            results.append([(x.dtype.name, x.shape.as_list(), x.numpy()) for x in made])
        except (module.errors.OpError, ValueError, TypeError) as error:
            results.append(type(error).__name__)
    theirs, ours = results
    if isinstance(theirs, str) or isinstance(ours, str):
        assert ours == theirs, (theirs, ours)
        return theirs
    assert [x[:2] for x in ours] == [x[:2] for x in theirs]
    for a, b in zip(theirs, ours, strict=True):
        np.testing.assert_array_equal(b[2], a[2])
    return theirs


@pytest.mark.parametrize("syntax", ["proto2", "proto3"])
def test_all_kinds_of_fields(syntax, tmp_path: pathlib.Path):
    types, cls = described(syntax)
    messages = [filled(cls, i) for i in range(6)]
    names = [f.name for f in cls.DESCRIPTOR.fields]
    dtypes = [dtype_of(n.partition("_")[2]) for n in names]
    (tmp_path / "types").write_bytes(types)
    texts = {
        "binary": [m.SerializeToString() for m in messages],
        "text": [str(m).encode() for m in messages],
    }
    for source in (b"bytes://" + types, str(tmp_path / "types")):
        for form, given in texts.items():
            for shape in ((6,), (2, 3), (1, 1, 6)):

                def decode(m, given=given, form=form, shape=shape, source=source):
                    return m.io.decode_proto(
                        m.reshape(given, shape),
                        f"{syntax}.Outer.M",
                        names,
                        [m.as_dtype(d) for d in dtypes],
                        descriptor_source=source,
                        message_format=form,
                    )

                made = both(decode)
                assert made[0][1] == [*shape, len(names)]

    def round_trip(m):
        sizes, values = m.io.decode_proto(
            texts["binary"],
            f"{syntax}.Outer.M",
            names,
            [m.as_dtype(d) for d in dtypes],
            descriptor_source=b"bytes://" + types,
        )
        return m.io.encode_proto(
            sizes, values, names, f"{syntax}.Outer.M", b"bytes://" + types
        )

    (encoded,) = both(round_trip)
    for message, text in zip(messages, encoded[2], strict=True):
        assert cls.FromString(text) == message


def test_types_of_fields_and_tensors():
    types, _ = described("proto2")
    source = b"bytes://" + types
    fit = 0
    for kind in KINDS:
        name = f"all_{kind.lower()}"
        for dtype in TYPES:
            made = both(
                lambda m, n=name, d=dtype: m.io.decode_proto(
                    [b""], "proto2.Outer.M", [n], [m.as_dtype(d)], source
                )
            )
            fit += not isinstance(made, str)
            both(
                lambda m, n=name, d=dtype: m.io.encode_proto(
                    [[1]], [m.zeros([1, 1], d)], [n], "proto2.Outer.M", source
                )
            )
    assert fit == 23


def test_messages_that_are_none():
    types, cls = described("proto2")
    source = b"bytes://" + types
    full = filled(cls, 1).SerializeToString()
    rng = np.random.default_rng(0)
    names = ["one_int32", "all_int32", "all_string", "one_message", "all_double"]
    dtypes = ("int32", "int64", "string", "string", "float64")
    seen = set()
    for _ in range(300):
        text = bytearray(full[: int(rng.integers(1, len(full) + 1))])
        for _flip in range(int(rng.integers(3))):
            text[int(rng.integers(len(text)))] ^= 1 << int(rng.integers(8))
        made = both(
            lambda m, t=bytes(text): m.io.decode_proto(
                [t], "proto2.Outer.M", names, [m.as_dtype(d) for d in dtypes], source
            )
        )
        seen.add(made if isinstance(made, str) else "values")
    assert seen == {"values", "DataLossError"}


def test_calls_that_are_wrong():
    types, _ = described("proto2")
    source = b"bytes://" + types

    def decode(m, texts=(b"",), message="proto2.Outer.M", names=("all_int32",),
               dtypes=("int32",), source=source, form="binary"):  # fmt: skip
        return m.io.decode_proto(
            m.constant(texts, m.string), message, list(names),
            [m.as_dtype(d) for d in dtypes], source, form,
        )  # fmt: skip

    assert both(lambda m: decode(m)) != "InvalidArgumentError"
    for told in (
        {"texts": ()}, {"message": "proto2.No"}, {"names": ("no",)},
        {"dtypes": ("int32", "int32")}, {"dtypes": ("float32",)}, {"source": b"/no"},
        {"source": b"bytes://no"}, {"source": b""}, {"source": b"local://"},
        {"form": "no"},
    ):  # fmt: skip
        assert both(lambda m, t=told: decode(m, **t)) == "InvalidArgumentError", told
    assert both(lambda m: decode(m, (b"all_int32: x",), form="text")) == "DataLossError"
    again = both(
        lambda m: decode(m, (b"",), names=("all_int32",) * 2, dtypes=("int32",) * 2)
    )
    assert again[0][1] == [1, 2]

    def encode(m, sizes, values, names=("all_int32",)):
        return m.io.encode_proto(
            m.constant(sizes, m.int32), [m.constant(v, m.int32) for v in values],
            list(names), "proto2.Outer.M", source,
        )  # fmt: skip

    assert both(lambda m: encode(m, [[1]], [[[3, 4]]])) != "InvalidArgumentError"
    for sizes, values, names in (
        ([[3]], [[[3, 4]]], ("all_int32",)),
        ([[2], [1]], [[[1, 2]]], ("all_int32",)),
        ([2], [[1, 2]], ("all_int32",)),
        ([[1, 1]], [[[1]]], ("all_int32", "all_enum")),
        ([[1, 1]], [[[1]], [[1], [2]]], ("all_int32", "all_enum")),
        ([[1]], [[[1]]], ("no",)),
    ):
        made = both(lambda m, a=sizes, b=values, c=names: encode(m, a, b, c))
        assert made in ("InvalidArgumentError", "ValueError"), (sizes, values)


def test_messages_of_tensorflow():
    x = tf.train.Example()
    x.features.feature["a"].int64_list.value.append(3)
    made = both(
        lambda m: m.io.decode_proto(
            x.SerializeToString(), "tensorflow.Example", ["features"], [m.string]
        )
    )
    assert made[0][2].tolist() == [1]


def test_sequences_of_the_first_version():
    x = tf.train.SequenceExample()
    x.context.feature["n"].int64_list.value.append(3)
    x.context.feature["s"].float_list.value.extend([1.5, 2.5])
    for step in ([1, 2], [3, 4]):
        a = x.feature_lists.feature_list["a"].feature.add()
        a.int64_list.value.extend(step)
    texts = [x.SerializeToString(), tf.train.SequenceExample().SerializeToString()]

    def parse(m, texts=texts, default=(7,), may_miss=("a",), shape=(2,)):
        return list(
            m.raw_ops.ParseSequenceExample(
                serialized=m.constant(texts),
                debug_name=m.constant([], m.string),
                context_dense_defaults=[m.constant(default, m.int64)],
                feature_list_dense_missing_assumed_empty=list(may_miss),
                context_sparse_keys=["s"],
                context_dense_keys=["n"],
                feature_list_sparse_keys=["b"],
                feature_list_dense_keys=["a"],
                Ncontext_sparse=1,
                Ncontext_dense=1,
                Nfeature_list_sparse=1,
                Nfeature_list_dense=1,
                context_sparse_types=[m.float32],
                feature_list_dense_types=[m.int64],
                context_dense_shapes=[[1]],
                feature_list_sparse_types=[m.string],
                feature_list_dense_shapes=[list(shape)],
            )
        )

    made = both(parse)
    assert made[7][2].tolist() == [[[1, 2], [3, 4]], [[0, 0], [0, 0]]]
    assert both(lambda m: parse(m, texts[:1], ())) != "InvalidArgumentError"
    for told in (
        {"default": ()},
        {"may_miss": ()},
        {"shape": (3,)},
    ):
        assert both(lambda m, t=told: parse(m, **t)) in (
            "InvalidArgumentError", "ValueError",
        ), told  # fmt: skip
