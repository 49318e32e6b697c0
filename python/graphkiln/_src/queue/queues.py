"""tf.queue: queues of tuples of tensors, over the ops of queues."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import DType, Operation, Tensor, TensorShape
from graphkiln._src import ops


def _as_list(dtypes) -> list:
    return list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes]


def _type_list(dtypes) -> list:
    return [_graphkiln.as_dtype(dtype) for dtype in _as_list(dtypes)]


def _is_one_shape(shapes) -> bool:
    return all(size is None or isinstance(size, int) for size in shapes)


def _shape_list(shapes, partial: bool = False) -> list | None:
    """Shapes of components; one shape stands for a list of it."""
    if partial and (
        not isinstance(shapes, (list, tuple)) or not shapes or _is_one_shape(shapes)
    ):
        raise ValueError(
            "When providing partial shapes, a list of shapes must be provided."
        )
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise TypeError(
            "Shapes must be a TensorShape or a list or tuple of TensorShapes, "
            f"got {type(shapes)} instead."
        )
    if _is_one_shape(shapes):
        shapes = [shapes]
    shapes = [TensorShape(shape) for shape in shapes]
    if not partial and any(not shape.is_fully_defined() for shape in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")
    if any(shape.rank is None for shape in shapes):
        raise ValueError(f"All shapes must have a defined rank: {shapes}")
    return shapes


def _name_list(names, dtypes) -> list | None:
    if names is None:
        return None
    names = _as_list(names)
    if len(names) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, "
            f"received len(names)={len(names)},len(dtypes)={len(dtypes)}"
        )
    return names


def _common_shape(a, b):
    """What is true of both."""
    if a.rank is None or a.rank != b.rank:
        return TensorShape(None)
    return TensorShape(
        [x if x == y else None for x, y in zip(a.as_list(), b.as_list())]
    )


def _shared_name(shared_name) -> dict[str, str]:
    """Eagerly each queue is one of its own."""
    if shared_name is None or _graphkiln.executing_eagerly():
        return {}
    return {"shared_name": shared_name}


class QueueBase:
    """Base of queues: stores of tuples of tensors, filled and emptied by ops.

    Args:
      dtypes: of the components of a tuple.
      shapes: of the components, or None.
      names: of the components, or None; tuples are then dictionaries.
      queue_ref: the handle.

    Whoever finds a queue full or empty waits for other threads. Once it is
    closed, nothing comes in any more (CancelledError), and when it is empty
    nothing comes out (OutOfRangeError).

    >>> q = tf.queue.FIFOQueue(2, tf.int32)
    >>> isinstance(q, tf.queue.QueueBase)
    True
    """

    def __init__(
        self,
        dtypes: list[DType],
        shapes: Sequence[Any] | None,
        names: Sequence[str] | None,
        queue_ref: Tensor,
    ) -> None:
        self._dtypes = dtypes
        if shapes is not None:
            if len(shapes) != len(dtypes):
                raise ValueError(
                    "Queue shapes must have the same length as dtypes, received "
                    f"len(shapes)={len(shapes)}, len(dtypes)={len(dtypes)}"
                )
            self._shapes = [TensorShape(shape) for shape in shapes]
        else:
            self._shapes = [TensorShape(None) for _ in self._dtypes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError(
                "Queue names must have the same length as dtypes,received "
                f"len(names)={len(names)},len {len(dtypes)}"
            )
        self._names = names
        self._queue_ref = queue_ref
        if _graphkiln.is_symbolic_tensor(queue_ref):
            self._name = queue_ref.op.name.rpartition("/")[2]
        else:
            self._name = "Empty"

    @staticmethod
    def from_list(index: Any, queues: list[Any]) -> QueueBase:
        """The queue of that number in a list, which an op chooses.

        Args:
          index: an integer scalar, a tensor or not.
          queues: of equal dtypes and names.
        """
        if (
            not queues
            or not isinstance(queues, list)
            or not all(isinstance(queue, QueueBase) for queue in queues)
        ):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(first.dtypes == queue.dtypes for queue in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(first.names == queue.names for queue in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        shapes = [
            functools.reduce(_common_shape, each)
            for each in zip(*(queue.shapes for queue in queues))
        ]
        handles = ops.stack([queue.queue_ref for queue in queues])
        return QueueBase(
            dtypes=first.dtypes,
            shapes=shapes,
            names=first.names,
            queue_ref=ops.gather(handles, index),
        )

    @property
    def queue_ref(self) -> Tensor:
        """The handle that ops get."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue in its graph."""
        if _graphkiln.executing_eagerly():
            return self._name
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the components, or None."""
        return self._names

    def _components(self, vals) -> list:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue. "
                    f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError(
                    "You must enqueue a dictionary in a Queue with names"
                )
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
        return [
            _graphkiln.convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes))
        ]

    def enqueue(self, vals: Any, name: str | None = None) -> Operation | None:
        """Puts a tuple into the queue; waits while it is full.

        Args:
          vals: a tensor, a list of them, or a dictionary if components have
            names.
          name: of the op.
        """
        with _graphkiln.name_scope(name or f"{self._name}_enqueue") as scope:
            vals = self._components(vals)
            for value, shape in zip(vals, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            return raw_ops.QueueEnqueueV2(
                handle=self._queue_ref, components=vals, name=scope
            )

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation | None:
        """Puts tuples into the queue, one after the other.

        Args:
          vals: as for `enqueue`, with one dimension more: tuples are its rows.
          name: of the op.
        """
        with _graphkiln.name_scope(name or f"{self._name}_EnqueueMany") as scope:
            vals = self._components(vals)
            rows = TensorShape([None])
            for value, shape in zip(vals, self._shapes):
                whole = value.shape.with_rank_at_least(1)
                rows = rows.merge_with(whole[:1])
                whole[1:].assert_is_compatible_with(shape)
            return raw_ops.QueueEnqueueManyV2(
                handle=self._queue_ref, components=vals, name=scope
            )

    def _tuple_of(self, tensors, lead: list | None):
        """What users get of the components; `lead`: the first dimension."""
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        if not _graphkiln.executing_eagerly():
            for tensor, shape in zip(tensors, self._shapes):
                if lead is not None:
                    shape = TensorShape(lead).concatenate(shape)
                tensor.set_shape(shape)
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name: str | None = None) -> Any:
        """Takes a tuple out of the queue; waits while it is empty."""
        made = raw_ops.QueueDequeueV2(
            handle=self._queue_ref,
            component_types=self._dtypes,
            name=name or f"{self._name}_Dequeue",
        )
        return self._tuple_of(made, None)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Takes `n` tuples out of the queue, as rows of tensors; waits until
        there are so many. OutOfRangeError if the queue is closed before."""
        made = raw_ops.QueueDequeueManyV2(
            handle=self._queue_ref,
            n=n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueMany",
        )
        known = _graphkiln.get_static_value(_graphkiln.convert_to_tensor(n))
        return self._tuple_of(made, [None if known is None else int(known)])

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """The same, but fewer tuples if the queue is closed and has no more."""
        made = raw_ops.QueueDequeueUpToV2(
            handle=self._queue_ref,
            n=n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueUpTo",
        )
        return self._tuple_of(made, [None])

    def close(
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> Operation | None:
        """Says that nothing more will be put into the queue.

        Args:
          cancel_pending_enqueues: those who wait to put something into it get
            CancelledError.
          name: of the op.
        """
        return raw_ops.QueueCloseV2(
            handle=self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """Is it closed? A bool scalar."""
        return raw_ops.QueueIsClosedV2(
            handle=self._queue_ref, name=name or f"{self._name}_Is_Closed"
        )

    def size(self, name: str | None = None) -> Tensor:
        """How many tuples there are, an int32 scalar."""
        return raw_ops.QueueSizeV2(
            handle=self._queue_ref, name=name or f"{self._name}_Size"
        )


class FIFOQueue(QueueBase):
    """A queue that gives tuples in the order in which they came.

    Args:
      capacity: how many tuples there may be; negative: any number.
      dtypes: of the components of a tuple, or one.
      shapes: of the components, or None; `dequeue_many` needs them.
      names: of the components, or None.
      shared_name: under which graphs share it.
      name: of the op.

    >>> q = tf.queue.FIFOQueue(3, [tf.int32, tf.string])
    >>> q.enqueue([1, "a"])
    >>> [t.numpy() for t in q.dequeue()][1]
    b'a'
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        dtypes = _type_list(dtypes)
        shapes = _shape_list(shapes)
        names = _name_list(names, dtypes)
        with _graphkiln.init_scope():
            handle = raw_ops.FIFOQueueV2(
                component_types=dtypes,
                shapes=shapes or [],
                capacity=capacity,
                name=name,
                **_shared_name(shared_name),
            )
        super().__init__(dtypes, shapes, names, handle)


class PaddingFIFOQueue(QueueBase):
    """A queue of tensors of different sizes, in the order in which they came.

    `dequeue_many` fills them up with zeros to one shape.

    Args:
      capacity: how many tuples there may be; negative: any number.
      dtypes: of the components of a tuple, or one.
      shapes: of the components; None is a size that may differ.
      names: of the components, or None.
      shared_name: under which graphs share it.
      name: of the op.

    >>> q = tf.queue.PaddingFIFOQueue(3, tf.int32, shapes=[[None]])
    >>> q.enqueue([[1]])
    >>> q.enqueue([[2, 3]])
    >>> q.dequeue_many(2).numpy().tolist()
    [[1, 0], [2, 3]]
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Sequence[Any],
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        dtypes = _type_list(dtypes)
        shapes = _shape_list(shapes, partial=True)
        names = _name_list(names, dtypes)
        if len(dtypes) != len(shapes):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(dtypes)} dtypes and {len(shapes)} shapes."
            )
        handle = raw_ops.PaddingFIFOQueueV2(
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            name=name,
            **_shared_name(shared_name),
        )
        super().__init__(dtypes, shapes, names, handle)


class PriorityQueue(QueueBase):
    """A queue that gives the tuple with the lowest priority first.

    Tuples begin with their priority, an int64 scalar.

    Args:
      capacity: how many tuples there may be; negative: any number.
      types: the dtypes of the other components, or one.
      shapes: of these, or None.
      names: of all components, or None.
      shared_name: under which graphs share it.
      name: of the op.

    >>> q = tf.queue.PriorityQueue(3, tf.string, shapes=[()])
    >>> q.enqueue_many(([2, 1], ["later", "first"]))
    >>> q.dequeue()[1].numpy()
    b'first'
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        types = _type_list(types)
        shapes = _shape_list(shapes)
        handle = raw_ops.PriorityQueueV2(
            component_types=types,
            shapes=shapes or [],
            capacity=capacity,
            name=name,
            **_shared_name(shared_name),
        )
        super().__init__(
            [_graphkiln.int64, *types],
            [(), *shapes] if shapes else shapes,
            names,
            handle,
        )


class RandomShuffleQueue(QueueBase):
    """A queue that gives tuples at random.

    Args:
      capacity: how many tuples there may be; negative: any number.
      min_after_dequeue: how many stay, until it is closed, so that there is
        something to choose from.
      dtypes: of the components of a tuple, or one.
      shapes: of the components, or None; `dequeue_many` needs them.
      names: of the components, or None.
      seed: of the choices, with that of the program.
      shared_name: under which graphs share it.
      name: of the op.

    >>> q = tf.queue.RandomShuffleQueue(9, 0, tf.int32, shapes=[()])
    >>> q.enqueue_many([[1, 2, 3]])
    >>> sorted(q.dequeue_many(3).numpy().tolist())
    [1, 2, 3]
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        dtypes = _type_list(dtypes)
        shapes = _shape_list(shapes)
        names = _name_list(names, dtypes)
        seed1, seed2 = _graphkiln.op_seeds(seed)
        handle = raw_ops.RandomShuffleQueueV2(
            component_types=dtypes,
            shapes=shapes or [],
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            name=name,
            **_shared_name(shared_name),
        )
        super().__init__(dtypes, shapes, names, handle)
