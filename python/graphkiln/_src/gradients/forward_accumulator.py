"""tf.autodiff.ForwardAccumulator: derivatives along a direction.

What happens under an accumulator is recorded on a tape of its own. The
product of the Jacobian with the tangents is the gradient of a gradient: the
backward pass is linear in what it starts from, and its transpose is the
forward pass. It is made when somebody asks for it, and seen by the recorders
that were open around the accumulator, as if it had been made at once.
"""

import weakref
from collections.abc import Callable

from graphkiln import _graphkiln, nest, raw_ops
from graphkiln._src.gradients import recorders
from graphkiln._src.gradients.gradient_tape import UnconnectedGradients
from graphkiln._src.graph import name_scope
from graphkiln._src.host import logging as _logging


def _key(leaf: object) -> int:
    """What a tensor or variable is known by."""
    if isinstance(leaf, _graphkiln.BaseVariable):
        return leaf.handle._id
    if isinstance(leaf, _graphkiln.Tensor):
        return leaf._id
    raise AttributeError(
        f"{type(leaf).__name__!r} object has no attribute '_id': only tensors "
        f"and variables have derivatives, got {leaf!r}"
    )


class ForwardAccumulator:
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

    records_forward = True

    def __init__(self, primals, tangents):
        self._rows: int | None = None
        self._start(primals, tangents)

    def _start(self, primals, tangents) -> None:
        self._tape = _graphkiln.Tape(True, False)
        self._recording = False
        # By key: (primal, tangent).
        self._watched: dict[int, tuple] = {}
        # By key: (tensor, product); the tensor keeps the key its own.
        self._known: dict[int, tuple] = {}
        self._around: list = []
        home = _graphkiln.current_graph()
        self._home = home is None
        self._graph = (lambda: None) if home is None else weakref.ref(home)
        nest.assert_same_structure(primals, tangents)
        self._watch(primals, tangents)

    @classmethod
    def _batch_accumulator(cls, primals, tangents) -> "ForwardAccumulator":
        """An accumulator of several directions at once, which are along the
        first axis of the tangents and of the products."""
        self = cls.__new__(cls)
        tangents = nest.map_structure(_graphkiln.convert_to_tensor, tangents)
        flat = _graphkiln.nest_flatten(tangents)
        counts = {t.shape[0] for t in flat}
        if len(counts) != 1 or None in counts:
            raise ValueError(
                "The first axis of all tangents must have one known length, "
                f"got {sorted(map(str, counts))}"
            )
        self._rows = counts.pop()
        self._start(primals, tangents)
        return self

    def _watch(self, primals, tangents) -> None:
        for primal, tangent in zip(
            _graphkiln.nest_flatten(primals), _graphkiln.nest_flatten(tangents)
        ):
            dtype = primal.dtype
            if not (dtype.is_floating or dtype.is_complex):
                _logging.warn_first(
                    "The dtype of the watched primal must be floating (e.g. "
                    "tf.float32), got %r", dtype,
                )
                continue
            tangent = _graphkiln.convert_to_tensor(tangent, dtype=dtype)
            shape = tangent.shape if self._rows is None else tangent.shape[1:]
            if not shape.is_compatible_with(primal.shape):
                raise ValueError(
                    f"The tangent of a primal of shape {primal.shape} must "
                    f"have that shape, got {shape}."
                )
            key = _key(primal)
            if key in self._watched:
                raise ValueError(
                    f"Tensor {primal!r} was specified as a primal multiple "
                    "times. This may indicate an error. If it was intended, "
                    "please sum the corresponding tangents."
                )
            self._watched[key] = primal, tangent
            self._tape.watch(primal)

    def __enter__(self) -> "ForwardAccumulator":
        self._push_accumulator()
        return self

    def __exit__(self, *error: object) -> None:
        if self._recording:
            self._pop_accumulator()

    def _push_accumulator(self) -> None:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._around = recorders.recording_references()
        self._tape.push()
        recorders.opened(self)
        self._recording = True

    def _pop_accumulator(self) -> None:
        if not self._recording:
            raise ValueError("Accumulator is not recording.")
        self._tape.pop()
        recorders.closed(self)
        self._recording = False

    _push, _pop = _push_accumulator, _pop_accumulator

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
        unconnected = UnconnectedGradients(unconnected_gradients)
        leaves = _graphkiln.nest_flatten(primals)
        products = [self._product(leaf) for leaf in leaves]
        if unconnected is UnconnectedGradients.ZERO:
            products = [
                self._zeros(leaf) if product is None else product
                for leaf, product in zip(leaves, products)
            ]
        return _graphkiln.nest_pack(primals, products)

    def _zeros(self, leaf) -> _graphkiln.Tensor:
        zeros = raw_ops.ZerosLike(x=_graphkiln.convert_to_tensor(leaf))
        if self._rows is None:
            return zeros
        return raw_ops.Pack(values=[zeros] * self._rows, axis=0)

    def _product(self, leaf):
        key = _key(leaf)
        if key in self._watched:
            return self._watched[key][1]
        if isinstance(leaf, _graphkiln.BaseVariable) or not (
            leaf.dtype.is_floating or leaf.dtype.is_complex
        ):
            return None
        if key in self._known:
            return self._known[key][1]
        graph = _graphkiln.current_graph()
        if graph is not None and graph is not self._graph() and (
            isinstance(leaf, _graphkiln.SymbolicTensor) and leaf.graph is graph
        ):
            product = self._inside(leaf, graph)
            self._known[key] = leaf, product
            return product
        if graph is not None and self._home and not isinstance(
            leaf, _graphkiln.SymbolicTensor
        ):
            # The program is not in this graph, only the question.
            with name_scope.init_scope():
                product = self._transposed(leaf)
        else:
            product = self._transposed(leaf)
            if isinstance(leaf, _graphkiln.SymbolicTensor) and (
                leaf.graph is not graph
            ):
                return product
        self._known[key] = leaf, product
        return product

    def _inside(self, leaf, graph):
        """The product of a tensor of a function that is traced under the
        accumulator. It depends on the primals as far as the function captures
        them; its arguments are not known to come from them."""
        sources = self._captured(graph)
        if not sources:
            return None
        along = [source for source, _ in sources]
        with recorders.Only([]):
            start = raw_ops.OnesLike(x=leaf)
            found = _graphkiln.symbolic_gradients([leaf], along, [start], [])
            pairs = [
                (_graphkiln.convert_to_tensor(gradient), tangent)
                for gradient, (_, tangent) in zip(found, sources)
                if gradient is not None
            ]
            if not pairs:
                return None

            def product(tangents: list):
                (found,) = _graphkiln.symbolic_gradients(
                    [gradient for gradient, _ in pairs], [start], tangents, []
                )
                return (
                    None if found is None
                    else _graphkiln.convert_to_tensor(found)
                )

            return self._by_rows(product, [tangent for _, tangent in pairs])

    def _captured(self, graph) -> list[tuple]:
        """(what stands for it in the graph, tangent) of the primals that the
        graph has captured."""
        found = [
            pair for pair in self._watched.values()
            if isinstance(pair[0], _graphkiln.BaseVariable)
        ]
        for outside, inside in graph.captures:
            while outside is not None and _key(outside) not in self._watched:
                outside = _captured_from(outside)
            if outside is not None:
                primal, tangent = self._watched[_key(outside)]
                if not isinstance(primal, _graphkiln.BaseVariable):
                    found.append((inside, tangent))
        return found

    def _by_rows(self, along: Callable, tangents: list):
        """`along(tangents)`, for each row of them where they have rows."""
        if self._rows is None:
            return along(tangents)
        rows = [
            along([tangent[i] for tangent in tangents])
            for i in range(self._rows)
        ]
        return None if rows[0] is None else raw_ops.Pack(values=rows, axis=0)

    def _transposed(self, leaf):
        """The product by two backward passes."""
        backward = _graphkiln.Tape(True, False)
        watched = list(self._watched.values())
        with recorders.Only(self._around):
            start = raw_ops.OnesLike(x=leaf)
            backward.watch(start)
            backward.push()
            try:
                found = self._tape.gradient(
                    [leaf], [primal for primal, _ in watched], [start]
                )
                pairs = [
                    (_graphkiln.convert_to_tensor(gradient), tangent)
                    for gradient, (_, tangent) in zip(found, watched)
                    if gradient is not None
                ]
            finally:
                backward.pop()
            if not pairs:
                return None
            gradients = [gradient for gradient, _ in pairs]

            def along(tangents: list):
                found = backward.gradient(gradients, [start], tangents)[0]
                return (
                    None if found is None
                    else _graphkiln.convert_to_tensor(found)
                )

            return self._by_rows(along, [tangent for _, tangent in pairs])


def _captured_from(tensor):
    """What a placeholder of a function's graph was captured from, or None."""
    graph = getattr(tensor, "graph", None)
    for outside, inside in getattr(graph, "captures", ()):
        if inside is tensor or inside._id == tensor._id:
            return outside
    return None
