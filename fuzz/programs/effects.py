"""Statements that something outside of the values sees: writes of
variables, prints, calls of Python, and the order among them."""

from __future__ import annotations

from .expressions import condition, expression, index, indices, read
from .kinds import Kind
from .statements import assign, block
from .writer import Writer


def write(w: Writer) -> None:
    if not w.scope.variables:
        return assign(w)
    name, kind = w.choose(*w.scope.variables.items())
    text = expression(w, kind, w.choose(1, 2))
    if kind.is_float:
        text = w.choose(f"tf.tanh({text})", f"({text}) * 0.25")
    elif kind.is_integer:
        text = f"({text}) % 23"
    ways = [f"{name}.assign({text})"] * 2
    if kind.is_float or kind.is_integer:
        ways += [f"{name}.assign_add({text})"] * 2
        ways += [f"{name}.assign_sub({text})"]
    if kind.rank and (kind.is_float or kind.is_integer):
        rows = kind.shape[0]
        row = expression(w, kind.with_shape(*kind.shape[1:]), 1)
        i = index(w, rows, 1)
        method = w.choose("update", "add", "sub", "max", "min")
        ways += [
            f"{name}.scatter_nd_{w.choose('update', 'add', 'sub')}"
            f"([[{i}]], [{row}])",
            f"{name}.scatter_{method}(tf.IndexedSlices([{row}], [{i}]))",
            f"{name}[{w.random.randrange(rows)}].assign({row})",
        ]
    way = w.choose(*ways)
    if w.chance(0.15) and ".scatter_" not in way and "]." not in way:
        # What the write returns is read at once.
        made = w.name("y")
        w.emit(f"{made} = tf.identity({way})")
        w.scope.tensors[made] = kind
    else:
        w.emit(way)


def look(w: Writer) -> None:
    """A read whose value is used later, after other effects."""
    if not w.scope.variables:
        return assign(w)
    name, kind = w.choose(*w.scope.variables.items())
    made = w.name("y")
    w.emit(f"{made} = {read(w, name, kind)}")
    w.scope.tensors[made] = kind


def sparse_look(w: Writer) -> None:
    named = [(n, k) for n, k in w.scope.variables.items() if k.rank]
    if not named:
        return look(w)
    name, kind = w.choose(*named)
    made = w.name("y")
    where = indices(w, kind.shape[0], kind.shape[0], 1)
    w.emit(f"{made} = {name}.sparse_read({where})")
    w.scope.tensors[made] = kind


def tell(w: Writer) -> None:
    """A print, of scalars so that formats are no matter."""
    scalar = expression(w, w.choose(Kind("int32"), Kind("bool")), 1)
    # A bool of Python's own would print as a word.
    scalar = f"tf.identity({scalar})"
    w.emit(f"tf.print({w.random.randrange(100)}, {scalar}, output_stream=out)")


def host_call(w: Writer) -> None:
    kind = w.float_kind()
    w.need("note", "def note(value):",
           "    with open(out[len('file://'):], 'a') as f:",
           "        f.write('note %d\\n' % int(value))",
           "    return value")
    if w.chance(0.5):
        text = expression(w, Kind("int32"), 1)
        w.emit(f"tf.py_function(note, [{text}], [])"
               if w.chance(0.5) else
               f"tf.numpy_function(note, [{text}], tf.int32)")
        return
    text = expression(w, kind, 1)
    made = w.name("y")
    w.emit(f"{made} = tf.py_function(lambda q: tf.tanh(q) * 2.0, [{text}], "
           f"tf.{kind.dtype})")
    w.emit(f"{made} = tf.ensure_shape({made}, {list(kind.shape)})")
    w.scope.tensors[made] = kind


def ordered(w: Writer) -> None:
    """A block that waits for something."""
    names = list(w.scope.readable())
    waits = w.choose(*names) if names else condition(w, 1)
    with w.block(f"with tf.control_dependencies([{waits}]):") as scope:
        block(w, w.choose(1, 2))
        kept = {k: v for k, v in scope.tensors.items()}
    # Names made in a `with` stay.
    w.scope.tensors.update(kept)


def effect_call(w: Writer) -> None:
    """A function called for what it does."""
    doing = [f for f in w.scope.functions if f.writes]
    if not doing:
        return write(w)
    function = w.choose(*doing)
    arguments = []
    if function.recursive:
        arguments.append(str(w.random.randrange(3)))
    arguments += [expression(w, k, 1) for k in function.parameters]
    for wanted in function.variables:
        named = w.variables_of(wanted)
        if not named:
            return write(w)
        arguments.append(w.choose(*named))
    text = f"{function.name}({', '.join(arguments)})"
    if w.chance(0.5):
        made = w.name("y")
        w.emit(f"{made} = {text}")
        w.scope.tensors[made] = function.result
    else:
        w.emit(text)
