"""Python objects that nodes of a graph call back or refer to."""

from graphkiln import _graphkiln


def keep(graph: _graphkiln.FuncGraph) -> None:
    """The function around calls this one's nodes though its Python face may
    soon be gone."""
    outer = _graphkiln.current_graph()
    parts = vars(graph).get("_python_parts")
    if outer is not None and parts:
        vars(outer).setdefault("_python_parts", []).extend(parts)
