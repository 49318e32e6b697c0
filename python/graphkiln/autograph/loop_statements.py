"""while_stmt and for_stmt: which loops run in Python and which are staged."""

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.autograph import (
    branches,
    conditions,
    logic,
    loops,
    places,
    sequences,
    staging,
)

_LIMITS = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/"
    "python/autograph/g3doc/reference/limitations.md"
    "#consistency-of-control-flow-types for more info."
)
# A Python loop without a length of its own is unrolled so often at most
# behind a condition that only the graph knows.
_MOST_GUARDED = 10_000


def while_stmt(test, body, get_state, set_state, symbol_names, opts):
    """A while statement. `opts["stops"]` are the flags of its break and
    return statements."""
    if _graphkiln.executing_eagerly():
        while test():
            body()
        return

    def staged(condition=test, asks_first: bool = False) -> bool:
        return loops.staged_loop(
            lambda counter: condition(), lambda counter: body(), get_state,
            set_state, symbol_names, opts, body, asks_first,
        )

    reads = conditions.reads_of(test)
    state = dict(zip(symbol_names, get_state()))
    stops = opts.get("stops", ())
    if all(state.get(flag) is False for flag in stops):
        if _depends_on_tensors(test, reads.operands, state):
            staged()
            return
        condition = test
        if stops:
            condition = _while_none(
                stops, test, get_state, set_state, symbol_names
            )
        is_tensor = _reads_tensors(reads.state, state) or conditions.calls_op(
            test, reads.called
        )
        if is_tensor and staged(condition, True):
            return
    # Looked at in a graph that is thrown away: a condition that is a tensor is
    # part of the loop, where numbers among the symbols are tensors, too. One
    # of Python's is not asked again unless it made nodes, which belong here.
    aside = _graphkiln.FuncGraph("tmp")
    try:
        aside._enter()
        first = test()
    finally:
        aside._exit()
    asked = not aside.num_operations()
    count = 0
    while not staging.is_staged(first):
        if count or asked:
            if not first:
                return
        elif not test():
            return
        count += 1
        limit = opts.get("maximum_iterations")
        if limit is not None and count > int(limit):
            return
        body()
        first = test()
        if staging.is_staged(first):
            _check_turned(body, get_state, symbol_names, opts)
    staged()


def _depends_on_tensors(test, operands, state) -> bool:
    """Is it clear from the operands alone that the condition is a tensor?"""
    values = conditions.values(test, operands)
    return any(map(staging.is_symbolic, values)) and all(
        staging.is_symbolic(x) or type(x) in (int, float) for x in values
    )


def _reads_tensors(symbols, state) -> bool:
    """Does the condition read nothing that changes but tensors?"""
    return bool(symbols) and all(
        staging.is_symbolic(state[symbol]) for symbol in symbols
    )


class _NoTensor(Exception):
    """A condition that was asked first is Python's."""


def _while_none(stops, test, get_state, set_state, names):
    """The condition `test` of a loop with flags that stop it: beside flags
    that are tensors it still tells whether it is one itself."""

    def condition():
        values = get_state()
        state = dict(zip(names, values))

        def asked():
            set_state([
                False if name in stops else value
                for name, value in state.items()
            ])
            try:
                found = test()
            finally:
                set_state(values)
            if not staging.is_staged(found):
                raise _NoTensor
            return found

        flags = [state[name] for name in stops]
        return logic.and_(lambda: logic.none_of(*flags), asked)

    return condition


def _check_turned(body, get_state, symbol_names, opts) -> None:
    """A condition may become a tensor through break and return only."""
    state = dict(zip(symbol_names, get_state()))
    if any(staging.is_staged(state.get(f)) for f in opts.get("stops", ())):
        return
    raise NotImplementedError(
        "The condition of while loop started as non-Tensor, then changed to "
        "Tensor. This may happen either because variables changed type, or "
        "when a break or return statement inside the loop depends on a Tensor "
        "condition. In both cases, changing to a TF loop should remove the "
        f"error.\n{_LIMITS}"
        + _turned(body, [n for n, v in state.items() if staging.is_staged(v)])
    )


def _turned(body, names: list[str]) -> str:
    """Where names became tensors, and the cure."""
    lines = places.symbol_lines(body, names)
    if not lines:
        return ""
    return "\n".join([
        "\nThe loop's body made tensors of:", *lines,
        "Make them tensors before the loop, for example with tf.constant.",
    ])


def for_stmt(
    iter_, extra_test, body, get_state, set_state, symbol_names, opts
):
    """A for statement. Objects with a method
    `_autograph_for(extra_test, body, get_state, set_state, symbol_names,
    opts)` stage themselves."""
    own = getattr(type(iter_), "_autograph_for", None)
    if own is not None and not _graphkiln.executing_eagerly():
        own(
            iter_, extra_test, body, get_state, set_state, symbol_names, opts
        )
    elif staging.is_staged(iter_) and _is_range(iter_):
        _for_range(
            iter_, extra_test, body, get_state, set_state, symbol_names, opts
        )
    elif sequences.is_sequence(iter_) and not _graphkiln.executing_eagerly():
        for_sequence(
            sequences.sequence(iter_), extra_test, body, get_state, set_state,
            symbol_names, opts,
        )
    else:
        _for_python(
            iter_, extra_test, body, get_state, set_state, symbol_names, opts
        )


def for_sequence(
    source, extra_test, body, get_state, set_state, symbol_names, opts
):
    """A loop over what has a `length` and an `element(i)`."""
    length = source.length()

    def test(counter):
        more = counter < length
        if extra_test is None:
            return more
        return logic.both(more, extra_test())

    loops.staged_loop(
        test, lambda counter: body(source.element(counter)), get_state,
        set_state, symbol_names, opts, body,
    )


def _is_range(value) -> bool:
    return staging.is_symbolic(value) and _graphkiln.has_trait(
        value.op.type, "counts"
    )


def _static(tensor):
    """A constant's Python value; None if it is not known."""
    value = _graphkiln.known_value(tensor)
    return None if value is None else value.item()


def _trip_count(start, limit, delta):
    """How many numbers tf.range gives, as an int32 or Python int."""
    known = _static(start), _static(limit), _static(delta)
    if None not in known and all(isinstance(k, int) for k in known):
        return len(range(*known))
    distance = limit if known[0] == 0 else limit - start
    if not start.dtype.is_integer:
        count = ops.math.ceil(distance if known[2] == 1 else distance / delta)
    elif known[2] == 1:
        count = distance
    else:
        count = -((-distance) // delta)
    if count.dtype != dtypes.int32:
        largest = _graphkiln.constant(2**31 - 128, dtypes.int32)
        count = ops.minimum(count, ops.cast(largest, count.dtype))
        count = ops.cast(
            ops.maximum(count, ops.zeros_like(count)), dtypes.int32
        )
    return count


def _for_range(
    numbers, extra_test, body, get_state, set_state, symbol_names, opts
):
    """The numbers are counted, not made; the loop's counter gives them."""
    start, limit, delta = numbers.op.inputs
    length = _trip_count(start, limit, delta)
    dtype = numbers.dtype
    plain = _static(start) == 0, _static(delta) == 1

    def element(counter):
        value = counter if dtype == dtypes.int32 else ops.cast(counter, dtype)
        if not plain[1]:
            value = value * delta
        return value if plain[0] else start + value

    class Numbers:
        length = staticmethod(lambda: length)

    Numbers.element = staticmethod(element)
    for_sequence(
        Numbers, extra_test, body, get_state, set_state, symbol_names, opts
    )


def _for_python(
    iter_, extra_test, body, get_state, set_state, symbol_names, opts
):
    limit = opts.get("maximum_iterations")
    guarded = 0
    for count, item in enumerate(iter_):
        if limit is not None and count >= int(limit):
            return
        if extra_test is not None:
            going = extra_test()
            if staging.is_staged(going):
                guarded += 1
                if guarded > _MOST_GUARDED:
                    raise NotImplementedError(
                        "break and return statements which depend on a TF "
                        "condition are not supported in Python for loops of "
                        f"more than {_MOST_GUARDED} iterations. Did you "
                        f"intend to make it a TF loop?\n{_LIMITS}"
                    )
                branches.guard(
                    going, lambda item=item: body(item), get_state, set_state,
                    symbol_names, opts.get("lists", ()),
                )
                continue
            if not going:
                return
        body(item)
