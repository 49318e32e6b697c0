"""Lists, dictionaries, tuples and dataclasses that hold tensors, and
TensorArrays."""

from __future__ import annotations

from .expressions import condition, expression, index
from .kinds import INT, Kind
from .statements import assign, block
from .writer import Writer


def container(w: Writer) -> None:
    """A new container; its places can be read and assigned."""
    if w.scope.loops:
        return assign(w)
    kinds = [w.kind() for _ in range(2)]
    values = [expression(w, kind, 1) for kind in kinds]
    way = w.random.randrange(4)
    name = w.name("k")
    if way == 0:
        w.emit(f"{name} = {{'a': {values[0]}, 'b': {values[1]}}}")
        places = [f"{name}['a']", f"{name}['b']"]
        w.scope.tensors.update(zip(places, kinds, strict=True))
    elif way == 1:
        w.emit(f"{name} = [{values[0]}, {values[1]}]")
        places = [f"{name}[0]", f"{name}[1]"]
        w.scope.tensors.update(zip(places, kinds, strict=True))
    elif way == 2:
        w.need("Pair", "Pair = collections.namedtuple('Pair', 'first second')")
        w.emit(f"{name} = Pair({values[0]}, {values[1]})")
        places = [f"{name}.first", f"{name}.second"]
        w.scope.frozen.update(zip(places, kinds, strict=True))
    else:
        w.emit(f"{name} = ({values[0]}, ({values[1]},))")
        places = [f"{name}[0]", f"{name}[1][0]"]
        w.scope.frozen.update(zip(places, kinds, strict=True))


def swap(w: Writer) -> None:
    """Several assigned at once."""
    tensors = w.scope.tensors
    pairs = [
        (a, b) for a in tensors for b in tensors
        if a < b and tensors[a] == tensors[b]
    ]
    if not pairs:
        return assign(w)
    a, b = w.choose(*pairs)
    w.emit(f"{a}, {b} = {b}, {expression(w, tensors[a], 1)}")


def tensor_array(w: Writer) -> None:
    """One that a loop fills, read in one of the ways."""
    if w.scope.loops:
        return assign(w)
    kind = w.kind()
    if kind.rank > 1 or kind.size > 40:
        kind = kind.with_shape()
    if kind.dtype == "string":
        kind = INT
    size = w.random.randrange(1, 5)
    ta, i = w.name("ta"), w.name("i")
    dynamic = w.chance(0.5)
    options = [f"tf.{kind.dtype}", f"size={0 if dynamic else size}"]
    if dynamic:
        options.append("dynamic_size=True")
    options.append("clear_after_read=False")
    if w.traits.unknown or w.chance(0.4):
        options.append(f"element_shape={list(kind.shape)}")
    elif w.traits.unknown:
        options.append("infer_shape=False")
    w.emit(f"{ta} = tf.TensorArray({', '.join(options)})")
    if kind.rank == 0 and w.chance(0.15):
        w.emit(f"{ta} = {ta}.unstack([{expression(w, kind, 1)}] * {size})")
    elif w.chance(0.15) and not dynamic:
        rows = ", ".join(expression(w, kind, 1) for _ in range(size))
        w.emit(f"{ta} = {ta}.scatter(list(range({size})), "
               f"tf.stack([{rows}]))")
    elif w.chance(0.2):
        for k in range(size):
            w.emit(f"{ta} = {ta}.write({k}, {expression(w, kind, 1)})")
    else:
        with w.block(f"for {i} in tf.range({size}):", hoist=len(w.lines)) as scope:
            scope.frozen[i] = INT
            scope.loops += 1
            scope.closed = True
            if w.chance(0.6):
                block(w, 1)
            w.emit(f"{ta} = {ta}.write({i}, {expression(w, kind, 2)})")
    made = w.name("y")
    ways = [
        (kind, f"{ta}.read({index(w, size, 1)})"),
        (INT, f"{ta}.size()"),
        (kind, f"{ta}.stack()[-1]"),
        (kind, f"{ta}.gather([{w.random.randrange(size)}, 0])[0]"),
    ]
    if kind.is_float or kind.is_integer:
        ways += [
            (kind, f"tf.reduce_sum({ta}.stack(), 0)"),
            (kind, f"tf.reduce_max(tf.stack([{ta}.read(0), "
                   f"{ta}.read({size - 1})]), 0)"),
        ]
    if kind.rank == 1:
        ways.append((kind, f"{ta}.concat()[:{kind.shape[0]}]"))
    result, text = w.choose(*ways)
    if text.endswith(f"concat()[:{kind.shape[0] if kind.rank else 0}]"):
        text = f"tf.ensure_shape({text}, {list(kind.shape)})"
    w.emit(f"{made} = {text}")
    w.scope.tensors[made] = result


def container_loop(w: Writer) -> None:
    """A loop that changes what a container holds."""
    if w.scope.loops:
        return assign(w)
    kind = w.float_kind()
    name, i = w.name("k"), w.name("i")
    w.emit(f"{name} = {{'x': {expression(w, kind, 1)}, "
           f"'n': tf.constant(0)}}")
    w.scope.items[f"{name}['x']"] = kind
    w.scope.items[f"{name}['n']"] = INT
    with w.block(f"for {i} in tf.range({w.random.randrange(4)}):",
                 hoist=len(w.lines)) as scope:
        scope.frozen[i] = INT
        scope.loops += 1
        w.emit(f"{name}['n'] += {index(w, 5, 1)}")
        if w.chance(0.5):
            with w.block(f"if {condition(w)}:"):
                w.emit(w.choose("break", "continue"))
        w.emit(f"{name}['x'] = tf.tanh({expression(w, kind, 2)})")
        if w.chance(0.4):
            block(w, 1)
