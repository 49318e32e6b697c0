"""Datasets made with functions of elements: methods of tf.data.Dataset."""

from collections.abc import Callable

from graphkiln import raw_ops
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _constants as constants
from graphkiln.data import _making as making
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure
from graphkiln.data import _traced as traced


class Functional:
    """A base of tf.data.Dataset."""

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ) -> "Dataset":
        """What `map_func` makes of each element.

        Args:
          map_func: called with the element, or with its parts if it is a
            tuple. Traced once; what it captured is used as it is then.
          num_parallel_calls: how many elements may be worked on at a time;
            tf.data.AUTOTUNE for as many as there are CPUs. One after the
            other if not given.
          deterministic: accepted; elements always keep their order.
          synchronous: accepted for compatibility.
          use_unbounded_threadpool: accepted for compatibility.
          name: accepted for compatibility.

        Raises:
          TypeError: `map_func` returns what cannot be tensors.

        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
        [0, 1, 4]
        """
        f = traced.Traced(map_func, "Dataset.map()", self.element_spec)
        making.not_empty(f.output_spec)
        if num_parallel_calls is None:
            return self._then(
                raw_ops.MapDataset, f.output_spec, f=f.function,
                preserve_cardinality=True, force_synchronous=bool(synchronous),
            )
        return self._then(
            raw_ops.ParallelMapDatasetV2, f.output_spec, f=f.function,
            preserve_cardinality=True, num_parallel_calls=num_parallel_calls,
            deterministic=making.deterministic(deterministic),
            use_unbounded_threadpool=bool(use_unbounded_threadpool),
        )

    def _recoded(self, name: str, spec: object, recode: Callable) -> "Dataset":
        """The dataset of what `recode` makes of the components of elements;
        `spec` describes it, or it is a tuple of those."""
        made = traced.of_components(
            name, structure.flat_specs(self.element_spec), recode
        )
        if spec is None:
            spec = tuple(TensorSpec(t.shape, t.dtype) for t in made.outputs)
        return self._then(
            raw_ops.MapDataset, spec, f=made, preserve_cardinality=True
        )

    def filter(self, predicate, name=None) -> "Dataset":
        """The elements for which `predicate` holds.

        Args:
          predicate: as map_func of `map`; returns a bool scalar.
          name: accepted for compatibility.

        Raises:
          ValueError: it returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(5).filter(lambda x: x > 2)]
        [3, 4]
        """
        f = self._predicate(predicate, "Dataset.filter()")
        return self._then(raw_ops.FilterDataset, predicate=f.function)

    def take_while(self, predicate, name=None) -> "Dataset":
        """The elements before the first for which `predicate` does not hold.

        Args:
          predicate: as map_func of `map`; returns a bool scalar.
          name: accepted for compatibility.

        Raises:
          ValueError: it returns something else.

        >>> [int(x) for x in
        ...  tf.data.Dataset.range(5).take_while(lambda x: x < 2)]
        [0, 1]
        """
        f = self._predicate(predicate, "Dataset.take_while()")
        return self._then(raw_ops.TakeWhileDataset, predicate=f.function)

    def _predicate(self, predicate, transformation: str) -> traced.Traced:
        f = traced.Traced(predicate, transformation, self.element_spec)
        wanted = TensorSpec((), dtypes.bool)
        if not isinstance(
            f.output_spec, TensorSpec
        ) or not f.output_spec.is_compatible_with(wanted):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` "
                f"scalar tensor, but its return type is {f.output_spec}."
            )
        return f

    def flat_map(self, map_func, name=None) -> "Dataset":
        """The elements of the datasets that `map_func` makes of each element,
        one after the other.

        Args:
          map_func: as that of `map`; returns a dataset.
          name: accepted for compatibility.

        Raises:
          TypeError: it returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(4).flat_map(
        ...     lambda x: tf.data.Dataset.range(x))]
        [0, 0, 1, 0, 1, 2]
        """
        f, spec = self._to_datasets(map_func, "Dataset.flat_map()")
        return self._then(raw_ops.FlatMapDataset, spec, f=f.function)

    def interleave(
        self,
        map_func,
        cycle_length=None,
        block_length=None,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> "Dataset":
        """The elements of the datasets that `map_func` makes of each element,
        of several of them in turn.

        Args:
          map_func: as that of `map`; returns a dataset.
          cycle_length: how many datasets take turns; as many as there are
            CPUs if not given.
          block_length: how many elements one gives in its turn; 1 if not
            given.
          num_parallel_calls: how many of the datasets are worked on at a
            time; tf.data.AUTOTUNE for as many as there are CPUs. One element
            after the other is made if not given.
          deterministic: if False, a dataset that has an element ready goes
            before one that has not.
          name: accepted for compatibility.

        Raises:
          TypeError: `map_func` returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(2).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2),
        ...     cycle_length=2)]
        [0, 1, 0, 1]
        """
        f, spec = self._to_datasets(map_func, "Dataset.interleave()")
        given = dict(
            f=f.function,
            cycle_length=(
                constants.AUTOTUNE if cycle_length is None else cycle_length
            ),
            block_length=1 if block_length is None else block_length,
        )
        if num_parallel_calls is None:
            return self._then(raw_ops.InterleaveDataset, spec, **given)
        return self._then(
            raw_ops.ParallelInterleaveDatasetV4, spec, **given,
            buffer_output_elements=-1, prefetch_input_elements=-1,
            num_parallel_calls=num_parallel_calls,
            deterministic=making.deterministic(deterministic),
        )

    def scan(self, initial_state, scan_func, name=None) -> "Dataset":
        """What `scan_func(state, element)` returns besides the next state.

        Args:
          initial_state: a structure of what can be tensors.
          scan_func: returns a pair: the next state, and an element.
          name: accepted for compatibility.

        Raises:
          TypeError: it returns no pair, or the next state has another
            structure or other types.

        >>> [int(x) for x in tf.data.Dataset.range(4).scan(
        ...     np.int64(0), lambda a, x: (a + x, a + x))]
        [0, 1, 3, 6]
        """
        with name_scope.name_scope("initial_state"):
            state = structure.normalize(initial_state)

        def pair(f):
            if not isinstance(f.output_spec, tuple) or (
                len(f.output_spec) != 2
            ):
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair "
                    "consisting of new state and the output value but its "
                    f"return type is {f.output_spec}."
                )
            return f.output_spec[0]

        made, state_spec = specs.until_fixed(
            structure.spec_of(state),
            lambda spec: traced.Traced(
                scan_func, "Dataset.scan()", (spec, self.element_spec)
            ),
            pair,
        )
        return self._then(
            raw_ops.ScanDataset, made.output_spec[1], f=made.function,
            initial_state=structure.to_tensors(state_spec, state),
            preserve_cardinality=True, use_default_device=False,
        )

    def reduce(self, initial_state, reduce_func, name=None):
        """The last of the states `state = reduce_func(state, element)`.

        Args:
          initial_state: a structure of what can be tensors.
          reduce_func: takes a state and an element; returns the next state.
          name: accepted for compatibility.

        Raises:
          TypeError: the next state has another structure or other types.

        >>> int(tf.data.Dataset.range(5).reduce(
        ...     np.int64(0), lambda a, x: a + x))
        10
        """
        with name_scope.name_scope("initial_state"):
            state = structure.normalize(initial_state)
        made, spec = specs.until_fixed(
            structure.spec_of(state),
            lambda state_spec: traced.Traced(
                reduce_func, "reduce()", (state_spec, self.element_spec)
            ),
            lambda f: f.output_spec,
        )
        results = raw_ops.ReduceDataset(
            input_dataset=self._as_input(),
            initial_state=structure.to_tensors(spec, state),
            other_arguments=made.function.captured_inputs, f=made.function,
            **structure.signature(spec),
        )
        return structure.from_tensors(spec, results)

    def _to_datasets(self, map_func, transformation: str):
        f = traced.Traced(map_func, transformation, self.element_spec)
        if not isinstance(f.output_spec, specs.DatasetSpec):
            raise TypeError(
                "The `map_func` argument must return a `Dataset` object. Got "
                f"{f.output_spec}."
            )
        return f, f.output_spec.element_spec
