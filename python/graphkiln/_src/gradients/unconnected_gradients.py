"""What gradients of unconnected sources are."""

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
