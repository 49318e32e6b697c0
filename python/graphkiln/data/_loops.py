"""For statements over datasets and iterators, while a graph is built.

A loop over a dataset is what TensorFlow makes of it: a ScanDataset whose state
are the symbols of the loop, ended by a TakeWhileDataset if there is a break,
and a ReduceDataset that keeps the last state. It has no end of its own, so the
functions of the dataset run element by element with the body. A loop over an
iterator is a While.
"""

from graphkiln import _graphkiln
from graphkiln._graphkiln import elements
from graphkiln.autograph import branches, logic, loops


def iterator_loop(
    iterator, extra_test, body, get_state, set_state, symbol_names, opts
) -> None:
    """`for x in iterator`. A break leaves the elements behind it."""
    more = [_graphkiln.constant(True)]

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

    def step(components):
        item = elements.from_tensors(dataset.element_spec, components)
        if extra_test is None:
            state.run(body, item)
            return _graphkiln.constant(True)
        more = _graphkiln.convert_to_tensor(extra_test())

        def checked() -> None:
            body(item)
            set_state(state.check(get_state()))

        state.run(
            branches.guard, more, checked, get_state, set_state, symbol_names
        )
        return more

    try:
        state.over_dataset(
            dataset, step, get_state, set_state,
            extra_test is not None,
        )
    except BaseException:
        set_state(before)
        raise


_graphkiln.provide(dataset_loop, iterator_loop)
