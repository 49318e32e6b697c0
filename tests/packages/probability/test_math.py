import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from instances import c
from tensorflow_probability.python.math import special as tfs

tfm, tfk = tfp.math, tfp.math.psd_kernels
_A = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]
_X = [0.1, 0.5, 1.7, 3.2]
_Y = [0.3, 0.9, 2.5, 1.1]


def _values(x, y):
    """Functions of one or two positive numbers."""
    unit = x / 4.0
    return {
        "atan_difference": lambda: tfm.atan_difference(x, y),
        "betainc": lambda: tfm.betainc(x, y, unit),
        "betaincinv": lambda: tfs.betaincinv(x + 0.5, y + 0.5, unit),
        "bessel_iv_ratio": lambda: tfm.bessel_iv_ratio(y, x),
        "bessel_ive": lambda: tfm.bessel_ive(y, x),
        "bessel_kve": lambda: tfm.bessel_kve(y, x),
        "log_bessel_ive": lambda: tfm.log_bessel_ive(y, x),
        "log_bessel_kve": lambda: tfm.log_bessel_kve(y, x),
        "clip_by_value_preserve_gradient":
            lambda: tfm.clip_by_value_preserve_gradient(x, 0.3, 2.0),
        "dawsn": lambda: tfm.dawsn(x),
        "erfcinv": lambda: tfm.erfcinv(unit),
        "erfcx": lambda: tfm.erfcx(x),
        "logerfc": lambda: tfm.logerfc(x),
        "logerfcx": lambda: tfm.logerfcx(x),
        "igammainv": lambda: tfm.igammainv(y, unit),
        "igammacinv": lambda: tfm.igammacinv(y, unit),
        "lambertw": lambda: tfm.lambertw(x),
        "lambertw_winitzki_approx": lambda: tfm.lambertw_winitzki_approx(x),
        "lbeta": lambda: tfm.lbeta(x, y),
        "log1mexp": lambda: tfm.log1mexp(x),
        "log1psquare": lambda: tfm.log1psquare(x),
        "log_add_exp": lambda: tfm.log_add_exp(x, y),
        "log_combinations": lambda: tfm.log_combinations(x + 5.0, y),
        "log_cosh": lambda: tfm.log_cosh(x),
        "log_cumsum_exp": lambda: tfm.log_cumsum_exp(x),
        "log_gamma_correction": lambda: tfm.log_gamma_correction(x + 8.0),
        "log_gamma_difference": lambda: tfm.log_gamma_difference(x, y + 8.0),
        "log_sub_exp": lambda: tfm.log_sub_exp(x + y, x),
        "owens_t": lambda: tfm.owens_t(x, y),
        "reduce_kahan_sum": lambda: tfm.reduce_kahan_sum(x).total,
        "reduce_log_harmonic_mean_exp":
            lambda: tfm.reduce_log_harmonic_mean_exp(x),
        "reduce_logmeanexp": lambda: tfm.reduce_logmeanexp(x),
        "reduce_weighted_logsumexp":
            lambda: tfm.reduce_weighted_logsumexp(x, y, return_sign=True),
        "round_exponential_bump_function":
            lambda: tfm.round_exponential_bump_function(unit - 0.5),
        "smootherstep": lambda: tfm.smootherstep(unit),
        "soft_sorting_matrix": lambda: tfm.soft_sorting_matrix(x, 0.5),
        "soft_threshold": lambda: tfm.soft_threshold(x, 0.4),
        "softplus_inverse": lambda: tfm.softplus_inverse(x),
        "sqrt1pm1": lambda: tfm.sqrt1pm1(x),
        "trapz": lambda: tfm.trapz(y, x),
        "fill_triangular": lambda: tfm.fill_triangular(x[:3], upper=True),
        "fill_triangular_inverse":
            lambda: tfm.fill_triangular_inverse(tfm.fill_triangular(x[:3])),
        "scan_associative": lambda: tfm.scan_associative(tf.multiply, x),
        "interp_regular_1d_grid": lambda: tfm.interp_regular_1d_grid(
            unit, 0.0, 1.0, y
        ),
        "batch_interp_regular_1d_grid": lambda:
            tfm.batch_interp_regular_1d_grid(unit, 0.0, 1.0, y),
        "batch_interp_regular_nd_grid": lambda:
            tfm.batch_interp_regular_nd_grid(
                tf.stack([unit, unit * 0.5], -1), [0.0, 0.0], [1.0, 1.0],
                y[:, tf.newaxis] * x, axis=-2,
            ),
        "stdtrit": lambda: tfs.stdtrit(
            y + 1.0, unit * 0.9
        ),
        "stdtr": lambda: tfs.stdtr(y + 1.0, x),
        "digamma": lambda: tf.math.digamma(x),
        "ndtri": lambda: tf.math.ndtri(unit),
        "polygamma": lambda: tf.math.polygamma(c(2.0, x.dtype), x),
        "zeta": lambda: tf.math.zeta(x + 1.5, y),
    }


_NAMES = tuple(_values(np.ones(4), np.ones(4)))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("name", _NAMES)
def test_function(name, dtype, compare):
    x, y = c(_X, dtype), c(_Y, dtype)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = _values(x, y)[name]()
        total = [v for v in tf.nest.flatten(value) if v.dtype == dtype]
    # Near zeros single precision differs by more than its last bits.
    bound = 2e-3 if dtype == tf.float32 else None
    compare([value, tape.gradient(total, [x, y])], bound)


@pytest.mark.parametrize("name", _NAMES)
def test_function_of_unknown_size(name, compare):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64)] * 2)
    def f(x, y):
        return _values(tf.ensure_shape(x, [None]), tf.ensure_shape(y, [None]))[
            name
        ]()

    traced = f.get_concrete_function()
    compare([[t.shape for t in traced.outputs], f(c(_X), c(_Y))])


def _spd(a=_A):
    return c(a)


_MATRICES = {
    "cholesky_concat": lambda: tfm.cholesky_concat(
        tf.linalg.cholesky(_spd()), c([[1.0, 0.5, 0.2, 5.0]] * 3 + [
            [1.0, 0.5, 0.2, 5.0]])
    ),
    "cholesky_update": lambda: tfm.cholesky_update(
        tf.linalg.cholesky(_spd()), c([0.3, 0.1, 0.7])
    ),
    "gram_schmidt": lambda: tfm.gram_schmidt(_spd()),
    "hpsd_logdet": lambda: tfm.hpsd_logdet(_spd()),
    "hpsd_solve": lambda: tfm.hpsd_solve(_spd(), c([[1.0], [2.0], [3.0]])),
    "hpsd_solvevec": lambda: tfm.hpsd_solvevec(_spd(), c([1.0, 2.0, 3.0])),
    "hpsd_quadratic_form_solve": lambda: tfm.hpsd_quadratic_form_solve(
        _spd(), c([[1.0], [2.0], [3.0]])
    ),
    "hpsd_quadratic_form_solvevec": lambda: tfm.hpsd_quadratic_form_solvevec(
        _spd(), c([1.0, 2.0, 3.0])
    ),
    "low_rank_cholesky": lambda: tfm.low_rank_cholesky(
        tf.linalg.LinearOperatorFullMatrix(_spd()), 2
    ),
    "pivoted_cholesky": lambda: tfm.pivoted_cholesky(_spd(), 2),
    "lu_matrix_inverse": lambda: tfm.lu_matrix_inverse(*tf.linalg.lu(_spd())),
    "lu_reconstruct": lambda: tfm.lu_reconstruct(*tf.linalg.lu(_spd())),
    "lu_solve": lambda: tfm.lu_solve(
        *tf.linalg.lu(_spd()), c([[1.0], [2.0], [3.0]])
    ),
    "sparse_or_dense_matmul": lambda: tfm.sparse_or_dense_matmul(
        tf.sparse.from_dense(_spd()), _spd()
    ),
    "sparse_or_dense_matvecmul": lambda: tfm.sparse_or_dense_matvecmul(
        tf.sparse.from_dense(_spd()), c([1.0, 2.0, 3.0])
    ),
    "dense_to_sparse": lambda: tfm.dense_to_sparse(c([[0.0, 1.0], [2.0, 0.0]])),
    "value_and_gradient": lambda: tfm.value_and_gradient(
        lambda x, y: tf.reduce_sum(x * x * y), [c(_X), c(_Y)]
    ),
    "value_and_gradient auto": lambda: tfm.value_and_gradient(
        lambda x: tf.exp(x), c(_X), auto_unpack_single_arg=False
    ),
    "diag_jacobian": lambda: tfm.diag_jacobian(
        c(_X), fn=lambda x: [x**3 + x], sample_shape=[4]
    ),
    "diag_jacobian of rows": lambda: tfm.diag_jacobian(
        c([[1.0, 2.0], [3.0, 4.0]]), fn=lambda x: x * x, sample_shape=[2]
    ),
    "find_root_secant": lambda: tfm.find_root_secant(
        lambda x: 63 * x**5 - 70 * x**3 + 15 * x, c([-1.0, 0.7, 3.0])
    ),
    "secant_root": lambda: tfm.secant_root(lambda x: x**3 - 8.0, c([1.0, 4.0])),
    "find_root_chandrupatla": lambda: tfm.find_root_chandrupatla(
        lambda x: x**3 - 8.0, c([0.0, 1.0]), c([10.0, 5.0])
    ),
    "bracket_root": lambda: tfm.bracket_root(
        lambda x: x**3 - 80.0, tf.float64
    ),
    "minimize_stateless": lambda: tfm.minimize_stateless(
        lambda x: tf.reduce_sum((x - 2.0) ** 2), init=c([0.0, 1.0]),
        num_steps=4, optimizer=_descent(),
    ),
    "dormand_prince": lambda: tfm.ode.DormandPrince(rtol=1e-6).solve(
        lambda t, y: -0.7 * y, 0.0, c([1.0, 2.0]), [0.5, 1.0, 3.0]
    ).states,
    "bdf": lambda: tfm.ode.BDF().solve(
        lambda t, y: -0.7 * y, 0.0, c([1.0, 2.0]), [0.5, 1.0]
    ).states,
    "ode of structure": lambda: tfm.ode.DormandPrince().solve(
        lambda t, y: {"a": y["b"], "b": -y["a"]}, 0.0,
        {"a": c(0.0), "b": c(1.0)}, [0.5, 1.0],
    ).states,
    "value_and_gradient of an inverse": lambda: tfm.value_and_gradient(
        lambda x: tfm.softplus_inverse(tf.nn.softplus(x)), c(_X)
    ),
}


def _descent():
    import collections

    descent = collections.namedtuple("Descent", "init update")
    return descent(
        lambda parameters: (),
        lambda g, state, p: ([-0.1 * x for x in tf.nest.flatten(g)], state),
    )


@pytest.mark.parametrize("name", _MATRICES)
def test_call(name, compare):
    compare(_MATRICES[name]())


@pytest.mark.parametrize("name", _MATRICES)
def test_call_in_function(name, compare):
    compare(tf.function(_MATRICES[name])())


def _base():
    return tfk.ExponentiatedQuadratic(c(1.5), c(0.7))


_KERNELS = {
    "ChangePoint": lambda: tfk.ChangePoint(
        [_base(), tfk.MaternOneHalf(c(1.0), c(2.0))], c([0.5]), c([2.0]),
        weight_fn=lambda x, *_: tf.reduce_mean(x, -1),
    ),
    "Constant": lambda: tfk.Constant(c(2.0)),
    "ExponentialCurve": lambda: tfk.ExponentialCurve(c(2.0), c(0.5)),
    "ExponentiatedQuadratic": _base,
    "ExpSinSquared": lambda: tfk.ExpSinSquared(c(1.0), c(0.7), c(2.0)),
    "FeatureScaled": lambda: tfk.FeatureScaled(_base(), c([0.5, 2.0])),
    "FeatureTransformed": lambda: tfk.FeatureTransformed(
        _base(), lambda x, f, e: x * 2.0
    ),
    "GammaExponential": lambda: tfk.GammaExponential(c(1.0), c(0.7), c(0.5)),
    "GeneralizedMatern": lambda: tfk.GeneralizedMatern(c(1.3), c(1.0), c(0.7)),
    "KumaraswamyTransformed": lambda: tfk.KumaraswamyTransformed(
        _base(), c(1.5), c(0.8)
    ),
    "Linear": lambda: tfk.Linear(c(1.0), c(0.5), c(0.1)),
    "MaternFiveHalves": lambda: tfk.MaternFiveHalves(c(1.5), c(0.7)),
    "MaternOneHalf": lambda: tfk.MaternOneHalf(c(1.5), c(0.7)),
    "MaternThreeHalves": lambda: tfk.MaternThreeHalves(c(1.5), c(0.7)),
    "Parabolic": lambda: tfk.Parabolic(c(1.5), c(0.7)),
    "PointwiseExponential": lambda: tfk.PointwiseExponential(_base()),
    "Polynomial": lambda: tfk.Polynomial(c(1.0), c(0.5), c(0.1), c(2.0)),
    "RationalQuadratic": lambda: tfk.RationalQuadratic(c(1.0), c(0.7), c(2.0)),
    "SchurComplement": lambda: tfk.SchurComplement(
        _base(), c([[0.2, 0.4], [0.5, 0.1]]), c(0.1)
    ),
    "SpectralMixture": lambda: tfk.SpectralMixture(
        c([0.1, 0.5]), c([[0.5, 1.0], [1.5, 0.2]]), c([[1.0, 1.0], [0.3, 2.0]])
    ),
    "sum": lambda: _base() + tfk.Linear(c(1.0), c(0.5), c(0.1)),
    "product": lambda: _base() * tfk.Constant(c(2.0)),
}


@pytest.mark.parametrize("name", _KERNELS)
def test_kernel(name, compare):
    kernel = _KERNELS[name]()
    x, y = c([[0.2, 0.4], [0.5, 0.1]]), c([[0.3, 0.9], [0.6, 0.7]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        matrix = kernel.matrix(x, y)
    compare([
        kernel.apply(x, y), matrix, tape.gradient(matrix, x),
        kernel.tensor(x, y, 1, 1), kernel.batch_shape, str(kernel),
        tf.function(lambda k, x: k.matrix(x, x))(kernel, x),
    ])
