"""tf.io.parse_sequence_example."""

from __future__ import annotations

from collections.abc import Mapping

from graphkiln import _graphkiln
from graphkiln._src.example import features as kinds
from graphkiln._src.types.dispatched import dispatched

Features = Mapping[str, object] | None


def _parse(
    serialized: object,
    context: Features,
    sequence: Features,
    names: object,
    name: str,
    one: bool,
) -> tuple[dict, dict, dict]:
    if not context and not sequence:
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, "
            "but at least one should have values."
        )

    def wanted(features: Features) -> list:
        given = features or {}
        return [(key, kinds.fields_of(key, given[key])) for key in sorted(given)]

    return _graphkiln.parse_sequences(
        serialized, names, wanted(context), wanted(sequence), name, one
    )


@dispatched
def parse_sequence_example(
    serialized: object,
    context_features: Features = None,
    sequence_features: Features = None,
    example_names: object = None,
    name: str | None = None,
) -> tuple[dict, dict, dict]:
    """Reads features out of a batch of serialized tf.train.SequenceExample messages.

    Args:
      serialized: a vector of strings.
      context_features: by name, which features of the context and how:
        `tf.io.FixedLenFeature`, `VarLenFeature`, `RaggedFeature`.
      sequence_features: by name, which lists of features and how:
        `tf.io.FixedLenSequenceFeature`, `VarLenFeature`, `RaggedFeature`, whose
        partitions divide each step.
      example_names: names for messages, one for each example.
      name: of the ops.

    Returns three dictionaries: of the context, whose tensors have a row for each
    example; of the lists, which have a second dimension of steps, dense ones
    padded with 0 or ""; of the lengths of the dense lists.

    Raises ValueError for features that ask for what cannot be,
    tf.errors.InvalidArgumentError for an example that is none, lacks a feature that
    it must have, or holds another type or number of values.

    >>> x = tf.train.SequenceExample()
    >>> x.context.feature['n'].int64_list.value.append(3)
    >>> for v in [1, 2]:
    ...     step = x.feature_lists.feature_list['a'].feature.add()
    ...     step.int64_list.value.append(v)
    >>> context, lists, lengths = tf.io.parse_sequence_example(
    ...     [x.SerializeToString()],
    ...     {'n': tf.io.FixedLenFeature([], tf.int64)},
    ...     {'a': tf.io.FixedLenSequenceFeature([], tf.int64)})
    >>> [d[k].numpy().tolist() for d, k in
    ...  ((context, 'n'), (lists, 'a'), (lengths, 'a'))]
    [[3], [[1, 2]], [2]]
    """
    return _parse(
        serialized, context_features, sequence_features, example_names,
        name or "ParseSequenceExample", False,
    )  # fmt: skip


@dispatched
def parse_single_sequence_example(
    serialized: object,
    context_features: Features = None,
    sequence_features: Features = None,
    example_name: object = None,
    name: str | None = None,
) -> tuple[dict, dict]:
    """Reads features out of one serialized tf.train.SequenceExample message, a scalar.

    See `tf.io.parse_sequence_example`; results have no dimension for the batch, and
    there are no lengths.

    >>> x = tf.train.SequenceExample()
    >>> x.context.feature['n'].int64_list.value.append(3)
    >>> context, lists = tf.io.parse_single_sequence_example(
    ...     x.SerializeToString(), {'n': tf.io.FixedLenFeature([], tf.int64)})
    >>> int(context['n'])
    3
    """
    context, lists, _ = _parse(
        serialized, context_features, sequence_features, example_name,
        name or "ParseSingleSequenceExample", True,
    )  # fmt: skip
    return context, lists
