"""Python's iterables beside tensors."""

from graphkiln import _graphkiln
from graphkiln.autograph.sequence import Sequence


class PythonItems(Sequence):
    """A Python iterable beside tensors: its own items where the number is
    Python's, else rows of a tensor of them."""

    def __init__(self, items):
        self.items = list(items)
        self._tensor = None

    def prepare(self) -> None:
        try:
            self._tensor = _graphkiln.convert_to_tensor(self.items)
        except (TypeError, ValueError):
            # No loop can run over them; in a comprehension they are fine.
            self._tensor = None

    def length(self):
        return len(self.items)

    def element(self, i):
        if isinstance(i, int):
            return self.items[i]
        if self._tensor is None:
            raise TypeError(
                f"a loop over tensors cannot run over {self.items!r} beside "
                "them: they do not make a tensor"
            )
        return self._tensor[i]
