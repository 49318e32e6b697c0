"""Tensors as iterables."""

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln.autograph.sequence import Sequence


class TensorRows(Sequence):
    """The slices of a tensor along its first axis."""

    def __init__(self, tensor):
        self.tensor = _graphkiln.convert_to_tensor(tensor)
        if self.tensor.shape.rank == 0:
            raise ValueError(
                "len requires a non-scalar tensor, got one of shape (): a "
                f"scalar cannot be iterated over: {self.tensor}"
            )
        self._list = None

    def length(self):
        shape = self.tensor.shape
        if shape.rank is not None and shape.as_list()[0] is not None:
            return shape.as_list()[0]
        return ops.shape(self.tensor)[0]

    def prepare(self) -> None:
        self._list = _graphkiln.ListValue.of_rows(self.tensor)

    def element(self, i):
        if self._list is None:
            return self.tensor[i]
        return self._list.element(i)
