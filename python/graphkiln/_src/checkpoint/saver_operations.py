"""The operations by which tf.compat.v1.train.Saver writes and reads variables."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from graphkiln import _graphkiln, _proto, raw_ops
from graphkiln._graphkiln import Operation, Tensor
from graphkiln._src.checkpoint.saved_variables import Saved

V2 = _proto.SaverDef.V2


def _there(operations: Sequence[Operation | Tensor | None]) -> list:
    return [o for o in operations if o is not None]


def _after(operations: Sequence[Operation | None], value: Tensor, name: str) -> Tensor:
    """A value once operations have run; eagerly they have."""
    with _graphkiln.control_dependencies(_there(operations)):
        return raw_ops.Identity(input=value, name=name)


def _save_to(saved: Sequence[Saved], path: Tensor, version: int) -> Operation | None:
    """Writes what is in one file, or one piece of a checkpoint."""
    values = [s.value() for s in saved]
    names, slices = [s.name for s in saved], [s.slice for s in saved]
    if version != V2:
        return raw_ops.SaveSlices(
            filename=path,
            tensor_names=_graphkiln.constant(names, name="save/tensor_names"),
            shapes_and_slices=_graphkiln.constant(
                slices, name="save/shapes_and_slices"
            ),
            data=values,
            name="save",
        )
    return raw_ops.SaveV2(
        prefix=path,
        tensor_names=_graphkiln.constant(names, name="SaveV2/tensor_names"),
        shape_and_slices=_graphkiln.constant(slices, name="SaveV2/shape_and_slices"),
        tensors=values,
    )


def write_variables(
    saved: Sequence[Saved], path: Tensor, sharded: bool, version: int
) -> Tensor:
    """Writes a checkpoint, in pieces first if it is to be; gives its path."""
    if not sharded:
        return _after([_save_to(saved, path, version)], path, "control_dependency")
    base = path
    if version == V2:
        base = raw_ops.StringJoin(
            inputs=[path, _graphkiln.constant(f"_temp_{uuid.uuid4().hex}/part")]
        )
    devices = _by_devices(saved)
    count = _graphkiln.constant(len(devices), name="num_shards")
    shards, written = [], []
    for number, (device, part) in enumerate(devices):
        with _graphkiln.device(device):
            shard = raw_ops.ShardedFilename(
                basename=base,
                shard=_graphkiln.constant(number, name="ShardedFilename/shard"),
                num_shards=count,
            )
            written.append(_save_to(part, shard, version))
            if version != V2:
                shard = _after([written[-1]], shard, "control_dependency")
            shards.append(shard)
    with _graphkiln.control_dependencies(_there(written if version == V2 else shards)):
        if version != V2:
            return raw_ops.ShardedFilespec(basename=path, num_shards=count)
        merged = raw_ops.MergeV2Checkpoints(
            checkpoint_prefixes=raw_ops.Pack(values=shards, axis=0),
            destination_prefix=path,
            delete_old_dirs=True,
        )
    return _after([merged], path, "control_dependency")


def _by_devices(saved: Sequence[Saved]) -> list[tuple[str, list[Saved]]]:
    """What is on each device."""
    found: dict[str, list[Saved]] = {}
    for one in saved:
        found.setdefault(one.variable.device or "", []).append(one)
    return sorted(found.items())


def read_variables(saved: Sequence[Saved], path: Tensor) -> list[Tensor]:
    """Their values in a checkpoint of either version."""
    return raw_ops.RestoreV2(
        prefix=path,
        tensor_names=_graphkiln.constant(
            [s.name for s in saved], name="RestoreV2/tensor_names"
        ),
        shape_and_slices=_graphkiln.constant(
            [s.slice for s in saved], name="RestoreV2/shape_and_slices"
        ),
        dtypes=[s.variable.dtype for s in saved],
    )
