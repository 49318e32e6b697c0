"""The objects of a loaded model in a graph that a session runs."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src.session.graph_keys import GraphKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from graphkiln._src.saved_model.partial import Part

_INITIALIZERS = "saved_model_initializers"


class GraphValues:
    """Makes them in the default graph; `variables` has those by the numbers of
    the objects.

    Args:
      is_version_one: is the model one of TensorFlow 1, which its programs
        initialize otherwise?
      part: which objects are wanted, and those of the program; None: all are made.
    """

    def __init__(self, is_version_one: bool, part: Part | None = None) -> None:
        self.variables: dict[int, Variable] = {}
        self._given = {} if part is None else part.given
        self._handles = {} if part is None else part.handles()
        self._graph = _graphkiln.get_default_graph()
        self._is_version_one = is_version_one

    def variable(
        self,
        number: int,
        name: str,
        shape: Any,
        dtype: Any,
        trainable: bool,
        value: Any,
    ) -> Variable:
        """One whose initializer gives it the value that was saved."""
        if number in self._handles:
            given = self.variables[number] = self._given[number]
            if value is not None:
                assign = given.assign(self.constant(value), read_value=False)
                given._graph_initializer = assign
            return given
        if value is None:
            sizes = [size or 0 for size in shape] if shape.rank is not None else []
            begin = raw_ops.Empty(shape=sizes, dtype=dtype, init=True)
        else:
            begin = self.constant(value)
        made = Variable(begin, trainable=trainable, name=name, dtype=dtype, shape=shape)
        # Those of a loaded model are trained by who asks for them.
        self._leave_out(GraphKeys.TRAINABLE_VARIABLES, made)
        if number < 0:
            self._leave_out(GraphKeys.GLOBAL_VARIABLES, made)
            self._graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, made)
        if self._is_version_one:
            self._graph.add_to_collection(_INITIALIZERS, made.initializer)
        self.variables[number] = made
        return made

    def _leave_out(self, key: str, made: Variable) -> None:
        collected = self._graph.get_collection_ref(key)
        collected[:] = [variable for variable in collected if variable is not made]

    def resource(self, number: int) -> Tensor | None:
        """The handle of one of the program's."""
        return self._handles.get(number)

    def constant(self, value: Tensor) -> Tensor:
        """A node that has an eager tensor's value."""
        return _graphkiln.constant(value)

    def asset(self, path: str) -> Tensor:
        """The path of a file."""
        made = _graphkiln.constant(path, name="asset_path")
        self._graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, made)
        return made

    def initialize(self, outputs: list[Tensor]) -> None:
        """Notes what has to run before the model is used."""
        key = _INITIALIZERS if self._is_version_one else GraphKeys.TABLE_INITIALIZERS
        for operation in {output.op.name: output.op for output in outputs}.values():
            self._graph.add_to_collection(key, operation)
