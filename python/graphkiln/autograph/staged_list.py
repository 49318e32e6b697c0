"""Python lists whose length only the graph knows: those that grow or shrink
in staged branches and loops, and comprehensions over tensors of unknown
length. What becomes of their elements is the core's to say; here is how they
answer as lists, and which stay Python's while tracing.
"""

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import Tensor, TensorSpec
from graphkiln._src import ops
from graphkiln.autograph import sequences, staging
from graphkiln.autograph.sequence import Sequence

# Has any been made in this process?
made = False


class StagedList(_graphkiln.ListValue, Sequence):
    """A list in a graph; it changes in place, as Python's.

    Without elements so far, it may not know what they will be. The first one
    tells.
    """

    def __init__(
        self,
        value: _graphkiln.ListValue | None = None,
        source: list | None = None,
    ):
        global made
        made = True
        super().__init__(value)
        # The Python list it was made of.
        self.source = source
        # Shared by copies: [was something that no tensor can hold appended
        # while tracing?]
        self._is_pythons = [False]

    def _with_components(self, handles: list) -> "StagedList":
        return StagedList(self.with_handles(handles), self.source)

    def copy(self) -> "StagedList":
        made = StagedList(self, self.source)
        made._is_pythons = self._is_pythons
        return made

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return StagedList(found, []) if isinstance(index, slice) else found

    def append(self, value) -> None:
        value = unstaged(value)
        if self._is_pythons[0] or (
            self.is_open and not _may_be_staged(value)
        ):
            # Seen while tracing, once: what Python's list does.
            self._is_pythons[0] = True
            self.source.append(value)
            return
        super().append(value)

    def extend(self, values) -> None:
        if not sequences.is_sequence(values):
            for value in values:
                self.append(value)
            return
        source = sequences.sequence(values)
        if self.is_open:
            self.close(sequences.sample(source))

        length = source.length()

        def step(i, handles):
            self.handles = handles
            self.append(source.element(i))
            return i + 1, self.handles

        _, self.handles = _graphkiln.while_loop(
            lambda i, _: i < length, step, (0, self.handles)
        )


def _may_be_staged(value) -> bool:
    """Can tensors hold it, and is it no text?"""
    leaves = nest.flatten(value, expand_composites=False)
    return bool(leaves) and all(
        isinstance(leaf, (bool, int, float, complex))
        or staging.is_staged(leaf)
        or type(leaf).__module__ == "numpy"
        for leaf in leaves
    )


def of_list(items: object) -> object:
    """A Python list for a staged branch or loop that changes it; itself if
    its elements have no type in common."""
    if type(items) is not list:
        return items
    if not items:
        return StagedList(None, items)
    if not all(_may_be_staged(item) for item in items):
        return items
    try:
        made = StagedList(None, items)
        for item in items:
            made.append(item)
    except (TypeError, ValueError):
        return items
    return made


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
    return (
        isinstance(a, StagedList)
        and isinstance(b, StagedList)
        and a.is_same_as(b)
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
    dtype = _graphkiln.as_dtype(dtype)
    made = StagedList(
        _graphkiln.ListValue.of_spec(TensorSpec(shape, dtype)), items
    )
    for item in items:
        made.append(_graphkiln.convert_to_tensor(item, dtype=dtype))
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
