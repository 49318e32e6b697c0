"""The walks of `nest`, under the names that the core modules use."""

from graphkiln._graphkiln import nest_flatten as flatten
from graphkiln._graphkiln import nest_flatten_up_to as flatten_up_to
from graphkiln._graphkiln import nest_pack as pack_like

__all__ = ["flatten", "flatten_up_to", "pack_like"]
