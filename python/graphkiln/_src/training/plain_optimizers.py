"""Optimizers of TensorFlow's first version whose steps follow the gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphkiln import raw_ops
from graphkiln._graphkiln import convert_to_tensor
from graphkiln._src import ops
from graphkiln._src.training.optimizer import Optimizer


class OptimizerByOps(Optimizer):
    """Whose steps are ops: `_NUMBERS` are attributes that are the ops' scalars, by
    argument, `_SLOTS` slots by argument."""

    _DENSE: Callable
    _SPARSE: Callable
    _NUMBERS: dict[str, str] = {}
    _SLOTS: dict[str, str] = {}

    def _prepare(self) -> None:
        self._tensors = {
            argument: convert_to_tensor(
                self._call_if_callable(getattr(self, attribute)), name=argument
            )
            for argument, attribute in self._NUMBERS.items()
        }

    def _arguments(self, variable: Any) -> dict[str, Any]:
        found = {
            argument: ops.cast(tensor, variable.dtype)
            for argument, tensor in self._tensors.items()
        }
        for argument, slot in self._SLOTS.items():
            found[argument] = self.get_slot(variable, slot).handle
        return {**found, **self._flags()}

    def _flags(self) -> dict[str, Any]:
        return {"use_locking": self._use_locking}

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self._DENSE(var=handle.handle, grad=grad, **self._arguments(handle))

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._SPARSE(
            var=handle.handle, grad=grad, indices=indices, **self._arguments(handle)
        )


class GradientDescentOptimizer(Optimizer):
    """var -= learning_rate * grad.

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      use_locking: accepted for compatibility.
      name: of its operations.

    >>> v = tf.Variable([1.0, 2.0])
    >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> optimizer.minimize(lambda: tf.reduce_sum(v**2), var_list=[v])
    >>> v.numpy().tolist()
    [0.5, 1.0]
    """

    def __init__(
        self,
        learning_rate: Any,
        use_locking: bool = False,
        name: str = "GradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self) -> None:
        self._rate = convert_to_tensor(
            self._call_if_callable(self._learning_rate), name="learning_rate"
        )

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return raw_ops.ResourceApplyGradientDescent(
            var=handle.handle,
            alpha=ops.cast(self._rate, handle.dtype),
            delta=grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Any
    ) -> Any:
        return raw_ops.ResourceScatterAdd(
            resource=handle.handle,
            indices=indices,
            updates=-grad * ops.cast(self._rate, handle.dtype),
        )


class MomentumOptimizer(OptimizerByOps):
    """accum = momentum * accum + grad; var -= learning_rate * accum.

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      momentum: the same.
      use_locking: accepted for compatibility.
      name: of its operations and slots.
      use_nesterov: goes on by the next step's momentum already
        (Sutskever and others, 2013).

    >>> v = tf.Variable([1.0, 2.0])
    >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.25, 0.5)
    >>> optimizer.minimize(lambda: tf.reduce_sum(v**2), var_list=[v])
    >>> optimizer.get_slot(v, "momentum").numpy().tolist()
    [2.0, 4.0]
    """

    _DENSE = staticmethod(raw_ops.ResourceApplyMomentum)
    _SPARSE = staticmethod(raw_ops.ResourceSparseApplyMomentum)
    _NUMBERS = {"lr": "_learning_rate", "momentum": "_momentum"}
    _SLOTS = {"accum": "momentum"}

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list) -> None:
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _flags(self) -> dict[str, Any]:
        return {**super()._flags(), "use_nesterov": self._use_nesterov}


class ProximalGradientDescentOptimizer(OptimizerByOps):
    """A step by the gradient, and one towards 0 by the strengths.

    Args:
      learning_rate: a number, a tensor or a variable.
      l1_regularization_strength: not negative.
      l2_regularization_strength: not negative.
      use_locking: accepted for compatibility.
      name: of its operations.

    >>> tf.compat.v1.train.ProximalGradientDescentOptimizer(0.1).get_name()
    'ProximalGradientDescent'
    """

    _SPARSE = staticmethod(raw_ops.ResourceSparseApplyProximalGradientDescent)
    _NUMBERS = {"alpha": "_learning_rate", "l1": "_l1", "l2": "_l2"}

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return raw_ops.ResourceApplyProximalGradientDescent(
            var=handle.handle, delta=grad, **self._arguments(handle)
        )
