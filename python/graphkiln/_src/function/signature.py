"""Signatures of the functions that are made in C++."""

import inspect

from graphkiln import _loading


def parse(text: str) -> inspect.Signature:
    """The signature that "(x, axis=None)" stands for."""
    # The text is the binding's own, never a user's.
    names = {"tf": _loading.load("graphkiln")}
    return inspect.signature(eval(f"lambda {text[1:-1]}: None", names))
