"""tf.linalg.LinearOperatorLowRankUpdate."""

from __future__ import annotations

from typing import Any

from graphkiln._graphkiln import Dimension, Tensor
from graphkiln._src import ops
from graphkiln._src.host.logging import warn_first
from graphkiln._src.linalg import constructor, hints, kinds, matrices
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.matrices import as_tensor


@kinds.kind
class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator L and a matrix of low rank: L + U D V^H, whose inverse and
    determinant come of L's and those of small matrices.

    Args:
      base_operator: L, of the shape [B1, ..., Bb, M, N].
      u: U, [B1, ..., Bb, M, K]; a variable is read at each use.
      diag_update: the diagonal of D, [B1, ..., Bb, K]; ones if left out.
      v: V, [B1, ..., Bb, N, K]; U if left out.
      is_diag_update_positive: is all of it real and positive?
      is_non_singular: known (not) to have an inverse?
      is_self_adjoint: known (not) to be its own adjoint? It is, if L is and
        there is no V and the numbers are real.
      is_positive_definite: known (not) to be positive definite?
      is_square: known (not) to be square?
      name: of the operator.

    >>> op = tf.linalg.LinearOperatorLowRankUpdate(
    ...     tf.linalg.LinearOperatorIdentity(2), [[1.0], [2.0]])
    >>> op.to_dense().numpy().tolist()
    [[2.0, 2.0], [2.0, 5.0]]
    """

    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = constructor.parameters_of(locals())
        dtype = base_operator.dtype
        if diag_update is None:
            is_diag_update_positive = hints.must_be(
                True, is_diag_update_positive,
                "Default diagonal is the identity, which is positive.  However, "
                "user set 'is_diag_update_positive' to False.",
            )
        elif is_diag_update_positive and dtype.is_complex:
            warn_first(
                "Note: setting is_diag_update_positive with a complex dtype means "
                "that diagonal is real and positive."
            )
        self._use_cholesky = (
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and is_diag_update_positive
            and v is None
        )
        symmetric = (
            base_operator.is_self_adjoint and v is None and not dtype.is_complex
        )
        is_self_adjoint = hints.must_be(
            symmetric, is_self_adjoint,
            "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H "
            "is self-adjoint, this must be a self-adjoint operator.",
        )
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError(
                    "Arguments imply this is self-adjoint positive-definite "
                    "operator."
                )
            is_positive_definite = is_self_adjoint = True
        self._u = matrices.tensor_or_reference(u, name="u")
        self._v = self._u if v is None else matrices.tensor_or_reference(
            v, name="v"
        )
        self._diag_update = matrices.tensor_or_reference(
            diag_update, name="diag_update"
        )
        self._base_operator = base_operator
        super().__init__(
            dtype=dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            parameters=parameters,
            name=name,
        )
        self._is_diag_update_positive = is_diag_update_positive
        self._set_diag_operators(diag_update, is_diag_update_positive)
        self._check_shapes()

    def _check_shapes(self):
        uv = matrices.broadcast_shapes([self.u.shape, self.v.shape])
        batch = matrices.broadcast_shapes(
            [self.base_operator.batch_shape, uv[:-2]]
        )
        columns = Dimension(self.base_operator.domain_dimension)
        columns.assert_is_compatible_with(uv[-2])
        if self._diag_update is not None:
            shape = self._diag_update.shape
            matrices.dimension(uv, -1).assert_is_compatible_with(shape[-1])
            matrices.broadcast_shapes([batch, shape[:-1]])

    def _set_diag_operators(self, diag_update, is_diag_update_positive):
        if diag_update is not None:
            self._diag_operator = kinds.make(
                "LinearOperatorDiag", self._diag_update,
                is_positive_definite=is_diag_update_positive,
            )
            return
        size = matrices.dimension(self.u.shape, -1).value
        if size is None:
            size = ops.shape(self.u)[-1]
        self._diag_operator = kinds.make(
            "LinearOperatorIdentity", size, dtype=self.dtype
        )

    @property
    def u(self) -> Tensor:
        """U, as it was given."""
        return self._u

    @property
    def v(self) -> Tensor:
        """V, as it was given; U if it was not."""
        return self._v

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether D is known to be positive."""
        return self._is_diag_update_positive

    @property
    def diag_update(self) -> Tensor:
        """The diagonal of D, as it was given."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """D as an operator."""
        return self._diag_operator

    @property
    def base_operator(self) -> LinearOperator:
        """L, what is updated."""
        return self._base_operator

    def _assert_self_adjoint(self):
        if self.u is self.v and self.diag_update is None:
            return self.base_operator.assert_self_adjoint()
        return super()._assert_self_adjoint()

    def _shape(self):
        batch = matrices.broadcast_shapes(
            [
                self.base_operator.batch_shape,
                self.diag_operator.batch_shape,
                self.u.shape[:-2],
                self.v.shape[:-2],
            ]
        )
        return batch.concatenate(self.base_operator.shape[-2:])

    def _shape_tensor(self):
        batch = matrices.broadcast_shape_tensors(
            [
                self.base_operator.batch_shape_tensor(),
                self.diag_operator.batch_shape_tensor(),
                ops.shape(self.u)[:-2],
                ops.shape(self.v)[:-2],
            ]
        )
        return ops.concat(
            [batch, self.base_operator.shape_tensor()[-2:]], axis=0
        )

    def _get_uv_as_tensors(self):
        u = as_tensor(self.u)
        return u, u if self.v is self.u else as_tensor(self.v)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        u, v = self._get_uv_as_tensors()
        if adjoint:
            u, v = v, u
        first = self.base_operator.matmul(
            x, adjoint=adjoint, adjoint_arg=adjoint_arg
        )
        inner = ops.linalg.matmul(v, x, adjoint_a=True, adjoint_b=adjoint_arg)
        inner = self.diag_operator.matmul(inner, adjoint=adjoint)
        return first + ops.linalg.matmul(u, inner)

    def _determinant(self):
        if self.is_positive_definite:
            return ops.exp(self.log_abs_determinant())
        u, v = self._get_uv_as_tensors()
        return (
            ops.linalg.det(self._make_capacitance(u=u, v=v))
            * self.diag_operator.determinant()
            * self.base_operator.determinant()
        )

    def _diag_part(self):
        u, v = self._get_uv_as_tensors()
        product = u * ops.math.conj(v)
        if self.diag_update is not None:
            product *= ops.expand_dims(self.diag_update, axis=-2)
        return ops.reduce_sum(product, axis=-1) + self.base_operator.diag_part()

    def _log_abs_determinant(self):
        u, v = self._get_uv_as_tensors()
        of_diagonal = self.diag_operator.log_abs_determinant()
        of_base = self.base_operator.log_abs_determinant()
        capacitance = self._make_capacitance(u=u, v=v)
        if self._use_cholesky:
            factor = ops.linalg.diag_part(ops.linalg.cholesky(capacitance))
            logs = 2 * ops.reduce_sum(ops.math.log(factor), axis=[-1])
        else:
            logs = ops.math.log(ops.abs(ops.linalg.det(capacitance)))
            logs = ops.cast(logs, dtype=self.dtype)
        return logs + of_diagonal + of_base

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        # (L + U D V^H)^-1 = L^-1 - L^-1 U C^-1 V^H L^-1, C being the capacitance.
        if self.base_operator.is_non_singular is False:
            raise ValueError(
                "Solve not implemented unless this is a perturbation of a "
                "non-singular LinearOperator."
            )
        u, v = self._get_uv_as_tensors()
        capacitance = self._make_capacitance(u=u, v=v)
        if adjoint:
            u, v = v, u
        base = self.base_operator
        first = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = ops.linalg.matmul(v, first, adjoint_a=True)
        if self._use_cholesky:
            factor = ops.linalg.cholesky(capacitance)
            inner = ops.linalg.cholesky_solve(factor, inner)
        else:
            inner = matrices.solve(capacitance, inner, adjoint=adjoint)
        outer = ops.linalg.matmul(u, inner)
        return first - base.solve(outer, adjoint=adjoint)

    def _make_capacitance(self, u, v):
        """D^-1 + V^H L^-1 U, a matrix [..., K, K]."""
        inner = ops.linalg.matmul(
            v, self.base_operator.solve(u), adjoint_a=True
        )
        return self._diag_operator.inverse().add_to_tensor(inner)

    @property
    def _composite_tensor_fields(self):
        return (
            "base_operator", "u", "diag_update", "v", "is_diag_update_positive"
        )

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self):
        return {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}
