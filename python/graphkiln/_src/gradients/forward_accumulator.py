"""tf.autodiff.ForwardAccumulator: derivatives along a direction."""

from graphkiln import _graphkiln, nest
from graphkiln._src.gradients.gradient_tape import UnconnectedGradients
from graphkiln._src.host import logging as _logging


class ForwardAccumulator(_graphkiln.ForwardAccumulator):
    """Computes Jacobian-vector products while the program runs forwards.

    `jvp(y)` is the derivative of `y` with respect to `primals` in the
    direction `tangents`: for `y = f(x)`, the limit of `(f(x + h * tangent) -
    f(x)) / h`. Accumulators nest with each other and with gradient tapes; each
    sees what accumulators inside it compute.

    Args:
      primals: a tensor, a variable or a nested structure of them.
      tangents: directions in the same structure, with the shapes and dtypes
        of the primals.

    Raises:
      ValueError: the structures, dtypes or shapes differ, or a primal is
        there twice.

    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = x * x * x
    >>> acc.jvp(y).numpy().tolist()
    [3.0, 0.0]

    Forward over backward gives the product of a Hessian with a vector:

    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x * x * x)
    ...     gradient = tape.gradient(y, x)
    >>> acc.jvp(gradient).numpy().tolist()
    [6.0, 0.0]
    """

    def __init__(self, primals, tangents):
        super().__init__()
        self._start(primals, tangents)

    @classmethod
    def _batch_accumulator(cls, primals, tangents) -> "ForwardAccumulator":
        """An accumulator of several directions at once, which are along the
        first axis of the tangents and of the products."""
        self = cls.__new__(cls)
        tangents = nest.map_structure(_graphkiln.convert_to_tensor, tangents)
        _graphkiln.ForwardAccumulator.__init__(
            self, _graphkiln.nest_flatten(tangents)
        )
        self._start(primals, tangents)
        return self

    def _start(self, primals, tangents) -> None:
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(
            _graphkiln.nest_flatten(primals), _graphkiln.nest_flatten(tangents)
        ):
            dtype = primal.dtype
            if dtype.is_floating or dtype.is_complex:
                tangent = _graphkiln.convert_to_tensor(tangent, dtype=dtype)
                self._watch(primal, tangent)
            else:
                _logging.warn_first(
                    "The dtype of the watched primal must be floating (e.g. "
                    "tf.float32), got %r", dtype,
                )

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The product of the Jacobian of `primals` with the tangents.

        Args:
          primals: a tensor or a nested structure of tensors; as a rule what
            was computed under the accumulator.
          unconnected_gradients: what comes out for a tensor that does not
            depend on the watched primals: None, or with "zero" zeros.

        Returns:
          Tensors of the shapes and dtypes of `primals`, in the same structure.

        Raises:
          ValueError: an unknown `unconnected_gradients`.
          LookupError: an op on the way has no gradient.

        >>> x = tf.constant(2.0)
        >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        ...     y = x * x
        >>> acc.jvp({"y": y, "x": x})["y"].numpy().item()
        4.0
        """
        zero = UnconnectedGradients(unconnected_gradients)
        products = self._products(
            _graphkiln.nest_flatten(primals),
            zero is UnconnectedGradients.ZERO,
        )
        return _graphkiln.nest_pack(primals, products)
