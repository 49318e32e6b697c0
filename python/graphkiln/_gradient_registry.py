"""Which ops are declared to have no gradient."""

from graphkiln import _graphkiln

_without: set[str] = set()


def no_gradient(op_type: str) -> None:
    """Declares that an op has no gradient.

    Raises TypeError if `op_type` is no string, KeyError if the op has a
    gradient or was declared before.

    >>> tf.no_gradient("MyOwnOp")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    if op_type in _without or op_type in _graphkiln.op_names():
        raise KeyError(f"Registering two gradient with name '{op_type}'!")
    _without.add(op_type)
