"""Datasets whose elements come from several others, by choice or by chance:
methods of tf.data.Dataset."""

import numpy as np
from graphkiln._graphkiln import Tensor

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.function import tracing
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _making as making
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure


class Choice:
    """A base of tf.data.Dataset."""

    @staticmethod
    def choose_from_datasets(
        datasets, choice_dataset, stop_on_empty_dataset=True
    ) -> "Dataset":
        """The next element of the dataset that `choice_dataset` says, again
        and again.

        Args:
          datasets: a list of datasets of one structure.
          choice_dataset: of int64 scalars, places in the list.
          stop_on_empty_dataset: whether the end comes with the first choice
            of a dataset at its end; else such choices are passed over.

        Raises:
          TypeError: structures differ, or choices are no int64 scalars.
          ValueError: there are no datasets.
          tf.errors.InvalidArgumentError: when iterating, there is no such
            place.

        >>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
        >>> choice = tf.data.Dataset.range(2).repeat(2)
        >>> chosen = tf.data.Dataset.choose_from_datasets(parts, choice)
        >>> [int(x) for x in chosen]
        [0, 10, 1, 11]
        """
        if not datasets:
            raise ValueError(
                "Invalid `datasets`. `datasets` should not be empty."
            )
        wanted = TensorSpec((), dtypes.int64)
        if not structure.is_compatible(choice_dataset.element_spec, wanted):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must "
                "be scalar `tf.int64` tensors but are "
                f"{choice_dataset.element_spec}."
            )
        return making.of(
            raw_ops.DirectedInterleaveDataset, _common(datasets),
            selector_input_dataset=choice_dataset,
            data_input_datasets=list(datasets),
            stop_on_empty_dataset=bool(stop_on_empty_dataset),
        )

    @staticmethod
    def sample_from_datasets(
        datasets,
        weights=None,
        seed=None,
        stop_on_empty_dataset=False,
        rerandomize_each_iteration=None,
    ) -> "Dataset":
        """The next element of a dataset drawn by chance, again and again.

        Args:
          datasets: a list of datasets of one structure.
          weights: how likely each is: a list, a tensor of floats or a dataset
            of such; all the same if not given.
          seed: an int; with the global seed it determines what is drawn.
          stop_on_empty_dataset: whether the end comes when a dataset at its
            end is drawn; else such draws are passed over.
          rerandomize_each_iteration: whether each iteration draws anew.

        Raises:
          TypeError: structures differ, or weights are no floats.
          ValueError: there are no datasets, or another number of weights.

        >>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
        >>> drawn = tf.data.Dataset.sample_from_datasets(parts, [0.5, 0.5])
        >>> sorted(int(x) for x in drawn)
        [0, 1, 2, 10, 11, 12]
        """
        if not datasets:
            raise ValueError(
                "Invalid `datasets`. `datasets` should not be empty."
            )
        datasets, parts = list(datasets), [weights]
        if isinstance(weights, specs.Dataset):
            weights = making.typed(weights)
        elif weights is not None:
            datasets, weights = _weighted(datasets, weights)
            if len(datasets) == 1:
                return datasets[0]
        spec = _common(datasets)
        variant = _graphkiln.sample_from_datasets(
            [d._as_input() for d in datasets],
            *structure.signature(spec).values(), weights, seed,
            bool(stop_on_empty_dataset), bool(rerandomize_each_iteration),
        )
        return making.make(
            "_DirectedInterleaveDataset", variant, spec, *parts, *datasets
        )

    def rejection_resample(
        self, class_func, target_dist, initial_dist=None, seed=None, name=None
    ) -> "Dataset":
        """Pairs of a class and an element, of which some are left out so that
        classes are as frequent as wished for.

        Args:
          class_func: takes an element; returns its class, an int scalar.
          target_dist: how frequent each class should be: floats.
          initial_dist: how frequent each is; estimated on the way if not
            given.
          seed: an int; with the global seed it determines what is left out.
          name: accepted for compatibility.

        >>> dataset = tf.data.Dataset.from_tensor_slices([0] * 90 + [1] * 10)
        >>> even = dataset.shuffle(100).rejection_resample(
        ...     lambda x: x, [0.5, 0.5], [0.9, 0.1])
        >>> even.element_spec[0].dtype
        tf.int32
        """
        class_of = tracing.convert(class_func, None)

        def with_class(*element):
            return class_of(*element), (
                element[0] if len(element) == 1 else element
            )

        classed = self.map(with_class)
        if initial_dist is not None:
            initial_dist = _graphkiln.convert_to_tensor(initial_dist)
        variant = _graphkiln.rejection_resample(
            making.typed(classed), _graphkiln.convert_to_tensor(target_dist),
            initial_dist, seed,
        )
        if variant is None:
            return classed
        return making.make(
            "_DirectedInterleaveDataset", variant, classed.element_spec, classed
        )


def _common(datasets: list) -> object:
    """The spec of the elements of all of them."""
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets[1:], 1):
        both = structure.common(spec, dataset.element_spec)
        if both is None:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element "
                "specs.\n Dataset 0 element_spec="
                f"{datasets[0].element_spec}.\nDataset {i} element_spec="
                f"{dataset.element_spec}."
            )
        spec = both
    return spec


def _weighted(datasets: list, weights: object) -> tuple:
    """Those datasets that are drawn at all, and their weights."""
    if not isinstance(weights, Tensor):
        if len(weights) != len(datasets):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as "
                "`datasets` but got `len(weights)="
                f"{len(weights)}` vs. `len(datasets)={len(datasets)}`."
            )
        drawn = [(d, w) for d, w in zip(datasets, np.ravel(weights)) if w > 0]
        datasets = [d for d, _ in drawn] or datasets[:1]
        weights = [float(w) for _, w in drawn] or [1.0]
    return datasets, _graphkiln.convert_to_tensor(weights, name="weights")
