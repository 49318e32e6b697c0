"""tf.train.ExponentialMovingAverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import (
    Operation,
    Variable,
    convert_to_tensor,
    executing_eagerly,
    get_default_graph,
    group,
    init_scope,
    name_scope,
)
from graphkiln._src import ops
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.graph_variables import (
    add_to_collection,
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from graphkiln._src.training.side_variables import (
    in_graph,
    name_of,
    scoped_name,
    side_variable,
)
from graphkiln._src.version_one.variable_store import get_variable

_REALS = (
    _graphkiln.bfloat16,
    _graphkiln.float16,
    _graphkiln.float32,
    _graphkiln.float64,
)


class ExponentialMovingAverage:
    """Averages of variables, in which what is older weighs less.

    `apply` moves each average towards its variable:
    average -= (1 - decay) * (average - variable). Averages begin as the variables
    are when `apply` first sees them.

    Args:
      decay: a number or a scalar tensor from 0 to 1; the nearer to 1, the slower.
      num_updates: how often the variables have changed, a number or a tensor. Where
        it is given the decay is at most (1 + num_updates) / (10 + num_updates), so
        that averages move faster in the beginning.
      zero_debias: whether averages of tensors, which begin at 0, are divided by
        what their weights add up to (https://arxiv.org/abs/1412.6980, section 3).
      name: the last part of the averages' names.

    >>> v = tf.Variable(1.0)
    >>> ema = tf.train.ExponentialMovingAverage(decay=0.75)
    >>> ema.apply([v])
    >>> v.assign(5.0).numpy().item()
    5.0
    >>> ema.apply([v])
    >>> ema.average(v).numpy().item()
    2.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        # By references of what is averaged.
        self._averages: dict[Any, Variable] = {}
        self._of_tensors: set[Any] = set()

    @property
    def name(self) -> str:
        """The last part of the averages' names."""
        return self._name

    def apply(self, var_list: Sequence | None = None) -> Operation | None:
        """Moves the averages; makes those that are not there yet.

        Args:
          var_list: variables; in graphs of the first version also tensors. All
            trainable variables of the graph unless given.

        Returns:
          The operation that does so, in a graph; None eagerly.

        Raises:
          TypeError: for values that are no floating point numbers, and for tensors
            outside of graphs of the first version.
        """
        values = trainable_variables() if var_list is None else list(var_list)
        for value in values:
            self._check(value)
        for value in values:
            if value.ref() not in self._averages:
                with init_scope():
                    self._averages[value.ref()] = self._made_for(value)
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay)
            if self._num_updates is not None:
                n = ops.cast(self._num_updates, "float32")
                decay = ops.minimum(decay, (1.0 + n) / (10.0 + n))
            moves = [
                self._moved(self._averages[v.ref()], v, decay, v.ref()) for v in values
            ]
        if executing_eagerly():
            return None
        return group(*moves, name=scope)

    def average(self, var: Any) -> Variable | None:
        """The average of a variable or tensor; None if `apply` has not seen it."""
        return self._averages.get(var.ref())

    def average_name(self, var: Any) -> str:
        """The name of a variable's average, which need not be there yet."""
        known = self._averages.get(var.ref())
        if known is not None:
            return known.name.partition(":")[0]
        name = f"{name_of(var)}/{self._name}"
        if in_graph():
            return get_default_graph().unique_name(name, mark_as_used=False)
        return name

    def variables_to_restore(
        self, moving_avg_variables: Sequence | None = None
    ) -> dict[str, Variable]:
        """What a Saver needs to read averages into the variables themselves.

        Args:
          moving_avg_variables: which variables have averages in the file; the
            trainable ones of the graph, and those that have some here, unless given.

        Returns:
          Variables by the names in the file: of their averages, where they have
          some, else their own.

        >>> v = tf.Variable(1.0, name="v")
        >>> ema = tf.train.ExponentialMovingAverage(0.9, name="ema")
        >>> list(ema.variables_to_restore([v]))
        ['v/ema']
        """
        if moving_avg_variables is not None:
            averaged = list(moving_avg_variables)
        elif executing_eagerly():
            averaged = [ref.deref() for ref in self._averages]
        else:
            averaged = trainable_variables() + moving_average_variables()
        found = {v.ref(): v for v in averaged}
        names = {self.average_name(v): v for v in found.values()}
        if not executing_eagerly():
            for v in global_variables():
                if v.ref() not in found:
                    names.setdefault(name_of(v), v)
        return names

    def _check(self, value: Any) -> None:
        if not isinstance(value, Variable) and not in_graph():
            raise TypeError(
                "tf.train.ExponentialMovingAverage does not support non-Variable "
                "tensors when eager execution is enabled."
            )
        if value.dtype not in _REALS:
            raise TypeError(
                f"The variables must be half, float, or double: {value.name}"
            )

    def _made_for(self, value: Any) -> Variable:
        is_variable = isinstance(value, Variable)
        wanted = f"{name_of(value)}/{self._name}"
        name = scoped_name(wanted)
        if not in_graph():
            return side_variable(name, lambda: value)
        start = value.initialized_value() if is_variable else ops.zeros_like(value)
        made = side_variable(name, lambda: start)
        if is_variable:
            add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, value)
        else:
            self._of_tensors.add(value.ref())
        return made

    def _moved(self, average: Variable, value: Any, decay: Any, ref: Any) -> Any:
        rate = ops.cast(1.0 - decay, average.dtype)
        if not self._zero_debias or ref not in self._of_tensors:
            return average.assign_sub((average - value) * rate)
        # What the average would be without the division, and how often it moved.
        base = average.name.partition(":")[0]
        start = {"trainable": False, "use_resource": True}
        biased = get_variable(
            f"{base}/biased", initializer=ops.zeros_like(average), **start
        )
        step = get_variable(
            f"{base}/local_step", initializer=ops.zeros([], average.dtype), **start
        )
        now = biased.assign_sub((biased - value) * rate)
        weight = 1.0 - ops.pow(1.0 - rate, step.assign_add(1.0))
        return average.assign(now / weight)
