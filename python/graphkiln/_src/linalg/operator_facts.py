"""What linear operators tell of themselves: shapes, hints, names."""

import abc

from graphkiln import nest
from graphkiln._graphkiln import CompositeTensor, Dimension, name_scope
from graphkiln._src import ops
from graphkiln._src.linalg import matrices
from graphkiln._src.linalg.matrices import as_tensor
from graphkiln._src.variables.module import Module


class _Gradient:
    """The gradient of an operator is one of the kind, of its tensors'."""

    def get_gradient_components(self, value):
        return value._type_spec._to_components(value)

    def replace_gradient_components(self, value, components):
        # Where one depends on nothing and others do, it is zero.
        own = self.get_gradient_components(value)
        found = [
            nest.map_structure(ops.zeros_like, x, expand_composites=True)
            if gradient is None else gradient
            for gradient, x in zip(nest.flatten(components), nest.flatten(own))
        ]
        packed = nest.pack_sequence_as(own, found)
        return value._type_spec._from_components(packed)


class OperatorFacts(Module, CompositeTensor, metaclass=abc.ABCMeta):
    """The part of LinearOperator that computes nothing but sizes; its constructor
    sets what is told here."""

    __composite_gradient__ = _Gradient()

    def _name_scope(self, name=None):
        return name_scope(f"{self.name}/{name}" if name else self.name)

    # ---- What it is ----

    @property
    def parameters(self):
        """The arguments of its constructor, by name."""
        return dict(self._parameters)

    @property
    def dtype(self):
        """The dtype of the matrix, and of what it is multiplied with."""
        return self._dtype

    @property
    def name(self):
        """The name that its ops' names begin with."""
        return self._name

    @property
    def graph_parents(self):
        """The tensors it was said to depend on (deprecated)."""
        return self._graph_parents

    @property
    def is_non_singular(self):
        """Whether it is known (not) to have an inverse; None: unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self):
        """Whether it is known (not) to be its own adjoint; None: unknown."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self):
        """Whether it is known (not) to be positive definite; None: unknown."""
        return self._is_positive_definite

    @property
    def is_square(self):
        """Whether it has as many rows as columns; None: unknown."""
        alike = self.domain_dimension == self.range_dimension
        said = self._is_square_set_or_implied_by_hints
        if said is False and alike:
            raise ValueError(
                "User set is_square hint to False, but the operator was square."
            )
        return alike if said is None else said

    # ---- Its shape ----

    @abc.abstractmethod
    def _shape(self):
        raise NotImplementedError("_shape is not implemented.")

    @property
    def shape(self):
        """The static shape [B1, ..., Bb, M, N]."""
        return self._shape()

    def _shape_tensor(self):
        raise NotImplementedError("_shape_tensor is not implemented.")

    def shape_tensor(self, name="shape_tensor"):
        """The shape as a tensor, known at run time at the latest.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            if self.shape.is_fully_defined():
                return matrices.shape_tensor(self.shape.as_list())
            return self._shape_tensor()

    @property
    def batch_shape(self):
        """The static shape [B1, ..., Bb] of the batch."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The shape of the batch as a tensor.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._batch_shape_tensor()

    def _batch_shape_tensor(self, shape=None):
        if self.batch_shape.is_fully_defined():
            return matrices.shape_tensor(
                self.batch_shape.as_list(), name="batch_shape"
            )
        return (self.shape_tensor() if shape is None else shape)[:-2]

    @property
    def tensor_rank(self):
        """How many dimensions the matrix has with its batch; None: unknown."""
        return self.shape.rank

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """The same as a tensor.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._tensor_rank_tensor()

    def _tensor_rank_tensor(self, shape=None):
        if self.tensor_rank is not None:
            return as_tensor(self.tensor_rank)
        return ops.size(self.shape_tensor() if shape is None else shape)

    @property
    def domain_dimension(self):
        """The number of columns, N, as a Dimension."""
        return matrices.dimension(self.shape, -1)

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """The number of columns as a tensor.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._domain_dimension_tensor()

    def _domain_dimension_tensor(self, shape=None):
        if self.domain_dimension.value is not None:
            return as_tensor(self.domain_dimension.value)
        return (self.shape_tensor() if shape is None else shape)[-1]

    @property
    def range_dimension(self):
        """The number of rows, M, as a Dimension."""
        return self.shape.dims[-2] if self.shape.dims else Dimension(None)

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """The number of rows as a tensor.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return self._range_dimension_tensor()

    def _range_dimension_tensor(self, shape=None):
        if self.range_dimension.value is not None:
            return as_tensor(self.range_dimension.value)
        return (self.shape_tensor() if shape is None else shape)[-2]
