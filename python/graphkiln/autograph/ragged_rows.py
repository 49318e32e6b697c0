"""Ragged tensors as iterables."""

from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.autograph.sequence import Sequence


class RaggedRows(Sequence):
    """The rows of a ragged tensor."""

    def __init__(self, ragged):
        self.ragged = ragged

    def length(self):
        return ops.cast(self.ragged.nrows(), dtypes.int32)

    def element(self, i):
        return self.ragged[i]
