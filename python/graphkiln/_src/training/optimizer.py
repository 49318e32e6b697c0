"""tf.compat.v1.train.Optimizer: what optimizers of TensorFlow's first version share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphkiln import _graphkiln, nest, raw_ops
from graphkiln._graphkiln import (
    GradientTape,
    IndexedSlices,
    Operation,
    Variable,
    control_dependencies,
    convert_to_tensor,
    executing_eagerly,
    group,
    init_scope,
    name_scope,
)
from graphkiln._src import ops
from graphkiln._src.checkpoint.trackable import Trackable
from graphkiln._src.checkpoint.waiting import child_came
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.graph_variables import (
    add_to_collection,
    get_collection_ref,
    trainable_variables,
)
from graphkiln._src.training.side_variables import (
    graph_of_variables,
    in_graph,
    name_of,
    scoped_name,
    side_variable,
)

_REALS = (
    _graphkiln.float32,
    _graphkiln.float64,
    _graphkiln.float16,
    _graphkiln.bfloat16,
)
_Pairs = list[tuple[Any, Any]]


def after(*operations: Any) -> Any:
    """A context in which operations come after these; eagerly they do anyway."""
    if executing_eagerly():
        return control_dependencies([])
    return control_dependencies([op for op in operations if op is not None])


def _texts(values: Iterable) -> list[str]:
    return [str(value) for value in values]


class Optimizer(Trackable):
    """Base of the optimizers of TensorFlow's first version.

    A subclass says how a variable changes: `_resource_apply_dense(grad, var)` and
    `_resource_apply_sparse(grad, var, indices)` give operations, `_create_slots`
    makes variables for variables, `_prepare` the numbers of a step.

    Args:
      use_locking: accepted for compatibility; a step of a variable and its slots is
        seen as a whole or not at all.
      name: what its operations and slots are called by.

    Raises:
      ValueError: without a name.

    >>> class Signs(tf.compat.v1.train.Optimizer):
    ...     def _resource_apply_dense(self, grad, var):
    ...         return var.assign_sub(tf.sign(grad))
    >>> v = tf.Variable([3.0, -4.0])
    >>> Signs(False, "Signs").minimize(lambda: tf.reduce_sum(v**2), var_list=[v])
    >>> v.numpy().tolist()
    [2.0, -3.0]
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(
        self,
        use_locking: bool,
        name: str,
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._use_own_namescope_for_non_slot_vars = use_own_namescope_for_non_slot_vars
        # {slot: {reference of the variable: its slot}}
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._awaited: dict[tuple[str, Any], list] = {}
        # {(name, graph): variable}; None is the graph of eager programs.
        self._non_slot_dict: dict[tuple[str, Any], Variable] = {}

    def get_name(self) -> str:
        """What it was called by."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Sequence | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation | None:
        """Changes variables so that the loss gets smaller.

        Args:
          loss: a tensor, or a function that gives one.
          global_step: a variable that grows by 1.
          var_list: the variables; all trainable ones unless given.
          gate_gradients: accepted for compatibility.
          aggregation_method: accepted for compatibility.
          colocate_gradients_with_ops: accepted for compatibility.
          name: of the operation.
          grad_loss: the gradient of the loss; ones unless given.

        Returns:
          The operation that does so, in a graph; None eagerly.

        Raises:
          ValueError: no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(grad is None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops "
                "that do not support gradients, between variables "
                f"{_texts(v for _, v in pairs)} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> _Pairs:
        """The first half of `minimize`.

        Returns:
          Pairs of gradients, None where there is none, and variables.

        Raises:
          RuntimeError: eagerly, for a loss that is no function.
          ValueError: without variables, or with ones that are no real numbers.
        """
        variables = None if var_list is None else nest.flatten(var_list)
        if callable(loss):
            with GradientTape() as tape:
                if variables is not None:
                    tape.watch(variables)
                value = loss()
            if variables is None:
                variables = list(tape.watched_variables())
            if in_graph():
                grads = self._in_graph_gradients(value, variables, grad_loss)
            else:
                grads = tape.gradient(value, variables, grad_loss)
            return list(zip(grads, variables, strict=True))
        if executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function "
                "when eager execution is enabled."
            )
        if variables is None:
            variables = trainable_variables()
        if not variables:
            raise ValueError("No variables to optimize.")
        self._assert_valid_dtypes([loss])
        grads = self._in_graph_gradients(loss, variables, grad_loss)
        pairs = list(zip(grads, variables, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def _in_graph_gradients(
        self, loss: Any, variables: list, grad_loss: Any
    ) -> list[Any]:
        return _graphkiln.gradients(loss, variables, grad_ys=grad_loss)

    def apply_gradients(
        self,
        grads_and_vars: Iterable,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Operation | None:
        """The second half of `minimize`.

        Args:
          grads_and_vars: what `compute_gradients` gives, or gradients made of that.
          global_step: a variable that grows by 1.
          name: of the operation.
          skip_gradients_aggregation: accepted for compatibility.

        Returns:
          The operation that does so, in a graph; None eagerly.

        Raises:
          ValueError: no variable has a gradient.
          InvalidArgumentError: a gradient has another shape than its variable.
        """
        pairs = [(grad, variable) for grad, variable in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        given = [(g, v) for g, v in pairs if g is not None]
        if not given:
            raise ValueError(
                "No gradients provided for any variable: "
                f"{_texts(v for _, v in pairs)}."
            )
        with init_scope():
            self._create_slots([v for _, v in given])
        with name_scope(name or self._name) as scope:
            self._prepare()
            updates = []
            for grad, variable in given:
                where = "" if executing_eagerly() else name_of(variable)
                with name_scope("update_" + where.replace("/", "_")):
                    updates.append(self._updated(grad, variable))
            done = self._finished(updates, global_step, scope)
        if executing_eagerly():
            return None
        if in_graph():
            trained = get_collection_ref(GraphKeys.TRAIN_OP)
            if done not in trained:
                add_to_collection(GraphKeys.TRAIN_OP, done)
        return done

    def _finished(self, updates: list, global_step: Any, scope: str) -> Any:
        if global_step is None:
            return self._finish(updates, scope)
        before = self._finish(updates, "update")
        if executing_eagerly():
            global_step.assign_add(1)
            return None
        with after(before):
            added = global_step.assign_add(1, name=scope, read_value=False)
            return added.op if hasattr(added, "op") else added

    def _updated(self, grad: Any, variable: Any) -> Any:
        if isinstance(grad, IndexedSlices):
            return self._resource_apply_sparse_duplicate_indices(
                grad.values, variable, grad.indices
            )
        grad = convert_to_tensor(grad, dtype=variable.dtype)
        done = self._resource_apply_dense(grad, variable)
        constraint = getattr(variable, "constraint", None)
        if constraint is None:
            return done
        with after(done):
            return variable.assign(constraint(variable))

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """The slot of that name for a variable; None if there is none."""
        return self._slots.get(name, {}).get(var.ref())

    def get_slot_names(self) -> list[str]:
        """The names of slots, sorted."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """Slots and other variables of its own, sorted by their names; in a graph
        those of that graph."""
        here = self._graph_key()
        own = [v for (_, graph), v in self._non_slot_dict.items() if graph is here]
        slots = [
            v
            for variables in self._slots.values()
            for v in variables.values()
            if here is None or getattr(v, "graph", here) is here
        ]
        return sorted([*own, *slots], key=lambda v: v.name)

    # ---- What subclasses say or use.

    def _valid_dtypes(self) -> set:
        return set(_REALS)

    def _assert_valid_dtypes(self, tensors: Iterable) -> None:
        valid = self._valid_dtypes()
        for t in tensors:
            if t.dtype not in valid:
                shown = [t for t in _REALS if t in valid] or list(valid)
                raise ValueError(
                    f"Invalid type {t.dtype!r} for {t.name}, expected: {shown}."
                )

    def _create_slots(self, var_list: list) -> None:
        """Makes slots for variables, which may have them already."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates of a step use."""

    def _finish(self, update_ops: list, name_scope: str) -> Any:
        """What is done at the end of a step, after these operations."""
        if executing_eagerly():
            return None
        return group(*[op for op in update_ops if op is not None], name=name_scope)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError()

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        raise NotImplementedError()

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Any
    ) -> Any:
        """Sums the gradients of one row first; rules that need not do so override
        it."""
        unique, places = ops.unique(indices)
        summed = raw_ops.UnsortedSegmentSum(
            data=grad, segment_ids=places, num_segments=ops.shape(unique)[0]
        )
        return self._resource_apply_sparse(summed, handle, unique)

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) and not isinstance(param, Variable) else param

    def _graph_key(self) -> Any:
        return graph_of_variables()

    def _slot(self, variable: Any, slot: str, op_name: str, value: Callable) -> Any:
        """The slot, made with what `value` gives if it is not there yet."""
        named = self._slots.setdefault(slot, {})
        made = named.get(variable.ref())
        if made is None:
            made = side_variable(scoped_name(f"{name_of(variable)}/{op_name}"), value)
            named[variable.ref()] = made
            for position in self._awaited.pop((slot, variable.ref()), []):
                position.restore(made)
        return made

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        return self._slot(var, slot_name, op_name, lambda: filled(var, 0.0))

    def _get_or_make_slot(
        self, var: Any, val: Any, slot_name: str, op_name: str
    ) -> Any:
        return self._slot(var, slot_name, op_name, lambda: val)

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any
    ) -> Variable:
        key = (name, self._graph_key())
        made = self._non_slot_dict.get(key)
        if made is None:
            made = side_variable(
                scoped_name(name) if in_graph() else name,
                lambda: convert_to_tensor(initial_value),
            )
            self._non_slot_dict[key] = made
            child_came(self, name, made)
        return made

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slot_dict.get((name, self._graph_key()))

    # ---- What checkpoints ask.

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        here = self._graph_key()
        children = super()._trackable_children(save_type, **kwargs)
        for (name, graph), variable in sorted(
            self._non_slot_dict.items(), key=lambda item: item[0][0]
        ):
            if graph is here:
                children[name] = variable
        return children

    def _create_or_restore_slot_variable(
        self, slot_variable_position: Any, slot_name: str, variable: Any
    ) -> None:
        slot = self.get_slot(variable, slot_name)
        if slot is None:
            if in_graph() or not slot_variable_position.is_simple_variable():
                waiting = self._awaited.setdefault((slot_name, variable.ref()), [])
                waiting.append(slot_variable_position)
                return
            slot = self._slot(
                variable, slot_name, self._name, slot_variable_position.value
            )
        slot_variable_position.restore(slot)


def filled(variable: Any, value: float) -> Any:
    return ops.fill(variable.shape.as_list(), ops.cast(value, variable.dtype))
