"""Models without objects, as TensorFlow 1 writes them: parts of their graph."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.function.wrapped_function import WrappedFunction


class _Whole:
    """Stands for the function that a whole graph would be."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph


def add_graph(root: Any, model: Any) -> None:
    """Gives the root of a model `graph`, `prune`, which cuts functions out of it,
    and `restore`, which reads another checkpoint.

    Args:
      root: the object.
      model: the core's model.
    """
    whole = WrappedFunction(_Whole(model.graph), None, None)
    whole._replaced = [
        (inside, model.in_program(outside))
        for outside, inside in model.graph.captures
    ]
    root.graph = model.graph
    root.prune = whole.prune
    saver = _proto.SaverDef.FromString(model.saver)
    if not saver.restore_op_name:
        return
    restore = whole.prune(
        saver.filename_tensor_name,
        [saver.filename_tensor_name, saver.restore_op_name],
    )
    root.restore = lambda path: restore(_graphkiln.convert_to_tensor(path))


_graphkiln.provide(add_graph)
