"""tf.compat.v1.mixed_precision: what losses are multiplied by, so that gradients of
few bits do not vanish."""

from __future__ import annotations

import abc
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import (
    IndexedSlices,
    Variable,
    convert_to_tensor,
    executing_eagerly,
    group,
)
from graphkiln._src import ops
from graphkiln._src.checkpoint.trackable import Trackable
from graphkiln._src.checkpoint.waiting import child_came
from graphkiln._src.distribute import current
from graphkiln._src.training.side_variables import graph_of_variables


class LossScale(Trackable, metaclass=abc.ABCMeta):
    """Base of what losses are multiplied by: calling one gives the number,
    `update` changes it by the gradients of a step.

    >>> class Four(tf.compat.v1.mixed_precision.LossScale):
    ...     def __call__(self):
    ...         return tf.constant(4.0)
    ...     def update(self, grads):
    ...         return None, True
    ...     def get_config(self):
    ...         return {}
    >>> Four()().numpy().item()
    4.0
    """

    def __init__(self) -> None:
        # {(name, graph): variable}; None is the graph of eager programs.
        self._weights: dict[tuple[str, Any], Variable] = {}

    @abc.abstractmethod
    def __call__(self) -> Any:
        """The number, a scalar of float32."""

    @abc.abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Changes the number.

        Args:
          grads: a structure of gradients that were divided by the number; None
            counts for nothing.

        Returns:
          What changes it, which has run already when eager; and whether variables
          may change by these gradients.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """One with these arguments."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Any:
        key = (name, graph_of_variables())
        if key in self._weights:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        made = Variable(initial_value, name=name, dtype=dtype, trainable=False)
        self._weights[key] = made
        child_came(self, name, made)
        return made

    def _weights_here(self) -> dict[str, Any]:
        here = graph_of_variables()
        weights = sorted(self._weights.items(), key=lambda item: item[0][0])
        return {name: v for (name, graph), v in weights if graph is here}

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        told = super()._trackable_children(save_type, **kwargs)
        return {**self._weights_here(), **told}

    def _lookup_dependency(
        self, name: str, cached_dependencies: dict[str, Any] | None = None
    ) -> Any:
        told = super()._lookup_dependency(name, cached_dependencies)
        return self._weights_here().get(name) if told is None else told


class FixedLossScale(LossScale):
    """A loss scale that stays.

    Args:
      loss_scale_value: the number, at least 1.

    Raises:
      ValueError: it is less, or no number.

    >>> tf.compat.v1.mixed_precision.FixedLossScale(8)
    FixedLossScale(8.0)
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, int | float):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Any:
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: Any) -> tuple[Any, bool]:
        """Changes nothing; variables may change."""
        del grads
        return ops.no_op(), True

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


class DynamicLossScale(LossScale):
    """A loss scale that grows while gradients are finite and shrinks where not.

    Args:
      initial_loss_scale: the number at first.
      increment_period: after how many steps with finite gradients it grows.
      multiplier: by which factor it grows and shrinks; it stays 1 or more.

    >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(16.0, 1)
    >>> _, apply = scale.update([tf.constant([1.0, float("inf")])])
    >>> bool(apply), scale().numpy().item()
    (False, 8.0)
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight(
            "current_loss_scale", self._initial_loss_scale, _graphkiln.float32
        )
        self._num_good_steps = self._add_weight("good_steps", 0, _graphkiln.int64)

    @property
    def initial_loss_scale(self) -> float:
        """The number at first."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many steps with finite gradients it grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """By which factor it grows and shrinks."""
        return self._multiplier

    def __call__(self) -> Any:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Grows after enough steps with finite gradients, shrinks where one is not;
        variables may change where all are finite."""
        finite = self._finite_everywhere(nest.flatten(grads))
        return _graphkiln.cond(finite, self._one_good_step, self._shrink), finite

    def _finite_everywhere(self, grads: list) -> Any:
        if not current.has_strategy():
            return _all_finite(grads)
        strategy = current.get_strategy()
        counted = strategy.extended.call_for_each_replica(
            lambda each: ops.cast(_all_finite(each), _graphkiln.float32), args=(grads,)
        )
        total = strategy.reduce("SUM", counted, axis=None)
        return ops.equal(total, float(strategy.num_replicas_in_sync))

    def _one_good_step(self) -> Any:
        return _graphkiln.cond(
            self._num_good_steps + 1 >= self._increment_period,
            self._grow,
            lambda: _operation(self._num_good_steps.assign_add(1)),
        )

    def _grow(self) -> Any:
        larger = self._current_loss_scale * self._multiplier
        grown = _graphkiln.cond(
            ops.math.is_finite(larger),
            lambda: _operation(self._current_loss_scale.assign(larger)),
            ops.no_op,
        )
        return group(grown, self._num_good_steps.assign(0))

    def _shrink(self) -> Any:
        smaller = ops.maximum(self._current_loss_scale / self._multiplier, 1.0)
        return group(
            self._num_good_steps.assign(0), self._current_loss_scale.assign(smaller)
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }

    def __repr__(self) -> str:
        facts = self.get_config()
        if executing_eagerly():
            facts = {
                "current_loss_scale": self._current_loss_scale.numpy(),
                "num_good_steps": self._num_good_steps.numpy(),
                **facts,
            }
        shown = ", ".join(f"{name}={value!s}" for name, value in facts.items())
        return f"DynamicLossScale({shown})"


def loss_scale_of(identifier: Any) -> LossScale | None:
    """The loss scale that a number, "dynamic", one itself or None stands for."""
    if isinstance(identifier, int | float):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


def _all_finite(grads: list) -> Any:
    values = [g.values if isinstance(g, IndexedSlices) else g for g in grads]
    return ops.reduce_all(
        [ops.reduce_all(ops.math.is_finite(v)) for v in values if v is not None]
    )


def _operation(assigned: Any) -> Any:
    return assigned if executing_eagerly() else assigned.op
