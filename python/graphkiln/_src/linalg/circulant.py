"""tf.linalg.LinearOperatorCirculant and its kin of two and three dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import TensorShape
from graphkiln._src import ops
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.matrices import as_tensor


def _rotated(x, by):
    """The last axis comes first (1), or the first last (-1)."""
    rank = x.shape.rank
    if rank is not None:
        axes = list(range(rank))
        return ops.transpose(x, axes[-by:] + axes[:-by])
    axes = ops.range(ops.rank(x))
    return ops.transpose(x, ops.roll(axes, shift=by, axis=0))


class _BaseLinearOperatorCirculant(LinearOperator):
    """What circulants of any depth have in common."""

    # The class of results.
    _kind = ""

    def __init__(
        self,
        spectrum,
        block_depth,
        input_output_dtype=_graphkiln.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        parameters=None,
        name="LinearOperatorCirculant",
    ):
        if block_depth not in (1, 2, 3):
            raise ValueError(
                "Argument `block_depth` must be one of [1, 2, 3]. Received: "
                f"{block_depth}."
            )
        self._name = name
        self._block_depth = block_depth
        self._spectrum = self._check_spectrum_and_return_tensor(spectrum)
        is_self_adjoint = hints.must_be(
            not self.spectrum.dtype.is_complex, is_self_adjoint,
            "A real spectrum always corresponds to a self-adjoint operator. "
            "Expected argument `is_self_adjoint` to be True when "
            "`spectrum.dtype.is_complex` = True. Received: False.",
        )
        is_square = constructor.always_square(
            is_square,
            "A [[nested] block] circulant operator is always square. Expected "
            "argument `is_square` to be True. Received: False.",
        )
        super().__init__(
            dtype=_graphkiln.as_dtype(input_output_dtype),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )

    def _check_spectrum_and_return_tensor(self, spectrum):
        spectrum = matrices.tensor_or_reference(spectrum, name="spectrum")
        constructor.check_rank(
            spectrum, self.block_depth,
            f"Argument `spectrum` must have at least {self.block_depth} "
            "dimensions. Received: {}.",
        )
        return spectrum

    @property
    def block_depth(self):
        """How deep circulants are nested: 1, 2 or 3."""
        return self._block_depth

    @property
    def block_shape(self):
        """The static shape of the last dimensions of the spectrum."""
        return self.spectrum.shape[-self.block_depth:]

    def block_shape_tensor(self):
        """The same as a tensor."""
        return self._block_shape_tensor()

    def _block_shape_tensor(self, spectrum_shape=None):
        if self.block_shape.is_fully_defined():
            return matrices.shape_tensor(
                self.block_shape.as_list(), name="block_shape"
            )
        if spectrum_shape is None:
            spectrum_shape = ops.shape(self.spectrum)
        return spectrum_shape[-self.block_depth:]

    @property
    def spectrum(self):
        """The eigenvalues, as they were given."""
        return self._spectrum

    def _made(self, spectrum, **kwargs):
        return kinds.make(self._kind, spectrum, **kwargs)

    def _linop_adjoint(self):
        spectrum = self.spectrum
        if spectrum.dtype.is_complex:
            spectrum = ops.math.conj(spectrum)
        return self._made(spectrum, **hints.of(self))

    def _linop_inverse(self):
        return self._made(
            1.0 / self.spectrum, input_output_dtype=self.dtype, **hints.of(self)
        )

    def _linop_matmul(self, left_operator, right_operator):
        left, right = left_operator, right_operator
        if not kinds.is_a(right, self._kind) or not isinstance(left, type(right)):
            return super()._linop_matmul(left, right)
        return self._made(
            left.spectrum * right.spectrum, **hints.of_commuting(left, right)
        )

    def _linop_solve(self, left_operator, right_operator):
        left, right = left_operator, right_operator
        if not kinds.is_a(right, self._kind):
            return super()._linop_solve(left, right)
        return self._made(
            right.spectrum / left.spectrum, **hints.of_commuting(left, right)
        )

    # Columns of matrices are vectors [R, ..., N], and these blocks [R, ..., N1, N2].

    def _vectorize_then_blockify(self, matrix):
        vector = _rotated(matrix, 1)
        if vector.shape.is_fully_defined() and self.block_shape.is_fully_defined():
            shape = vector.shape[:-1].concatenate(self.block_shape)
        else:
            shape = ops.concat(
                (ops.shape(vector)[:-1], self.block_shape_tensor()), 0
            )
        return ops.reshape(vector, shape)

    def _unblockify(self, x):
        depth = self.block_depth
        if x.shape.is_fully_defined():
            sizes = x.shape.as_list()
            return ops.reshape(x, sizes[:-depth] + [math.prod(sizes[-depth:])])
        shape = ops.shape(x)
        size = ops.reduce_prod(shape[-depth:])
        return ops.reshape(x, ops.concat((shape[:-depth], [size]), 0))

    def _unblockify_then_matricize(self, vector):
        return _rotated(self._unblockify(vector), -1)

    def _fft(self, x):
        f = (ops.signal.fft, ops.signal.fft2d, ops.signal.fft3d)
        return f[self.block_depth - 1](matrices.complex_of(x))

    def _ifft(self, x):
        f = (ops.signal.ifft, ops.signal.ifft2d, ops.signal.ifft3d)
        return f[self.block_depth - 1](matrices.complex_of(x))

    def convolution_kernel(self, name="convolution_kernel"):
        """The kernel of the convolution that the operator is: the first column,
        as blocks.

        Args:
          name: of the scope.
        """
        with self._name_scope(name):
            return ops.cast(self._ifft(self.spectrum), self.dtype)

    def _shape(self):
        shape = self._spectrum.shape
        inner = shape[-self.block_depth:]
        size = math.prod(inner.as_list()) if inner.is_fully_defined() else None
        return shape[: -self.block_depth].concatenate(TensorShape([size, size]))

    def _shape_tensor(self, spectrum=None):
        shape = ops.shape(self.spectrum if spectrum is None else spectrum)
        size = ops.reduce_prod(shape[-self.block_depth:])
        return ops.concat((shape[: -self.block_depth], [size, size]), 0)

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """An operation that fails unless the convolution's kernel is real.

        Args:
          name: of the scope.
        """
        eps = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        with self._name_scope(name):
            size = ops.cast(self.domain_dimension_tensor(), self.dtype.real_dtype)
            return ops.debugging.assert_less(
                ops.abs(ops.math.imag(self.convolution_kernel())),
                eps * size,
                message="Spectrum was not Hermitian",
            )

    def _assert_non_singular(self):
        return matrices.assert_no_zeros(
            self.spectrum, "Singular operator:  Spectrum contained zero values."
        )

    def _assert_positive_definite(self):
        return ops.debugging.assert_positive(
            ops.math.real(self.spectrum),
            message=(
                "Not positive definite:  Real part of spectrum was not all "
                "positive."
            ),
        )

    def _assert_self_adjoint(self):
        return matrices.assert_real(
            self.spectrum,
            "Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )

    def _broadcast_batch_dims(self, x, spectrum):
        spectrum = as_tensor(spectrum, name="spectrum")
        batch = self._batch_shape_tensor(shape=self._shape_tensor(spectrum))
        column = ops.reshape(spectrum, ops.concat((batch, [-1, 1]), axis=0))
        x, column = matrices.broadcast_batches((x, column))
        block = self._block_shape_tensor(spectrum_shape=ops.shape(spectrum))
        whole = ops.concat((ops.shape(x)[:-2], block), axis=0)
        return x, ops.reshape(column, whole)

    def _filtered(self, x, f, adjoint, adjoint_arg):
        x = matrices.adjoint_if(adjoint_arg, x)
        spectrum = matrices.complex_of(self.spectrum)
        if adjoint:
            spectrum = ops.math.conj(spectrum)
        x, spectrum = self._broadcast_batch_dims(
            ops.cast(x, spectrum.dtype), spectrum
        )
        image = self._fft(self._vectorize_then_blockify(x))
        y = self._unblockify_then_matricize(self._ifft(f(image, spectrum)))
        return ops.cast(y, self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._filtered(x, lambda a, b: a * b, adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._filtered(rhs, lambda a, b: a / b, adjoint, adjoint_arg)

    def _cond(self):
        sizes = ops.abs(self._unblockify(self.spectrum))
        return ops.reduce_max(sizes, axis=-1) / ops.reduce_min(sizes, axis=-1)

    def _eigvals(self):
        return as_tensor(self._unblockify(self.spectrum))

    def _block_axes(self):
        return [-(i + 1) for i in range(self.block_depth)]

    def _determinant(self):
        product = ops.reduce_prod(self.spectrum, axis=self._block_axes())
        return ops.cast(product, self.dtype)

    def _log_abs_determinant(self):
        logs = ops.math.log(ops.abs(self.spectrum))
        return ops.cast(
            ops.reduce_sum(logs, axis=self._block_axes()), self.dtype
        )

    def _diag_part(self):
        if self.shape.is_fully_defined():
            shape, size = self.shape[:-1], self.domain_dimension.value
        else:
            shape = self.shape_tensor()[:-1]
            size = self.domain_dimension_tensor()
        value = self.trace() / ops.cast(size, self.dtype)
        return value[..., None] * ops.ones(shape, dtype=self.dtype)

    def _trace(self):
        axes = self._block_axes()
        real = ops.reduce_sum(ops.math.real(self.spectrum), axis=axes)
        if not self.dtype.is_complex:
            return ops.cast(real, self.dtype)
        if self.is_self_adjoint:
            imag = ops.zeros_like(real)
        else:
            imag = ops.reduce_sum(ops.math.imag(self.spectrum), axis=axes)
        return ops.cast(ops.complex(real, imag), self.dtype)

    @property
    def _composite_tensor_fields(self):
        return ("spectrum", "input_output_dtype")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"spectrum": self.block_depth}


@kinds.kind
class LinearOperatorCirculant(_BaseLinearOperatorCirculant):
    """A square matrix of which each column is the one before, moved down by one:
    a circular convolution, or a batch of them.

    Products and solutions cost O(R N log N), by Fourier transforms.

    Args:
      spectrum: the eigenvalues [B1, ..., Bb, N], the Fourier transform of the
        first column; a variable is read at each use.
      input_output_dtype: of the matrix and of what it is multiplied with.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint? Always, if the spectrum
        is real.
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> spectrum = tf.signal.fft(tf.constant([1.0, 2.0, 3.0], tf.complex64))
    >>> op = tf.linalg.LinearOperatorCirculant(spectrum, tf.float32)
    >>> op.to_dense().numpy().round().tolist()
    [[1.0, 3.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 1.0]]
    """

    _kind = "LinearOperatorCirculant"

    def __init__(
        self,
        spectrum: _graphkiln.Tensor,
        input_output_dtype: Any = _graphkiln.complex64,
        is_non_singular: bool = None,
        is_self_adjoint: bool = None,
        is_positive_definite: bool = None,
        is_square: bool = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        super().__init__(block_depth=1, parameters=parameters, **parameters)


@kinds.kind
class LinearOperatorCirculant2D(_BaseLinearOperatorCirculant):
    """A circulant matrix of circulant blocks: a circular convolution of two
    dimensions, of which the rows are joined to vectors; or a batch of them.

    Args:
      spectrum: the eigenvalues [B1, ..., Bb, N0, N1], the transform of the
        convolution's kernel; a variable is read at each use.
      input_output_dtype: of the matrix and of what it is multiplied with.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint? Always, if the spectrum
        is real.
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorCirculant2D(tf.ones([2, 2]), tf.float32)
    >>> op.matvec([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    _kind = "LinearOperatorCirculant2D"

    def __init__(
        self,
        spectrum: _graphkiln.Tensor,
        input_output_dtype: Any = _graphkiln.complex64,
        is_non_singular: bool = None,
        is_self_adjoint: bool = None,
        is_positive_definite: bool = None,
        is_square: bool = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        super().__init__(block_depth=2, parameters=parameters, **parameters)


@kinds.kind
class LinearOperatorCirculant3D(_BaseLinearOperatorCirculant):
    """A circulant matrix of circulant blocks of circulant blocks: a circular
    convolution of three dimensions, or a batch of them.

    Args:
      spectrum: the eigenvalues [B1, ..., Bb, N0, N1, N2], the transform of the
        convolution's kernel; a variable is read at each use.
      input_output_dtype: of the matrix and of what it is multiplied with.
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint? Always, if the spectrum
        is real.
      is_positive_definite: known (not) to be positive definite?
      is_square: always.
      name: of the operator.

    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 2, 2])).shape
    TensorShape([8, 8])
    """

    _kind = "LinearOperatorCirculant3D"

    def __init__(
        self,
        spectrum: _graphkiln.Tensor,
        input_output_dtype: Any = _graphkiln.complex64,
        is_non_singular: bool = None,
        is_self_adjoint: bool = None,
        is_positive_definite: bool = None,
        is_square: bool = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        super().__init__(block_depth=3, parameters=parameters, **parameters)
