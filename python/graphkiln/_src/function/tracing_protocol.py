"""tf.types.experimental.SupportsTracingProtocol: objects with a type of their
own."""

import typing
from typing import Any

from graphkiln._src.function.trace_type import TraceType


@typing.runtime_checkable
class SupportsTracingProtocol(typing.Protocol):
    """Objects that say themselves what type they are traced with."""

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The type of this object."""
