"""while and for statements whose condition or length is a tensor: one While
node. `staged_loop` is what all of them become."""

import functools

import graphkiln as tf
from graphkiln import _control_flow
from graphkiln import _graphkiln
from graphkiln import nest
from graphkiln.autograph import branches
from graphkiln.autograph import places
from graphkiln.autograph import staged_list
from graphkiln.autograph import staging
from graphkiln.autograph import symbols


class _Symbol:
    """One symbol of a loop: what it is before, inside and after."""

    def __init__(self, name: str, before: object):
        self.name = name
        self.before = staging.staged_value(before)
        self.raw = before
        self.value: staging.Staged | None = None
        self.shapes: list = []
        self.late = False
        if isinstance(self.before, staging.Staged):
            self.value = self.before
            self.shapes = [t.shape for t in self.before.tensors]

    @property
    def is_result(self) -> bool:
        """Is it what the function returns, and has returned nothing yet?"""
        return type(self.raw) is symbols.UndefinedReturnValue

    @property
    def called(self) -> str:
        """What users know it as."""
        return "the function return value" if self.is_result else self.name

    @property
    def is_open_list(self) -> bool:
        return isinstance(self.before, staging.Missing) and isinstance(
            self.raw, staged_list.StagedList
        )

    def inside(self, placeholders: list) -> object:
        """The value in a part of the loop; takes its placeholders."""
        if self.value is None:
            return self.raw
        taken = [placeholders.pop(0) for _ in self.shapes]
        return self.value.packed(taken)


class _Loop:
    """The symbols of a While node being made."""

    def __init__(
        self, builder: _graphkiln._WhileBuilder, states: list[_Symbol]
    ):
        self.builder = builder
        self.states = states
        # In the order of the node's inputs: those that start late are last.
        self.carried = [s for s in states if s.value is not None]
        # Open lists that the body has told the elements of.
        self.placed: list[_Symbol] = []
        builder.carry(
            [t for s in self.carried for t in s.value.tensors],
            [shape for s in self.carried for shape in s.shapes],
        )

    def part(self, body: bool):
        """(part, values of the symbols) of a new part."""
        part = _control_flow.Part(self.builder.begin(body), self.builder.scope)
        return part, self.values(self.builder.variables(body))

    def values(self, tensors: list) -> tuple:
        """The values of all symbols, given the tensors of those carried."""
        tensors = list(tensors)
        by_id = {id(s): s.inside(tensors) for s in self.carried}
        return staged_list.copies(
            tuple(by_id.get(id(s), s.raw) for s in self.states)
        )

    def place_lists(self, values: tuple) -> None:
        """Open lists get places in the body when it first appends."""
        def place(s: _Symbol, elements: object) -> list:
            if s not in self.placed:
                s.placed = staged_list.like(elements, self.builder.add_late)
                self.placed.append(s)
            return s.placed

        for s, value in zip(self.states, values):
            if s.is_open_list:
                value.place = functools.partial(place, s)

    def start_late(self, late: list[_Symbol]) -> None:
        """Carries late symbols too."""
        others = [s for s in late if s not in self.placed]
        for s in others:
            for t, shape in zip(s.value.tensors, s.shapes):
                self.builder.add_late(t, shape)
        late = self.placed + others
        self.builder.start_late([t for s in late for t in s.value.tensors])
        self.carried += late


def staged_loop(
    test, body, get_state, set_state, symbol_names, opts, code=None
):
    """Repeats `body(counter)` while `test(counter)`. `code` is the generated
    function of the body.

    Both are called once, with the symbols set to placeholders. Symbols that
    have no value yet get the type that the body gives them.
    """
    before = get_state()
    start = staged_list.started(symbol_names, before, opts.get("lists", ()))
    states = [_Symbol(n, v) for n, v in zip(symbol_names, start)]
    _apply_invariants(states, before, opts.get("shape_invariants"))
    most = opts.get("maximum_iterations")
    if most is not None:
        most = tf.cast(tf.convert_to_tensor(most), tf.int32)
    try:
        final = _build(test, body, get_state, set_state, states, opts, most)
    except BaseException as error:
        set_state(before)
        places.tell(
            error, [("before the loop", None), ("in the loop", code or body)]
        )
        raise
    set_state(staged_list.kept(final, start, before))


def _build(test, body, get_state, set_state, states, opts, most):
    with _graphkiln._WhileBuilder("while", most) as builder:
        loop = _Loop(builder, states)
        repeated, values = loop.part(True)
        loop.place_lists(values)
        set_state(values)
        with repeated:
            _once(body, builder.counter(True), states)
            after = {
                id(s): staging.staged_value(v)
                for s, v in zip(states, get_state())
            }
        late = [s for s in states if _check_after(s, after[id(s)])]
        for s in late:
            _start_late(s, after[id(s)])
        loop.start_late(late)
        builder.end_body(
            [t for s in loop.carried for t in after[id(s)].tensors]
        )
        tested, values = loop.part(False)
        set_state(values)
        with tested:
            truth = tf.convert_to_tensor(test(builder.counter(False)))
            if truth.dtype != tf.bool or truth.shape.rank not in (None, 0):
                truth = branches.checked_condition(truth, "while loop")
            builder.end_condition(truth)
        count, *outputs = builder.finish(opts.get("parallel_iterations") or 10)
    for s in states:
        if s.value is None and symbols.is_lost(s.raw):
            s.raw = symbols.Undefined(
                s.name, s.raw.pending, _undefined_before(s.name)
            )
    needed = [
        s.called for s in late
        if s.name not in _iterates(opts) and s.late is True
    ]
    if needed:
        names = ", ".join(needed)
        check = tf.debugging.Assert(
            count > 0,
            [f"loop must iterate at least once to initialize {names}"],
        )
        with tf.control_dependencies([] if check is None else [check]):
            outputs = [tf.identity(t) for t in outputs]
    return loop.values(outputs)


# What a body may raise because a symbol has no value yet.
_UNDEFINED_ERRORS = (
    AttributeError, KeyError, TypeError, UnboundLocalError, ValueError
)


def _once(body, counter, states: list[_Symbol]) -> None:
    """Runs the body. Symbols without a value before the loop get theirs
    here, or the error tells of the loop."""
    try:
        body(counter)
    except _UNDEFINED_ERRORS as error:
        s = _without_value(states, error)
        if s is None:
            raise
        raise _needs_value(s, error) from None


def _without_value(states: list[_Symbol], error: Exception) -> _Symbol | None:
    """The symbol that the loop starts without and that an error of its body
    is about, as far as one can tell."""
    missing = [
        s for s in states if s.raw is None or symbols.is_undefined(s.raw)
    ]
    name = getattr(error, "undefined_symbol", None)
    if isinstance(error, AttributeError):
        missing = [s for s in missing if "." in s.name]
    missing.sort(key=lambda s: (not s.is_result, s.name != name))
    return missing[0] if missing else None


def _undefined_before(name: str) -> str:
    return f"'{name}' must be defined before the loop"


def _needs_value(s: _Symbol, error: Exception) -> Exception:
    """The error for a symbol that the body cannot give its first value."""
    if s.is_result:
        return _no_result(error)
    what = _undefined_before(s.name)
    if s.raw is None:
        what = f"'{s.name}' is not allowed to be None before the loop"
    return ValueError(
        f"{what}\nNote: AutoGraph tried to define it automatically, but ran "
        f"into a {type(error).__name__}: {error}"
    )


def _no_result(error: Exception) -> NotImplementedError:
    """Only some iterations return: the graph would need a result for when
    none does."""
    return NotImplementedError(
        "a return statement cannot be placed inside this TensorFlow loop; this "
        "may happen if a return statement depends on a static Python condition "
        f"such as a hyperparameter\nNote: {error}"
    )


def _iterates(opts) -> set[str]:
    text = opts.get("iterate_names", "")
    return set(text.replace("(", " ").replace(")", " ").replace(",", " ")
               .replace("*", " ").replace("[", " ").replace("]", " ").split())


def checked(body, get_state, set_state, names):
    """`body`, which then fails in a loop's terms if a symbol has become
    something else than it was before it."""

    def run() -> None:
        states = [_Symbol(n, v) for n, v in zip(names, get_state())]
        body()
        check_state(states, get_state, set_state, _check_after)

    return run


def check_state(states, get_state, set_state, check) -> None:
    """`check(symbol, staged value)` for each symbol that had a value; the
    symbols are then what was checked."""
    values = list(get_state())
    for i, s in enumerate(states):
        if s.value is None:
            continue
        after = staging.staged_value(values[i])
        check(s, after)
        if isinstance(after, staging.Staged):
            values[i] = after.structure
    set_state(tuple(values))


def _check_after(s: _Symbol, after) -> bool:
    """Raises unless the symbol is after the body what it was before; true if
    only the body has given it a value."""
    if s.is_open_list and isinstance(after, staging.Missing):
        return False
    if isinstance(after, staging.Fixed):
        if isinstance(s.before, staging.Fixed) and (
            after.value is s.before.value
        ):
            return False
        if s.is_result:
            raise places.disagreement(
                ValueError, s.name,
                "the return value from a TensorFlow loop may only be a Tensor, "
                "int, float, bool or a list, tuple or dict thereof; got "
                f"{type(after.value)}",
                "Assign to a variable in the loop, and return what is made of "
                "it behind the loop.",
            )
        error = _object(s.name, after.value, "the body of a loop")
        if symbols.is_undefined(s.raw):
            raise _needs_value(s, error)
        raise error
    if isinstance(s.before, staging.Fixed):
        raise _object(s.name, s.before.value, "a loop")
    if isinstance(s.before, staging.Missing):
        return isinstance(after, staging.Staged)
    if isinstance(after, staging.Missing):
        if after.is_none:
            raise places.disagreement(
                ValueError, s.name,
                f"'{s.name}' is None at the end of the iteration.",
                "A loop carries tensors only: use a value that stands for "
                "nothing, such as a constant, and a flag.",
            )
        raise places.disagreement(
            ValueError, s.name,
            f"'{s.name}' must be defined after one iteration",
            f"Assign '{s.name}' in each iteration, or do not delete it.",
        )
    before = s.before
    try:
        nest.assert_same_structure(
            before.structure, after.structure, expand_composites=True
        )
    except (TypeError, ValueError) as error:
        raise places.disagreement(
            TypeError, s.name,
            f"'{s.name}' does not have the same nested structure after one "
            "iteration.\n\n"
            + staging.different(
                s.name, before.structure, after.structure, error
            ),
            "A loop carries one structure: keep what grows in a tf.TensorArray "
            "or in a list with tf.autograph.experimental.set_element_type.",
        ) from None
    if [t is None for t in before.flat] != [t is None for t in after.flat]:
        raise places.disagreement(
            ValueError, s.name,
            f"'{s.name}' holds None at different places before the loop and "
            "after one iteration. None values not supported.",
            "A loop carries tensors only: use a value that stands for "
            "nothing, such as a constant, and a flag.",
        )
    for old, new, shape in zip(before.tensors, after.tensors, s.shapes):
        if old.dtype != new.dtype:
            raise places.disagreement(
                TypeError, s.name,
                f"'{s.name}' has dtype {old.dtype.name} before the loop, but "
                f"dtype {new.dtype.name} after one iteration",
                "Start with a value of the dtype that the loop gives, or use "
                "tf.cast in it.",
            )
        if not new.shape.is_subtype_of(shape):
            raise places.disagreement(
                ValueError, s.name,
                f"'{s.name}' has shape {_shown(shape)} before the loop, but "
                f"shape {_shown(new.shape)} after one iteration. Use "
                "tf.autograph.experimental.set_loop_options to set shape "
                "invariants.",
                "For example, as the first statement of the loop: tf.autograph."
                "experimental.set_loop_options(shape_invariants=[("
                f"{s.name}, {_invariant(shape, new.shape)})])",
            )
    return False


def _object(name: str, value: object, where: str) -> TypeError:
    error = staging.not_a_tensor(name, value, where)
    error.symbol, error.cure = name, (
        "A loop carries tensors only: keep the object outside of the loop, and "
        "let the loop change its tensors."
    )
    return error


def _invariant(before, after) -> str:
    """What both shapes have in common, as code."""
    if None in (before.rank, after.rank) or before.rank != after.rank:
        return "tf.TensorShape(None)"
    return str([
        a if a == b else None
        for a, b in zip(before.as_list(), after.as_list())
    ])


def _shown(shape) -> str:
    return "<unknown>" if shape.rank is None else str(shape)


def _start_late(s: _Symbol, after: staging.Staged) -> None:
    """Gives a symbol that the body is the first to assign a start."""
    s.late = True
    if s.is_open_list:
        s.late = "list"
        s.value = staging.Staged(s.raw.closed(after.structure.elements))
        s.shapes = [t.shape for t in after.tensors]
        return
    if type(s.raw) is symbols.Undefined and s.raw.pending:
        s.late = "pending"
    if s.is_result and s.raw.pending:
        s.late = "return"
    s.value = staging.Staged(
        after.packed([staging.zeros(t) for t in after.tensors])
    )
    s.shapes = [t.shape for t in after.tensors]


def _apply_invariants(states: list[_Symbol], before, invariants) -> None:
    for item in invariants or ():
        if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
            raise ValueError(
                "shape_invariants must be a list of pairs (variable, shape), "
                f"got {item!r}"
            )
        value, shape = item[:2]
        name = item[2] if len(item) == 3 else None
        for s, old in zip(states, before):
            if s.name == name or (name is None and old is value):
                _apply_invariant(s, shape)


def _apply_invariant(s: _Symbol, shape) -> None:
    if s.value is None:
        return
    if type(s.value.structure).__name__ == "SparseTensor":
        s.before = s.value = staging.Staged(_of_any_shape(s.value.structure))
    shapes = _component_shapes(s.value.structure, shape)
    for t, wanted in zip(s.value.tensors, shapes):
        if not t.shape.is_compatible_with(wanted) or not t.shape.is_subtype_of(
            wanted
        ):
            raise ValueError(
                f"'{s.name}' has shape {_shown(t.shape)} before the loop, "
                "which does not conform with the shape invariant "
                f"{_shown(wanted)}."
            )
    s.shapes = shapes


def _of_any_shape(sparse):
    """A sparse tensor of which only the rank is known."""
    shape = sparse.dense_shape
    unknown = tf.gather(shape, tf.range(tf.size(shape)))
    return tf.SparseTensor(sparse.indices, sparse.values, unknown)


def _component_shapes(value: object, shape) -> list:
    """Shapes of a value's tensors from the invariant given for it."""
    if isinstance(value, (tuple, list)):
        return [
            x for v, part in zip(value, shape)
            for x in _component_shapes(v, part)
        ]
    if isinstance(value, _graphkiln.Tensor):
        if isinstance(shape, tf.TensorSpec):
            shape = shape.shape
        return [tf.TensorShape(shape)]
    parts = _control_flow.flatten(value)
    if type(value).__name__ == "SparseTensor":
        rank = tf.TensorShape(shape).rank
        return [
            tf.TensorShape([None, rank]), tf.TensorShape([None]),
            tf.TensorShape([rank]),
        ]
    return [
        t.shape if t.shape.rank is None
        else tf.TensorShape([None, *t.shape.as_list()[1:]])
        for t in parts
    ]
