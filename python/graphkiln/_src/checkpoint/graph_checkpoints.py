"""Checkpoints of objects of graphs: written and read by operations, which a session
runs, or the function that is traced."""

from __future__ import annotations

import contextlib
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.checkpoint.options import CheckpointOptions
from graphkiln._src.session.default_session import get_default_session


def session_for(prefix: Any) -> Any:
    """The default session. Raises RuntimeError if there is none."""
    session = get_default_session()
    if session is None:
        raise RuntimeError(
            f'Unable to save checkpoint to "{prefix}" in graph mode without a default '
            "session. Please use `with tf.Session():` to create a session."
        )
    return session


def write_operations(snapshot: Any, path: Any, options: CheckpointOptions) -> Any:
    """Adds operations that write what a snapshot has beside its place, and put it
    there; gives the path, known after they have run."""
    names, tensors = zip(
        *snapshot.tensors,
        ("_CHECKPOINTABLE_OBJECT_GRAPH", _graphkiln.constant(snapshot.graph)),
        strict=True,
    )
    shard = raw_ops.ShardedFilename(
        basename=raw_ops.StringJoin(inputs=[path, _graphkiln.constant("_temp/part")]),
        shard=_graphkiln.constant(0),
        num_shards=_graphkiln.constant(1),
    )
    device = contextlib.nullcontext()
    if options.experimental_io_device is not None:
        device = _graphkiln.device(options.experimental_io_device)
    with device:
        written = raw_ops.SaveV2(
            prefix=shard,
            tensor_names=_graphkiln.constant(names),
            shape_and_slices=_graphkiln.constant([""] * len(names)),
            tensors=list(tensors),
        )
        with _graphkiln.control_dependencies([written]):
            merged = raw_ops.MergeV2Checkpoints(
                checkpoint_prefixes=raw_ops.Pack(values=[shard], axis=0),
                destination_prefix=path,
                delete_old_dirs=True,
            )
        with _graphkiln.control_dependencies([merged]):
            return raw_ops.Identity(input=path)


class GraphWriter:
    """Writes checkpoints by a session, with the operations of the last one as long
    as graph and objects are the same."""

    def __init__(self) -> None:
        self._key: tuple | None = None
        self._path: Any = None
        self._written: Any = None

    def write(
        self, session: Any, snapshot: Any, prefix: str, options: CheckpointOptions
    ) -> str:
        tensors = [tensor for _, tensor in snapshot.tensors]
        # Values that are known already are constants of the operations.
        again = all(_graphkiln.is_symbolic_tensor(tensor) for tensor in tensors)
        key = (
            _graphkiln.get_default_graph(),
            snapshot.graph,
            options.experimental_io_device,
            [tensor.name for tensor in tensors if again],
        )
        if not again or key != self._key:
            self._path = _graphkiln.constant(prefix)
            self._written = write_operations(snapshot, self._path, options)
            self._key = key
        return session.run(self._written, {self._path: prefix}).decode()


def initializers(objects: list[Any], before: int | None) -> list[Any]:
    """Of objects that no restoration, or none since number `before`, gave values."""
    return [
        made
        for made in (
            getattr(o, "initializer", None)
            for o in objects
            if before is None or getattr(o, "_update_uid", 0) < before
        )
        if made is not None
    ]
