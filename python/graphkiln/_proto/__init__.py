"""Real protobuf messages with TensorFlow's names, made when first touched.

``from graphkiln._proto import GraphDef, DT_FLOAT`` gives ordinary classes of
the ``protobuf`` package. Their descriptors live in a pool of our own, so a
TensorFlow loaded into the same process is not disturbed; messages of the two
are exchanged as bytes. Importing graphkiln does not import protobuf: touching
a name here does.

Nested messages and enums are reached through their owner
(``AttrValue.ListValue``). Of top-level enums both the type (``DataType``) and
the values (``DT_FLOAT``) are names of this module.
"""

from __future__ import annotations

import _thread
import sys

# Whoever loads a model that has ragged tensors comes here, and needs no more:
# what is for messages alone is imported where they are made.
TYPE_CHECKING = False
if TYPE_CHECKING:
    # `Any` is also the name of a message here.
    from typing import Any

    from google.protobuf.descriptor_pool import DescriptorPool

# A finaliser that runs while it is held may come here again.
_lock = _thread.RLock()
_pool: DescriptorPool | None = None
# Public name -> class, enum wrapper or enum value; filled as names are used.
_names: dict[str, Any] = {}


def _descriptor_set() -> bytes:
    """The build's descriptor file or, in a source tree, a fresh one."""
    import importlib.util
    from pathlib import Path

    here = Path(__file__).resolve().parent
    built = here / "descriptors.binpb"
    if built.exists():
        return built.read_bytes()
    root = here.parents[2]
    script = root / "tools" / "protogen.py"
    protos = sorted((root / "src" / "proto").glob("*.proto"))
    if not script.exists() or not protos:
        raise ImportError(
            f"graphkiln is not installed completely: {built} is missing"
        )
    spec = importlib.util.spec_from_file_location("_graphkiln_protogen", script)
    assert spec is not None and spec.loader is not None
    protogen = importlib.util.module_from_spec(spec)
    # Dataclasses look their own module up while they are being made.
    sys.modules[spec.name] = protogen
    try:
        spec.loader.exec_module(protogen)
        return protogen.descriptor_set(protogen.load(protos))
    finally:
        del sys.modules[spec.name]


def _load() -> None:
    """Fills the pool and lists every public name."""
    global _pool
    from google.protobuf import descriptor_pb2, descriptor_pool
    from google.protobuf.internal import enum_type_wrapper

    files = descriptor_pb2.FileDescriptorSet.FromString(_descriptor_set())
    pool = descriptor_pool.DescriptorPool()
    names: dict[str, Any] = {}
    for file in files.file:
        pool.Add(file)
    for file in files.file:
        descriptor = pool.FindFileByName(file.name)
        for name, enum in descriptor.enum_types_by_name.items():
            names[name] = enum_type_wrapper.EnumTypeWrapper(enum)
            names.update((v.name, v.number) for v in enum.values)
        # Classes are made on first use: there are some two hundred.
        names.update(descriptor.message_types_by_name)
    if _pool is None:
        _names.update(names)
        _pool = pool


def _resolve(name: str) -> Any:
    from google.protobuf import descriptor, message_factory

    value = _names[name]
    if isinstance(value, descriptor.Descriptor):
        value = message_factory.GetMessageClass(value)
        value.__module__ = __name__  # Pickling looks classes up there.
        _names[name] = value
    return value


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    with _lock:
        if _pool is None:
            _load()
        if name not in _names:
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}"
            )
        value = _resolve(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    with _lock:
        if _pool is None:
            _load()
        return sorted(_names)
