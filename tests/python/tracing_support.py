"""Functions that count their traces, and classes that nest."""

import collections
import dataclasses

import graphkiln as tf

Pair = collections.namedtuple("Pair", "a b")


def counting(**options):
    """A function that returns the number of its trace."""
    log = []

    @tf.function(**options)
    def f(*args, **kwargs):
        log.append(1)
        return tf.constant(len(log))

    return f


def chosen(f, *calls):
    return [int(f(*call)) for call in calls]


@dataclasses.dataclass
class Masked:
    mask: str
    value: object

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])
