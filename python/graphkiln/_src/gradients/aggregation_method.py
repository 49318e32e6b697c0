"""How tf.gradients adds up."""


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
