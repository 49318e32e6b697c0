"""Columns of features, which TensorFlow no longer develops and graphkiln does not
have: the classes are there to be named and derived from."""

from __future__ import annotations

from typing import Any


def _refusal() -> NotImplementedError:
    return NotImplementedError(
        "graphkiln has no feature columns, which TensorFlow no longer develops: use "
        "Keras' preprocessing layers."
    )


class FeatureColumn:
    """What makes of a feature what a model takes.

    >>> isinstance(None, tf.__internal__.feature_column.FeatureColumn)
    False
    """


class DenseColumn(FeatureColumn):
    """One that gives a dense tensor.

    >>> isinstance(None, tf.__internal__.feature_column.DenseColumn)
    False
    """


class SequenceDenseColumn(FeatureColumn):
    """One that gives dense tensors of sequences.

    >>> isinstance(None, tf.__internal__.feature_column.SequenceDenseColumn)
    False
    """


class StateManager:
    """Who keeps the variables of columns.

    >>> isinstance(None, tf.__internal__.feature_column.StateManager)
    False
    """


class FeatureTransformationCache:
    """What columns have made of features.

    Raises:
      NotImplementedError: always.

    >>> isinstance(None, tf.__internal__.feature_column.FeatureTransformationCache)
    False
    """

    def __init__(self, features: Any) -> None:
        raise _refusal()


def serialize_feature_column(fc: Any) -> Any:
    """Raises NotImplementedError.

    >>> callable(tf.__internal__.feature_column.serialize_feature_column)
    True
    """
    raise _refusal()


def deserialize_feature_column(
    config: Any, custom_objects: Any = None, columns_by_name: Any = None
) -> Any:
    """Raises NotImplementedError.

    >>> callable(tf.__internal__.feature_column.deserialize_feature_column)
    True
    """
    raise _refusal()
