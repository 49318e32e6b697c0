"""Options of gradients."""

import enum


class UnconnectedGradients(enum.Enum):
    """What the gradient of an unconnected source is.

    >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     z = x * x
    >>> tape.gradient(
    ...     z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO
    ... ).numpy().item()
    0.0
    """

    NONE = "none"
    ZERO = "zero"


class AggregationMethod:
    """How tf.gradients adds up what reaches a tensor on several ways; the
    result is the same.

    >>> tf.AggregationMethod.DEFAULT
    0
    """

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
