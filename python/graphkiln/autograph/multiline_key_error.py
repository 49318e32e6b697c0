"""KeyErrors that tell the user's lines."""


class MultilineMessageKeyError(KeyError):
    """A KeyError that prints its message as it is."""

    def __init__(self, message: str, original_key: object = None):
        super().__init__(original_key)
        self._message = message

    def __str__(self) -> str:
        return self._message


# Users see the class they know.
MultilineMessageKeyError.__name__ = KeyError.__name__
MultilineMessageKeyError.__qualname__ = KeyError.__qualname__
