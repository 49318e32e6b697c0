"""pytest's plugin for packages older than NumPy 1.24: the aliases of Python's own
types that NumPy took away, for both modules."""

import numpy as np

for _name, _type in (
    ("int", int), ("float", float), ("bool", bool), ("object", object),
    ("complex", complex), ("str", str),
):
    if _name not in vars(np):
        setattr(np, _name, _type)
