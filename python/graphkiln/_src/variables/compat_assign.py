"""tf.compat.v1.assign and its like: changes of variables as functions."""

from graphkiln import _graphkiln


def _variable(ref: object, method: str) -> _graphkiln.BaseVariable:
    if not isinstance(ref, _graphkiln.BaseVariable):
        raise AttributeError(
            f"{type(ref).__name__!r} object has no attribute {method!r}: only "
            f"variables can be assigned to, got {ref!r}"
        )
    return ref


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Gives a variable another value, and returns the variable.

    Args:
      ref: the variable.
      value: of the variable's dtype and a shape that fits it.
      validate_shape: accepted for compatibility; the variable's own shape
        decides.
      use_locking: accepted for compatibility; changes are always whole.
      name: of the op.

    Raises:
      AttributeError: `ref` is no variable.
      ValueError: the shapes do not fit.

    >>> v = tf.Variable(1)
    >>> tf.compat.v1.assign(v, 5).numpy().item()
    5
    """
    return _variable(ref, "assign").assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    """Adds to a variable, and returns the variable.

    Args:
      ref: the variable.
      value: of the variable's dtype and shape.
      use_locking: accepted for compatibility; changes are always whole.
      name: of the op.

    Raises:
      AttributeError: `ref` is no variable.
      tf.errors.InvalidArgumentError: the shapes differ.

    >>> v = tf.Variable(1)
    >>> tf.compat.v1.assign_add(v, 5).numpy().item()
    6
    """
    return _variable(ref, "assign_add").assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts from a variable, and returns the variable.

    Args:
      ref: the variable.
      value: of the variable's dtype and shape.
      use_locking: accepted for compatibility; changes are always whole.
      name: of the op.

    Raises:
      AttributeError: `ref` is no variable.
      tf.errors.InvalidArgumentError: the shapes differ.

    >>> v = tf.Variable(1)
    >>> tf.compat.v1.assign_sub(v, 5).numpy().item()
    -4
    """
    return _variable(ref, "assign_sub").assign_sub(value, name=name)
