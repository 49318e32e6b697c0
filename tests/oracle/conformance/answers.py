"""What one module answers to a question."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cases
import numpy as np
from bad_call_outcomes import said

from conformance import questions, variants
from conformance.questions import Question


@dataclass
class Answer:
    error: str = ""  # the exception's class; "" if there is none
    text: str = ""
    values: list[Any] = field(default_factory=list)
    # Where shapes were asked for: (dtype's name, sizes or None) of each output.
    shapes: list[tuple[str, tuple[int | None, ...] | None]] = field(
        default_factory=list
    )


def _case(question: Question) -> cases.Case:
    if question.aspect in questions.ERRORS:
        return questions.bad_calls(question.op)[question.variant]
    return variants.make(question.op, question.dtype, question.variant)


def _with_types(tf: Any, case: cases.Case) -> cases.Case:
    """Types that are attributes as the module's own: TensorFlow takes another way
    through Python for names of types, whose refusals have other classes."""
    types = {a["name"] for a in cases.record(case.op)["attrs"] if a["type"] == "type"}
    attrs = {
        n: tf.as_dtype(v) if n in types and isinstance(v, str) else v
        for n, v in case.attrs.items()
    }
    return dataclasses.replace(case, attrs=attrs)


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, list):
        return [function(v) for v in value]
    return function(value)


def _as_array(tensor: Any) -> np.ndarray:
    if str(getattr(tensor.dtype, "name", "")) in ("variant", "resource"):
        return np.array(tensor.dtype.name)
    return np.asarray(tensor.numpy())


def _values(tf: Any, case: cases.Case) -> list[np.ndarray]:
    variables: list[Any] = []
    arguments = case.arguments(tf, variables)
    out = cases.flatten(case.call(tf, arguments))
    return [_as_array(t) for t in out] + [v.numpy() for v in variables]


def _specs(tf: Any, case: cases.Case, names: list[str], how: str) -> dict[str, Any]:
    def spec(array: np.ndarray) -> Any:
        shape = [None] * array.ndim if how == "shape of partly known" else None
        dtype = tf.string if array.dtype == object else tf.as_dtype(array.dtype)
        return tf.TensorSpec(shape, dtype)

    return {n: _mapped(spec, case.inputs[n]) for n in names}


def _traced(tf: Any, case: cases.Case, how: str) -> list[Any]:
    """The output tensors of a function of the inputs that `how` is about; the
    others are constants in it."""
    names = [n for n, v in case.inputs.items() if not isinstance(v, cases.Variable)]
    if how == "shape of constants":
        names = []
    elif how == "shape of partly known":
        names = [n for n in names if n in variants.free_inputs(case.op)]
    outputs: list[Any] = []
    variables: list[Any] = []
    handles = {
        n: v
        for n, v in case.arguments(tf, variables).items()
        if isinstance(case.inputs[n], cases.Variable)
    }

    def call(given: dict[str, Any]) -> Any:
        def constant(value: Any) -> Any:
            return _mapped(lambda v: tf.constant(v), value)

        arguments = {
            n: given[n] if n in given else handles[n] if n in handles else constant(v)
            for n, v in case.inputs.items()
        }
        outputs.extend(cases.flatten(case.call(tf, arguments)))
        return tf.constant(0)

    specs = _specs(tf, case, names, how)
    tf.function(call, autograph=False).get_concrete_function(specs)
    return outputs


def _in_function(tf: Any, case: cases.Case) -> None:
    variables: list[Any] = []
    arguments = case.arguments(tf, variables)
    given = {
        n: v
        for n, v in arguments.items()
        if not isinstance(case.inputs[n], cases.Variable)
    }

    def call(values: dict[str, Any]) -> Any:
        return cases.flatten(case.call(tf, {**arguments, **values}))

    specs = {
        n: _mapped(lambda t: tf.TensorSpec(None, t.dtype), v) for n, v in given.items()
    }
    tf.function(call, autograph=False).get_concrete_function(specs)(given)


class _Scalar:
    """A number made of an op's outputs, and of its gradients, with weights that
    depend on places and shapes alone."""

    def __init__(self, tf: Any, case: cases.Case):
        self.tf = tf
        self.case = case
        self.tensors: list[Any] = []
        self.arguments = case.arguments(tf)
        for value in self.arguments.values():
            for t in value if isinstance(value, list) else [value]:
                if t.dtype.is_floating or t.dtype.is_complex:
                    self.tensors.append(t)

    def _weighed(self, place: int, t: Any) -> Any:
        tf = self.tf
        rng = np.random.default_rng(zlib.crc32(f"{place} {t.shape}".encode()))
        weights = tf.constant(
            np.asarray(rng.uniform(0.5, 1.5, t.shape.as_list())), tf.float64
        )
        if t.dtype.is_complex:
            t = tf.cast(tf.math.real(t), tf.float64) + 2 * tf.cast(
                tf.math.imag(t), tf.float64
            )
        return tf.reduce_sum(tf.cast(t, tf.float64) * weights)

    def _total(self, tensors: list[Any]) -> Any:
        parts = [
            self._weighed(i, t)
            for i, t in enumerate(tensors)
            if t is not None and (t.dtype.is_floating or t.dtype.is_complex)
        ]
        return sum(parts[1:], parts[0]) if parts else None

    def gradients(self, order: int) -> list[Any]:
        tf = self.tf
        with tf.GradientTape() as outer:
            outer.watch(self.tensors)
            with tf.GradientTape() as inner:
                inner.watch(self.tensors)
                y = self._total(
                    cases.flatten(self.case.call(tf, self.arguments))
                )
            if y is None:
                return []
            found = inner.gradient(y, self.tensors)
            found = [g if g is None else tf.convert_to_tensor(g) for g in found]
            if order == 1:
                return found
            y = self._total(found)
        if y is None:
            return []
        found = outer.gradient(y, self.tensors)
        return [g if g is None else tf.convert_to_tensor(g) for g in found]


def _answer(tf: Any, question: Question) -> Answer:
    case = _with_types(tf, _case(question))
    if question.aspect in questions.SHAPES:
        found = [
            (t.dtype.name, None if t.shape.rank is None else tuple(t.shape.as_list()))
            for t in _traced(tf, case, question.aspect)
        ]
        return Answer(shapes=found)
    if question.aspect in (questions.GRADIENT, questions.SECOND):
        if case.has_variables:
            return Answer()
        order = 1 if question.aspect == questions.GRADIENT else 2
        found = _Scalar(tf, case).gradients(order)
        return Answer(values=[g if g is None else _as_array(g) for g in found])
    if question.aspect == questions.ERRORS[1]:
        _in_function(tf, case)
        return Answer()
    return Answer(values=_values(tf, case))


def ask(tf: Any, question: Question) -> Answer:
    """What the module says; an exception is an answer, too."""
    try:
        return _answer(tf, question)
    except Exception as error:
        return Answer(error=type(error).__name__, text=said(error))
