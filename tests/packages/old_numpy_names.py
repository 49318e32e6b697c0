"""pytest's plugin for packages older than NumPy 1.24 and 2.4: the aliases of Python's
own types that NumPy took away, and the old name of reshape's argument, for both
modules."""

import functools

import numpy as np

for _name, _type in (
    ("int", int), ("float", float), ("bool", bool), ("object", object),
    ("complex", complex), ("str", str),
):
    if _name not in vars(np):
        setattr(np, _name, _type)


def _with_old_name(reshape):
    @functools.wraps(reshape)
    def call(a, *args, newshape=None, **kwargs):
        if newshape is not None:
            args = (newshape, *args)
        return reshape(a, *args, **kwargs)

    return call


np.reshape = _with_old_name(np.reshape)
