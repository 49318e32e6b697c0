"""tf.experimental.StructuredTensor, which functions of tensors take."""

from graphkiln._src.structured import array_functions as array_functions
from graphkiln._src.structured.structured_tensor import (
    StructuredTensor as StructuredTensor,
)
