"""Names that local functions use of the function around them."""


class Closures:
    """What the local functions of a function read and write outside of
    themselves, by the name they are bound to."""

    def __init__(self):
        self.reads: dict[str, set[str]] = {}
        self.writes: dict[str, set[str]] = {}
        # Names bound to lists that are made in the function.
        self.lists: set[str] = set()
