"""Python objects that nodes of a graph call back or refer to."""

from graphkiln import _graphkiln


def keep(graph: _graphkiln.FuncGraph) -> None:
    """The function around calls this one's nodes though its Python face may
    soon be gone."""
    outer = _graphkiln.current_graph()
    parts = vars(graph).get("_python_parts")
    if outer is not None and parts:
        vars(outer).setdefault("_python_parts", []).extend(parts)


def keep_body(body: _graphkiln.FuncGraph) -> None:
    """While the function around is traced, errors tell of the bodies of its
    branches and loops which their tensors come from."""
    outer = _graphkiln.current_graph()
    if isinstance(outer, _graphkiln.FuncGraph):
        vars(outer).setdefault("_bodies", []).append(body)


def release_bodies(graph: _graphkiln.FuncGraph) -> None:
    """The function around is traced."""
    for body in vars(graph).pop("_bodies", ()):
        release_bodies(body)
