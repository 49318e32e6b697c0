"""Expressions of a wanted kind: every family of ops gives some.

A rule is a template. The names in braces stand for parts that are made when
the rule is used; one that is named twice is made once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from .kinds import BOOL, INT, Kind, constant, literal
from .writer import Writer

# Results of more elements than this come from rules of linear cost alone.
LARGE = 300


def expression(w: Writer, kind: Kind, depth: int = 2) -> str:
    """Text whose value has this kind."""
    if depth <= 0 or w.chance(0.12):
        return leaf(w, kind)
    if w.chance(0.08):
        text = call(w, kind, depth - 1)
        if text:
            return text
    rules, weights = _rules(kind)
    template = w.random.choices(rules, weights)[0]
    return template.format_map(_Parts(w, kind, depth - 1))


def leaf(w: Writer, kind: Kind) -> str:
    names = w.names_of(kind)
    variables = w.variables_of(kind)
    if variables and w.chance(0.3):
        return read(w, w.choose(*variables), kind)
    if names and w.chance(0.92):
        return w.choose(*names)
    if not kind.shape and kind.is_float and w.chance(0.2) and w.scope.ints:
        return f"tf.cast({w.choose(*w.scope.ints)}, tf.{kind.dtype})"
    if w.chance(0.7):
        text = _converted(w, kind)
        if text:
            return text
    return constant(w.random, kind)


def _converted(w: Writer, kind: Kind) -> str | None:
    """Something in scope of another kind, made to be of this one."""
    numbers = [
        (n, k) for n, k in w.scope.readable().items()
        if k.is_float or k.is_integer
    ]
    if not numbers or not (kind.is_float or kind.is_integer):
        if numbers and kind.dtype == "bool":
            name, k = w.choose(*numbers)
            text = f"(tf.reduce_sum({name}) > {literal(w.random, k)})"
            if kind.rank:
                text = f"tf.fill({list(kind.shape)}, {text})"
            return text
        return None
    name, k = w.choose(*numbers)
    text, shape = name, k.shape
    if shape != kind.shape[kind.rank - len(shape):]:
        text, shape = f"tf.reduce_{w.choose('max', 'sum', 'min')}({name})", ()
    if k.dtype != kind.dtype:
        if k.is_float and kind.is_integer:
            text = f"tf.clip_by_value({text}, -99, 99)"
        text = f"tf.cast({text}, tf.{kind.dtype})"
    if shape != kind.shape:
        if w.chance(0.3):
            text = f"({text} + {constant(w.random, kind)})"
        else:
            text = f"tf.broadcast_to({text}, {list(kind.shape)})"
    return text


def read(w: Writer, name: str, kind: Kind) -> str:
    """What a variable holds, read in one of the ways there are."""
    ways = [f"tf.identity({name})", f"{name}.read_value()", f"{name}.value()"]
    if kind.is_float or kind.is_integer:
        ways += [f"({name} + 0)", f"({name} * 1)"]
    if kind.rank:
        ways += [
            f"tf.gather({name}, tf.range({kind.shape[0]}))", f"{name}[:]",
            f"tf.concat([{name}[:1], {name}[1:]], 0)",
        ]
    return w.choose(*ways)


def call(w: Writer, kind: Kind, depth: int) -> str | None:
    """A call of one of the program's functions, if one gives that kind."""
    fitting = [f for f in w.scope.functions if f.result == kind]
    if not fitting:
        return None
    function = w.choose(*fitting)
    arguments = []
    if function.recursive:
        arguments.append(str(w.random.randrange(4)))
    arguments += [expression(w, k, min(depth, 1)) for k in function.parameters]
    for wanted in function.variables:
        named = w.variables_of(wanted)
        if not named:
            return None
        arguments.append(w.choose(*named))
    return f"{function.name}({', '.join(arguments)})"


def condition(w: Writer, depth: int = 1) -> str:
    """A bool scalar of tensors."""
    return expression(w, BOOL, depth)


def python_condition(w: Writer) -> str:
    """One that is known while tracing, or as soon as shapes are."""
    choices = ["tf.constant(3) > 2", "tf.constant(False)", "2 > 1"]
    for name in w.scope.ints:
        choices += [f"{name} > {w.random.randrange(3)}"] * 2
    shaped = [n for n, k in w.scope.readable().items() if k.rank]
    if shaped:
        name = w.choose(*shaped)
        choices.append(f"tf.shape({name})[0] > {w.random.randrange(1, 4)}")
        if not w.traits.unknown:
            choices.append(f"{name}.shape[0] == {w.traits.wide}")
    return w.choose(*choices)


def index(w: Writer, size: int, depth: int) -> str:
    """An int32 scalar in [0, size)."""
    if w.chance(0.5):
        return str(w.random.randrange(size))
    return f"({expression(w, INT, depth)}) % {size}"


def indices(w: Writer, count: int, size: int, depth: int) -> str:
    """An int32 vector of `count` elements in [0, size)."""
    if w.chance(0.3) and count <= 12:
        values = [w.random.randrange(size) for _ in range(count)]
        return f"tf.constant({values})"
    if w.chance(0.4):
        return f"((tf.range({count}) * {w.random.randrange(4)}) % {size})"
    return f"(({expression(w, Kind('int32', (count,)), depth)}) % {size})"


def operand(w: Writer, kind: Kind, depth: int) -> str:
    """Of the kind, or what is broadcast to it."""
    if kind.rank and w.chance(0.25):
        smaller = w.choose((), kind.shape[-1:])
        return expression(w, kind.with_shape(*smaller), depth)
    if w.chance(0.1):
        return literal(w.random, kind)
    return expression(w, kind, depth)


def _square_kind(w: Writer, kind: Kind) -> Kind:
    return kind.with_shape(kind.shape[0], kind.shape[0])


PARTS: dict[str, Callable[[Writer, Kind, int], object]] = {
    "a": expression,
    "d": expression,
    "b": operand,
    "s": lambda w, k, n: expression(w, k.with_shape(), n),
    "t": lambda w, k, n: expression(w, k.with_shape(), n),
    "n": lambda w, k, n: literal(w.random, k),
    "c": lambda w, k, n: condition(w, min(n, 1)),
    "m": lambda w, k, n: expression(w, k.with_dtype("bool"), n),
    "axis": lambda w, k, n: w.random.randrange(-k.rank, k.rank),
    "shape": lambda w, k, n: list(k.shape),
    "dtype": lambda w, k, n: f"tf.{k.dtype}",
    "flag": lambda w, k, n: w.choose("True", "False"),
    "k": lambda w, k, n: w.random.randrange(-2, 4),
    "one": lambda w, k, n: w.random.randrange(2),
    "rest": lambda w, k, n: k.rank - 1,
    "rows": lambda w, k, n: k.shape[0],
    "last": lambda w, k, n: k.shape[-1],
    "row": lambda w, k, n: expression(w, k.with_shape(*k.shape[1:]), n),
    "i": lambda w, k, n: index(w, k.shape[0], n),
    "idx": lambda w, k, n: indices(w, k.shape[0], k.shape[0], n),
    "seed": lambda w, k, n: expression(w, INT, 0),
    "int": lambda w, k, n: expression(w, k.with_dtype("int32"), n),
    "long": lambda w, k, n: expression(w, k.with_dtype("int64"), n),
    "f": lambda w, k, n: expression(
        w, k.with_dtype(w.traits.floating), n),
    "g": lambda w, k, n: operand(w, k.with_dtype(w.traits.floating), n),
    # A vector and a matrix for what makes less of them.
    "v": lambda w, k, n: expression(w, k.with_shape(w.traits.wide), n),
    "u": lambda w, k, n: expression(w, k.with_shape(w.traits.wide), n),
    "fv": lambda w, k, n: expression(
        w, Kind(w.traits.floating, (w.traits.wide,)), n),
    "square": lambda w, k, n: expression(w, _square_kind(w, k), n),
    "mv": lambda w, k, n: expression(w, Kind("bool", (w.traits.wide,)), n),
    "z": lambda w, k, n: expression(w, Kind("complex64", k.shape), n),
    "fs": lambda w, k, n: expression(w, Kind("float32", k.shape), n),
    "text": lambda w, k, n: expression(w, Kind("string"), n),
    "wide": lambda w, k, n: w.traits.wide,
    "spot": lambda w, k, n: index(w, w.traits.wide, n),
}


class _Parts(dict):
    def __init__(self, w: Writer, kind: Kind, depth: int):
        super().__init__()
        self._given = w, kind, depth

    def __missing__(self, key: str) -> object:
        value = self[key] = PARTS[key](*self._given)
        return value


ANY = (
    "tf.identity({a})", "tf.where({m}, {a}, {d})",
    "tf.cond({c}, lambda: {a}, lambda: {d})", "({a} if {c} else {d})",
    "tf.ensure_shape({a}, {shape})", "tf.reshape({a}, {shape})",
    "tf.switch_case({k} + tf.cast({c}, tf.int32), "
    "[lambda: {a}, lambda: {d}])",
    "tf.case([({c}, lambda: {a})], default=lambda: {d})",
    "tf.nest.map_structure(tf.identity, [{a}, {d}])[{one}]",
)
NUMBERS = (
    "({a} + {b})", "({a} - {b})", "({a} * {b})", "(-{a})", "({a} + {n})",
    "({n} - {a})", "tf.abs({a})", "tf.square({a})", "tf.sign({a})",
    "tf.maximum({a}, {b})", "tf.minimum({a}, {b})", "tf.zeros_like({a})",
    "tf.ones_like({a})", "tf.add_n([{a}, {d}, {a}])",
    "tf.math.squared_difference({a}, {b})", "tf.clip_by_value({a}, -3, 4)",
    "tf.stop_gradient({a})",
    "tf.while_loop(lambda j, q: j < {k}, lambda j, q: (j + 1, q + {d}), "
    "(0, {a}))[1]",
)
# No slope is infinite: traced, a loop or branch sends zeros back to what it has
# overwritten, and these times infinity are no number.
FLOAT = (
    "tf.tanh({a})", "tf.sin({a})", "tf.cos({a})", "tf.sigmoid({a})",
    "tf.nn.relu({a})", "tf.exp(-tf.abs({a}))", "tf.sqrt(tf.abs({a}) + 0.5)",
    "tf.math.log1p(tf.abs({a}))", "({a} / (1.5 + tf.abs({d})))",
    "({a} * 0.5)", "tf.nn.softplus({a})", "tf.tanh({a} * {b} + {d})",
    "tf.math.rsqrt(tf.abs({a}) + 1.0)",
    "tf.math.divide_no_nan({a}, tf.nn.relu(tf.cast({b}, {dtype})) + "
    "tf.cast({b} > 0, {dtype}))",
    "tf.nn.elu({a})", "tf.math.reciprocal(tf.abs({a}) + 1.0)",
    "tf.floor({a})", "tf.round({a})", "((tf.abs({a}) + 0.5) ** 0.5)",
    "({a} ** 2)", "tf.cast({int} % 100, {dtype})", "({a} % 2.5)",
    "tf.grad_pass_through(tf.round)({a})",
    "tf.while_loop(lambda j, q: j < {k}, lambda j, q: "
    "(j + 1, tf.tanh(q + {d})), (0, {a}))[1]",
    "tf.cast({m}, {dtype})",
)
WIDE_FLOAT = (
    "tf.math.erf({a})", "tf.atan2({a}, tf.abs({d}) + 1.0)",
    "tf.math.asinh({a})", "tf.nn.leaky_relu({a})",
    "tf.math.real(tf.complex({a}, {d}) * tf.complex({d}, {a}))",
    "tf.math.xlogy(tf.abs({a}), tf.abs({d}) + 1.0)", "tf.nn.selu({a})",
    "tf.clip_by_norm({a}, 2.0)", "tf.math.lgamma(tf.abs({a}) + 1.0)",
    "tf.debugging.check_numerics(tf.sin({a}), 'numerics')",
    "tf.random.stateless_uniform({shape}, [{k}, {seed}], dtype={dtype})",
    "({a} + tf.random.stateless_normal({shape}, [{seed}, 3], "
    "dtype={dtype}))",
)
NARROW_FLOAT = ("tf.cast({f}, {dtype})",)
INTEGER = (
    "({a} % 7)", "({a} // 3)", "({a} % (tf.abs({d}) % 5 + 2))",
    "tf.bitwise.bitwise_and({a}, {d})", "tf.bitwise.bitwise_xor({a}, {d})",
    "tf.bitwise.left_shift({a}, {d} % 4)",
    "tf.cast(tf.clip_by_value({f}, -50.0, 50.0), {dtype})",
    "tf.cast({m}, {dtype})",
)
AXIS = (
    "tf.reverse({a}, [{axis}])", "tf.roll({a}, {k}, {axis})",
    "tf.concat([{a}[:1], {d}[1:]], 0)",
    "tf.tile({a}, [2] + [1] * {rest})[:{rows}]", "{a}[::-1]",
    "tf.stack(tf.unstack({a}, num={rows}))",
    "tf.transpose(tf.transpose({a}))", "tf.concat([{d}, {a}], 0)[{rows}:]",
    "tf.pad({a}, [[1, 0]] + [[0, 0]] * {rest})[:{rows}]",
    "tf.squeeze(tf.expand_dims({a}, {one}), {one})",
    "tf.gather({a}, {idx})", "tf.gather_nd({a}, tf.expand_dims({idx}, 1))",
    "tf.tensor_scatter_nd_update({a}, [[{i}]], [{row}])",
    "tf.broadcast_to({row}, {shape})",
    "tf.split(tf.concat([{a}, {d}], 0), 2)[{one}]",
    "tf.slice(tf.concat([{a}, {d}], 0), [{i}] + [0] * {rest}, {shape})",
    "tf.reshape(tf.reshape({a}, [-1]), {shape})",
    "tf.repeat({a}, 2, 0)[:{rows}]",
)
SMALL_AXIS = (
    "tf.map_fn(lambda row: tf.identity(row), {a})",
    "tf.map_fn(lambda row: row if {c} else {row}, {a})",
    "tf.stack([{row}] * {rows})",
)
AXIS_NUMBERS = (
    "tf.sort({a})", "tf.sort({a}, direction='DESCENDING')",
    "tf.cumsum({a}, {axis}, exclusive={flag}, reverse={flag})",
    "({a} - tf.reduce_max({a}, {axis}, keepdims=True))",
    "({a} + tf.reduce_sum({d}, {axis}, keepdims=True))",
    "tf.tensor_scatter_nd_add({a}, [[{i}]], [{row}])",
    "tf.tensor_scatter_nd_sub({a}, [[{i}]], [{row}])",
    "tf.math.unsorted_segment_sum({a}, {idx}, {rows})",
    "tf.math.top_k({a}, {last}).values", "({a} + {row})",
    "tf.scatter_nd(tf.expand_dims({idx}, 1), {a}, {shape})",
    "tf.gather({a}, tf.argsort(tf.reshape({a}, [{rows}, -1])[:, 0]))",
)
AXIS_FLOAT = (
    "tf.nn.softmax({a})", "tf.nn.log_softmax({a})",
    "tf.nn.softmax({a}, axis={axis})", "(tf.cumsum({a}, {axis}) * 0.3)",
    "tf.math.cumprod(tf.tanh({a}))",
    "({a} - tf.reduce_mean({a}, {axis}, keepdims=True))",
    "tf.nn.l2_normalize({a} + 0.1)",
)
SMALL_AXIS_FLOAT = (
    "tf.map_fn(lambda row: tf.tanh(row) * {s}, {a})",
    "tf.scan(lambda c, row: tf.tanh(c + row), {a})",
)
WIDE_AXIS_FLOAT = (
    "({a} / (1.0 + tf.norm({d} + 0.037)))",
    "({a} - tf.reduce_logsumexp({a}, {axis}, keepdims=True))",
    "({a} * tf.nn.moments({d}, [{axis}], keepdims=True)[0])",
    "tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid({a}), {d})",
)
SQUARE = (
    "tf.transpose({a})", "tf.linalg.band_part({a}, 1, {one})",
    "tf.linalg.diag(tf.linalg.diag_part({a}))",
    "tf.eye({rows}, dtype={dtype})", "tf.reverse(tf.transpose({a}), [0])",
)
SQUARE_FLOAT = (
    "(tf.matmul({a}, {d}) * 0.3)", "(tf.matmul({a}, {a}) * 0.2)",
    "(tf.matmul({a}, {d}, transpose_b=True) * 0.3)",
    "(tf.einsum('ij,kj->ik', {a}, {d}) * 0.2)",
    "tf.nn.softmax(tf.matmul({a}, {d}, transpose_b=True))",
    "(tf.tensordot({a}, {d}, 1) * 0.3)",
)
SQUARE_ROW = (
    "tf.reduce_max({square}, {one})", "tf.reduce_sum({square}, {one})",
    "tf.linalg.diag_part({square})", "{square}[{spot}]", "{square}[:, 1]",
)
SQUARE_ROW_FLOAT = (
    "(tf.linalg.matvec({square}, {a}) * 0.3)",
    "tf.reduce_mean({square}, {one})",
    "tf.foldl(lambda c, row: tf.tanh(c + row), {square})",
)
ROW_NUMBERS = ("tf.one_hot({i}, {last}, dtype={dtype})",)
ROW_FLOAT = ("tf.linspace({s}, {t}, {last})",)
INT_ROW = ("tf.range({last}, dtype={dtype})",)
INT32_ROW = ("tf.argsort({fv})", "tf.math.top_k({fv}, {last}).indices")
# From vectors to scalars.
SCALAR = ("{v}[{spot}]", "tf.gather({v}, {spot})", "{v}[-1]")
SCALAR_NUMBERS = (
    "tf.reduce_max({v})", "tf.reduce_min({v})", "tf.reduce_sum({v})",
    "tf.tensordot({v}, {u}, 1)",
)
SCALAR_FLOAT = (
    "tf.reduce_mean({v})", "(tf.reduce_sum({v}) * 0.2)",
    "tf.reduce_prod(tf.sin({v}))",
)
SCALAR_WIDE_FLOAT = (
    "tf.norm(tf.concat([{v}, tf.ones([1], {dtype})], 0))",
    "tf.reduce_logsumexp({v})",
    "tf.math.reduce_std(tf.concat([{v} * {u}, tf.constant([-1.0, 1.0], "
    "{dtype})], 0))", "tf.nn.l2_loss({v})",
)
SCALAR_INT = (
    "tf.argmax({fv}, output_type={dtype})", "tf.size({fv}, {dtype})",
    "tf.shape({fv}, {dtype})[0]", "tf.math.count_nonzero({mv}, dtype={dtype})",
)
SCALAR_INT32 = ("tf.strings.length({text})",)
LOGIC = (
    "tf.logical_and({a}, {d})", "tf.logical_or({a}, {d})",
    "tf.logical_not({a})", "tf.not_equal({a}, {d})",
    "({f} > {g})", "({f} <= {g})",
    "({f} > {g})", "({int} < {int})", "({int} % 2 == {one})",
    "tf.equal({int}, 1)", "({int} >= {k})",
)
SCALAR_LOGIC = (
    "tf.reduce_any({mv})", "tf.reduce_all({mv})",
    "(tf.reduce_sum({fv}) > {g})", "({a} and {d})", "({a} or {d})",
    "(not {a})", "(-1 < {int} < 3)", "({f} > 0.3 or {int} > 2)",
)
COMPLEX = (
    "({a} + {d})", "({a} * {d} * 0.5)", "tf.math.conj({a})",
    "tf.exp({a} * 0.2)", "({a} - {n})", "(-{a})", "tf.complex({fs}, {fs})",
)
FROM_COMPLEX = ("tf.math.real({z})", "tf.math.imag({z})", "tf.abs({z})")
STRING = (
    "tf.strings.join([{a}, {d}])", "({a} + {d})", "tf.strings.upper({a})",
    "tf.strings.substr({a}, 0, 2)", "tf.identity({a})",
    "tf.where({c}, {a}, {d})", "tf.strings.as_string({int})",
    "tf.cond({c}, lambda: {a}, lambda: {d})",
)


@functools.lru_cache(maxsize=None)
def _rules(kind: Kind) -> tuple[list[str], list[float]]:
    """The templates for a kind, and how often each is taken."""
    if kind.dtype == "string":
        return list(STRING), [1.0] * len(STRING)
    number = kind.is_float or kind.is_integer
    small = kind.size <= LARGE
    square = kind.rank == 2 and kind.shape[0] == kind.shape[1]
    vector = kind.rank == 1
    scalar = kind.rank == 0
    families = (
        (0.3, True, ANY),
        (0.6, number, NUMBERS),
        (1.0, kind.is_float, FLOAT),
        (0.8, kind.is_wide, WIDE_FLOAT),
        (0.5, kind.is_float and not kind.is_wide, NARROW_FLOAT),
        (1.0, kind.is_integer, INTEGER),
        (0.4, kind.rank, AXIS),
        (0.3, kind.rank and small, SMALL_AXIS),
        (0.7, kind.rank and number and kind.dtype != "bfloat16",
         AXIS_NUMBERS),
        (1.5, kind.rank and kind.is_float, AXIS_FLOAT),
        (0.4, kind.rank and kind.is_float and small, SMALL_AXIS_FLOAT),
        (1.0, kind.rank and kind.is_wide, WIDE_AXIS_FLOAT),
        (1.0, square and small, SQUARE),
        (1.5, square and kind.is_wide and small, SQUARE_FLOAT),
        (0.5, vector and number and kind.shape[0] <= 7, SQUARE_ROW),
        (0.7, vector and kind.is_wide and kind.shape[0] <= 7,
         SQUARE_ROW_FLOAT),
        (0.5, vector and number, ROW_NUMBERS),
        (0.5, vector and kind.is_wide, ROW_FLOAT),
        (0.5, vector and kind.is_integer, INT_ROW),
        (0.6, vector and kind.dtype == "int32" and small, INT32_ROW),
        (1.0, scalar, SCALAR),
        (1.0, scalar and number, SCALAR_NUMBERS),
        (1.5, scalar and kind.is_float, SCALAR_FLOAT),
        (1.0, scalar and kind.is_wide, SCALAR_WIDE_FLOAT),
        (1.0, scalar and kind.is_integer, SCALAR_INT),
        (0.2, scalar and kind.dtype == "int32", SCALAR_INT32),
        (1.0, kind.dtype == "bool", LOGIC),
        (1.0, kind == BOOL, SCALAR_LOGIC),
        (1.0, kind.dtype == "complex64", COMPLEX),
        (0.3, kind.dtype == "float32", FROM_COMPLEX),
    )
    texts: list[str] = []
    weights: list[float] = []
    for weight, holds, family in families:
        if holds:
            texts += family
            weights += [weight] * len(family)
    return texts, weights
