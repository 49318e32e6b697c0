"""Python lists whose length only the graph knows: those that grow or shrink
in staged branches and loops, and comprehensions over tensors of unknown
length. Their elements are in tensor lists, one for each tensor of an element.
"""

from collections.abc import Callable

from graphkiln import _graphkiln, nest, raw_ops
from graphkiln._graphkiln import Tensor, TensorShape, TensorSpec
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.autograph import sequences, staging


class _Spec:
    """What nest asks of a composite value."""

    def __init__(self, elements: object, count: int):
        self._component_specs = [None] * count
        self._elements = elements

    @staticmethod
    def _to_components(value: "StagedList") -> list:
        return value.handles

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is _Spec
            and repr(self._elements) == repr(other._elements)
        )

    __hash__ = None


# Has any been made in this process?
made = False


class StagedList(sequences.Sequence):
    """A list in a graph; it changes in place, as Python's.

    Without elements so far, it may not know what they will be: `elements` is
    None. The first one tells.
    """

    def __init__(
        self, elements: object, handles: list, source: list | None = None
    ):
        global made
        made = True
        # Specs of an element's tensors, in the element's structure.
        self.elements = elements
        self.handles = handles
        # The Python list it was made of.
        self.source = source
        # In a loop: gives the loop's own handles for lists of such elements.
        self.place: Callable[[object], list] | None = None
        # Shared by copies: [was something that no tensor can hold appended
        # while tracing?]
        self._is_pythons = [False]

    # As a value of branches and loops.

    @property
    def _type_spec(self) -> _Spec:
        return _Spec(self.elements, len(self.handles))

    def _with_components(self, handles: list) -> "StagedList":
        return StagedList(self.elements, list(handles), self.source)

    @property
    def is_open(self) -> bool:
        """Is the type of the elements not known yet?"""
        return self.elements is None

    def copy(self) -> "StagedList":
        made = StagedList(self.elements, list(self.handles), self.source)
        made.place, made._is_pythons = self.place, self._is_pythons
        return made

    def closed(self, elements: object) -> "StagedList":
        """An open list as one of such elements; in a loop as it is when the
        body begins."""
        if self.place is not None:
            return StagedList(elements, self.place(elements), self.source)
        return StagedList(elements, empties(elements), self.source)

    # As a sequence.

    def length(self):
        if self.is_open:
            return 0
        return raw_ops.TensorListLength(input_handle=self.handles[0])

    def element(self, i):
        if self.is_open:
            raise IndexError("list index out of range")
        return self._packed([
            _shaped(
                raw_ops.TensorListGetItem(
                    input_handle=handle, index=i,
                    element_shape=_sizes(spec), element_dtype=spec.dtype,
                ),
                spec.shape,
            )
            for handle, spec in zip(self.handles, nest.flatten(self.elements))
        ])

    def stacked(self):
        """All elements, stacked; in their structure if they have one."""
        if self.is_open:
            return ops.zeros([0])
        return self._packed([
            _shaped(
                raw_ops.TensorListStack(
                    input_handle=handle, element_shape=_sizes(spec),
                    element_dtype=spec.dtype, num_elements=-1,
                ),
                None if spec.shape.rank is None
                else TensorShape([None, *spec.shape.as_list()]),
            )
            for handle, spec in zip(self.handles, nest.flatten(self.elements))
        ])

    def concatenated(self, name: str):
        """All elements, tensors, one after the other along their first
        axis."""
        (spec,), (handle,) = nest.flatten(self.elements), self.handles
        if spec.shape.rank == 0:
            raise ValueError("Can't concatenate scalars (use tf.stack instead)")
        inner = spec.shape[1:]
        parts = TensorShape(None if spec.shape.rank is None
                               else [None, *inner.as_list()])
        joined = raw_ops.TensorListConcatV2(
            input_handle=handle,
            element_shape=_sizes(TensorSpec(parts, spec.dtype)),
            leading_dims=_graphkiln.constant([], dtypes.int64),
            element_dtype=spec.dtype,
            name=name,
        )[0]
        return _shaped(joined, parts)

    def _packed(self, tensors: list):
        return nest.pack_sequence_as(self.elements, tensors)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return of_stacked(nest.map_structure(
                lambda t: t[index], self.stacked()
            ))
        return self.element(self._position(index))

    def __setitem__(self, index, value) -> None:
        flat = self._flat(value)
        position = self._position(index)
        self.handles = [
            raw_ops.TensorListSetItem(
                input_handle=handle, index=position, item=t
            )
            for handle, t in zip(self.handles, flat)
        ]

    def __delitem__(self, index) -> None:
        if not isinstance(index, slice):
            self._pop_inside(index)
            return
        numbers = ops.range(self.length())
        gone = numbers[index]
        stay = ops.reduce_all(numbers[:, None] != gone[None, :], axis=1)
        stay.set_shape([None])
        self._replace(lambda t: ops.boolean_mask(t, stay))

    def _position(self, index):
        if staging.is_staged(index):
            index = ops.cast(index, dtypes.int32)
            return ops.where(index < 0, index + self.length(), index)
        return index + self.length() if index < 0 else index

    def __repr__(self) -> str:
        return f"<list of {self.elements} in a graph>"

    # As a list.

    def append(self, value) -> None:
        value = unstaged(value)
        if self._is_pythons[0] or (
            self.is_open and not _may_be_staged(value)
        ):
            # Seen while tracing, once: what Python's list does.
            self._is_pythons[0] = True
            self.source.append(value)
            return
        flat = self._flat(value)
        self.handles = [
            raw_ops.TensorListPushBack(input_handle=handle, tensor=t)
            for handle, t in zip(self.handles, flat)
        ]

    def extend(self, values) -> None:
        if not sequences.is_sequence(values):
            for value in values:
                self.append(value)
            return
        source = sequences.sequence(values)
        if self.is_open:
            sample = _sample(source)
            made = self.closed(nest.map_structure(_spec_of, sample))
            self.elements, self.handles = made.elements, made.handles

        length = source.length()

        def step(i, handles):
            self.handles = list(handles)
            self.append(source.element(i))
            return i + 1, self.handles

        _, self.handles = _graphkiln.while_loop(
            lambda i, _: i < length, step, (0, self.handles)
        )

    def pop(self, index=-1):
        if self.is_open:
            raise IndexError("pop from empty list")
        if not isinstance(index, int) or index != -1:
            return self._pop_inside(index)
        popped = []
        for i, (handle, spec) in enumerate(
            zip(self.handles, nest.flatten(self.elements))
        ):
            self.handles[i], tensor = raw_ops.TensorListPopBack(
                input_handle=handle, element_shape=_sizes(spec),
                element_dtype=spec.dtype,
            )
            popped.append(_shaped(tensor, spec.shape))
        return self._packed(popped)

    def _pop_inside(self, index):
        position = self._position(index)
        value = self.element(position)
        self._replace(lambda t: ops.concat(
            [t[:position], t[position + 1:]], 0
        ))
        return value

    def insert(self, index, value) -> None:
        flat = iter(self._flat(value))
        position = ops.clip_by_value(
            self._position(index), 0, self.length()
        )
        self._replace(lambda t: ops.concat(
            [t[:position], next(flat)[None], t[position:]], 0
        ))

    def clear(self) -> None:
        if not self.is_open:
            self.handles = empties(self.elements)

    def _replace(self, change: Callable) -> None:
        stacked = nest.flatten(self.stacked())
        self.handles = of_stacked([change(t) for t in stacked]).handles

    def _flat(self, value) -> list:
        """The tensors of an element to be; it gives an open list its type."""
        value = nest.map_structure(_graphkiln.convert_to_tensor, value)
        specs = nest.map_structure(_spec_of, value)
        if self.is_open:
            made = self.closed(specs)
            self.elements, self.handles = made.elements, made.handles
        _check(self.elements, specs)
        return nest.flatten(value)


def _may_be_staged(value) -> bool:
    """Can tensors hold it, and is it no text?"""
    leaves = nest.flatten(value, expand_composites=False)
    return bool(leaves) and all(
        isinstance(leaf, (bool, int, float, complex))
        or staging.is_staged(leaf)
        or type(leaf).__module__ == "numpy"
        for leaf in leaves
    )


def _spec_of(tensor) -> TensorSpec:
    return TensorSpec(tensor.shape, tensor.dtype)


def _check(wanted: object, given: object) -> None:
    try:
        nest.assert_same_structure(wanted, given)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"an element {given} does not have the structure of the list's "
            f"others, {wanted}: {error}"
        ) from None
    for old, new in zip(nest.flatten(wanted), nest.flatten(given)):
        if old.dtype != new.dtype:
            raise TypeError(
                f"an element has dtype {new.dtype.name}, but the list's others "
                f"have dtype {old.dtype.name}"
            )
        if not new.shape.is_subtype_of(old.shape):
            raise ValueError(
                f"an element has shape {new.shape}, but the list's others have "
                f"shape {old.shape}. Use "
                "tf.autograph.experimental.set_element_type to say what all "
                "of them have in common."
            )


def _sizes(spec: TensorSpec):
    if spec.shape.rank is None:
        return _graphkiln.constant(-1, dtypes.int32)
    return _graphkiln.constant(
        [-1 if n is None else n for n in spec.shape.as_list()], dtypes.int32
    )


def _shaped(tensor, shape):
    if shape is not None:
        tensor.set_shape(shape)
    return tensor


def _empty(spec: TensorSpec):
    return raw_ops.EmptyTensorList(
        element_shape=_sizes(spec), max_num_elements=-1,
        element_dtype=spec.dtype,
    )


def of_stacked(stacked: object) -> StagedList:
    """The rows of tensors in a structure as a list."""
    def spec(t):
        shape = None if t.shape.rank is None else t.shape[1:]
        return TensorSpec(shape, t.dtype)

    elements = nest.map_structure(spec, stacked)
    return StagedList(elements, [
        raw_ops.TensorListFromTensor(
            tensor=t, element_shape=_sizes(s)
        )
        for t, s in zip(nest.flatten(stacked), nest.flatten(elements))
    ])


def _sample(source: sequences.Sequence):
    """An element of a sequence, in a graph that is thrown away."""
    aside = _graphkiln.FuncGraph("tmp")
    try:
        aside._enter()
        return nest.map_structure(
            _graphkiln.convert_to_tensor, source.element(_graphkiln.constant(0))
        )
    finally:
        aside._exit()


def of_list(items: object) -> object:
    """A Python list for a staged branch or loop that changes it; itself if
    its elements have no type in common."""
    if type(items) is not list:
        return items
    if not items:
        return StagedList(None, [], items)
    if not all(_may_be_staged(item) for item in items):
        return items
    try:
        made = StagedList(None, [], items)
        for item in items:
            made.append(item)
    except (TypeError, ValueError):
        return items
    return made


def empties(elements: object) -> list:
    """The handles of a list of such elements that has none yet."""
    return [_empty(spec) for spec in nest.flatten(elements)]


def started(names: tuple, values: tuple, lists: tuple) -> tuple:
    """The values of symbols at the start of a branch or loop that changes
    `lists` in place."""
    if not lists:
        return values
    return tuple(
        of_list(value) if name in lists else value
        for name, value in zip(names, values)
    )


def copies(values: tuple) -> tuple:
    """The values for one branch; what it changes, no other sees."""
    return tuple(
        value.copy() if isinstance(value, StagedList) else value
        for value in values
    )


def are_same(a: object, b: object) -> bool:
    """Are these lists that nothing was done to but while tracing?"""
    if isinstance(a, list):
        return a is b
    if not isinstance(a, StagedList) or not isinstance(b, StagedList):
        return False
    if a.is_open or b.is_open:
        return a.is_open and b.is_open
    return len(a.handles) == len(b.handles) and all(
        x is y for x, y in zip(a.handles, b.handles)
    )


def kept(results: list, start: tuple, before: tuple) -> list:
    """Lists that are as they were are what they were `before`."""
    return [
        original if isinstance(old, StagedList) and are_same(new, old)
        else new
        for new, old, original in zip(results, start, before)
    ]


def set_element_type(items: object, dtype, shape=None) -> object:
    """What `items` is from the directive of this name on."""
    if _graphkiln.executing_eagerly() or type(items) is not list:
        return items
    elements = TensorSpec(shape, _graphkiln.as_dtype(dtype))
    made = StagedList(elements, [_empty(elements)], items)
    for item in items:
        made.append(_graphkiln.convert_to_tensor(item, dtype=elements.dtype))
    return made


def unstaged(value: object) -> object:
    """What a function returns: lists of the graph as stacked tensors."""
    def leaf(x):
        return x.stacked() if isinstance(x, StagedList) else x

    return nest.map_structure(leaf, value)


def _converted(value, dtype=None, name=None, as_ref=False):
    stacked = value.stacked()
    if not isinstance(stacked, Tensor):
        raise TypeError(f"{value!r} has elements of several tensors")
    return ops.cast(stacked, dtype) if dtype is not None else stacked


_graphkiln.register_tensor_conversion_function(StagedList, _converted)


_graphkiln.provide(StagedList, empties)
