"""What stands for the result of a function before it has one."""

from graphkiln import _graphkiln


class UndefinedReturnValue:
    """What a function returns before it meets a return statement. With
    `pending`, every way through the function meets one in the end, so that
    a branch without one may stand in with zeros."""

    __slots__ = ("pending",)

    def __init__(self, pending: bool = False):
        self.pending = pending

    def __repr__(self) -> str:
        return "<no return value>"


_graphkiln.provide(UndefinedReturnValue)
