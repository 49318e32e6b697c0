"""For statements over datasets and iterators, while a graph is built.

A loop over a dataset is what TensorFlow makes of it: a ScanDataset whose state
are the symbols of the loop, ended by a TakeWhileDataset if there is a break,
and a ReduceDataset that keeps the last state. It has no end of its own, so the
functions of the dataset run element by element with the body. A loop over an
iterator is a While.
"""

from collections.abc import Callable

import graphkiln as tf
from graphkiln import _graphkiln, raw_ops
from graphkiln.autograph import branches, logic, loops
from graphkiln.data import _structure as structure
from graphkiln.data import _traced as traced


def iterator_loop(
    iterator, extra_test, body, get_state, set_state, symbol_names, opts
) -> None:
    """`for x in iterator`. A break leaves the elements behind it."""
    more = [tf.constant(True)]

    def get():
        return (more[0], *get_state())

    def put(values):
        more[0] = values[0]
        set_state(values[1:])

    def test(counter):
        if extra_test is None:
            return more[0]
        return logic.both(more[0], extra_test())

    def step(counter):
        element = iterator.get_next_as_optional()
        more[0] = element.has_value()
        branches.guard(
            more[0],
            loops.checked(
                lambda: body(element.get_value()), get_state, set_state,
                symbol_names,
            ),
            get_state, set_state, symbol_names,
        )

    loops.staged_loop(
        test, step, get, put, ("the iterator", *symbol_names), opts
    )


def dataset_loop(
    dataset, extra_test, body, get_state, set_state, symbol_names, opts
) -> None:
    """`for x in dataset`."""
    most = opts.get("maximum_iterations")
    if most is not None:
        dataset = dataset.take(most)
    before = get_state()
    state = loops.state(
        symbol_names, before, before, opts, body, shapes_vary=True
    )
    try:
        final = _build(
            state, dataset, extra_test, body, get_state, set_state,
            symbol_names,
        )
    except BaseException:
        set_state(before)
        raise
    set_state(final)


def _build(
    state, dataset, extra_test, body, get_state, set_state, names
) -> tuple:
    """The values of the symbols behind the loop."""
    specs = structure.flat_specs(dataset.element_spec)
    widened = True
    while widened:
        part = traced.Body(_graphkiln.FuncGraph("Dataset_scan_scan_body"))
        with part:
            arguments = _arguments(part, state.carried)
            elements = [part.argument(spec) for spec in specs]
            set_state(state.values(arguments))
            item = structure.from_tensors(dataset.element_spec, elements)
            more = _once(
                state, extra_test, lambda: body(item), get_state, set_state,
                names,
            )
            widened = state.after(get_state())
    state.start_late()
    needed = state.need_iteration
    carried = state.carried
    if needed:
        carried.append((tf.constant(False), tf.TensorShape([])))
    with part:
        arguments += _arguments(part, carried[len(arguments):])
        if not arguments:
            arguments = [part.argument(tf.TensorSpec((), tf.int32))]
        part.graph._order_arguments([*arguments, *elements])
        results = state.next
        if needed:
            results.append(tf.constant(True))
        if not results:
            results = [tf.constant(0)]
        part.finish([*results, *results, more])
    if not carried:
        carried = [(tf.constant(0), tf.TensorShape([]))]
    outputs = _nodes(dataset, part, carried, extra_test is not None)
    if needed:
        outputs = loops.initialized(outputs[-1], needed, outputs[:-1])
    return state.values(outputs)


def _arguments(part: traced.Body, carried: list) -> list:
    return [
        part.graph._add_loop_argument("args", t, shape) for t, shape in carried
    ]


def _once(state, extra_test, body: Callable, get_state, set_state, names):
    """Runs the body once; whether this iteration counts."""
    if extra_test is None:
        state.run(body)
        return tf.constant(True)
    more = tf.convert_to_tensor(extra_test())

    def checked() -> None:
        body()
        set_state(state.check(get_state()))

    state.run(branches.guard, more, checked, get_state, set_state, names)
    return more


def _nodes(dataset, part, carried: list, has_break: bool) -> list:
    initial = [t for t, _ in carried]
    state = [tf.TensorSpec(shape, t.dtype) for t, shape in carried]
    scanned = (*state, tf.TensorSpec((), tf.bool))
    described = structure.signature(scanned)
    variant = raw_ops.ScanDataset(
        input_dataset=dataset._as_input(), initial_state=initial,
        other_arguments=part.function.captured_inputs, f=part.function,
        preserve_cardinality=True, use_default_device=False, **described,
    )
    if has_break:
        variant = raw_ops.TakeWhileDataset(
            input_dataset=variant, other_arguments=[],
            predicate=_chosen(
                "Dataset_take_while_take_while_predicate", scanned,
                slice(-1, None),
            ),
            **described,
        )
    n = len(initial)
    return raw_ops.ReduceDataset(
        input_dataset=variant, initial_state=initial, other_arguments=[],
        f=_chosen("reduce_reduce_body", (*state, *scanned), slice(n, 2 * n)),
        **structure.signature(tuple(state)),
    )


def _chosen(name: str, spec: tuple, part: slice):
    """A function that returns some of its arguments."""
    body = traced.Body(_graphkiln.FuncGraph(name))
    with body:
        body.finish([body.argument(s) for s in spec][part])
    return body.function
