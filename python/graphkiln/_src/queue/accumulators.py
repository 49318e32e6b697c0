"""tf.compat.v1.ConditionalAccumulator and the like, over the ops of accumulators."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import DType, IndexedSlices, Operation, Tensor, TensorShape
from graphkiln._src import ops


class ConditionalAccumulatorBase:
    """Base of accumulators: they gather gradients until there are enough.

    Args:
      dtype: of the gradients: float16, float32 or float64.
      shape: of the gradients as far as it is known, or None.
      accumulator_ref: the handle.

    Gradients of steps that are over do not count.

    >>> a = tf.compat.v1.ConditionalAccumulator(tf.float32, shape=[])
    >>> isinstance(a, tf.compat.v1.ConditionalAccumulatorBase)
    True
    """

    # The ops of handles that are names.
    _num_accumulated = staticmethod(raw_ops.AccumulatorNumAccumulated)
    _set_global_step = staticmethod(raw_ops.AccumulatorSetGlobalStep)

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor) -> None:
        self._dtype = _graphkiln.as_dtype(dtype)
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = (
            ""
            if _graphkiln.executing_eagerly()
            else accumulator_ref.op.name.split("/")[-1]
        )

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the op that made it; empty when made eagerly."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are, an int32 scalar."""
        return self._num_accumulated(handle=self._accumulator_ref, name=name)

    def set_global_step(
        self, new_global_step: Any, name: str | None = None
    ) -> Operation | None:
        """Sets the step, an int64 scalar: gradients of earlier ones do not count."""
        return self._set_global_step(
            handle=self._accumulator_ref,
            new_global_step=_int64(new_global_step),
            name=name,
        )


def _int64(value) -> Tensor:
    return ops.cast(value, _graphkiln.as_dtype("int64"))


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Gathers gradients, and gives their mean or sum once there are enough.

    Args:
      dtype: of the gradients: float16, float32 or float64.
      shape: of the gradients as far as it is known, or None.
      shared_name: under which others find it, or None.
      name: of the op.
      reduction_type: "MEAN" or "SUM".

    Raises:
      InvalidArgumentError: another `reduction_type`.
      NotFoundError: there are no accumulators of the dtype.

    >>> a = tf.compat.v1.ConditionalAccumulator(tf.float32, shape=[2])
    >>> a.apply_grad([1.0, 2.0])
    >>> a.apply_grad([3.0, 2.0])
    >>> a.take_grad(2).numpy().tolist()
    [2.0, 2.0]
    """

    _num_accumulated = staticmethod(raw_ops.ResourceAccumulatorNumAccumulated)
    _set_global_step = staticmethod(raw_ops.ResourceAccumulatorSetGlobalStep)

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        accumulator_ref = raw_ops.ResourceConditionalAccumulator(
            dtype=dtype,
            shape=TensorShape(shape),
            shared_name=shared_name,
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, accumulator_ref)

    def apply_grad(
        self, grad: Any, local_step: Any = 0, name: str | None = None
    ) -> Operation | None:
        """Gives it a gradient, which counts unless its step is over.

        Args:
          grad: of the dtype and shape of the accumulator.
          local_step: of the gradient, an int64 scalar.
          name: of the op.

        Raises:
          InvalidArgumentError: the shape is another one.
        """
        grad = _graphkiln.convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return raw_ops.ResourceAccumulatorApplyGradient(
            handle=self._accumulator_ref,
            local_step=_int64(local_step),
            gradient=grad,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean or sum of the gradients; the next step begins.

        Args:
          num_required: waits until so many were counted, an int32 scalar.
          name: of the op.

        Raises:
          InvalidArgumentError: `num_required` is below 1.
        """
        out = raw_ops.ResourceAccumulatorTakeGradient(
            handle=self._accumulator_ref,
            num_required=num_required,
            dtype=self._dtype,
            name=name,
        )
        out.set_shape(self._shape)
        return out


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Gathers gradients of rows, and gives the mean or sum of each.

    Args:
      dtype: of the gradients: float16, float32 or float64.
      shape: of the whole as far as it is known, or None.
      shared_name: under which others find it, or None.
      name: of the op.
      reduction_type: "MEAN", of a row of those gradients that have it, or "SUM".

    >>> a = tf.compat.v1.SparseConditionalAccumulator(tf.float32, shape=[3, 1])
    >>> a.apply_grad([0, 2], [[1.0], [2.0]])
    >>> a.apply_grad([2], [[4.0]])
    >>> taken = a.take_indexed_slices_grad(2)
    >>> taken.indices.numpy().tolist(), taken.values.numpy().tolist()
    ([0, 2], [[1.0], [3.0]])
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        accumulator_ref = raw_ops.SparseConditionalAccumulator(
            dtype=dtype,
            shape=TensorShape(shape),
            shared_name=shared_name,
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, accumulator_ref)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None
    ) -> Operation | None:
        """Gives it a gradient of slices, as `apply_grad` does."""
        return self.apply_grad(
            grad_indices=grad.indices,
            grad_values=grad.values,
            grad_shape=grad.dense_shape,
            local_step=local_step,
            name=name,
        )

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Operation | None:
        """Gives it rows of a gradient, which count unless their step is over.

        Args:
          grad_indices: of the rows, int64 [n], rising.
          grad_values: the rows, [n, ...].
          grad_shape: of the whole, a vector of int64, or None.
          local_step: of the gradient, an int64 scalar.
          name: of the op.

        Raises:
          InvalidArgumentError: the shapes do not fit each other or the
            accumulator's, or an index lies outside of that.
        """
        return raw_ops.SparseAccumulatorApplyGradient(
            handle=self._accumulator_ref,
            local_step=_int64(local_step),
            gradient_indices=_int64(grad_indices),
            gradient_values=_graphkiln.convert_to_tensor(grad_values, self._dtype),
            gradient_shape=_int64([] if grad_shape is None else grad_shape),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """The mean or sum of each row; the next step begins.

        Args:
          num_required: waits until so many gradients were counted, an int32
            scalar.
          name: of the op.

        Returns:
          Indices, values and shape; the first size is -1 where it is not known.

        Raises:
          InvalidArgumentError: `num_required` is below 1.
        """
        return raw_ops.SparseAccumulatorTakeGradient(
            handle=self._accumulator_ref,
            num_required=num_required,
            dtype=self._dtype,
            name=name,
        )

    def take_indexed_slices_grad(
        self, num_required: Any, name: str | None = None
    ) -> IndexedSlices:
        """What `take_grad` gives, as slices."""
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values=values, indices=indices, dense_shape=shape)
