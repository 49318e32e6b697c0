"""Structures of dataset elements: tuples, named tuples, attrs classes,
dataclasses that flatten themselves and mappings nest; lists and everything
else are leaves, which become tensors.

A spec of an element is such a structure of tf.TypeSpecs. Its flat form is the
tensors that the core moves: the components.
"""

from graphkiln._graphkiln import element_flatten as flatten
from graphkiln._graphkiln import element_flatten_up_to as flatten_up_to
from graphkiln._graphkiln import element_is_leaf as is_leaf
from graphkiln._graphkiln import element_map as map_structure
from graphkiln._graphkiln import element_pack as pack_like
from graphkiln._graphkiln import elements

checked, common = elements.checked, elements.common
flat_specs, signature = elements.flat_specs, elements.signature
from_tensors, to_tensors = elements.from_tensors, elements.to_tensors
is_compatible, normalize = elements.is_compatible, elements.normalize
set_shapes, spec_of = elements.set_shapes, elements.spec_of
