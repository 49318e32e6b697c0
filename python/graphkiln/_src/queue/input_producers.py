"""tf.compat.v1.train: queues that give the rows of tensors, epoch after epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor, Variable
from graphkiln._src import ops
from graphkiln._src.queue.queue_runner import QueueRunner, add_queue_runner
from graphkiln._src.queue.queues import FIFOQueue, QueueBase
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.summary.version_one import scalar
from graphkiln._src.version_one.arrays import count_up_to

NOT_EAGERLY = (
    "Input pipelines based on Queues are not supported when eager execution is "
    "enabled. Please use tf.data to ingest data into your model instead."
)


def summarize_size(queue: QueueBase, capacity: int, name: str, least: int = 0) -> None:
    """A summary of how full a queue is beyond `least`."""
    size = queue.size()
    if least:
        size = ops.maximum(0, size - least)
    scalar(name, ops.cast(size, _graphkiln.float32) * (1.0 / (capacity - least)))


def limit_epochs(
    tensor: Any, num_epochs: int | None = None, name: str | None = None
) -> Tensor:
    """A tensor that is given so many times, then OutOfRangeError.

    Args:
      tensor: what is given.
      num_epochs: how many times; None: without end. They are counted by a local
        variable `epochs`.
      name: of the ops.

    Raises:
      ValueError: unless `num_epochs` is above 0.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.limit_epochs(tf.constant(7), num_epochs=1)
    ...     with tf.compat.v1.Session() as session:
    ...         session.run(tf.compat.v1.local_variables_initializer())
    ...         session.run(x).item()
    7
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with _graphkiln.name_scope(name or "limit_epochs") as scope:
        epochs = Variable(
            _graphkiln.constant(0, _graphkiln.int64),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        counter = count_up_to(epochs, num_epochs)
        with _graphkiln.control_dependencies([counter]):
            return ops.identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of the rows of a tensor, with a runner that fills it.

    Args:
      input_tensor: the rows.
      element_shape: of a row, where `input_tensor` does not tell.
      num_epochs: how often each row is given; None: without end. They are counted
        by a local variable `epochs`.
      shuffle: does each epoch have an order of its own?
      seed: of the orders.
      capacity: of the queue.
      shared_name: of the queue, by which sessions share it.
      summary_name: of a summary of how full it is.
      name: of the queue.
      cancel_op: of its runner.

    Raises:
      ValueError: if the shape of a row is not known.
      RuntimeError: when eager execution is enabled.

    >>> with tf.Graph().as_default():
    ...     q = tf.compat.v1.train.input_producer([[1, 2], [3, 4]], shuffle=False)
    ...     x = q.dequeue()
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(x).tolist()
    [1, 2]
    """
    if _graphkiln.executing_eagerly():
        raise RuntimeError(NOT_EAGERLY)
    with _graphkiln.name_scope(name or "input_producer"):
        rows = _graphkiln.convert_to_tensor(input_tensor, name="input_tensor")
        element_shape = rows.shape[1:].merge_with(element_shape)
        if not element_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or "
                "`element_shape` must be specified"
            )
        if shuffle:
            rows = ops.random.shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(
            capacity,
            dtypes=[rows.dtype],
            shapes=[element_shape],
            shared_name=shared_name,
            name=name or "fifo_queue",
        )
        add_queue_runner(
            QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op)
        )
        if summary_name is not None:
            summarize_size(queue, capacity, summary_name)
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of strings, names of files for example, with a runner that fills it.

    Args:
      string_tensor: a vector of strings.
      num_epochs: how often each is given; None: without end. They are counted by a
        local variable `epochs`.
      shuffle: does each epoch have an order of its own?
      seed: of the orders.
      capacity: of the queue.
      shared_name: of the queue, by which sessions share it.
      name: of the ops.
      cancel_op: of its runner.

    Raises:
      ValueError: for an empty list; in a run, InvalidArgumentError for an empty
        tensor.

    >>> with tf.Graph().as_default():
    ...     q = tf.compat.v1.train.string_input_producer(["a", "b"], shuffle=False)
    ...     x = q.dequeue()
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(x)
    b'a'
    """
    empty = "string_input_producer requires a non-null input tensor"
    if not _graphkiln.is_tensor(string_tensor) and not string_tensor:
        raise ValueError(empty)
    with _graphkiln.name_scope(name or "input_producer") as scope:
        strings = _graphkiln.convert_to_tensor(string_tensor, _graphkiln.string)
        with _graphkiln.control_dependencies(
            [_graphkiln.Assert(ops.greater(ops.size(strings), 0), [empty])]
        ):
            strings = ops.identity(strings)
        return input_producer(
            strings,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the numbers from 0 to `limit` - 1, with a runner that fills it.

    Args:
      limit: an int32 scalar.
      num_epochs: how often each is given; None: without end. They are counted by a
        local variable `epochs`.
      shuffle: does each epoch have an order of its own?
      seed: of the orders.
      capacity: of the queue.
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    >>> with tf.Graph().as_default():
    ...     q = tf.compat.v1.train.range_input_producer(3, shuffle=False)
    ...     x = q.dequeue_many(3)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(x).tolist()
    [0, 1, 2]
    """
    with _graphkiln.name_scope(name or "input_producer") as scope:
        return input_producer(
            ops.range(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """One row of each tensor, another one in each run.

    Args:
      tensor_list: tensors with as many rows.
      num_epochs: how often each is given; None: without end. They are counted by a
        local variable `epochs`.
      shuffle: does each epoch have an order of its own?
      seed: of the orders.
      capacity: of the queue of their numbers.
      shared_name: of the queue, by which sessions share it.
      name: of the ops.

    Raises:
      ValueError: if there is no tensor.

    >>> with tf.Graph().as_default():
    ...     x, y = tf.compat.v1.train.slice_input_producer(
    ...         [[1, 2], ["a", "b"]], shuffle=False)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(y)
    b'a'
    """
    with _graphkiln.name_scope(name or "input_producer"):
        tensors = [_graphkiln.convert_to_tensor(t) for t in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(
            ops.shape(tensors[0])[0],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
        )
        index = queue.dequeue()
        return [ops.gather(t, index) for t in tensors]
