"""enumerate, zip and map of sequences."""

from collections.abc import Callable

from graphkiln._src import ops
from graphkiln.autograph.sequence import Sequence


class Mapped(Sequence):
    """What a function of the number gives for the elements of that number of
    sequences, as far as all go."""

    def __init__(self, function: Callable, inner: list[Sequence]):
        self.function, self.inner = function, inner

    def prepare(self) -> None:
        for part in self.inner:
            part.prepare()

    def length(self):
        counts = [part.length() for part in self.inner]
        known = [n for n in counts if isinstance(n, int)]
        if len(known) == len(counts):
            return min(known)
        shortest = counts[0]
        for count in counts[1:]:
            shortest = ops.minimum(shortest, count)
        return shortest

    def element(self, i):
        return self.function(i, *(part.element(i) for part in self.inner))
