"""Optimizers of TensorFlow's first version whose steps are as long as the gradients so
far say."""

from __future__ import annotations

from typing import Any

from graphkiln import raw_ops
from graphkiln._graphkiln import executing_eagerly, group
from graphkiln._src import ops
from graphkiln._src.training.optimizer import after, filled
from graphkiln._src.training.plain_optimizers import OptimizerByOps


class AdagradOptimizer(OptimizerByOps):
    """accum += grad ** 2; var -= learning_rate * grad / sqrt(accum).

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      initial_accumulator_value: where accum begins, positive.
      use_locking: accepted for compatibility.
      name: of its operations and slots.

    Raises:
      ValueError: for an initial value that is not positive.

    >>> tf.compat.v1.train.AdagradOptimizer(0.1).get_name()
    'Adagrad'
    """

    _DENSE = staticmethod(raw_ops.ResourceApplyAdagrad)
    _SPARSE = staticmethod(raw_ops.ResourceSparseApplyAdagrad)
    _NUMBERS = {"lr": "_learning_rate"}
    _SLOTS = {"accum": "accumulator"}

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                "initial_accumulator_value must be positive: "
                f"{initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list) -> None:
        start = self._initial_accumulator_value
        for v in var_list:
            self._slot(v, "accumulator", self._name, lambda v=v: filled(v, start))


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad, and a step towards 0 by the strengths (Duchi and Singer, 2009).

    Args:
      learning_rate: a number, a tensor or a variable.
      initial_accumulator_value: where accum begins, positive.
      l1_regularization_strength: not negative.
      l2_regularization_strength: not negative.
      use_locking: accepted for compatibility.
      name: of its operations and slots.

    Raises:
      ValueError: for an initial value that is not positive.

    >>> tf.compat.v1.train.ProximalAdagradOptimizer(0.1).get_name()
    'ProximalAdagrad'
    """

    _DENSE = staticmethod(raw_ops.ResourceApplyProximalAdagrad)
    _SPARSE = staticmethod(raw_ops.ResourceSparseApplyProximalAdagrad)
    _NUMBERS = {"lr": "_learning_rate", "l1": "_l1", "l2": "_l2"}

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength


class AdagradDAOptimizer(OptimizerByOps):
    """Adagrad by the average of all gradients (dual averaging; Duchi, Hazan and
    Singer, 2011).

    Args:
      learning_rate: a number, a tensor or a variable.
      global_step: an int64 variable that counts the steps.
      initial_gradient_squared_accumulator_value: positive.
      l1_regularization_strength: not negative.
      l2_regularization_strength: not negative.
      use_locking: accepted for compatibility.
      name: of its operations and slots.

    Raises:
      ValueError: for an initial value that is not positive.

    >>> step = tf.Variable(0, dtype=tf.int64)
    >>> tf.compat.v1.train.AdagradDAOptimizer(0.1, step).get_name()
    'AdagradDA'
    """

    _DENSE = staticmethod(raw_ops.ResourceApplyAdagradDA)
    _SPARSE = staticmethod(raw_ops.ResourceSparseApplyAdagradDA)
    _NUMBERS = {"lr": "_learning_rate", "l1": "_l1", "l2": "_l2"}
    _SLOTS = {
        "gradient_accumulator": "gradient_accumulator",
        "gradient_squared_accumulator": "gradient_squared_accumulator",
    }

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial = initial_gradient_squared_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._global_step = global_step

    def _create_slots(self, var_list: list) -> None:
        for v in var_list:
            self._zeros_slot(v, "gradient_accumulator", self._name)
            self._slot(
                v,
                "gradient_squared_accumulator",
                self._name,
                lambda v=v: filled(v, self._initial),
            )

    def _arguments(self, variable: Any) -> dict[str, Any]:
        return {
            **super()._arguments(variable),
            "global_step": ops.identity(self._global_step) + 1,
        }


class AdadeltaOptimizer(OptimizerByOps):
    """A step by the ratio of averages of old steps and of gradients (Zeiler, 2012).

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      rho: how fast averages forget.
      epsilon: what keeps the ratio finite.
      use_locking: accepted for compatibility.
      name: of its operations and slots.

    >>> tf.compat.v1.train.AdadeltaOptimizer().get_name()
    'Adadelta'
    """

    _DENSE = staticmethod(raw_ops.ResourceApplyAdadelta)
    _SPARSE = staticmethod(raw_ops.ResourceSparseApplyAdadelta)
    _NUMBERS = {"lr": "_lr", "rho": "_rho", "epsilon": "_epsilon"}
    _SLOTS = {"accum": "accum", "accum_update": "accum_update"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list: list) -> None:
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)


class AdamOptimizer(OptimizerByOps):
    """A step by averages of gradients and of their squares (Kingma and Ba, 2015).

    Gradients of some rows make all rows' averages forget, and all rows move.

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      beta1: how fast the average of gradients forgets.
      beta2: how fast the average of squares forgets.
      epsilon: what keeps the step finite.
      use_locking: accepted for compatibility.
      name: of its operations and slots.

    >>> v = tf.Variable([1.0, 2.0])
    >>> optimizer = tf.compat.v1.train.AdamOptimizer(0.5)
    >>> optimizer.minimize(lambda: tf.reduce_sum(v**2), var_list=[v])
    >>> v.numpy().round(3).tolist()
    [0.5, 1.5]
    """

    _DENSE = staticmethod(raw_ops.ResourceApplyAdam)
    _NUMBERS = {
        "lr": "_lr", "beta1": "_beta1", "beta2": "_beta2", "epsilon": "_epsilon"
    }  # fmt: skip
    _SLOTS = {"m": "m", "v": "v"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        return (
            self._get_non_slot_variable("beta1_power"),
            self._get_non_slot_variable("beta2_power"),
        )

    def _create_slots(self, var_list: list) -> None:
        first = min(var_list, key=lambda v: v.name)
        for name, beta in (
            ("beta1_power", self._beta1),
            ("beta2_power", self._beta2),
        ):
            self._create_non_slot_variable(self._call_if_callable(beta), name, first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        power1, power2 = self._get_beta_accumulators()
        return {
            **super()._arguments(variable),
            "beta1_power": ops.cast(power1, variable.dtype),
            "beta2_power": ops.cast(power2, variable.dtype),
        }

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        h = self._arguments(handle)
        m, v = self.get_slot(handle, "m"), self.get_slot(handle, "v")
        rate = h["lr"] * ops.sqrt(1.0 - h["beta2_power"]) / (1.0 - h["beta1_power"])
        averages = []
        for average, beta, value in (
            (m, h["beta1"], grad),
            (v, h["beta2"], grad * grad),
        ):
            with after(average.assign(average * beta)):
                added = raw_ops.ResourceScatterAdd(
                    resource=average.handle,
                    indices=indices,
                    updates=value * (1.0 - beta),
                )
            with after(added):
                averages.append(average.read_value())
        step = rate * averages[0] / (ops.sqrt(averages[1]) + h["epsilon"])
        return handle.assign_sub(step)

    def _finish(self, update_ops: list, name_scope: str) -> Any:
        power1, power2 = self._get_beta_accumulators()
        with after(*update_ops):
            grown = [
                power1.assign(power1 * ops.cast(self._tensors["beta1"], power1.dtype)),
                power2.assign(power2 * ops.cast(self._tensors["beta2"], power2.dtype)),
            ]
        if executing_eagerly():
            return None
        done = [op for op in (*update_ops, *grown) if op is not None]
        return group(*done, name=name_scope)


class RMSPropOptimizer(OptimizerByOps):
    """A step by the gradient over the root of the average of its squares.

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      decay: how fast averages forget.
      momentum: of steps.
      epsilon: what keeps the step finite.
      use_locking: accepted for compatibility.
      centered: divides by the root of the variance instead.
      name: of its operations and slots.

    >>> tf.compat.v1.train.RMSPropOptimizer(0.1).get_name()
    'RMSProp'
    """

    _NUMBERS = {
        "lr": "_learning_rate", "rho": "_decay", "momentum": "_momentum",
        "epsilon": "_epsilon",
    }  # fmt: skip

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._DENSE = raw_ops.ResourceApplyRMSProp
        self._SPARSE = raw_ops.ResourceSparseApplyRMSProp
        self._SLOTS = {"ms": "rms", "mom": "momentum"}
        if centered:
            self._DENSE = raw_ops.ResourceApplyCenteredRMSProp
            self._SPARSE = raw_ops.ResourceSparseApplyCenteredRMSProp
            self._SLOTS["mg"] = "mg"

    def _create_slots(self, var_list: list) -> None:
        for v in var_list:
            self._slot(v, "rms", self._name, lambda v=v: filled(v, 1.0))
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)


class FtrlOptimizer(OptimizerByOps):
    """Follows the regularized leader (McMahan and others, 2013).

    Args:
      learning_rate: a number, a tensor, a variable or a function that gives one.
      learning_rate_power: at most 0; 0 for a rate that stays.
      initial_accumulator_value: where accum begins, not negative.
      l1_regularization_strength: not negative.
      l2_regularization_strength: not negative.
      use_locking: accepted for compatibility.
      name: of its operations and slots.
      accum_name: of the first slot's variables, where it is not `name`.
      linear_name: of the second slot's, where it is not `name`.
      l2_shrinkage_regularization_strength: not negative; a strength that does not
        depend on the accumulator.
      beta: a number of the paper's; 0 unless given.

    Raises:
      ValueError: for a number of the wrong sign.

    >>> tf.compat.v1.train.FtrlOptimizer(0.1).get_name()
    'Ftrl'
    """

    _SLOTS = {"accum": "accum", "linear": "linear"}

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        for said, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            (
                "l2_shrinkage_regularization_strength",
                l2_shrinkage_regularization_strength,
            ),
        ):
            if value < 0.0:
                raise ValueError(f"{said} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative "
                "or zero"
            )
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name = accum_name
        self._linear_name = linear_name
        self._DENSE = raw_ops.ResourceApplyFtrl
        self._SPARSE = raw_ops.ResourceSparseApplyFtrl
        self._NUMBERS = {
            "lr": "_learning_rate", "l1": "_l1", "l2": "_l2",
            "lr_power": "_learning_rate_power",
        }  # fmt: skip
        if self._shrinkage > 0.0:
            self._DENSE = raw_ops.ResourceApplyFtrlV2
            self._SPARSE = raw_ops.ResourceSparseApplyFtrlV2
            self._NUMBERS["l2_shrinkage"] = "_shrinkage"

    def _create_slots(self, var_list: list) -> None:
        start = self._initial_accumulator_value
        for v in var_list:
            self._slot(
                v,
                "accum",
                self._accum_name or self._name,
                lambda v=v: filled(v, start),
            )
            self._zeros_slot(v, "linear", self._linear_name or self._name)

    def _arguments(self, variable: Any) -> dict[str, Any]:
        found = super()._arguments(variable)
        # Half of beta / lr more of l2 is what beta does to the steps.
        found["l2"] = found["l2"] + ops.cast(self._beta, variable.dtype) / (
            2.0 * found["lr"]
        )
        return found
