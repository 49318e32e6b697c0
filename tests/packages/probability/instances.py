"""One distribution of each class, and one bijector."""

from __future__ import annotations

import functools

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors
tfk = tfp.math.psd_kernels

# Rank of the sample, where a class says itself what its parameters are.
_BY_PARAMETERS = {
    2: (
        "Dirichlet", "ExpRelaxedOneHotCategorical", "MultivariateNormalDiag",
        "MultivariateNormalDiagPlusLowRank",
        "MultivariateNormalFullCovariance", "MultivariateNormalTriL",
        "OneHotCategorical", "PlackettLuce", "RelaxedOneHotCategorical",
        "VectorDeterministic",
    ),
    1: (
        "Bernoulli", "Beta", "BetaQuotient", "Cauchy", "Chi", "Chi2",
        "Deterministic", "DoublesidedMaxwell", "Empirical", "ExpGamma",
        "ExpInverseGamma", "Exponential", "ExponentiallyModifiedGaussian",
        "Gamma", "GammaGamma", "GeneralizedExtremeValue", "GeneralizedNormal",
        "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal",
        "HalfStudentT", "Horseshoe", "InverseGamma", "InverseGaussian",
        "JohnsonSU", "Kumaraswamy", "LambertWNormal", "Laplace", "Logistic",
        "LogitNormal", "LogLogistic", "LogNormal", "Moyal", "NegativeBinomial",
        "NoncentralChi2", "Normal", "Pareto", "Poisson", "ProbitBernoulli",
        "RelaxedBernoulli", "SigmoidBeta", "SinhArcsinh", "Skellam",
        "StudentT", "TwoPieceNormal", "TwoPieceStudentT", "VonMises",
        "Weibull", "ZeroInflatedNegativeBinomial", "Zipf",
    ),
}


def c(value: object, dtype: object = tf.float64) -> tf.Tensor:
    return tf.constant(value, dtype)


def parameters(name: str) -> dict:
    """Parameters of a class that says what they are."""
    shape = (2,) if name in _BY_PARAMETERS[1] else (2, 3)
    rng = np.random.RandomState(len(name))
    made = {}
    cls = getattr(tfd, name)
    for key, part in cls.parameter_properties(dtype=tf.float64).items():
        if part.is_preferred:
            bijector = part.default_constraining_bijector_fn()
            size = bijector.inverse_event_shape(part.shape_fn(shape))
            made[key] = bijector.forward(c(rng.randn(*size) * 0.5))
    return made


def _linear() -> object:
    return tf.linalg.LinearOperatorLowerTriangular(c([[1.0, 0.0], [0.5, 2.0]]))


def _points() -> tf.Tensor:
    return c([[0.0], [0.7], [1.9]])


def _coroutine():
    scale = yield tfd.JointDistributionCoroutine.Root(
        tfd.Gamma(c(2.0), c(3.0), name="scale")
    )
    yield tfd.Normal(c(0.0), scale, name="x")


def _auto_coroutine():
    scale = yield tfd.Gamma(c(2.0), c(3.0), name="scale")
    yield tfd.Normal(c([0.0, 1.0]), scale, name="x")


_MADE = {
    "Autoregressive": lambda: tfd.Autoregressive(
        lambda x: tfd.Independent(
            tfd.Normal(
                tf.concat([tf.zeros_like(x[..., :1]), x[..., :-1]], -1) * 0.5,
                c(1.0),
            ),
            1,
        ),
        c([0.1, 0.2, 0.3]),
    ),
    "BatchBroadcast": lambda: tfd.BatchBroadcast(
        tfd.Normal(c(0.5), c(2.0)), [3]
    ),
    "BatchReshape": lambda: tfd.BatchReshape(
        tfd.Normal(c([0.0, 1.0, 2.0, 3.0]), c(2.0)), [2, 2]
    ),
    "Bates": lambda: tfd.Bates(c([2.0, 4.0]), c(-1.0), c(2.0)),
    "BetaBinomial": lambda: tfd.BetaBinomial(c(5.0), c([1.5, 2.0]), c(3.0)),
    "Binomial": lambda: tfd.Binomial(c([5.0, 8.0]), probs=c([0.3, 0.6])),
    "Blockwise": lambda: tfd.Blockwise(
        [tfd.Normal(c(0.0), c(1.0)), tfd.MultivariateNormalDiag(c([1.0, 2.0]))]
    ),
    "Categorical": lambda: tfd.Categorical(
        probs=c([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    ),
    "CholeskyLKJ": lambda: tfd.CholeskyLKJ(3, c(1.5)),
    "ContinuousBernoulli": lambda: tfd.ContinuousBernoulli(
        probs=c([0.3, 0.5, 0.9])
    ),
    "DeterminantalPointProcess": lambda: tfd.DeterminantalPointProcess(
        c([0.5, 1.0, 2.0]), tf.linalg.qr(c([[1, 2, 3], [0, 1, 4], [5, 6, 0]]))[0]
    ),
    "DirichletMultinomial": lambda: tfd.DirichletMultinomial(
        c(5.0), c([1.0, 2.0, 0.5])
    ),
    "FiniteDiscrete": lambda: tfd.FiniteDiscrete(
        c([1.0, 2.0, 4.0]), probs=c([0.2, 0.5, 0.3])
    ),
    "FlatDirichlet": lambda: tfd.FlatDirichlet(3, dtype=tf.float64),
    "GaussianProcess": lambda: tfd.GaussianProcess(
        tfk.ExponentiatedQuadratic(c(1.5), c(0.7)), _points(),
        observation_noise_variance=c(0.1),
    ),
    "GaussianProcessRegressionModel":
        lambda: tfd.GaussianProcessRegressionModel(
            tfk.MaternFiveHalves(c(1.5), c(0.7)), _points() + 0.3, _points(),
            c([0.5, -1.0, 2.0]), observation_noise_variance=c(0.1),
        ),
    "HiddenMarkovModel": lambda: tfd.HiddenMarkovModel(
        tfd.Categorical(probs=c([0.8, 0.2])),
        tfd.Categorical(probs=c([[0.7, 0.3], [0.2, 0.8]])),
        tfd.Normal(c([0.0, 15.0]), c([5.0, 10.0])), 4,
    ),
    "Independent": lambda: tfd.Independent(
        tfd.Normal(c([[0.0, 1.0], [2.0, 3.0]]), c(2.0)), 1
    ),
    "Inflated": lambda: tfd.Inflated(
        tfd.Poisson(c([2.0, 3.0])), inflated_loc_probs=c(0.3)
    ),
    "JointDistributionCoroutine": lambda: tfd.JointDistributionCoroutine(
        _coroutine
    ),
    "JointDistributionCoroutineAutoBatched":
        lambda: tfd.JointDistributionCoroutineAutoBatched(_auto_coroutine),
    "JointDistributionNamed": lambda: tfd.JointDistributionNamed(
        {"e": tfd.Exponential(c(2.0)), "n": lambda e: tfd.Normal(c(1.0), e)}
    ),
    "JointDistributionNamedAutoBatched":
        lambda: tfd.JointDistributionNamedAutoBatched(
            {"e": tfd.Exponential(c([2.0, 1.0])),
             "n": lambda e: tfd.Normal(c(1.0), e)}
        ),
    "JointDistributionSequential": lambda: tfd.JointDistributionSequential(
        [tfd.Gamma(c(2.0), c(1.0)), lambda g: tfd.Normal(c(0.0), g),
         lambda n, g: tfd.Laplace(n, g)]
    ),
    "JointDistributionSequentialAutoBatched":
        lambda: tfd.JointDistributionSequentialAutoBatched(
            [tfd.Gamma(c(2.0), c(1.0)), lambda g: tfd.Normal(c([0.0, 1.0]), g)]
        ),
    "LambertWDistribution": lambda: tfd.LambertWDistribution(
        tfd.Normal(c(0.0), c(1.0)), c(0.5), c(2.0), c(0.1)
    ),
    "LinearGaussianStateSpaceModel":
        lambda: tfd.LinearGaussianStateSpaceModel(
            4, tf.linalg.LinearOperatorFullMatrix(c([[1.0, 1.0], [0.0, 1.0]])),
            tfd.MultivariateNormalDiag(c([0.0, 0.0]), c([0.5, 0.3])),
            tf.linalg.LinearOperatorFullMatrix(c([[1.0, 0.0]])),
            tfd.MultivariateNormalDiag(c([0.0]), c([0.7])),
            tfd.MultivariateNormalDiag(c([1.0, 0.5]), c([1.0, 2.0])),
        ),
    "LKJ": lambda: tfd.LKJ(3, c([1.5, 2.0])),
    "MarkovChain": lambda: tfd.MarkovChain(
        tfd.Normal(c(0.0), c(1.0)), lambda _, x: tfd.Normal(x * 0.9, c(0.5)), 4
    ),
    "Masked": lambda: tfd.Masked(
        tfd.Normal(c([0.0, 1.0, 2.0]), c(1.0)), [True, False, True]
    ),
    "MatrixNormalLinearOperator": lambda: tfd.MatrixNormalLinearOperator(
        c([[0.0, 1.0], [2.0, 3.0]]), _linear(), _linear()
    ),
    "MatrixTLinearOperator": lambda: tfd.MatrixTLinearOperator(
        c(4.0), c([[0.0, 1.0], [2.0, 3.0]]), _linear(), _linear()
    ),
    "Mixture": lambda: tfd.Mixture(
        tfd.Categorical(probs=c([0.3, 0.7])),
        [tfd.Normal(c(-1.0), c(0.1)), tfd.Normal(c(1.0), c(0.5))],
    ),
    "MixtureSameFamily": lambda: tfd.MixtureSameFamily(
        tfd.Categorical(probs=c([0.3, 0.7])),
        tfd.Normal(c([-1.0, 1.0]), c([0.1, 0.5])),
    ),
    "Multinomial": lambda: tfd.Multinomial(c(6.0), probs=c([0.2, 0.3, 0.5])),
    "MultivariateNormalDiagPlusLowRankCovariance":
        lambda: tfd.MultivariateNormalDiagPlusLowRankCovariance(
            c([0.0, 1.0]), c([1.0, 2.0]), c([[0.5], [0.2]])
        ),
    "MultivariateNormalLinearOperator":
        lambda: tfd.MultivariateNormalLinearOperator(c([0.0, 1.0]), _linear()),
    "MultivariateStudentTLinearOperator":
        lambda: tfd.MultivariateStudentTLinearOperator(
            c(4.0), c([0.0, 1.0]), _linear()
        ),
    "NormalInverseGaussian": lambda: tfd.NormalInverseGaussian(
        c(0.0), c(1.0), c(2.0), c([0.5, 1.0])
    ),
    "OrderedLogistic": lambda: tfd.OrderedLogistic(c([-1.0, 0.0, 2.0]), c(0.5)),
    "PERT": lambda: tfd.PERT(c(1.0), c([7.0, 5.0]), c(11.0), c(4.0)),
    "PoissonLogNormalQuadratureCompound":
        lambda: tfd.PoissonLogNormalQuadratureCompound(
            c([0.0, -0.5]), c(1.0), quadrature_size=5
        ),
    "PowerSpherical": lambda: tfd.PowerSpherical(c([0.6, 0.8]), c(3.0)),
    "QuantizedDistribution": lambda: tfd.QuantizedDistribution(
        tfd.Normal(c([2.0, 3.0]), c(1.5)), low=c(0.0), high=c(6.0)
    ),
    "Sample": lambda: tfd.Sample(tfd.Normal(c([0.0, 1.0]), c(2.0)), [3]),
    "SphericalUniform": lambda: tfd.SphericalUniform(3, dtype=tf.float64),
    "StoppingRatioLogistic": lambda: tfd.StoppingRatioLogistic(
        c([-1.0, 0.0, 2.0]), c(0.5)
    ),
    "StudentTProcess": lambda: tfd.StudentTProcess(
        c(4.0), tfk.ExponentiatedQuadratic(c(1.5), c(0.7)), _points()
    ),
    "StudentTProcessRegressionModel":
        lambda: tfd.StudentTProcessRegressionModel(
            c(4.0), tfk.MaternThreeHalves(c(1.5), c(0.7)), _points() + 0.3,
            _points(), c([0.5, -1.0, 2.0]), observation_noise_variance=c(0.1),
        ),
    "TransformedDistribution": lambda: tfd.TransformedDistribution(
        tfd.Normal(c([0.0, 1.0]), c(0.5)), tfb.Softplus()
    ),
    "Triangular": lambda: tfd.Triangular(c(0.0), c([2.0, 3.0]), c(1.0)),
    "TruncatedCauchy": lambda: tfd.TruncatedCauchy(
        c([0.0, 1.0]), c(2.0), c(-1.0), c(3.0)
    ),
    "TruncatedNormal": lambda: tfd.TruncatedNormal(
        c([0.0, 1.0]), c(2.0), c(-1.0), c(3.0)
    ),
    "Uniform": lambda: tfd.Uniform(c([0.0, -1.0]), c(3.0)),
    "VariationalGaussianProcess": lambda: tfd.VariationalGaussianProcess(
        tfk.ExponentiatedQuadratic(c(1.5), c(0.7)), _points() + 0.3, _points(),
        c([0.1, 0.2, -0.3]), c(np.eye(3) * 0.5),
        observation_noise_variance=c(0.1),
    ),
    "VonMisesFisher": lambda: tfd.VonMisesFisher(c([0.0, 0.6, 0.8]), c(3.0)),
    "WishartLinearOperator": lambda: tfd.WishartLinearOperator(
        c(4.0), _linear()
    ),
    "WishartTriL": lambda: tfd.WishartTriL(
        c(4.0), c([[1.0, 0.0], [0.5, 2.0]])
    ),
}

DISTRIBUTIONS = (*_BY_PARAMETERS[1], *_BY_PARAMETERS[2], *sorted(_MADE))
WITH_PARAMETERS = (*_BY_PARAMETERS[1], *_BY_PARAMETERS[2])


@functools.lru_cache(maxsize=None)
def distribution(name: str) -> object:
    if name in _MADE:
        return _MADE[name]()
    return getattr(tfd, name)(**parameters(name))


_ROWS = [[0.3, -0.7, 1.2], [0.1, 0.4, -0.2]]
_UNIT = [[0.2, 0.5, 0.9], [0.35, 0.6, 0.1]]
_POSITIVE = [[0.3, 1.7, 2.2], [0.1, 0.4, 3.0]]
_SQUARE = [[1.5, 0.0, 0.0], [0.4, 0.8, 0.0], [-0.3, 0.2, 2.0]]

# (bijector, an input of forward, the rank of its event)
BIJECTORS = {
    "AbsoluteValue": (tfb.AbsoluteValue, _ROWS, 0),
    "Ascending": (tfb.Ascending, _ROWS, 1),
    "BatchNormalization": (tfb.BatchNormalization, _ROWS, 1),
    "Blockwise": (
        lambda: tfb.Blockwise([tfb.Exp(), tfb.Softplus()], [1, 2]), _ROWS, 1,
    ),
    "Chain": (
        lambda: tfb.Chain([tfb.Shift(c(1.0)), tfb.Exp(), tfb.Scale(c(2.0))]),
        _ROWS, 0,
    ),
    "CholeskyOuterProduct": (tfb.CholeskyOuterProduct, _SQUARE, 2),
    "CholeskyToInvCholesky": (tfb.CholeskyToInvCholesky, _SQUARE, 2),
    "CorrelationCholesky": (tfb.CorrelationCholesky, _ROWS, 1),
    "Cumsum": (tfb.Cumsum, _ROWS, 1),
    "DiscreteCosineTransform": (tfb.DiscreteCosineTransform, _ROWS, 1),
    "Exp": (tfb.Exp, _ROWS, 0),
    "Expm1": (tfb.Expm1, _ROWS, 0),
    "FFJORD": (
        lambda: tfb.FFJORD(lambda t, x: -0.5 * x, dtype=tf.float64), _ROWS, 1,
    ),
    "FillScaleTriL": (lambda: tfb.FillScaleTriL(diag_shift=None), _ROWS, 1),
    "FillTriangular": (tfb.FillTriangular, _ROWS, 1),
    "FrechetCDF": (
        lambda: tfb.FrechetCDF(c(0.0), c(2.0), c(1.5)), _POSITIVE, 0,
    ),
    "GeneralizedExtremeValueCDF": (
        lambda: tfb.GeneralizedExtremeValueCDF(c(0.0), c(2.0), c(0.3)), _ROWS, 0,
    ),
    "GeneralizedPareto": (
        lambda: tfb.GeneralizedPareto(c(0.0), c(2.0), c(0.3)), _ROWS, 0,
    ),
    "GompertzCDF": (lambda: tfb.GompertzCDF(c(1.0), c(0.5)), _POSITIVE, 0),
    "GumbelCDF": (lambda: tfb.GumbelCDF(c(1.0), c(0.5)), _ROWS, 0),
    "Householder": (
        lambda: tfb.Householder(c([0.6, 0.8, 0.0])), _ROWS, 1,
    ),
    "Identity": (tfb.Identity, _ROWS, 0),
    "Inline": (
        lambda: tfb.Inline(
            forward_fn=tf.exp, inverse_fn=tf.math.log,
            inverse_log_det_jacobian_fn=lambda y: -tf.math.log(y),
            forward_min_event_ndims=0,
        ),
        _ROWS, 0,
    ),
    "Invert": (lambda: tfb.Invert(tfb.Softplus()), _POSITIVE, 0),
    "IteratedSigmoidCentered": (tfb.IteratedSigmoidCentered, _ROWS, 1),
    "KumaraswamyCDF": (lambda: tfb.KumaraswamyCDF(c(2.0), c(3.0)), _UNIT, 0),
    "LambertWTail": (
        lambda: tfb.LambertWTail(c(0.5), c(2.0), c(0.2)), _ROWS, 0,
    ),
    "Log": (tfb.Log, _POSITIVE, 0),
    "Log1p": (tfb.Log1p, _POSITIVE, 0),
    "MaskedAutoregressiveFlow": (
        lambda: tfb.MaskedAutoregressiveFlow(
            lambda x: (tf.cumsum(x, -1, exclusive=True) * 0.3,
                       tf.cumsum(x, -1, exclusive=True) * 0.1)
        ),
        _ROWS, 1,
    ),
    "MatrixInverseTriL": (tfb.MatrixInverseTriL, _SQUARE, 2),
    "MoyalCDF": (lambda: tfb.MoyalCDF(c(1.0), c(2.0)), _ROWS, 0),
    "NormalCDF": (tfb.NormalCDF, _ROWS, 0),
    "Pad": (lambda: tfb.Pad([[1, 2]], constant_values=c(1.0)), _ROWS, 1),
    "Permute": (lambda: tfb.Permute([2, 0, 1]), _ROWS, 1),
    "Power": (lambda: tfb.Power(c(3.0)), _POSITIVE, 0),
    "PowerTransform": (lambda: tfb.PowerTransform(c(0.5)), _ROWS, 0),
    "RationalQuadraticSpline": (
        lambda: tfb.RationalQuadraticSpline(
            c([1.0, 2.0, 1.0]), c([0.5, 2.5, 1.0]), c([1.5, 0.7]), c(-2.0)
        ),
        _ROWS, 0,
    ),
    "RayleighCDF": (lambda: tfb.RayleighCDF(c(2.0)), _POSITIVE, 0),
    "RealNVP": (
        lambda: tfb.RealNVP(
            1, shift_and_log_scale_fn=lambda x, n: (
                tf.tile(x, [1, n]), tf.tile(x * 0.3, [1, n])
            )
        ),
        _ROWS, 1,
    ),
    "Reciprocal": (tfb.Reciprocal, _POSITIVE, 0),
    "Reshape": (lambda: tfb.Reshape([3, 1], [3]), _ROWS, 1),
    "Scale": (lambda: tfb.Scale(c([2.0, -1.0, 0.5])), _ROWS, 0),
    "ScaleMatvecDiag": (
        lambda: tfb.ScaleMatvecDiag(c([2.0, -1.0, 0.5])), _ROWS, 1,
    ),
    "ScaleMatvecLU": (
        lambda: tfb.ScaleMatvecLU(
            *tf.linalg.lu(c([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]]))
        ),
        _ROWS, 1,
    ),
    "ScaleMatvecLinearOperator": (
        lambda: tfb.ScaleMatvecLinearOperator(
            tf.linalg.LinearOperatorLowerTriangular(c(_SQUARE))
        ),
        _ROWS, 1,
    ),
    "ScaleMatvecTriL": (lambda: tfb.ScaleMatvecTriL(c(_SQUARE)), _ROWS, 1),
    "Shift": (lambda: tfb.Shift(c([2.0, -1.0, 0.5])), _ROWS, 0),
    "ShiftedGompertzCDF": (
        lambda: tfb.ShiftedGompertzCDF(c(1.0), c(0.5)), _POSITIVE, 0,
    ),
    "Sigmoid": (tfb.Sigmoid, _ROWS, 0),
    "Sigmoid of bounds": (
        lambda: tfb.Sigmoid(c(-1.0), c([2.0, 3.0, 4.0])), _ROWS, 0,
    ),
    "Sinh": (tfb.Sinh, _ROWS, 0),
    "SinhArcsinh": (lambda: tfb.SinhArcsinh(c(0.5), c(1.5)), _ROWS, 0),
    "SoftClip": (lambda: tfb.SoftClip(c(-1.0), c(2.0), c(0.5)), _ROWS, 0),
    "Softfloor": (lambda: tfb.Softfloor(c(0.7)), _ROWS, 0),
    "SoftmaxCentered": (tfb.SoftmaxCentered, _ROWS, 1),
    "Softplus": (lambda: tfb.Softplus(c(0.7)), _ROWS, 0),
    "Softsign": (tfb.Softsign, _ROWS, 0),
    "Square": (tfb.Square, _POSITIVE, 0),
    "Tanh": (tfb.Tanh, _ROWS, 0),
    "TransformDiagonal": (
        lambda: tfb.TransformDiagonal(tfb.Exp()), _SQUARE, 2,
    ),
    "Transpose": (lambda: tfb.Transpose([1, 0]), _ROWS, 2),
    "UnitVector": (tfb.UnitVector, _ROWS, 1),
    "WeibullCDF": (lambda: tfb.WeibullCDF(c(2.0), c(1.5)), _POSITIVE, 0),
}
