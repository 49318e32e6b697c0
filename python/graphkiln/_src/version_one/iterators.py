"""Iterators of graphs that sessions run: tf.compat.v1.data.Iterator."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Operation, Tensor
from graphkiln._src.checkpoint.saveables import SaveableObject, SaveSpec
from graphkiln._src.function.function import function


def _parts(element_spec: Any) -> list[Any]:
    """The specs of an element, whose lists are values."""
    return _graphkiln.element_flatten(element_spec)


def _flat(element_spec: Any) -> dict[str, list]:
    """What ops are told of the tensors of an element."""
    specs = _graphkiln.element_flat_specs(element_spec)
    return {
        "output_types": [spec.dtype for spec in specs],
        "output_shapes": [spec.shape for spec in specs],
    }


def _spec_of(types: Any, shapes: Any, classes: Any) -> Any:
    """The spec of elements, of plain tensors unless classes say else."""
    flat = _graphkiln.element_flatten
    dtypes = flat(types)
    known = [None] * len(dtypes)
    if shapes is not None:
        of_types = _graphkiln.element_flatten_up_to(types, shapes)
        known = [_graphkiln.TensorShape(shape) for shape in of_types]
    kinds = [Tensor] * len(dtypes) if classes is None else flat(classes)
    specs = []
    for shape, dtype, kind in zip(known, dtypes, kinds, strict=True):
        if kind is Tensor:
            specs.append(_graphkiln.TensorSpec(shape, dtype))
        elif kind is _graphkiln.SparseTensor:
            specs.append(_graphkiln.SparseTensorSpec(shape, dtype))
        elif isinstance(kind, _graphkiln.TypeSpec):
            specs.append(kind)
        else:
            raise TypeError(f"`output_classes`: no elements of {kind} are known")
    return _graphkiln.element_pack(types, specs)


class Iterator:
    """Goes over datasets in a graph, whose runs each take one element.

    Args:
      iterator_resource: the handle.
      initializer: the operation that lets it begin, or None.
      output_types, output_shapes, output_classes: of the elements: what
        `tf.compat.v1.data.get_output_types` and the like tell of a dataset.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     iterator = v1.data.Iterator.from_structure(tf.int64, [])
    ...     begin = iterator.make_initializer(tf.data.Dataset.range(3))
    ...     element = iterator.get_next()
    ...     session.run(begin)
    ...     [session.run(element).item() for _ in range(3)]
    [0, 1, 2]
    """

    def __init__(
        self,
        iterator_resource: Tensor,
        initializer: Operation | None,
        output_types: Any,
        output_shapes: Any,
        output_classes: Any,
    ) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._element_spec = _spec_of(output_types, output_shapes, output_classes)

    @classmethod
    def _of(cls, handle: Tensor, element_spec: Any) -> Iterator:
        made = cls.__new__(cls)
        made._iterator_resource = handle
        made._initializer = None
        made._element_spec = element_spec
        return made

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """One that takes any dataset of elements of these types, by
        `make_initializer`.

        Args:
          output_types: dtypes, as they nest in elements.
          output_shapes: what is known of the shapes.
          shared_name: a name under which several sessions have one iterator.
          output_classes: of the values; tf.Tensor unless given.
        """
        if output_classes is not None and any(
            cls is not Tensor for cls in _parts(output_classes)
        ):
            raise TypeError(
                "Iterator.from_structure takes elements of tensors: of others make "
                "it by tf.compat.v1.data.make_initializable_iterator"
            )
        return _new(_spec_of(output_types, output_shapes, output_classes), shared_name)

    @staticmethod
    def from_string_handle(
        string_handle: Any,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """The iterator of a text that `string_handle` of it gave.

        Args:
          string_handle: a string scalar, which may be fed.
          output_types, output_shapes, output_classes: as of `from_structure`.
        """
        spec = _spec_of(output_types, output_shapes, output_classes)
        handle = raw_ops.IteratorFromStringHandleV2(
            string_handle=_graphkiln.convert_to_tensor(string_handle, "string"),
            **_flat(spec),
        )
        return Iterator._of(handle, spec)

    @property
    def initializer(self) -> Operation:
        """What lets it begin anew. Raises ValueError if it has no dataset of its
        own."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely "
                "created using `tf.data.Dataset.make_one_shot_iterator()`. For an "
                "initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """What lets it begin with a dataset.

        Args:
          dataset: of elements of the iterator's types.
          name: of the operation.

        Raises TypeError if the elements are others.
        """
        for ours, theirs in zip(
            _parts(self._element_spec), _parts(dataset.element_spec), strict=True
        ):
            if not ours.is_compatible_with(theirs):
                raise TypeError(
                    f"Expected elements {self._element_spec} but got "
                    f"{dataset.element_spec} in dataset."
                )
        return raw_ops.MakeIterator(
            dataset=dataset._variant_tensor, iterator=self._iterator_resource, name=name
        )

    def get_next(self, name: str | None = None) -> Any:
        """The next element: another one in each run. A run past the last fails
        with OutOfRangeError."""
        tensors = raw_ops.IteratorGetNext(
            iterator=self._iterator_resource, name=name, **_flat(self._element_spec)
        )
        return _graphkiln.element_of_components(self._element_spec, list(tensors))

    def string_handle(self, name: str | None = None) -> Tensor:
        """A text that stands for it, which other graphs' runs can be fed."""
        known = self.__dict__.get("_string_handle")
        if known is None or name is not None:
            known = raw_ops.IteratorToStringHandle(
                resource_handle=self._iterator_resource, name=name
            )
            if name is None:
                self._string_handle = known
        return known

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The dtypes of an element."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """What is known of the shapes of an element."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of an element."""
        return get_output_classes(self)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            "ITERATOR": lambda name="ITERATOR": IteratorSaveable(
                self._iterator_resource, name
            )
        }


class IteratorSaveable(SaveableObject):
    """Where an iterator is, as savers save it.

    Args:
      iterator_resource: the handle.
      name: what it is saved by.
      external_state_policy: what is done of state outside of the iterator, as a
        tf.data.experimental.ExternalStatePolicy or its number.
    """

    def __init__(
        self, iterator_resource: Tensor, name: str, external_state_policy: Any = 2
    ) -> None:
        state = raw_ops.SerializeIterator(
            resource_handle=iterator_resource,
            external_state_policy=getattr(
                external_state_policy, "value", external_state_policy
            ),
        )
        spec = SaveSpec(state, "", f"{name}_STATE", device=iterator_resource.device)
        super().__init__(iterator_resource, [spec], name)

    def restore(self, restored_tensors: list, restored_shapes: list | None) -> Any:
        """Puts the iterator where it was."""
        return raw_ops.DeserializeIterator(
            resource_handle=self.op, serialized=restored_tensors[0]
        )


def _new(element_spec: Any, shared_name: str | None) -> Iterator:
    handle = raw_ops.IteratorV2(
        shared_name=shared_name or "", container="", **_flat(element_spec)
    )
    return Iterator._of(handle, element_spec)


def _check_graph(dataset: Any) -> None:
    """Fails unless the dataset is of the graph that is built."""
    graph = _graphkiln.get_default_graph()
    variant = dataset._variant_tensor
    own = getattr(variant, "graph", None)
    if own is not graph:
        raise ValueError(
            f"The graph {graph} of the iterator is different from the graph {own} "
            f"the dataset: {variant} was created in. Make sure that the dataset is "
            "created in the same graph as the iterator."
        )


# Ops with a state that may be had twice.
_REPEATABLE = ("SeedGenerator", "MemoryCache")


def _check_capture_by_value(tensor: Tensor) -> None:
    """Fails if an op behind a tensor cannot be in a function as it is."""
    try:
        _graphkiln.part_arguments(tensor.graph, [], [tensor])
    except _graphkiln.UnliftableError as error:
        raise ValueError(f"Cannot capture a placeholder ({error}) by value.") from None
    left, seen = [tensor.op], set()
    while left:
        op = left.pop()
        if op.name in seen:
            continue
        seen.add(op.name)
        outputs = op.outputs
        repeatable = op.type.endswith(_REPEATABLE) or (
            outputs and outputs[0].dtype == _graphkiln.variant
        )
        if op.op_def.is_stateful and not repeatable:
            raise ValueError(
                f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by "
                "value.: A likely cause of this error is that the dataset for which "
                "you are calling `make_one_shot_iterator()` captures a stateful "
                "object, such as a `tf.Variable` or `tf.lookup.StaticHashTable`, "
                "which is not supported. Use `make_initializable_iterator()` instead."
            )
        left += [made.op for made in op.inputs]
        left += op.control_inputs


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator that begins by itself, once: in a graph at the first run that
    asks it for an element.

    Args:
      dataset: a tf.data.Dataset, in a graph one of it.

    Raises ValueError in a graph if the dataset needs a variable, a table or a
    placeholder.

    >>> it = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
    >>> it.get_next().numpy().item()
    0
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     it = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
    ...     element = it.get_next()
    ...     [session.run(element).item() for _ in range(2)]
    [0, 1]
    """
    if _graphkiln.executing_eagerly() or _graphkiln.inside_function():
        return iter(dataset)
    _check_graph(dataset)
    variant = dataset._as_input()
    _check_capture_by_value(variant)
    graph = _graphkiln.get_default_graph()

    def make_dataset() -> Tensor:
        return _graphkiln.copy_part(graph, [], [variant], [])[0]

    factory = function(make_dataset, autograph=False)
    handle = raw_ops.OneShotIterator(
        dataset_factory=factory.get_concrete_function(), **_flat(dataset.element_spec)
    )
    return Iterator._of(handle, dataset.element_spec)


def make_initializable_iterator(
    dataset: Any, shared_name: str | None = None
) -> Iterator:
    """An iterator of a graph, which a session lets begin by `initializer`.

    Args:
      dataset: a tf.data.Dataset of the graph.
      shared_name: a name under which several sessions have one iterator.

    Raises RuntimeError eagerly.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     largest = v1.placeholder(tf.int64, [])
    ...     iterator = v1.data.make_initializable_iterator(
    ...         tf.data.Dataset.range(largest))
    ...     element = iterator.get_next()
    ...     session.run(iterator.initializer, {largest: 2})
    ...     [session.run(element).item() for _ in range(2)]
    [0, 1]
    """
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use "
            "Python-style iteration instead."
        )
    _check_graph(dataset)
    iterator = _new(dataset.element_spec, shared_name)
    with _graphkiln.device(None):
        iterator._initializer = raw_ops.MakeIterator(
            dataset=dataset._variant_tensor, iterator=iterator._iterator_resource
        )
    return iterator


def _mapped(dataset_or_iterator: Any, fact: Any) -> Any:
    spec = dataset_or_iterator.element_spec
    return _graphkiln.element_pack(spec, [fact(part) for part in _parts(spec)])


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the elements, as they nest.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(1))
    tf.int64
    """
    return _mapped(dataset_or_iterator, lambda part: part.dtype)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """What is known of the shapes of the elements, as they nest.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.range(1))
    TensorShape([])
    """
    return _mapped(dataset_or_iterator, lambda part: part.shape)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the elements, as they nest.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(1)) is tf.Tensor
    True
    """
    ragged = _graphkiln.RaggedTensorSpec
    return _mapped(
        dataset_or_iterator,
        lambda part: part if isinstance(part, ragged) else part.value_type,
    )


def make_saveable_from_iterator(
    iterator: Iterator, external_state_policy: Any = None
) -> IteratorSaveable:
    """What a `tf.compat.v1.train.Saver` saves of an iterator of a graph: where it
    is.

    Args:
      iterator: the iterator.
      external_state_policy: a tf.data.experimental.ExternalStatePolicy; FAIL unless
        given.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
    ...     saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    ...     saver = v1.train.Saver([saveable])
    """
    if external_state_policy is None:
        external_state_policy = 2
    resource = iterator._iterator_resource
    return IteratorSaveable(resource, resource.name, external_state_policy)
