"""Names of nodes below scopes, as meta graphs have them."""

from __future__ import annotations


def scoped_name(name: str, scope: str | None) -> str:
    """A name of a node ("x", "^x", "loc:@x") below a scope."""
    if not scope:
        return name
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return f"{mark}{scope}/{name[len(mark) :]}"
    return f"{scope}/{name}"


def name_in_scope(name: str, scope: str | None) -> str:
    """A name as it is within a scope, the opposite of `scoped_name`."""
    return name.removeprefix(f"{scope.rstrip('/')}/") if scope else name
