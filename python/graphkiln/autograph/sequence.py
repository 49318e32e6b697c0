"""Iterables whose elements a staged loop gets by number."""

from graphkiln import errors


class Sequence:
    """Elements by number. `length()` is an int or an int32 tensor."""

    def length(self):
        raise NotImplementedError

    def element(self, i):
        raise NotImplementedError

    def prepare(self) -> None:
        """Makes in the graph around a loop what its iterations read from."""

    def __iter__(self):
        count = self.length()
        if not isinstance(count, int):
            raise errors.OperatorNotAllowedInGraphError(
                "Iterating over a symbolic `tf.Tensor` is not allowed where "
                "its length is not known while tracing; use it in a for "
                "statement."
            )
        return iter([self.element(i) for i in range(count)])

    def __len__(self) -> int:
        count = self.length()
        if not isinstance(count, int):
            raise TypeError("the length is not known while tracing")
        return count
