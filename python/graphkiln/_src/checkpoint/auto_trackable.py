"""The base of objects whose attributes a checkpoint follows."""

from __future__ import annotations

from graphkiln._src.checkpoint.waiting import attribute_set


class AutoTrackable:
    """Base of objects whose attributes are saved with them.

    >>> class Counter(tf.__internal__.tracking.AutoTrackable):
    ...     def __init__(self):
    ...         self.turns = tf.Variable(0)
    >>> checkpoint = tf.train.Checkpoint(counter=Counter())
    """

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        attribute_set(self, name, value)
