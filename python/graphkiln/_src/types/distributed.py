"""Types that TensorFlow's values on several devices have: for annotations and
`isinstance`. No value here is of them, for there is one device."""


class DistributedValues:
    """What is several values, one on each device."""


class PerReplica(DistributedValues):
    """Values that may differ from device to device.

    >>> isinstance(tf.constant(1), tf.types.experimental.distributed.PerReplica)
    False
    """


class Mirrored(DistributedValues):
    """Values that are the same on all devices.

    >>> isinstance(tf.constant(1), tf.types.experimental.distributed.Mirrored)
    False
    """
