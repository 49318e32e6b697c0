from ._graphkiln import version
