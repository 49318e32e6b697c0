"""tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphkiln._graphkiln import IndexedSlices, Operation, Tensor, Variable, group
from graphkiln._src import ops
from graphkiln._src.distribute import current
from graphkiln._src.function.smart_cond import smart_cond
from graphkiln._src.training.loss_scale import DynamicLossScale, loss_scale_of
from graphkiln._src.training.optimizer import Optimizer


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer that multiplies the loss for another one and divides its
    gradients; with a dynamic loss scale it leaves out steps whose gradients are not
    finite.

    Args:
      opt: the other one, a `tf.compat.v1.train.Optimizer`.
      loss_scale: a number, "dynamic" or a loss scale.

    Raises:
      ValueError: `opt` is no such optimizer, or there is no loss scale.

    >>> plain = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    >>> optimizer = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(
    ...     plain, 8.0
    ... )
    >>> v = tf.Variable(1.0)
    >>> optimizer.minimize(lambda: v * v, var_list=[v])
    >>> v.numpy().item()
    0.5
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(
                f'"opt" must be an instance of Optimizer, but got: {type(opt)}'
            )
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        scale = loss_scale_of(loss_scale)
        if scale is None:
            raise ValueError("loss_scale cannot be None")
        self._loss_scale = scale
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(scale, "loss_scale")

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The first half of `minimize`: gradients of the loss times the loss scale,
        divided by it."""
        pairs = self._optimizer.compute_gradients(
            self._scaled_loss(loss),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        factor = 1 / self._loss_scale()
        return [(_times(grad, factor), variable) for grad, variable in pairs]

    def _scaled_loss(self, loss: Any) -> Any:
        scale = self._loss_scale()
        if not callable(loss):
            return loss * ops.cast(scale, loss.dtype)

        def scaled() -> Any:
            value = loss()
            return value * ops.cast(scale, value.dtype)

        return scaled

    def apply_gradients(
        self, grads_and_vars: Iterable, global_step: Any = None, name: str | None = None
    ) -> Operation | None:
        """The second half of `minimize`: where the loss scale is dynamic, of
        gradients that are finite alone.

        Raises:
          ValueError: in the context of all replicas of a strategy.
        """
        if current.in_cross_replica_context():
            raise ValueError("apply_gradients() must be called in a replica context.")
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        return current.get_replica_context().merge_call(
            self._distributed_apply, args=(tuple(grads_and_vars), global_step, name)
        )

    def _distributed_apply(
        self, strategy: Any, pairs: Any, global_step: Any = None, name: Any = None
    ) -> Any:
        name = self.get_name() if name is None else name
        updated, apply = self._loss_scale.update([grad for grad, _ in pairs])

        def applied() -> Any:
            done = strategy.extended.call_for_each_replica(
                self._optimizer.apply_gradients,
                args=(pairs, global_step, f"{name}-wrapped"),
            )
            return strategy.group(done)

        return group(smart_cond(apply, applied, ops.no_op), updated, name=name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise RuntimeError("This function should never be called")

    _apply_sparse = _resource_apply_dense = _apply_dense

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        raise RuntimeError("This function should never be called")

    def variables(self) -> list[Variable]:
        """Those of the other optimizer, then those of the loss scale."""
        return [*self._optimizer.variables(), *self._loss_scale._weights.values()]


def _times(grad: Any, factor: Tensor) -> Any:
    if grad is None:
        return None
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(grad.values * factor, grad.indices, grad.dense_shape)
    return grad * factor
