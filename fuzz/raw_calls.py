"""Random calls of raw ops, as the text of small programs.

`call(seed, index)` is one call: the same for the same numbers and registry.
Its text runs anywhere after `from raw_calls import *`, so that a reproducer
is the text itself. Half of the calls are the valid ones of the op tests with
up to three changes, the others are drawn from the op's signature alone.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python" / "ops"))

import cases  # noqa: E402
import graphkiln as tf  # noqa: E402
from graphkiln import _graphkiln  # noqa: E402
from raw_recipes import RECIPES  # noqa: E402
from raw_values import D, F, I, N, T, V, run  # noqa: E402

__all__ = ["D", "F", "I", "N", "T", "V", "np", "run", "tf"]

Random = random.Random

INTS = (0, 1, -1, 2, 3, 7, 127, 128, 255, -128, 32767, 65535, 2**31 - 1,
        -(2**31), 2**31, 2**32 + 1, 2**62, 2**63 - 1, -(2**63))  # fmt: skip
FLOATS = (0.0, 1.0, -1.0, 0.5, 2.5, -3.25, 1e-30, 1e30, -1e30, 1e-45, 65504.0,
          float("nan"), float("inf"), float("-inf"))  # fmt: skip
STRINGS = (b"", b"a", b"abc", b"0", b"-12", b"3.5", b"1e400", b"\xff\xfe",
           b"a,b;c", b"%s %d", b"{}", b"x" * 300, b"\x00z", "é€".encode(),
           b"[a-z]*(", b"2**31")  # fmt: skip
HUGE = (2**16, 2**31 - 1, 2**31, 2**32 + 3, 2**40, 2**61, 2**62, 2**63 - 1)
COMMON = ("float32 float64 int32 int64 bool string complex64 complex128 int8 "
          "uint8 int16 uint16 uint32 uint64 float16 bfloat16").split()  # fmt: skip
# What no op should be able to take badly.
JUNK = ("None", "'x'", "b'x'", "[]", "[[1], [2, 3]]", "object()", "2**31",
        "2**63", "2**64", "-2**70", "1.5", "True", "1j", "{}", "{'a': 1}",
        "tf.float32", "tf.constant('s')", "tf.TensorShape(None)", "int",
        "tf.TensorShape([None, 2])", "tf.ragged.constant([[1], [2, 3]])",
        "tf.sparse.from_dense([[0, 1]])", "tf.Variable(1.)", "[None, None]",
        "[tf.constant(1), 2]", "np.array(['a', None], object)", "np.zeros([0])",
        "np.datetime64('2020')", "N(70)", "N(5000)", "range(3)",
        "tf.TensorSpec([1])", "[2**40, 1.5]", "float('nan')", "(x for x in [1])",
        "np.float64(2.5)", "np.int64(2**40)", "tf.constant([[]])", "[[[]]]",
        "[[1, 2], 3]", "['a', 1]", "'x' * 1000")  # fmt: skip

DATASETS = (
    "tf.data.Dataset.range(5)",
    "tf.data.Dataset.range(0)",
    "tf.data.Dataset.from_tensors(tf.ones([2, 3]))",
    "tf.data.Dataset.from_tensor_slices((tf.ones([4, 2]), tf.range(4)))",
    "tf.data.Dataset.from_tensor_slices(['a', 'b', 'c'])",
    "tf.data.Dataset.range(6).batch(2)",
    "tf.data.Dataset.range(6).map(lambda i: tf.range(i))",
    "tf.data.Dataset.range(6).window(2)",
)
VARIANTS = (
    "tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=3, "
    "element_dtype=tf.float32)",
    "tf.raw_ops.TensorListFromTensor(tensor=tf.ones([3, 2]), "
    "element_shape=tf.constant([2]))",
    "tf.raw_ops.TensorListFromTensor(tensor=tf.range(4), "
    "element_shape=tf.constant([], tf.int32))",
    "tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=2, "
    "element_dtype=tf.int32)",
    "tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=-1, "
    "element_dtype=tf.float32)",
    "tf.raw_ops.TensorListSplit(tensor=tf.ones([4, 2]), element_shape=[-1, 2], "
    "lengths=tf.constant([1, 3], tf.int64))",
    "tf.raw_ops.OptionalFromValue(components=[tf.constant(1.), 2])",
    "tf.raw_ops.OptionalNone()",
    "tf.zeros([2], tf.variant)",
    "tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=[tf.constant([0, 1, 3])],"
    " rt_dense_values=tf.ones([3]), batched_input=True)",
    "tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=[tf.constant([0, 1, 3])],"
    " rt_dense_values=tf.range(3), batched_input=False)",
    "tf.raw_ops.SerializeSparse(sparse_indices=[[0, 1]], sparse_values=[1.], "
    "sparse_shape=[2, 2], out_type=tf.variant)",
    *(f"{d}._variant_tensor" for d in DATASETS),
)  # fmt: skip
RESOURCES = (
    "V([[1., 2.], [3., 4.]])",
    "V([1, 2, 3])",
    "V(np.array([5, 0, 0]))",
    "V('s')",
    "V(2.5)",
    "tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])",
    "tf.raw_ops.DummyMemoryCache()",
    "tf.raw_ops.DummySeedGenerator()",
    "I(3)",
    "tf.raw_ops.AnonymousIteratorV3(output_types=[tf.int64], "
    "output_shapes=[[]])",
)  # fmt: skip

FUNCTIONS = ("empty double positive vector same none two sum ints small "
             "nullary truth text long even add scan nested window fails "
             "print").split()  # fmt: skip
BODIES = ("empty", "none", "two", "ints", "text", "fails")
CONDITIONS = ("positive", "vector", "same", "small", "none", "text", "two")


@dataclass
class Call:
    op: str
    text: str  # the program, after `from raw_calls import *`
    mode: str


class _Drawer:
    """Draws the arguments of one call."""

    def __init__(self, rng: Random, op: str):
        self.rng = rng
        self.op = op
        self.record = cases.record(op)
        self.theme = self.shape()
        self.values: list[str] = []  # tensors that become arguments
        self.types: dict[str, Any] = {}
        self.lengths: dict[str, int] = {}

    def shape(self) -> list[int]:
        rank = self.rng.choice((0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 5, self.rng.randrange(9)))
        dims = (0, 1, 1, 2, 2, 3, 3, 4, 5)
        return [self.rng.choice(dims) for _ in range(rank)]

    def near(self) -> list[int]:
        """A shape like the others of this call."""
        shape, rng = list(self.theme), self.rng
        how = rng.randrange(12)
        if how < 4:
            return shape
        if how == 4:
            return shape[1:]
        if how == 5:
            return shape[:-1]
        if how == 6:
            return [rng.choice((d, 1)) for d in shape]
        if how == 7:
            return [*shape, rng.randrange(4)]
        if how == 8:
            return [len(shape)]
        if how == 9:
            return [len(shape), 2]
        if how == 10:
            return shape[:1]
        return self.shape()

    def number(self, dtype: str) -> Any:
        rng = self.rng
        if dtype == "string":
            return rng.choice(STRINGS)
        if dtype == "bool":
            return rng.randrange(2)
        if "int" in dtype:
            if rng.random() < 0.75:
                return rng.randrange(-1, 5)
            return rng.choice(INTS)
        if rng.random() < 0.6:
            return round(rng.uniform(-2, 2), 2)
        return rng.choice(FLOATS)

    def array(self, dtype: str, shape: list[int]) -> str:
        count = self.rng.choice((1, 2, 3, 5))
        values = [self.number(dtype) for _ in range(count)]
        text = repr(values).replace("nan", "np.nan").replace("inf", "np.inf")
        return f"T({dtype!r}, {shape}, {text})"

    def tensor(self, dtype: str, shape: list[int] | None = None) -> str:
        """An expression for a tensor of this dtype."""
        rng = self.rng
        if rng.random() < 0.02:
            return rng.choice(JUNK)
        if dtype in ("variant", "resource"):
            if rng.random() < 0.1:
                return rng.choice((*VARIANTS, *RESOURCES, "np.zeros([2])", *JUNK))
            if dtype == "resource":
                text = rng.choice(RESOURCES)
            elif self.op.endswith("Dataset") or "DatasetV" in self.op:
                text = rng.choice(DATASETS) + "._variant_tensor"
            elif self.op.startswith("TensorList"):
                text = rng.choice(VARIANTS[:6])
            else:
                text = rng.choice(VARIANTS)
            return self.handle(text)
        if dtype not in COMMON:
            dtype = dtype if rng.random() < 0.8 else "float32"
        text = self.array(dtype, self.near() if shape is None else shape)
        return self.placed(text)

    def placed(self, text: str) -> str:
        """As an argument of the trace, or where it stands."""
        if self.rng.random() < 0.12:
            return text + (".tolist()" if self.rng.random() < 0.5 else "")
        self.values.append(text)
        return f"t[{len(self.values) - 1}]"

    def handle(self, text: str) -> str:
        """Made before the call, or in it; a variable may not be."""
        if self.rng.random() < 0.3 and "V(" not in text:
            return text
        self.values.append(text)
        return f"t[{len(self.values) - 1}]"

    def attr(self, attr: dict[str, Any]) -> str | None:
        """An expression for an attribute; None leaves it out."""
        rng = self.rng
        if attr["has_default"] and rng.random() < 0.6:
            return None
        if rng.random() < 0.03:
            return rng.choice(JUNK)
        kind = attr["type"]
        if kind.startswith("list("):
            count = rng.choice((0, 1, 1, 2, 2, 3, 4, 4, 4, 5, 6))
            if kind in ("list(type)", "list(shape)") and rng.random() < 0.6:
                count = 1
            one = {**attr, "type": kind[5:-1], "has_default": False}
            if kind == "list(int)" and rng.random() < 0.6:
                d = rng.choice((1, 1, 2, 3))
                return str([1] + [d] * (count - 2) + [1] if count > 2 else [d] * count)
            return "[" + ", ".join(self.plain(one) for _ in range(count)) + "]"
        return self.plain(attr)

    def plain(self, attr: dict[str, Any]) -> str:
        rng, kind = self.rng, attr["type"]
        if kind == "int":
            if rng.random() < 0.7:
                return str(rng.randrange(-1, 5))
            return str(rng.choice(INTS))
        if kind == "float":
            value = rng.choice((*FLOATS[:6], rng.uniform(-1, 2), *FLOATS))
            return f"float('{value}')"
        if kind == "bool":
            return str(rng.random() < 0.5)
        if kind == "string":
            if attr["allowed_strings"] and rng.random() < 0.95:
                return repr(rng.choice(attr["allowed_strings"]))
            return repr(rng.choice((*STRINGS, "SAME", "VALID", "NHWC", "add")))
        if kind == "type":
            return f"D({self.type_of(attr)!r})"
        if kind == "shape":
            return self.shape_attr()
        if kind == "tensor":
            return self.array(rng.choice(COMMON), self.near())
        names = FUNCTIONS
        if "While" in self.op and rng.random() < 0.9:
            names = CONDITIONS if attr["name"] == "cond" else BODIES
        elif "While" in self.op:
            names = ["none", "fails", "truth"]
        return f"F({rng.choice(names)!r})"

    def shape_attr(self) -> str:
        rng = self.rng
        how = rng.random()
        if how < 0.2:
            return "None"
        if how < 0.3:
            return str([rng.choice(HUGE) for _ in range(rng.randrange(1, 4))])
        return str([rng.choice((d, d, None)) for d in self.near()])

    def type_of(self, attr: dict[str, Any]) -> str:
        names = [t.name for t in attr.get("allowed_types") or ()]
        if not names:
            names = [*COMMON, *COMMON, "variant", "resource", "int4", "float8_e5m2"]
        if self.rng.random() < 0.5:
            names = [n for n in names if n in COMMON[:5]] or names
        return self.rng.choice(names)

    def arg_type(self, arg: dict[str, Any]) -> str:
        if arg["type"] is not None:
            return arg["type"].name
        name = arg["type_attr"]
        if not name:
            return self.rng.choice((*COMMON[:6], *COMMON, "variant"))
        if name not in self.types or self.rng.random() < 0.02:
            attr = next(a for a in self.record["attrs"] if a["name"] == name)
            self.types[name] = self.type_of(attr)
        return self.types[name]

    def random_arguments(self) -> dict[str, str]:
        out: dict[str, str] = {}
        inferred = set()
        for arg in self.record["inputs"]:
            inferred |= {arg[k] for k in ("type_attr", "number_attr", "type_list_attr")}
            number = arg["number_attr"] or arg["type_list_attr"]
            if not number:
                out[arg["name"]] = self.tensor(self.arg_type(arg))
                continue
            if number not in self.lengths or self.rng.random() < 0.05:
                self.lengths[number] = self.rng.choice((0, 1, 1, 1, 2, 2, 3, 4))
            parts = [
                self.tensor(self.arg_type(arg)) for _ in range(self.lengths[number])
            ]
            out[arg["name"]] = "[" + ", ".join(parts) + "]"
        for attr in self.record["attrs"]:
            if attr["name"] in inferred:
                continue
            text = self.attr(attr)
            if text is not None:
                out[attr["name"]] = text
        return out

    def valid_array(self, value: Any) -> str:
        if isinstance(value, cases.Variable):
            return self.handle(f"V({self.exact(value.value)})")
        return self.placed(self.exact(value))

    def exact(self, value: Any) -> str:
        value = np.asarray(value)
        dtype = "string" if value.dtype == object else value.dtype.name
        flat = value.reshape(-1)
        if value.size > 64:
            flat = flat[:64]
        if dtype not in ("string",) and dtype.startswith(("bfloat", "float")):
            flat = flat.astype(np.float64)
        return f"T({dtype!r}, {list(value.shape)}, {flat.tolist()!r})"

    def changed_array(self, value: Any) -> str:
        """A valid argument with another shape, other values or dtype."""
        rng = self.rng
        array = np.asarray(value.value if isinstance(value, cases.Variable) else value)
        dtype = "string" if array.dtype == object else array.dtype.name
        shape = list(array.shape)
        how = rng.randrange(10)
        if how == 0:
            return self.tensor(dtype, self.shape())
        if how == 1 and shape:
            shape[rng.randrange(len(shape))] = rng.choice((0, 1, 2, 5))
            return self.tensor(dtype, shape)
        if how == 2:
            return self.tensor(dtype, [1, *shape])
        if how == 3:
            return self.tensor(dtype, shape[1:])
        if how == 4:
            return self.tensor(rng.choice(COMMON), shape)
        if how == 5:
            return rng.choice(JUNK)
        if how == 6 and array.size and "int" in dtype:
            flat = array.reshape(-1).tolist()
            flat[rng.randrange(len(flat))] = rng.choice(INTS)
            return self.placed(f"T({dtype!r}, {shape}, {flat[:64]!r})")
        return self.tensor(dtype, shape)

    def changed_case(self) -> dict[str, str]:
        dtype = None
        if self.rng.random() < 0.5:
            dtype = self.rng.choice(cases.dtypes(self.op))
        case = cases.make(self.op, dtype)
        changes = self.rng.choice((0, 1, 1, 1, 2, 3))
        names = [*case.inputs]
        attrs = {
            a["name"]: a
            for a in self.record["attrs"]
            if a["has_default"] or a["name"] in case.attrs
        }
        inferred = {
            a[k]
            for a in self.record["inputs"]
            for k in ("type_attr", "number_attr", "type_list_attr")
        }
        names += [a for a in attrs if a not in inferred]
        chosen = [self.rng.choice(names) for _ in range(changes)] if names else []
        out: dict[str, str] = {}
        for name, value in case.inputs.items():
            one = self.changed_array if name in chosen else self.valid_array
            if not isinstance(value, list):
                out[name] = one(value)
                continue
            at = self.rng.randrange(len(value)) if value else 0
            parts = [
                one(v) if i == at else self.valid_array(v) for i, v in enumerate(value)
            ]
            if name in chosen and self.rng.random() < 0.3:
                parts = parts[: self.rng.randrange(3)]
            out[name] = "[" + ", ".join(parts) + "]"
        for name, value in case.attrs.items():
            out[name] = (
                f"D({value!r})"
                if attrs.get(name, {}).get("type") == "type"
                or name in ("dtype", "Tout", "out_type")
                else repr(value)
            )
        for name in chosen:
            if name in attrs:
                text = self.attr({**attrs[name], "has_default": False})
                if text is not None:
                    out[name] = text
        return out

    def changed_recipe(self) -> dict[str, str]:
        """The good call of `raw_recipes` with some arguments drawn anew."""
        rng = self.rng
        out = {}
        for name, text in RECIPES[self.op].items():
            if text.startswith("T("):
                out[name] = self.placed(text)
            elif text.startswith(("V(", "I(", "tf.raw_ops")):
                out[name] = self.handle(text)
            else:
                out[name] = text
        args = {a["name"]: a for a in self.record["inputs"]}
        attrs = {a["name"]: a for a in self.record["attrs"]}
        names = [n for n in (*args, *attrs) if n in out or n in attrs]
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3)) if names else 0):
            name = rng.choice(names)
            if name in attrs:
                text = self.attr({**attrs[name], "has_default": False})
                if name in out or attrs[name]["has_default"]:
                    out[name] = text or "None"
                continue
            arg = args[name]
            shape = [] if rng.random() < 0.6 else None
            one = lambda: self.tensor(self.arg_type(arg), shape)  # noqa: E731
            if arg["number_attr"] or arg["type_list_attr"]:
                count = rng.choice((0, 1, 1, 2, 3))
                out[name] = "[" + ", ".join(one() for _ in range(count)) + "]"
            else:
                out[name] = one()
        return out


MODES = ("eager", "eager", "eager+first", "eager+second", "known",
         "known+first", "partly", "partly+first", "unknown", "unknown+first",
         "baked", "baked+first")  # fmt: skip


# They wait, with reason, for what another thread is to stage.
WAITING = {
    f"{kind}{what}"
    for kind in ("", "Map", "OrderedMap")
    for what in ("Unstage", "UnstageNoKey", "Peek")
} | {"StagePeek"}


def ops() -> list[str]:
    return sorted(set(_graphkiln.op_names()) - WAITING)


def call(seed: int, index: int, only: str = "") -> Call:
    rng = Random(f"{seed} {index}")
    op = only or rng.choice(ops())
    drawer = _Drawer(rng, op)
    if op in RECIPES and rng.random() < 0.75:
        arguments = drawer.changed_recipe()
    elif op not in cases.NOT_CALLED and rng.random() < 0.5:
        arguments = drawer.changed_case()
    else:
        arguments = drawer.random_arguments()
    if rng.random() < 0.01 and arguments:
        arguments.pop(rng.choice([*arguments]))
    names = cases.raw_names(op)
    mode = rng.choice(MODES)
    if not drawer.values and "+" in mode:
        mode = mode.partition("+")[0]
    given = ", ".join(f"{names.get(n, n)}={v}" for n, v in arguments.items())
    lines = [f"run({mode!r}, lambda *t: tf.raw_ops.{op}({given})"]
    lines += [f"    {v}" for v in drawer.values]
    return Call(op, ",\n".join(lines) + ")", mode)
