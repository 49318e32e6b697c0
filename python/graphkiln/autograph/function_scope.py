"""What generated functions carry about while they run."""

from graphkiln.autograph.undefined_return_value import UndefinedReturnValue


class FunctionScope:
    """The body of a generated function while it runs."""

    __slots__ = ("function_name", "name", "options")

    def __init__(self, function_name: str, name: str, options):
        self.function_name = function_name
        self.name = name
        self.options = options

    def __enter__(self) -> "FunctionScope":
        return self

    def __exit__(self, *error) -> None:
        pass

    def ret(self, value: object, did_return: object) -> object:
        """What the function returns."""
        if type(value) is UndefinedReturnValue:
            return None
        return value
