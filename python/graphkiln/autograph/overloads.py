"""Python's builtins where an argument is a tensor."""

import builtins
import functools
from collections.abc import Callable

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.autograph import loops, sequences, staged_list, staging
from graphkiln.autograph.mapped import Mapped
from graphkiln.autograph.python_items import PythonItems
from graphkiln.autograph.sequence import Sequence
from graphkiln.autograph.tensor_rows import TensorRows

_NOT_GIVEN = object()

# How a user's function is called: calls.py puts it here.
converted_call: Callable = lambda f, args, kwargs: f(*args, **kwargs or {})


def _staged(value: object) -> bool:
    return staging.is_staged(value)


def _sequences(values) -> list | None:
    """All values as sequences, if one of them needs to be staged. Python's
    lists take part where they convert to tensors."""
    if _graphkiln.executing_eagerly():
        return None
    if not any(sequences.is_sequence(v) for v in values):
        return None
    made = []
    for value in values:
        if not sequences.is_sequence(value):
            value = PythonItems(value)
        made.append(sequences.sequence(value))
    return made


def len_(value):
    own = getattr(type(value), "_autograph_len", None)
    if own is not None and not _graphkiln.executing_eagerly():
        return own(value)
    if _staged(value):
        if isinstance(value, _graphkiln.BaseVariable):
            value = _graphkiln.convert_to_tensor(value)
        if value.dtype == dtypes.variant:
            return raw_ops.TensorListLength(input_handle=value)
        if value.shape.rank == 0:
            raise ValueError(
                "len requires a non-scalar tensor, got one of shape "
                f"{value.shape}"
            )
        return TensorRows(value).length()
    if isinstance(value, Sequence):
        return value.length()
    return len(value)


def range_(*args):
    if any(_staged(a) for a in args):
        return ops.range(*args)
    return range(*args)


def enumerate_(iterable, start=0):
    own = getattr(type(iterable), "_autograph_enumerate", None)
    if own is not None:
        return own(iterable, start)
    made = _sequences([iterable])
    if made is None:
        return enumerate(iterable, start)
    return Mapped(lambda i, item: (i + start, item), made)


def zip_(*iterables, strict=False):
    own = next(
        (
            getattr(type(i), "_autograph_zip", None)
            for i in iterables
            if hasattr(type(i), "_autograph_zip")
        ),
        None,
    )
    if own is not None:
        return own(iterables)
    made = _sequences(iterables)
    if made is None:
        return zip(*iterables, strict=strict)
    zipped = Mapped(lambda i, *items: items, made)
    if strict:
        _check_lengths([part.length() for part in made])
    return zipped


def _check_lengths(counts: list) -> None:
    for i, count in enumerate(counts[1:], 2):
        if isinstance(count, int) and isinstance(counts[0], int):
            if count != counts[0]:
                which = "longer" if count > counts[0] else "shorter"
                before = "argument 1" if i == 2 else f"arguments 1-{i - 1}"
                raise ValueError(
                    f"zip() argument {i} is {which} than {before}"
                )
        else:
            _graphkiln.Assert(
                ops.equal(count, counts[0]),
                [f"zip() argument {i} has another length than argument 1"],
            )


def map_(function, *iterables):
    def call(*args):
        return converted_call(function, args, None)

    own = getattr(type(iterables[0]), "_autograph_map", None)
    if own is not None:
        return own(iterables[0], call)
    made = _sequences(iterables)
    if made is None:
        return map(call, *iterables)
    return Mapped(lambda i, *items: call(*items), made)


def filter_(function, iterable):
    def call(item):
        if function is None:
            return item
        return converted_call(function, (item,), None)

    own = getattr(type(iterable), "_autograph_filter", None)
    if own is not None:
        return own(iterable, call)
    made = _sequences([iterable])
    if made is None:
        return filter(call if function is not None else None, iterable)
    mask = stacked(
        Mapped(lambda i, x: ops.cast(call(x), dtypes.bool), made)
    )
    return ops.boolean_mask(stacked(made[0]), mask)


def stacked(source: Sequence):
    """All elements of a sequence as one tensor."""
    if isinstance(source, TensorRows):
        return source.tensor
    if isinstance(source, staged_list.StagedList):
        return source.stacked()
    source.prepare()
    count = source.length()
    if isinstance(count, int):
        return ops.stack([source.element(i) for i in range(count)])
    # The first element's type is that of all.
    first = sequences.sample(
        Mapped(lambda i, x: _graphkiln.convert_to_tensor(x), [source])
    )
    unknown = _graphkiln.constant(
        -1 if first.shape.rank is None
        else [-1 if n is None else n for n in first.shape.as_list()],
        dtypes.int32,
    )
    state = [
        raw_ops.TensorListReserve(
            element_shape=unknown, num_elements=count,
            element_dtype=first.dtype,
        )
    ]

    def body(counter):
        state[0] = raw_ops.TensorListSetItem(
            input_handle=state[0], index=counter,
            item=_graphkiln.convert_to_tensor(source.element(counter)),
        )

    def put(values):
        state[0] = values[0]

    loops.staged_loop(
        lambda counter: counter < count, body, lambda: (state[0],), put,
        ("elements",), {},
    )
    return raw_ops.TensorListStack(
        input_handle=state[0], element_shape=unknown,
        element_dtype=first.dtype, num_elements=-1,
    )


def _rows(value: object):
    """The elements as one tensor, if `value` is a staged sequence."""
    if _graphkiln.executing_eagerly() or not sequences.is_sequence(value):
        return None
    return stacked(sequences.sequence(value))


def _any_staged(items) -> bool:
    return any(_staged(v) for v in items)


def any_(iterable):
    own = getattr(type(iterable), "_autograph_any", None)
    if own is not None:
        return own(iterable)
    rows = _rows(iterable)
    if rows is not None:
        return ops.reduce_any(ops.cast(rows, dtypes.bool))
    return _quantified(iterable, True)


def all_(iterable):
    own = getattr(type(iterable), "_autograph_all", None)
    if own is not None:
        return own(iterable)
    rows = _rows(iterable)
    if rows is not None:
        return ops.reduce_all(ops.cast(rows, dtypes.bool))
    return _quantified(iterable, False)


def _quantified(iterable, is_any: bool):
    """any or all of Python's items; those that are tensors count together,
    the others decide as soon as they can."""
    staged = []
    for item in iterable:
        if _staged(item):
            staged.append(ops.cast(item, dtypes.bool))
        elif bool(item) == is_any:
            return is_any
    if not staged:
        return not is_any
    reduce = ops.reduce_any if is_any else ops.reduce_all
    return reduce(ops.stack(staged))


def sum_(iterable, start=0):
    rows = _rows(iterable)
    if rows is None:
        return sum(iterable, start)
    total = ops.reduce_sum(rows, axis=0)
    return total if isinstance(start, int) and start == 0 else start + total


def _keys(key: Callable, rows):
    """What `key` gives of each row."""
    source = sequences.sequence(rows)
    return stacked(Mapped(lambda i, row: key(row), [source]))


def _extreme(python, reduce, choose, pick):
    def chosen(*args, key=None, default=_NOT_GIVEN):
        given = {} if default is _NOT_GIVEN else {"default": default}
        if len(args) == 1:
            rows = _rows(args[0])
            if rows is None:
                items = list(args[0])
                if not _any_staged(items):
                    return python(items, key=key, **given)
                rows = ops.stack(items)
        elif _any_staged(args):
            if key is None:
                return functools.reduce(choose, args)
            rows = ops.stack(list(args))
        else:
            return python(*args, key=key)
        count = rows.shape[0] if rows.shape.rank is not None else None
        if count == 0:
            if given:
                return default
            raise ValueError(f"{python.__name__}() arg is an empty sequence")
        if key is None:
            return reduce(rows, axis=0)
        keys = _keys(key, rows)
        return ops.gather(rows, pick(keys, axis=0))

    return chosen


def sorted_(iterable, /, *, key=None, reverse=False):
    rows = _rows(iterable)
    if rows is None:
        items = list(iterable)
        if not _any_staged(items):
            return sorted(items, key=key, reverse=reverse)
        rows = ops.stack(items)
    direction = "DESCENDING" if reverse else "ASCENDING"
    if key is None:
        if rows.shape.rank not in (None, 1):
            raise ValueError(
                "sorted needs a key for the rows of a tensor of shape "
                f"{rows.shape}"
            )
        return ops.sort(rows, direction=direction)
    keys = _keys(key, rows)
    order = ops.argsort(keys, direction=direction, stable=True)
    return ops.gather(rows, order)


def list_(iterable=()):
    if _graphkiln.executing_eagerly() or not sequences.is_sequence(iterable):
        return list(iterable)
    source = sequences.sequence(iterable)
    if isinstance(source.length(), int):
        return [source.element(i) for i in range(source.length())]
    if isinstance(source, staged_list.StagedList):
        return source.copy()
    made = staged_list.StagedList(None, [])
    made.extend(source)
    return made


def tuple_(iterable=()):
    made = list_(iterable)
    return tuple(made) if isinstance(made, list) else made


def abs_(value):
    own = getattr(type(value), "_autograph_map", None)
    if own is not None:
        return own(value, ops.abs)
    return ops.abs(value) if _staged(value) else abs(value)


def int_(value=_NOT_GIVEN, base=_NOT_GIVEN):
    if _staged(value):
        if base not in (_NOT_GIVEN, 10):
            raise NotImplementedError(
                f"base {base} not supported for int of a tensor"
            )
        if value.dtype == dtypes.string:
            return ops.strings.to_number(value, out_type=dtypes.int32)
        return ops.cast(value, dtypes.int32)
    given = [v for v in (value, base) if v is not _NOT_GIVEN]
    return int(*given)


def float_(value=0.0):
    if _staged(value):
        if value.dtype == dtypes.string:
            return ops.strings.to_number(value, out_type=dtypes.float32)
        return ops.cast(value, dtypes.float32)
    return float(value)


def bool_(value=False):
    if _staged(value):
        return ops.cast(value, dtypes.bool)
    return bool(value)


def next_(iterator, default=_NOT_GIVEN):
    own = getattr(type(iterator), "_autograph_next", None)
    if own is not None and not _graphkiln.executing_eagerly():
        if default is _NOT_GIVEN:
            return own(iterator)
        return own(iterator, default)
    if default is _NOT_GIVEN:
        return next(iterator)
    return next(iterator, default)


max_ = _extreme(max, lambda *a, **k: ops.reduce_max(*a, **k),
                lambda a, b: ops.maximum(a, b),
                lambda *a, **k: ops.argmax(*a, **k))
min_ = _extreme(min, lambda *a, **k: ops.reduce_min(*a, **k),
                lambda a, b: ops.minimum(a, b),
                lambda *a, **k: ops.argmin(*a, **k))


def _stack(values, axis=0, name="stack"):
    return values.stack(axis, name)


def _concat(values, axis, name="concat"):
    return values.concat(axis, name)


def _add_n(inputs, name=None):
    return ops.reduce_sum(inputs.stack(), 0, name=name)


_OF_LISTS = ((ops.stack, _stack), (ops.concat, _concat), (ops.add_n, _add_n))


def of_list(function):
    """What does the same as an op that takes a list of tensors with one that
    only the graph knows the length of."""
    for op, made in _OF_LISTS:
        if function is op:
            return made
    return function


TABLE = {
    getattr(builtins, name): globals()[name + "_"]
    for name in (
        "abs", "all", "any", "bool", "enumerate", "filter", "float", "int",
        "len", "list", "map", "max", "min", "next", "range", "sorted", "sum",
        "tuple", "zip",
    )
}
