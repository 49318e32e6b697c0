"""Tapes, tf.gradients, forward mode and gradients of one's own, as
statements of a program."""

from __future__ import annotations

from .expressions import expression
from .kinds import Kind
from .statements import assign, block
from .writer import Writer


def _source(w: Writer) -> tuple[str, Kind] | None:
    """A tensor that keeps its value, to differentiate by."""
    floating = [
        (n, k) for n, k in w.scope.readable().items()
        if k.is_wide and k.size <= 300
    ]
    if not floating:
        return None
    name, kind = w.choose(*floating)
    made = w.name("s")
    w.emit(f"{made} = tf.identity({name})")
    w.scope.frozen[made] = kind
    return made, kind


def _result(w: Writer, kind: Kind, text: str) -> None:
    made = w.name("d")
    w.emit(f"{made} = {text}")
    w.scope.tensors[made] = kind


def _target(w: Writer, source: str, kind: Kind) -> str:
    made = w.name("l")
    text = expression(w, kind, 2)
    w.emit(f"{made} = tf.sin({source}) * 0.5 + {text}"
           if w.chance(0.5) else f"{made} = {text}")
    w.scope.tensors[made] = kind
    return made


def tape(w: Writer) -> None:
    source = _source(w)
    if not source:
        return assign(w)
    name, kind = source
    persistent = w.chance(0.5)
    t = w.name("t")
    options = "persistent=True" if persistent else ""
    with w.block(f"with tf.GradientTape({options}) as {t}:",
                 closed=True) as scope:
        w.emit(f"{t}.watch({name})")
        if w.chance(0.5):
            block(w, 1)
        if w.chance(0.2):
            with w.block(f"with {t}.stop_recording():"):
                assign(w)
        target = _target(w, name, kind)
        kept = dict(scope.tensors)
        if persistent and w.chance(0.3):
            inner = w.name("d")
            w.emit(f"{inner} = {t}.gradient({target}, {name}, "
                   "unconnected_gradients='zero')")
            scope.tensors[inner] = kept[inner] = kind
            target = _target(w, name, kind)
            kept[target] = kind
    w.scope.tensors.update(kept)
    _result(w, kind, f"{t}.gradient({target}, {name}, "
                     "unconnected_gradients='zero')")
    if persistent:
        variables = [
            (n, k) for n, k in w.scope.variables.items() if k.is_wide
        ]
        if variables and w.chance(0.6):
            variable, of = w.choose(*variables)
            _result(w, of, f"tf.convert_to_tensor({t}.gradient({target}, "
                    f"{variable}, unconnected_gradients='zero'))")
        if w.chance(0.1) and kind.size <= 9:
            axes = list(range(kind.rank))
            _result(w, kind, f"tf.reduce_sum({t}.jacobian({target}, {name}, "
                    "unconnected_gradients='zero', "
                    f"experimental_use_pfor={w.chance(0.3)}), {axes})")


def nested_tapes(w: Writer) -> None:
    source = _source(w)
    if not source:
        return assign(w)
    name, kind = source
    outer, inner = w.name("t"), w.name("t")
    first = w.name("d")
    with w.block(f"with tf.GradientTape() as {outer}:", closed=True):
        w.emit(f"{outer}.watch({name})")
        with w.block(f"with tf.GradientTape() as {inner}:"):
            w.emit(f"{inner}.watch({name})")
            target = _target(w, name, kind)
        w.emit(f"{first} = {inner}.gradient({target}, {name}, "
               "unconnected_gradients='zero')")
    w.scope.tensors[first] = kind
    _result(w, kind, f"{outer}.gradient({first}, {name}, "
                     "unconnected_gradients='zero')")


def symbolic(w: Writer) -> None:
    """tf.gradients where there is a graph; eagerly a tape says the same."""
    source = _source(w)
    if not source:
        return assign(w)
    name, kind = source
    w.need("slope", "def slope(f, x):",
           "    if tf.inside_function():",
           "        return tf.gradients(f(x), x, "
           "unconnected_gradients='zero')[0]",
           "    with tf.GradientTape() as tape:",
           "        tape.watch(x)",
           "        y = f(x)",
           "    return tape.gradient(y, x, unconnected_gradients='zero')")
    outer = w.scope
    w.scope = outer.inner(frozen={**outer.frozen, "q": kind}, closed=True)
    text = expression(w, kind, 3)
    w.scope = outer
    _result(w, kind, f"slope(lambda q: {text}, {name})")


def forward(w: Writer) -> None:
    source = _source(w)
    if not source:
        return assign(w)
    name, kind = source
    a = w.name("acc")
    with w.block(f"with tf.autodiff.ForwardAccumulator({name}, "
                 f"tf.ones_like({name})) as {a}:", closed=True) as scope:
        target = _target(w, name, kind)
        kept = dict(scope.tensors)
    w.scope.tensors.update(kept)
    _result(w, kind, f"{a}.jvp({target}, unconnected_gradients='zero')")


def custom(w: Writer) -> None:
    kind = w.float_kind()
    if w.chance(0.6):
        function = w.need(
            "own", "@tf.custom_gradient", "def own(x):",
            "    y = tf.tanh(x)",
            "    def grad(dy):",
            "        return dy * (1.5 - y * y)",
            "    return y, grad")
    else:
        function = w.need(
            "again", "@tf.recompute_grad", "def again(x):",
            "    return tf.sin(x) * tf.exp(-x * x)")
    _result(w, kind, f"{function}({expression(w, kind, 2)})")
