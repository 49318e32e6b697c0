"""tf.compat.v1.train.batch and its kind: batches of examples, by queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.queue.examples import Examples
from graphkiln._src.queue.input_producers import NOT_EAGERLY, summarize_size
from graphkiln._src.queue.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue


def _plain_batch(
    kind: str,
    sources: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    threads: int,
    capacity: int,
    many: bool,
    shapes: Any,
    dynamic_pad: bool,
    smaller: bool,
    shared_name: str | None,
    name: str | None,
) -> Any:
    if _graphkiln.executing_eagerly():
        raise ValueError(NOT_EAGERLY)
    with _graphkiln.name_scope(name or kind) as scope:
        examples = Examples(sources, keep_input, many)
        queue = (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
            capacity, examples.dtypes, examples.shapes(shapes), shared_name=shared_name
        )
        examples.fill(queue, threads)
        summarize_size(queue, capacity, f"fraction_of_{capacity}_full")
        return examples.batch(queue, batch_size, smaller, scope)


def _shuffled_batch(
    kind: str,
    sources: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int,
    least: int,
    threads: int,
    seed: int | None,
    many: bool,
    shapes: Any,
    smaller: bool,
    shared_name: str | None,
    name: str | None,
) -> Any:
    if _graphkiln.executing_eagerly():
        raise ValueError(NOT_EAGERLY)
    with _graphkiln.name_scope(name or kind) as scope:
        if capacity <= least:
            raise ValueError(
                f"capacity {capacity} must be bigger than min_after_dequeue {least}."
            )
        examples = Examples(sources, keep_input, many)
        queue = RandomShuffleQueue(
            capacity,
            least,
            examples.dtypes,
            examples.shapes(shapes),
            seed=seed,
            shared_name=shared_name,
        )
        examples.fill(queue, threads)
        summarize_size(
            queue, capacity, f"fraction_over_{least}_of_{capacity - least}_full", least
        )
        return examples.batch(queue, batch_size, smaller, scope)


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors: a list or a dictionary of tensors, dense or sparse: an example.
      batch_size: how many examples are in a batch.
      num_threads: how many put examples into the queue.
      capacity: of the queue.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      dynamic_pad: are tensors of different sizes padded with zeros?
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([1, 2, 3], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.batch([x], 2)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [1, 2]
    """
    return _plain_batch(
        "batch",
        [tensors],
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples; of those alone that are to be kept.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors: a list or a dictionary of tensors, dense or sparse: an example.
      keep_input: a bool scalar: does the example go into the queue? With
        `enqueue_many` a vector of them, too.
      batch_size: how many examples are in a batch.
      num_threads: how many put examples into the queue.
      capacity: of the queue.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      dynamic_pad: are tensors of different sizes padded with zeros?
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([0, 2, 0, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.maybe_batch([x], x > 0, 2)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _plain_batch(
        "batch",
        [tensors],
        keep_input,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples, which come from several places.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors_list: lists or dictionaries of tensors, dense or sparse: one thread for
        each.
      batch_size: how many examples are in a batch.
      capacity: of the queue.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      dynamic_pad: are tensors of different sizes padded with zeros?
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([2, 2, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.batch_join([[x], [x]], 2)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _plain_batch(
        "batch_join",
        tensors_list,
        True,
        batch_size,
        1,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples, which come from several places; of those alone that are to be kept.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors_list: lists or dictionaries of tensors, dense or sparse: one thread for
        each.
      keep_input: a bool scalar: does the example go into the queue? With
        `enqueue_many` a vector of them, too.
      batch_size: how many examples are in a batch.
      capacity: of the queue.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      dynamic_pad: are tensors of different sizes padded with zeros?
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([0, 2, 0, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.maybe_batch_join([[x], [x]], x > 0, 2)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _plain_batch(
        "batch_join",
        tensors_list,
        keep_input,
        batch_size,
        1,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples chosen at random.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors: a list or a dictionary of tensors, dense or sparse: an example.
      batch_size: how many examples are in a batch.
      capacity: of the queue.
      min_after_dequeue: how many examples stay to choose from.
      num_threads: how many put examples into the queue.
      seed: of the choices.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([2, 2, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.shuffle_batch([x], 2, 9, 1)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _shuffled_batch(
        "shuffle_batch",
        [tensors],
        True,
        batch_size,
        capacity,
        min_after_dequeue,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples chosen at random; of those alone that are to be kept.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors: a list or a dictionary of tensors, dense or sparse: an example.
      batch_size: how many examples are in a batch.
      capacity: of the queue.
      min_after_dequeue: how many examples stay to choose from.
      keep_input: a bool scalar: does the example go into the queue? With
        `enqueue_many` a vector of them, too.
      num_threads: how many put examples into the queue.
      seed: of the choices.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([0, 2, 0, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.maybe_shuffle_batch([x], 2, 9, 1, x > 0)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _shuffled_batch(
        "shuffle_batch",
        [tensors],
        keep_input,
        batch_size,
        capacity,
        min_after_dequeue,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples chosen at random, which come from several places.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors_list: lists or dictionaries of tensors, dense or sparse: one thread for
        each.
      batch_size: how many examples are in a batch.
      capacity: of the queue.
      min_after_dequeue: how many examples stay to choose from.
      seed: of the choices.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([2, 2, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.shuffle_batch_join([[x], [x]], 2, 9, 1)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _shuffled_batch(
        "shuffle_batch_join",
        tensors_list,
        True,
        batch_size,
        capacity,
        min_after_dequeue,
        1,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples chosen at random, which come from several places; of those alone that are to be kept.

    A queue is filled by a runner that the graph keeps. OutOfRangeError follows the
    last batch.

    Args:
      tensors_list: lists or dictionaries of tensors, dense or sparse: one thread for
        each.
      batch_size: how many examples are in a batch.
      capacity: of the queue.
      min_after_dequeue: how many examples stay to choose from.
      keep_input: a bool scalar: does the example go into the queue? With
        `enqueue_many` a vector of them, too.
      seed: of the choices.
      enqueue_many: are the tensors' rows the examples?
      shapes: of the examples' tensors, where these do not tell.
      allow_smaller_final_batch: are the last examples given if they are fewer?
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: for shapes that are not known and bad conditions, and when eager
        execution is enabled.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.input_producer([0, 2, 0, 2], shuffle=False).dequeue()
    ...     y = tf.compat.v1.train.maybe_shuffle_batch_join([[x], [x]], 2, 9, 1, x > 0)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y).tolist()
    [2, 2]
    """
    return _shuffled_batch(
        "shuffle_batch_join",
        tensors_list,
        keep_input,
        batch_size,
        capacity,
        min_after_dequeue,
        1,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
