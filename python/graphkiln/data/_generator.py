"""Dataset.from_generator."""

import numpy as np

from graphkiln import _graphkiln
from graphkiln.data._generator_source import Source


class Generated:
    """A base of tf.data.Dataset."""

    @staticmethod
    def from_generator(
        generator,
        output_types=None,
        output_shapes=None,
        args=None,
        output_signature=None,
        name=None,
    ) -> "Dataset":
        """What a Python generator yields, asked for when it is needed.

        Args:
          generator: a callable that returns an iterable; called for each
            iteration.
          output_types: a structure of dtypes; or give `output_signature`.
          output_shapes: a structure of shapes; unknown if not given.
          args: a tuple of what can be tensors; `generator` gets their values.
          output_signature: a structure of tf.TypeSpecs.
          name: accepted for compatibility.

        Raises:
          TypeError: `generator` is not callable, or nothing or too much says
            what the elements are.

        What the generator raises comes out as tf.errors.InvalidArgumentError;
        also if it yields something else than it should.

        >>> def squares(n):
        ...     for i in range(n):
        ...         yield i * i
        >>> dataset = tf.data.Dataset.from_generator(
        ...     squares, args=(4,),
        ...     output_signature=tf.TensorSpec([], tf.int32))
        >>> [int(x) for x in dataset]
        [0, 1, 4, 9]
        """
        source = Source(
            generator, output_types, output_shapes, args, output_signature
        )
        return _graphkiln.DatasetBase.from_tensors(np.int32(0)).flat_map(
            source.flat_map_fn
        )
