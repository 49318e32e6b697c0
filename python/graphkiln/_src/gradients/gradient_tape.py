"""tf.GradientTape and tf.custom_gradient."""

import enum
import functools
import inspect
from collections.abc import Callable

from graphkiln import _graphkiln, nest, raw_ops
from graphkiln._src.host import logging as _logging
from graphkiln._src.sparse.indexed_slices import IndexedSlices


class UnconnectedGradients(enum.Enum):
    """What the gradient of an unconnected source is.

    >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     z = x * x
    >>> tape.gradient(
    ...     z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO
    ... ).numpy().item()
    0.0
    """

    NONE = "none"
    ZERO = "zero"


def _unconnected(value) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: {value!r}"
        ) from None


def _zeros_like(source):
    if isinstance(source, _graphkiln.Tensor):
        return raw_ops.ZerosLike(x=source)
    return raw_ops.ZerosLike(x=_graphkiln.convert_to_tensor(source))


def _differentiable(value):
    """The tensor whose gradient stands for that of `value`."""
    part = getattr(type(value), "_gradient_part", None)
    if part is not None:
        return part(value)
    if hasattr(type(value), "_type_spec") and not isinstance(
        value, IndexedSlices
    ):
        raise ValueError(
            f"Type {type(value).__name__} is not supported as a gradient "
            "source or gradient target."
        )
    return value


class GradientTape:
    """Records operations, and differentiates what was recorded.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x).numpy().item()
    6.0
    """

    def __init__(
        self, persistent: bool = False, watch_accessed_variables: bool = True
    ):
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._tape: _graphkiln.Tape | None = None
        self._recording = False
        self._watched_variables = ()

    def __enter__(self) -> "GradientTape":
        self._push()
        return self

    def __exit__(self, kind, value, traceback) -> None:
        if self._recording:
            self._pop()

    def _push(self):
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to "
                "re-enter an already-active tape."
            )
        if self._tape is None:
            self._tape = self._new_tape()
        self._tape.push()
        self._recording = True

    def _new_tape(self):
        # Dropped after its only use unless persistent; a Jacobian uses it
        # several times.
        return _graphkiln.Tape(True, self._watch_accessed_variables)

    def _pop(self):
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._tape.pop()
        self._recording = False

    def watch(self, tensor) -> None:
        """Makes what depends on `tensor` differentiable."""
        for leaf in _graphkiln.nest_flatten(tensor):
            if hasattr(type(leaf), "_type_spec"):
                # Its numbers; nothing depends on where they are.
                self.watch([
                    part for part in nest.flatten(leaf, expand_composites=True)
                    if part.dtype.is_floating or part.dtype.is_complex
                ])
                continue
            if not _graphkiln.is_tensor(leaf):
                raise ValueError(
                    f"Passed in object {leaf} of type "
                    f"{type(leaf).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType."
                )
            if not (leaf.dtype.is_floating or leaf.dtype.is_complex):
                _logging.warn_first(
                    "The dtype of the watched tensor must be floating (e.g. "
                    "tf.float32), got %r",
                    leaf.dtype,
                )
            if self._tape is None:
                self._tape = self._new_tape()
            self._tape.watch(leaf)

    def stop_recording(self):
        """A context in which this tape records nothing."""
        if self._tape is None or not self._recording:
            raise ValueError("Tape is not recording.")
        return _Stopped(self)

    def reset(self) -> None:
        """Forgets everything recorded."""
        if self._tape is None or not self._recording:
            raise ValueError("Tape is not recording.")
        self._tape.reset()

    def watched_variables(self) -> tuple:
        """The variables watched, in the order of their construction."""
        if self._tape is not None:
            self._watched_variables = tuple(self._tape.watched_variables())
        return self._watched_variables

    def gradient(
        self,
        target,
        sources,
        output_gradients=None,
        unconnected_gradients=UnconnectedGradients.NONE,
    ):
        """The gradient of the sum of `target` with respect to `sources`."""
        if self._tape is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute "
                "one set of gradients (or jacobians)"
            )
        unconnected = _unconnected(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of "
                "Tensors, Variables or CompositeTensors to be differentiated, "
                "but received None."
            )
        if self._recording:
            if self._persistent:
                _logging.warn_first(
                    "Calling GradientTape.gradient on a persistent tape inside "
                    "its context is significantly less efficient than calling "
                    "it outside the context (it causes the gradient ops to be "
                    "recorded on the tape, leading to increased CPU and memory "
                    "usage). Only call GradientTape.gradient inside the context "
                    "if you actually want to trace the gradient in order to "
                    "compute higher order derivatives.",
                    times=1,
                )
            else:
                self._pop()
        targets = []
        for leaf in _graphkiln.nest_flatten(target):
            leaf = _differentiable(leaf)
            dtype = leaf.dtype
            if not (dtype.is_floating or dtype.is_complex):
                _logging.debug(
                    "The dtype of the target tensor must be floating (e.g. "
                    "tf.float32) when calling GradientTape.gradient, got %r",
                    dtype,
                )
            targets.append(leaf)
        given_sources = _graphkiln.nest_flatten(sources)
        flat_sources = [_differentiable(source) for source in given_sources]
        for source in flat_sources:
            dtype = source.dtype
            if not (dtype.is_floating or dtype.is_complex):
                _logging.debug(
                    "The dtype of the source tensor must be floating (e.g. "
                    "tf.float32) when calling GradientTape.gradient, got %r",
                    dtype,
                )
        if output_gradients is not None:
            given = list(_graphkiln.nest_flatten(output_gradients))
            if len(given) != len(targets):
                given = _graphkiln.nest_flatten_up_to(target, output_gradients)
            output_gradients = [
                None if g is None
                else g if isinstance(g, IndexedSlices)
                else _graphkiln.convert_to_tensor(g, dtype_hint=t.dtype)
                for g, t in zip(given, targets)
            ]
        gradients = self._tape.gradient(targets, flat_sources, output_gradients)
        if unconnected is UnconnectedGradients.ZERO:
            gradients = [
                _zeros_like(s) if g is None else g
                for g, s in zip(gradients, flat_sources)
            ]
        if not self._persistent:
            self._watched_variables = tuple(self._tape.watched_variables())
            self._tape = None
        gradients = [
            given._with_gradient(gradient)
            if gradient is not None and hasattr(given, "_with_gradient")
            else gradient
            for given, gradient in zip(given_sources, gradients)
        ]
        return _graphkiln.nest_pack(sources, gradients)

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """The matrix of derivatives of each element of `target`.

        Args:
          target: a tensor.
          sources: a tensor, a variable or a nested structure of them.
          unconnected_gradients: what comes out for a source that `target`
            does not depend on: None, or with "zero" zeros.
          parallel_iterations: accepted for compatibility.
          experimental_use_pfor: accepted for compatibility; the rows are made
            by one backward pass each, in graphs in a loop if they are many.

        Returns:
          Tensors of the shape of `target` followed by that of the source, in
          the structure of `sources`.

        Raises:
          RuntimeError: the tape is not persistent and was used before.
          ValueError: an unknown `unconnected_gradients`.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        tape = self._tape_for_rows()
        zero = _unconnected(unconnected_gradients) is UnconnectedGradients.ZERO
        results = tape.jacobian(target, _graphkiln.nest_flatten(sources), zero)
        if not self._persistent:
            self._tape = None
        return _graphkiln.nest_pack(sources, results)

    def _tape_for_rows(self):
        if self._tape is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute "
                "one set of gradients (or jacobians)"
            )
        if self._recording and not self._persistent:
            self._pop()
        return self._tape

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """The Jacobian of each example of a batch by itself.

        Args:
          target: a tensor of rank 2 or more; `target[i]` may depend on
            `source[i]` alone.
          source: a tensor of rank 2 or more.
          unconnected_gradients: accepted for compatibility: zeros come out
            if nothing depends on the source.
          parallel_iterations: accepted for compatibility.
          experimental_use_pfor: accepted for compatibility.

        Returns:
          A tensor of the shape of `target` followed by that of `source`
          without its first dimension.

        Raises:
          RuntimeError: the tape is not persistent and was used before.
          ValueError: a rank is below 2, or the batches differ in size.

        >>> x = tf.constant([[1.0], [2.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().tolist()
        [[[2.0]], [[4.0]]]
        """
        target.shape.with_rank_at_least(2)
        source.shape.with_rank_at_least(2)
        tape = self._tape_for_rows()
        _unconnected(unconnected_gradients)
        result = tape.batch_jacobian(target, source)
        if not self._persistent:
            self._tape = None
        return result


class _Stopped:
    """The context of GradientTape.stop_recording."""

    def __init__(self, tape: GradientTape):
        self._tape = tape

    def __enter__(self):
        self._tape._pop()

    def __exit__(self, kind, value, traceback):
        self._tape._push()


def custom_gradient(f=None):
    """Gives a function its own gradient: it returns (result, grad_fn).

    `grad_fn` takes the gradients of the results and returns those of the
    arguments. If the function uses variables, `grad_fn` also takes
    `variables` and returns (gradients of arguments, gradients of variables).

    >>> @tf.custom_gradient
    ... def twice_as_steep(x):
    ...     return x * x, lambda upstream: upstream * 4.0 * x
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = twice_as_steep(x)
    >>> tape.gradient(y, x).numpy().item()
    12.0
    """
    if f is None:
        return custom_gradient

    return _CustomGradient(f)


class _CustomGradient:
    """A function with a gradient of its own. As an attribute of a class it
    is a method: the object is no argument that has a gradient."""

    # In a slot: what functools.wraps copies to another must not hold it.
    __slots__ = ("__dict__", "__weakref__", "_function")

    def __init__(self, f: Callable):
        functools.update_wrapper(self, f)
        self._function = f

    def __get__(self, instance: object, owner: type | None = None):
        # What the class has may be a function, a classmethod or the like.
        bind = getattr(type(self._function), "__get__", None)
        if bind is None:
            return self
        return _CustomGradient(bind(self._function, instance, owner))

    def __call__(self, *args, **kwargs):
        return _call_custom(self._function, args, kwargs)


def _call_custom(
    f: Callable, args: tuple, kwargs: dict, forget: bool = False
) -> object:
    """Calls `f` and records the call as one; with `forget` nothing that `f`
    computes is kept for gradients."""
    result: object = None
    gradient: Callable

    def call(leaves: list) -> list:
        nonlocal result, gradient
        result, gradient = f(*_graphkiln.nest_pack(args, leaves), **kwargs)
        return _graphkiln.nest_flatten(result)

    def make_backward(variables: list) -> Callable:
        _check_takes_variables(gradient, variables)
        return functools.partial(_input_gradients, gradient, variables)

    outputs = _graphkiln.call_with_gradient(
        _graphkiln.current_graph(), call, make_backward,
        _graphkiln.nest_flatten(args), _graphkiln.nest_flatten(kwargs), forget,
    )
    return _graphkiln.nest_pack(result, outputs)


def _check_takes_variables(grad_fn: Callable, variables: list) -> None:
    if not variables:
        return
    spec = inspect.getfullargspec(grad_fn)
    if (
        "variables" not in spec.args
        and "variables" not in spec.kwonlyargs
        and not spec.varkw
    ):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument "
            f"'variables', since function uses variables: {variables}"
        )


def _input_gradients(
    gradient: Callable, variables: list, output_gradients: list
) -> list:
    """Gradients of the arguments, then of the variables."""
    if not variables:
        return _graphkiln.nest_flatten(gradient(*output_gradients))
    of_arguments, found = gradient(*output_gradients, variables=variables)
    of_variables = _graphkiln.nest_flatten(found)
    if len(of_variables) != len(variables):
        raise ValueError(
            "Must return gradient for each variable from @custom_gradient "
            "grad_fn."
        )
    return [*_graphkiln.nest_flatten(of_arguments), *of_variables]


def grad_pass_through(f):
    """`f`, whose gradient is that of the identity.

    >>> x = tf.Variable(1.3)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy().item(), tape.gradient(y, x).numpy().item()
    (1.0, 1.0)
    """

    @custom_gradient
    def wrapped(*args, **kwargs):
        def grad(*gradients, variables=None):
            passed = gradients if len(gradients) != 1 else gradients[0]
            if variables is None:
                return passed
            return passed, [None] * len(variables)

        return f(*args, **kwargs), grad

    return functools.wraps(f)(wrapped)
