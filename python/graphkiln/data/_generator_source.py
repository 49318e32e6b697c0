"""Python generators as datasets.

Three functions in the graph call back: one begins a generator and gives it a
number, one asks it for its next element, one forgets it.
"""

import itertools
from collections.abc import Iterator

import numpy as np
from graphkiln._graphkiln import Tensor, TensorShape, TensorSpec

from graphkiln import _graphkiln
from graphkiln._graphkiln import elements, type_spec_from_value
from graphkiln._src.host import py_function
from graphkiln._src.types import dtypes


class Source:
    """A callable that makes generators, and what they yield."""

    def __init__(
        self, generator, output_types, output_shapes, args, output_signature
    ):
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_types is not None and output_signature is not None:
            raise TypeError(
                "The `output_types` argument can not be used together with "
                "the `output_signature` argument."
            )
        if output_shapes is not None and output_signature is not None:
            raise TypeError(
                "The `output_shapes` argument can not be used together with "
                "the `output_signature` argument."
            )
        if output_types is None and output_signature is None:
            raise TypeError(
                "To specify the output signature you need to provide either "
                "the `output_signature` argument or the `output_types` "
                "argument."
            )
        if output_signature is not None:
            self.spec = elements.checked(output_signature)
        else:
            self.spec = _spec(output_types, output_shapes)
        self.arguments = [] if args is None else list(
            _graphkiln.convert_to_tensor(a) for a in args
        )
        self._generator = generator
        self._numbers = itertools.count()
        self._begun: dict[int, tuple] = {}
        self._running: dict[int, Iterator] = {}

    def begin(self, *arguments) -> int:
        """The number of a new generator, which is called with arrays."""
        number = next(self._numbers)
        self._begun[number] = arguments
        return number

    def look(self, running: dict, number: int, *value: object) -> list:
        """The components of the next element of a generator, of which it is
        the first or which was yielded and is no plain tensor."""
        if not value:
            begun = iter(self._generator(*self._begun.pop(number)))
            running[number] = begun
            value = (next(begun),)
        return self._components(value[0])

    def end(self, number: int) -> None:
        """Nobody will ask this generator again."""
        self._begun.pop(number, None)
        self._running.pop(number, None)

    def _components(self, value: object) -> list:
        specs = elements.flatten(self.spec)
        expected: object = elements.map(
            lambda s: getattr(s, "dtype", s), self.spec
        )
        try:
            leaves = elements.flatten_up_to(self.spec, value)
            expected = self.spec
            leaves = [_converted(s, v) for s, v in zip(specs, leaves)]
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that did not match the "
                f"expected structure. The expected structure was {expected}"
                f", but the yielded element was {value}."
            ) from error
        for spec, leaf in zip(specs, leaves):
            if isinstance(spec, TensorSpec):
                if leaf.dtype != spec.dtype:
                    raise TypeError(
                        f"`generator` yielded an element of type {leaf.dtype} "
                        f"where an element of type {spec.dtype} was expected."
                    )
                if not spec.shape.is_compatible_with(leaf.shape):
                    raise TypeError(
                        "`generator` yielded an element of shape "
                        f"{tuple(leaf.shape)} where an element of shape "
                        f"{spec.shape} was expected."
                    )
            elif not spec.is_compatible_with(leaf):
                raise TypeError(
                    f"`generator` yielded an element of "
                    f"{type_spec_from_value(leaf)} where an element of "
                    f"{spec} was expected."
                )
        return elements.to_tensors(
            self.spec, elements.pack(self.spec, leaves)
        )

    def flat_map_fn(self, _) -> object:
        """The dataset of what one generator yields, made in the function that
        is being traced."""
        def get_iterator_id_fn():
            made = py_function.numpy_function(
                lambda *args: np.int64(self.begin(*args)),
                self.arguments, dtypes.int64,
            )
            made.set_shape(())
            return made

        def generator_next_fn(iterator_id):
            made = _graphkiln.generator_step(
                self.look, self._running, self.spec, iterator_id
            )
            return tuple(elements.set_shapes(self.spec, made))

        def finalize_fn(iterator_id):
            def end(n):
                self.end(int(n))
                return np.int64(0)

            made = py_function.numpy_function(end, [iterator_id], dtypes.int64)
            made.set_shape(())
            return made

        return _graphkiln.generated_dataset(
            self.spec, get_iterator_id_fn, generator_next_fn, finalize_fn
        )


def _converted(spec: object, value: object) -> object:
    if not isinstance(spec, TensorSpec):
        return value
    if isinstance(value, Tensor):
        return value
    return _graphkiln.convert_to_tensor(value, dtype=spec.dtype)


def _spec(types: object, shapes: object) -> object:
    """The structure of tf.TensorSpecs of types and shapes."""
    types = elements.lists_as_tuples(types)
    flat = elements.flatten(types)
    if shapes is None:
        unknown = [None] * len(flat)
    else:
        unknown = elements.flatten_up_to(types, shapes)
    return elements.pack(
        types,
        [
            TensorSpec(TensorShape(s), _graphkiln.as_dtype(t))
            for s, t in zip(unknown, flat)
        ],
    )
