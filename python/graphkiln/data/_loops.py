"""For statements over datasets and iterators, while a graph is built.

A loop over a dataset is what TensorFlow makes of it: a ScanDataset whose state
are the symbols of the loop, ended by a TakeWhileDataset if there is a break,
and a ReduceDataset that keeps the last state. It has no end of its own, so the
functions of the dataset run element by element with the body. A loop over an
iterator is a While.
"""

from collections.abc import Callable

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import raw_ops
from graphkiln.autograph import branches
from graphkiln.autograph import logic
from graphkiln.autograph import loops
from graphkiln.autograph import staging
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
    loop = _Loop(dataset, before, symbol_names, opts)
    try:
        final = loop.build(extra_test, body, get_state, set_state)
    except BaseException:
        set_state(before)
        raise
    set_state(final)


class _Loop:
    """The nodes of a loop over a dataset, being made."""

    def __init__(self, dataset, before: tuple, names: tuple, opts: dict):
        self._dataset = dataset
        self._names = names
        self._opts = opts
        self._states = [loops._Symbol(n, v) for n, v in zip(names, before)]
        free = [list(s.shapes) for s in self._states]
        loops._apply_invariants(
            self._states, before, opts.get("shape_invariants")
        )
        # Other shapes may change from one iteration to the next.
        self._bound = {
            s.name
            for s, shapes in zip(self._states, free)
            if [x.as_list() if x.rank is not None else None for x in s.shapes]
            != [x.as_list() if x.rank is not None else None for x in shapes]
        }

    def build(self, extra_test, body, get_state, set_state) -> tuple:
        """The values of the symbols behind the loop."""
        while True:
            part = traced.Body(_graphkiln.FuncGraph("Dataset_scan_scan_body"))
            with part:
                carried = [s for s in self._states if s.value is not None]
                arguments = self._arguments(part, carried)
                elements = [
                    part.argument(spec)
                    for spec in structure.flat_specs(
                        self._dataset.element_spec
                    )
                ]
                set_state(self._values(carried, arguments))
                item = structure.from_tensors(
                    self._dataset.element_spec, elements
                )
                more = self._once(
                    extra_test, lambda: body(item), get_state, set_state
                )
                after = [staging.staged_value(v) for v in get_state()]
            late = [
                s for s, a in zip(self._states, after) if self._check(s, a)
            ]
            if not self._widen(carried, after):
                break
        for s, a in zip(self._states, after):
            if s in late:
                loops._start_late(s, a)
        ran = [tf.constant(False)] if self._must_run(late) else []
        carried += late
        with part:
            arguments += self._arguments(part, late)
            arguments += [
                part.graph._add_loop_argument("ran", t, t.shape) for t in ran
            ]
            if not arguments:
                arguments = [part.argument(tf.TensorSpec((), tf.int32))]
            part.graph._order_arguments([*arguments, *elements])
            by_id = {id(s): a for s, a in zip(self._states, after)}
            results = [t for s in carried for t in by_id[id(s)].tensors]
            results += [tf.constant(True) for _ in ran]
            if not results:
                results = [tf.constant(0)]
            part.finish([*results, *results, more])
        return self._nodes(part, carried, late, ran, extra_test is not None)

    def _arguments(self, part: traced.Body, states: list) -> list:
        return [
            part.graph._add_loop_argument("args", t, shape)
            for s in states
            for t, shape in zip(s.value.tensors, s.shapes)
        ]

    def _values(self, carried: list, tensors: list) -> tuple:
        left = list(tensors)
        by_id = {id(s): s.inside(left) for s in carried}
        return tuple(by_id.get(id(s), s.raw) for s in self._states)

    def _once(self, extra_test, body: Callable, get_state, set_state):
        """Runs the body once; whether this iteration counts."""
        if extra_test is None:
            loops._once(lambda _: body(), None, self._states)
            return tf.constant(True)
        more = tf.convert_to_tensor(extra_test())

        def checked() -> None:
            body()
            loops.check_state(
                self._states, get_state, set_state, self._check
            )

        loops._once(
            lambda _: branches.guard(
                more, checked, get_state, set_state, self._names
            ),
            None, self._states,
        )
        return more

    def _check(self, s, after) -> bool:
        if s.value is None or s.name in self._bound:
            return loops._check_after(s, after)
        shapes = s.shapes
        s.shapes = [tf.TensorShape(None) for _ in shapes]
        try:
            return loops._check_after(s, after)
        finally:
            s.shapes = shapes

    def _widen(self, carried: list, after: list) -> bool:
        """Lets shapes be what they also are after an iteration; true if that
        changes something."""
        changed = False
        for s, a in zip(self._states, after):
            if s not in carried:
                continue
            for i, (shape, t) in enumerate(zip(s.shapes, a.tensors)):
                if not t.shape.is_subtype_of(shape):
                    both = tf.TensorSpec(
                        shape, t.dtype
                    ).most_specific_common_supertype(
                        [tf.TensorSpec(t.shape, t.dtype)]
                    )
                    s.shapes[i] = both.shape
                    changed = True
        return changed

    def _must_run(self, late: list) -> list[str]:
        """The symbols that no iteration would leave without a value."""
        iterates = loops._iterates(self._opts)
        return [
            s.called for s in late
            if s.name not in iterates and s.late != "return"
        ]

    def _nodes(self, part, carried, late, ran, has_break: bool) -> tuple:
        initial = [t for s in carried for t in s.value.tensors] + ran
        shapes = [x for s in carried for x in s.shapes]
        shapes += [t.shape for t in ran]
        if not initial:
            initial, shapes = [tf.constant(0)], [tf.TensorShape([])]
        state = [
            tf.TensorSpec(x, t.dtype) for x, t in zip(shapes, initial)
        ]
        scanned = (*state, tf.TensorSpec((), tf.bool))
        described = structure.signature(scanned)
        variant = raw_ops.ScanDataset(
            input_dataset=self._dataset._as_input(), initial_state=initial,
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
        outputs = raw_ops.ReduceDataset(
            input_dataset=variant, initial_state=initial, other_arguments=[],
            f=_chosen(
                "reduce_reduce_body", (*state, *scanned), slice(n, 2 * n)
            ),
            **structure.signature(tuple(state)),
        )
        if ran:
            names = ", ".join(self._must_run(late))
            check = tf.debugging.Assert(
                outputs[-1],
                [f"loop must iterate at least once to initialize {names}"],
            )
            with tf.control_dependencies([] if check is None else [check]):
                outputs = [tf.identity(t) for t in outputs[:-1]]
        return self._values(carried, outputs)


def _chosen(name: str, spec: tuple, part: slice):
    """A function that returns some of its arguments."""
    body = traced.Body(_graphkiln.FuncGraph(name))
    with body:
        body.finish([body.argument(s) for s in spec][part])
    return body.function
