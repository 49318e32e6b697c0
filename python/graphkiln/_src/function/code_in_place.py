"""Code that stands where a value is read."""

from collections.abc import Callable, Mapping


class CodeInPlace:
    """Found in place of a value: a function that makes it, or a method."""

    def __init__(
        self,
        function: object,
        arguments: Mapping[str, object],
        find_function: Callable[[], object] | None = None,
    ):
        self.function = function
        self.arguments = arguments
        self.find_function = find_function
