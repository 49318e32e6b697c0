"""Assignments, branches and loops."""

from __future__ import annotations

from .expressions import condition, expression, index, python_condition
from .kinds import INT, Kind
from .writer import Writer


def assign(w: Writer) -> None:
    """A new name, or another value for one that there is."""
    tensors = w.scope.tensors
    if tensors and w.chance(0.6):
        name, kind = w.choose(*tensors.items())
        text = expression(w, kind, w.choose(1, 2, 2, 3))
        if kind.is_float and w.scope.loops:
            # Keeps loops from growing beyond all bounds.
            text = w.choose(
                f"tf.tanh({text})", f"({text}) * 0.5", f"tf.sin({text})", text
            )
        if kind.is_integer and w.chance(0.6):
            text = f"({text}) % {w.random.randrange(3, 60)}"
        if kind.is_float and w.chance(0.1):
            w.emit(f"{name} += {text}")
        else:
            w.emit(f"{name} = {text}")
        return
    kind = w.kind()
    text = expression(w, kind, w.choose(1, 2, 3))
    name = w.name("y")
    w.emit(f"{name} = {text}")
    tensors[name] = kind


def branch(w: Writer) -> None:
    known = w.chance(0.25)
    test = python_condition(w) if known else condition(w, 2)
    at = len(w.lines)
    with w.block(f"if {test}:", hoist=at):
        block(w)
    if w.chance(0.25):
        with w.block(f"elif {condition(w)}:", hoist=at):
            block(w)
    if w.chance(0.5):
        with w.block("else:", hoist=at):
            block(w)


def loop(w: Writer) -> None:
    kinds = [
        (5, _range_loop), (2.5, _while_loop), (1, _python_range_loop),
        (1, _dataset_loop),
    ]
    if not w.traits.unknown:
        kinds.append((1.5, _rows_loop))
    w.weighted(kinds)(w)


def _turns(w: Writer) -> str:
    if w.chance(0.5):
        return str(w.random.randrange(6))
    return f"({expression(w, INT, 1)}) % {w.random.randrange(2, 6)}"


def _body(w: Writer, python_loop: bool = False, **tensors: Kind) -> None:
    """What a loop does, with ways out of it."""
    w.scope.frozen.update(tensors)
    w.scope.loops += 1
    w.scope.python_loop = python_loop
    if w.chance(0.25):
        leave(w)
    block(w)
    if w.chance(0.35):
        leave(w)


def leave(w: Writer) -> None:
    """Break, continue or return, if a condition holds."""
    if w.scope.closed:
        return
    if w.scope.python_loop and w.traits.tame:
        test = python_condition(w)
        if test.startswith("tf."):
            return
    else:
        test = condition(w, 2)
    with w.block(f"if {test}:"):
        if w.scope.result and not w.traits.tame and w.chance(0.25):
            give_back(w)
        else:
            w.emit(w.choose("break", "break", "continue"))


def give_back(w: Writer) -> None:
    w.emit(f"return {expression(w, w.scope.result, 1)}")


def _range_loop(w: Writer) -> None:
    i = w.name("i")
    with w.block(f"for {i} in tf.range({_turns(w)}):", hoist=len(w.lines)):
        _body(w, **{i: INT})
    _otherwise(w)


def _python_range_loop(w: Writer) -> None:
    i = w.name("p")
    with w.block(f"for {i} in range({w.random.randrange(4)}):", hoist=len(w.lines)):
        w.scope.ints.append(i)
        _body(w, python_loop=True)


def _rows_loop(w: Writer) -> None:
    rows = [
        (n, k) for n, k in w.scope.readable().items()
        if k.rank and k.shape[0] <= 7
    ]
    if not rows:
        return _range_loop(w)
    name, kind = w.choose(*rows)
    row = w.name("row")
    with w.block(f"for {row} in {name}:", hoist=len(w.lines)):
        _body(w, **{row: kind.with_shape(*kind.shape[1:])})


def _dataset_loop(w: Writer) -> None:
    e = w.name("e")
    kind = Kind("int64")
    text = f"tf.data.Dataset.range({w.random.randrange(5)})"
    if w.chance(0.4):
        kind = Kind("float32")
        text = "tf.data.Dataset.from_tensor_slices([0.5, -1.0, 2.0])"
    with w.block(f"for {e} in {text}:", hoist=len(w.lines)):
        _body(w, **{e: kind})


def _while_loop(w: Writer) -> None:
    i = w.name("c")
    start = w.choose("tf.constant(0)", f"({expression(w, INT, 0)}) % 3")
    w.emit(f"{i} = {start}")
    w.scope.hidden[i] = INT
    test = f"{i} < {w.random.randrange(1, 6)}"
    if w.chance(0.4):
        test = w.choose(f"{test} and {condition(w)}",
                        f"tf.logical_and({test}, {condition(w)})")
    with w.block(f"while {test}:", hoist=len(w.lines)):
        w.emit(f"{i} += 1")
        _body(w, **{i: INT})
    _otherwise(w)


def _otherwise(w: Writer) -> None:
    if not w.traits.tame and w.chance(0.1):
        with w.block("else:"):
            block(w, 1)


def early_return(w: Writer) -> None:
    if w.scope.result is None or w.scope.closed or w.scope.loops:
        return assign(w)
    with w.block(f"if {condition(w, 1)}:"):
        give_back(w)


def assertion(w: Writer) -> None:
    """Mostly one that holds."""
    test = condition(w, 1)
    if w.chance(0.7):
        test = f"tf.logical_or({test}, True)"
    w.emit(w.choose(
        f"tf.debugging.Assert({test}, ['broken'])",
        f"assert {test}, 'broken'",
        f"tf.debugging.assert_equal({test}, True)",
    ))


def element(w: Writer) -> None:
    """A slice of a name is changed by way of a scatter."""
    named = [(n, k) for n, k in w.scope.tensors.items() if k.rank]
    if not named:
        return assign(w)
    name, kind = w.choose(*named)
    row = expression(w, kind.with_shape(*kind.shape[1:]), 1)
    w.emit(f"{name} = tf.tensor_scatter_nd_update({name}, "
           f"[[{index(w, kind.shape[0], 1)}]], [{row}])")


def block(w: Writer, count: int | None = None) -> None:
    """Some statements of any sort."""
    from .program import statement

    for _ in range(count or w.choose(1, 1, 2, 2, 3)):
        statement(w)
