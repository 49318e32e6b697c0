"""What methods of datasets know of tf.data.Dataset, which they are part of."""

from graphkiln._graphkiln import DatasetSpec, elements

until_fixed = elements.until_fixed

# The class: _dataset puts it here.
Dataset: type = object
