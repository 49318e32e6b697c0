"""Examples on their way into a queue, and batches of them out of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import SparseTensor, Tensor, TensorShape
from graphkiln._src import ops
from graphkiln._src.function.smart_cond import smart_cond
from graphkiln._src.queue.queue_runner import QueueRunner, add_queue_runner
from graphkiln._src.queue.queues import QueueBase
from graphkiln._src.version_one.sparse import serialize_many_sparse, serialize_sparse


class Examples:
    """Where tensors of examples come from, as lists: one list for each operation that
    puts some into the queue. Sparse tensors are in it as strings."""

    def __init__(self, sources: Sequence[Any], keep_input: Any, many: bool) -> None:
        if not sources:
            raise ValueError("Expected at least one set of tensors")
        self._keys = None
        if isinstance(sources[0], dict):
            self._keys = sorted(sources[0], key=str)
            if any(set(s) != set(self._keys) for s in sources[1:]):
                raise ValueError(
                    "All dictionaries in tensors_list must have the same keys"
                )
            sources = [[s[key] for key in self._keys] for s in sources]
        self._many = many
        lists = [[_component(t) for t in source] for source in sources]
        if not lists[0]:
            raise ValueError("Expected at least one tensor in batch().")
        self._keep = self._condition(keep_input)
        # The dtype and the rank of what is sparse, else None.
        self._sparse = [self._sparse_facts(each) for each in zip(*lists)]
        self.lists = [[self._stored(t) for t in source] for source in lists]
        self.dtypes = [t.dtype for t in self.lists[0]]
        for other in self.lists[1:]:
            if [t.dtype for t in other] != self.dtypes:
                raise TypeError(
                    "Expected types to be consistent: "
                    f"{', '.join(t.name for t in self.dtypes)} vs. "
                    f"{', '.join(t.dtype.name for t in other)}."
                )

    def _condition(self, keep_input: Any) -> Tensor:
        keep = _graphkiln.convert_to_tensor(keep_input)
        rank = keep.shape.rank
        if rank is None:
            raise ValueError(
                "`keep_input` dimensions must be known at graph construction."
            )
        if not self._many and rank == 1:
            raise ValueError(
                "`keep_input` cannot be a vector when `enqueue_many=False`."
            )
        if rank > 1:
            raise ValueError("`keep_input` must be 0 or 1 dimensions.")
        return keep

    def _sparse_facts(self, tensors: tuple) -> tuple | None:
        if not any(isinstance(t, SparseTensor) for t in tensors):
            return None
        ranks = TensorShape([None])
        for t in tensors:
            if not isinstance(t, SparseTensor) or t.dtype != tensors[0].dtype:
                raise ValueError(f"Inconsistent SparseTensors list: {tensors}")
            ranks = ranks.merge_with(t.dense_shape.shape)
        rank = ranks[0]
        return tensors[0].dtype, rank if rank is None or not self._many else rank - 1

    def _stored(self, value: Any) -> Tensor:
        if not isinstance(value, SparseTensor):
            return value
        if self._many:
            rows = serialize_many_sparse(value)
            rows.set_shape([None, 3])
            return rows
        text = serialize_sparse(value)
        text.set_shape([3])
        return text

    def shapes(self, given: Any) -> Any:
        """Of the components: `given`, or what is known of the tensors."""
        if given is not None:
            return given
        found = []
        for tensors in zip(*self.lists):
            shapes = []
            for t in tensors:
                if t.shape.rank is None:
                    raise ValueError(f"Cannot infer Tensor's rank: {t}")
                shapes.append(
                    t.shape.with_rank_at_least(1)[1:] if self._many else t.shape
                )
            for other in shapes[1:]:
                shapes[0].assert_is_compatible_with(other)
            found.append(shapes[0])
        return found

    def fill(self, queue: QueueBase, threads: int = 1) -> None:
        """Adds a runner that puts examples into the queue."""
        enqueue = queue.enqueue_many if self._many else queue.enqueue
        made = [self._enqueued(enqueue, source) for source in self.lists]
        add_queue_runner(QueueRunner(queue, made * threads))

    def _enqueued(self, enqueue: Callable, tensors: list) -> Any:
        if self._keep.shape.rank == 1:
            kept = ops.reshape(ops.where(self._keep), [-1])
            return enqueue([ops.gather(t, kept) for t in tensors])
        return smart_cond(self._keep, lambda: enqueue(tensors), ops.no_op)

    def batch(self, queue: QueueBase, size: Any, smaller: bool, name: str) -> Any:
        """What comes out, in the structure of the examples."""
        taken = queue.dequeue_up_to if smaller else queue.dequeue_many
        made = taken(size, name=name)
        parts = list(made) if isinstance(made, (list, tuple)) else [made]
        parts = [
            part if facts is None else _sparse_rows(part, *facts)
            for part, facts in zip(parts, self._sparse)
        ]
        if self._keys is not None:
            return dict(zip(self._keys, parts))
        return parts if isinstance(made, (list, tuple)) else parts[0]


def _component(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        return value
    return _graphkiln.convert_to_tensor(value)


def _sparse_rows(rows: Tensor, dtype: Any, rank: int | None) -> SparseTensor:
    """A sparse tensor whose rows are those of which `rows` are the strings."""
    return ops.io.deserialize_many_sparse(
        rows, dtype, rank=None if rank is None else rank + 1
    )
