"""Chains, optimisers, statistics, linear models, time series and the rest."""

import collections

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from instances import c, distribution

tfd, tfb, mcmc = tfp.distributions, tfp.bijectors, tfp.mcmc
_SEED = (3, 5)
_SERIES = [0.3, 1.2, 0.7, 2.1, 1.9, 2.8, 2.2, 3.5, 3.1, 4.2, 3.9, 4.4]


def _target(x):
    return tfd.Normal(c(1.0), c(2.0)).log_prob(x)


def _rows(x):
    scale = c([[1.0, 0.0], [0.5, 2.0]])
    return tfd.MultivariateNormalTriL(c([0.5, 1.0]), scale).log_prob(x)


_KERNELS = {
    "HamiltonianMonteCarlo": lambda: mcmc.HamiltonianMonteCarlo(
        _target, c(0.3), 3
    ),
    "NoUTurnSampler": lambda: mcmc.NoUTurnSampler(_target, c(0.3)),
    "MetropolisAdjustedLangevinAlgorithm":
        lambda: mcmc.MetropolisAdjustedLangevinAlgorithm(_target, 0.3),
    "UncalibratedLangevin": lambda: mcmc.UncalibratedLangevin(_target, 0.3),
    "RandomWalkMetropolis": lambda: mcmc.RandomWalkMetropolis(_target),
    "RandomWalk of uniform steps": lambda: mcmc.RandomWalkMetropolis(
        _target, mcmc.random_walk_uniform_fn(0.7)
    ),
    "SliceSampler": lambda: mcmc.SliceSampler(_target, c(1.0), 3),
    "ReplicaExchangeMC": lambda: mcmc.ReplicaExchangeMC(
        _target, c([1.0, 0.5]),
        lambda f: mcmc.HamiltonianMonteCarlo(f, c(0.3), 2),
    ),
    "SimpleStepSizeAdaptation": lambda: mcmc.SimpleStepSizeAdaptation(
        mcmc.HamiltonianMonteCarlo(_target, c(0.3), 2), 2
    ),
    "DualAveragingStepSizeAdaptation":
        lambda: mcmc.DualAveragingStepSizeAdaptation(
            mcmc.NoUTurnSampler(_target, c(0.3)), 2
        ),
    "TransformedTransitionKernel": lambda: mcmc.TransformedTransitionKernel(
        mcmc.HamiltonianMonteCarlo(_target, c(0.3), 2), tfb.Softplus()
    ),
    "DiagonalMassMatrixAdaptation":
        lambda: tfp.experimental.mcmc.DiagonalMassMatrixAdaptation(
            tfp.experimental.mcmc.PreconditionedHamiltonianMonteCarlo(
                _target, c(0.3), 2
            ),
            tfp.experimental.stats.RunningVariance.from_stats(
                c(10.0), c(0.0), c(1.0)
            ),
        ),
}


def _chain(name):
    return mcmc.sample_chain(
        4, c([0.1, 0.7]) if name != "ReplicaExchangeMC" else c(0.1),
        kernel=_KERNELS[name](), num_burnin_steps=1, seed=_SEED,
        trace_fn=None,
    )


@pytest.mark.parametrize("name", _KERNELS)
def test_chain(name, compare):
    compare(tf.function(lambda: _chain(name), autograph=False)())


@pytest.mark.parametrize("name", list(_KERNELS)[:7])
def test_eager_step(name, compare):
    kernel = _KERNELS[name]()
    state = c([0.1, 0.7])
    results = kernel.bootstrap_results(state)
    state, results = kernel.one_step(state, results, seed=_SEED)
    compare([state, getattr(results, "is_accepted", 0)])


def _least(x):
    return tf.reduce_sum((x - c([1.0, 2.0])) ** 2, -1) + tf.reduce_sum(x**4, -1)


def _least_and_gradient(x):
    return tfp.math.value_and_gradient(_least, x)


_START = [0.3, -0.4]
_DESIGN = [[1.0, 0.2], [1.0, 0.7], [1.0, 1.4], [1.0, 2.2], [1.0, 2.9]]
_COUNTS = [1.0, 2.0, 2.0, 5.0, 9.0]


def _model():
    trend = tfp.sts.LocalLinearTrend(observed_time_series=c(_SERIES))
    season = tfp.sts.Seasonal(4, observed_time_series=c(_SERIES))
    return tfp.sts.Sum([trend, season], observed_time_series=c(_SERIES))


def _component(component):
    values = [
        tf.ones(p.prior.batch_shape + p.prior.event_shape, tf.float64) * 0.5
        for p in component.parameters
    ]
    space = component.make_state_space_model(len(_SERIES), values)
    return [
        space.log_prob(c(_SERIES)[:, tf.newaxis]), space.mean(),
        [p.name for p in component.parameters],
        component.joint_distribution(c(_SERIES)[:, tf.newaxis]).dtype,
        space.sample(seed=_SEED),
    ]


def _filtered():
    d = distribution("LinearGaussianStateSpaceModel")
    x = c([[0.3], [1.2], [0.7], [2.1]])
    return [*d.forward_filter(x), *d.posterior_marginals(x)]


def _hidden():
    d = distribution("HiddenMarkovModel")
    x = c([0.3, 12.0, 7.0, 21.0])
    return [
        d.posterior_mode(x), d.posterior_marginals(x).probs_parameter(),
        d.prior_marginals().probs_parameter(),
    ]


_CALLS = {
    "bfgs": lambda: tfp.optimizer.bfgs_minimize(
        _least_and_gradient, c(_START), tolerance=1e-8
    ),
    "lbfgs": lambda: tfp.optimizer.lbfgs_minimize(
        _least_and_gradient, c(_START), tolerance=1e-8
    ),
    "nelder_mead": lambda: tfp.optimizer.nelder_mead_minimize(
        _least, initial_vertex=c(_START), func_tolerance=1e-4
    ).position,
    "differential_evolution": lambda:
        tfp.optimizer.differential_evolution_minimize(
            _least, initial_position=c(_START), population_size=8,
            max_iterations=3, seed=_SEED,
        ),
    "hager_zhang": lambda: tfp.optimizer.linesearch.hager_zhang(
        lambda t: _slope(t), initial_step_size=c(0.5)
    ).left.x,
    "proximal_hessian": lambda:
        tfp.optimizer.proximal_hessian_sparse_minimize(
            lambda x: (x - 1.0, c(np.eye(2)), None), c(_START), tolerance=1e-6,
            l1_regularizer=0.1, maximum_iterations=2,
        ),
    "auto_correlation": lambda: tfp.stats.auto_correlation(c(_SERIES)),
    "brier_score": lambda: tfp.stats.brier_score(
        [1, 0], c([[0.3, 1.2], [0.7, 0.1]])
    ),
    "brier_decomposition": lambda: tfp.stats.brier_decomposition(
        [1, 0, 1], c([[0.3, 1.2], [0.7, 0.1], [0.2, 0.3]])
    ),
    "cholesky_covariance": lambda: tfp.stats.cholesky_covariance(c(_DESIGN)),
    "correlation": lambda: tfp.stats.correlation(
        c(_DESIGN), c(_DESIGN)[:, ::-1]
    ),
    "covariance": lambda: tfp.stats.covariance(c(_DESIGN)),
    "count_integers": lambda: tfp.stats.count_integers([1, 3, 1, 2, 2, 1]),
    "cumulative_variance": lambda: tfp.stats.cumulative_variance(c(_SERIES)),
    "expected_calibration_error": lambda: tfp.stats.expected_calibration_error(
        3, logits=c([[0.3, 1.2], [0.7, 0.1]]), labels_true=[1, 0]
    ),
    "find_bins": lambda: tfp.stats.find_bins(c(_SERIES), c([0.0, 1.0, 2.5, 5.0])),
    "histogram": lambda: tfp.stats.histogram(c(_SERIES), c([0.0, 1.0, 2.5, 5.0])),
    "kendalls_tau": lambda: tfp.stats.kendalls_tau(
        [1, 3, 2, 5, 4], [2.0, 1.0, 3.0, 4.0, 5.0]
    ),
    "log_loomean_exp": lambda: tfp.stats.log_loomean_exp(c(_SERIES)),
    "log_loosum_exp": lambda: tfp.stats.log_loosum_exp(c(_SERIES)),
    "log_soomean_exp": lambda: tfp.stats.log_soomean_exp(c(_SERIES), 0),
    "percentile": lambda: [
        tfp.stats.percentile(c(_SERIES), [20.0, 55.0], interpolation=how)
        for how in ("lower", "linear", "higher", "nearest", "midpoint")
    ],
    "quantiles": lambda: tfp.stats.quantiles(c(_SERIES), 4),
    "stddev": lambda: tfp.stats.stddev(c(_SERIES)),
    "variance": lambda: tfp.stats.variance(c(_DESIGN), keepdims=True),
    "windowed_mean": lambda: tfp.stats.windowed_mean(c(_SERIES)),
    "windowed_variance": lambda: tfp.stats.windowed_variance(c(_SERIES)),
    "effective_sample_size": lambda: mcmc.effective_sample_size(c(_SERIES)),
    "potential_scale_reduction": lambda: mcmc.potential_scale_reduction(
        tf.reshape(c(_SERIES), [4, 3]), 1
    ),
    "halton": lambda: mcmc.sample_halton_sequence(
        3, 4, dtype=tf.float64, seed=_SEED
    ),
    "halton without seed": lambda: mcmc.sample_halton_sequence(
        3, 4, randomized=False
    ),
    "annealed_importance": lambda: mcmc.sample_annealed_importance_chain(
        3, _target, lambda x: tfd.Normal(c(0.0), c(1.0)).log_prob(x),
        c([0.1, 0.7]),
        lambda f: mcmc.HamiltonianMonteCarlo(f, c(0.3), 2), seed=_SEED,
    )[:2],
    "rademacher": lambda: tfp.random.rademacher([5], seed=_SEED),
    "rayleigh": lambda: tfp.random.rayleigh([5], c(2.0), tf.float64, seed=_SEED),
    "spherical_uniform": lambda: tfp.random.spherical_uniform(
        [2], 3, tf.float64, seed=_SEED
    ),
    "split_seed": lambda: tfp.random.split_seed(_SEED, 3, salt="a"),
    "sanitize_seed": lambda: tfp.random.sanitize_seed(17, salt="b"),
    "SeedStream": lambda: [tfp.util.SeedStream(3, "salt")() for _ in range(2)],
    "glm": lambda: tfp.glm.fit(
        c(_DESIGN), c(_COUNTS), tfp.glm.Poisson()
    ),
    "glm of gamma": lambda: tfp.glm.fit(
        c(_DESIGN), c(_COUNTS), tfp.glm.GammaExp(), l2_regularizer=c(0.1)
    ),
    "glm of bernoulli": lambda: tfp.glm.fit(
        c(_DESIGN), c([0.0, 1.0, 0.0, 1.0, 1.0]), tfp.glm.Bernoulli()
    ),
    "sparse glm": lambda: tfp.glm.fit_sparse(
        c(_DESIGN), c(_COUNTS), tfp.glm.Normal(), c([0.0, 0.0]), 1e-4,
        l1_regularizer=0.2, maximum_iterations=5,
    ),
    "expectation": lambda: tfp.monte_carlo.expectation(
        lambda x: x * x, tfd.Normal(c(0.0), c(1.0)).sample(20, seed=_SEED),
        tfd.Normal(c(0.0), c(1.0)).log_prob,
    ),
    "vi": lambda: [
        f(c([-1.0, 0.0, 0.7])) for f in (
            tfp.vi.amari_alpha, tfp.vi.arithmetic_geometric, tfp.vi.chi_square,
            tfp.vi.jensen_shannon, tfp.vi.jeffreys, tfp.vi.kl_forward,
            tfp.vi.kl_reverse, tfp.vi.log1p_abs, tfp.vi.modified_gan,
            tfp.vi.pearson, tfp.vi.squared_hellinger, tfp.vi.total_variation,
            tfp.vi.triangular,
        )
    ],
    "variational_loss": lambda: tfp.vi.monte_carlo_variational_loss(
        _target, tfd.Normal(c(0.0), c(1.0)), sample_size=5, seed=_SEED
    ),
    "Kalman filter": _filtered,
    "hidden Markov model": _hidden,
    "sts of two parts": lambda: _component(_model()),
    "one_step_predictive": lambda: tfp.sts.one_step_predictive(
        tfp.sts.LocalLevel(observed_time_series=c(_SERIES)), c(_SERIES),
        [c([0.5]), c([0.3])],
    ).mean(),
    "forecast": lambda: tfp.sts.forecast(
        tfp.sts.LocalLevel(observed_time_series=c(_SERIES)), c(_SERIES),
        [c([0.5]), c([0.3])], 3,
    ).stddev(),
    "decompose": lambda: [
        d.mean() for d in tfp.sts.decompose_by_component(
            _model(), c(_SERIES),
            [tf.ones([1] + list(p.prior.batch_shape + p.prior.event_shape),
                     tf.float64) * 0.5 for p in _model().parameters],
        ).values()
    ],
    "missing values": lambda: tfp.sts.impute_missing_values(
        tfp.sts.LocalLevel(observed_time_series=c(_SERIES)),
        tfp.sts.MaskedTimeSeries(c(_SERIES), [False] * 11 + [True]),
        [c([0.5]), c([0.3])],
    ).mean(),
    "particle_filter": lambda: tfp.experimental.mcmc.particle_filter(
        c([0.3, 1.2, 0.7]), tfd.Normal(c(0.0), c(1.0)),
        lambda _, x: tfd.Normal(x * 0.9, c(0.5)),
        lambda _, x: tfd.Normal(x, c(0.3)), 4, seed=_SEED,
    )[0],
    "running statistics": lambda:
        tfp.experimental.stats.RunningCovariance.from_example(
            c([1.0, 2.0])
        ).update(c([3.0, 5.0])).update(c([4.0, 1.0])).covariance(),
    "surrogate": lambda: tfp.experimental.vi
        .build_factored_surrogate_posterior(
            [[2]], bijector=[tfb.Softplus()], dtype=tf.float64, seed=_SEED
        ).log_prob([c([0.5, 1.0])]),
    "normal conjugates": lambda: tfd.normal_conjugates_known_scale_posterior(
        tfd.Normal(c(0.0), c(1.0)), c(0.5), c(3.0), 4
    ).mean(),
    "mvn conjugate": lambda: tfd.mvn_conjugate_linear_update(
        prior_scale=tf.linalg.LinearOperatorIdentity(2, dtype=tf.float64),
        linear_transformation=tf.linalg.LinearOperatorFullMatrix(c(_DESIGN)),
        likelihood_scale=tf.linalg.LinearOperatorIdentity(5, dtype=tf.float64),
        observation=c(_COUNTS),
    )[0],
    "kl of mixtures": lambda: tfd.kl_divergence(
        tfd.Normal(c(0.0), c(1.0)), tfd.Normal(c(1.0), c(2.0))
    ),
}

_COMPONENTS = {
    "Autoregressive": lambda: tfp.sts.Autoregressive(
        2, observed_time_series=c(_SERIES)
    ),
    "DynamicLinearRegression": lambda: tfp.sts.DynamicLinearRegression(
        c(np.arange(12.0)[:, np.newaxis]), observed_time_series=c(_SERIES)
    ),
    "LocalLevel": lambda: tfp.sts.LocalLevel(observed_time_series=c(_SERIES)),
    "LocalLinearTrend": lambda: tfp.sts.LocalLinearTrend(
        observed_time_series=c(_SERIES)
    ),
    "Seasonal": lambda: tfp.sts.Seasonal(4, observed_time_series=c(_SERIES)),
    "SemiLocalLinearTrend": lambda: tfp.sts.SemiLocalLinearTrend(
        observed_time_series=c(_SERIES)
    ),
    "SmoothSeasonal": lambda: tfp.sts.SmoothSeasonal(
        4, [1, 2], observed_time_series=c(_SERIES)
    ),
}


def _slope(t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        f = (t - 1.3) ** 2
    slope = tf.convert_to_tensor(tape.gradient(f, t))
    return collections.namedtuple("At", "x f df")(t, f, slope)


@pytest.mark.parametrize("name", _CALLS)
def test_call(name, compare):
    compare(_CALLS[name]())


@pytest.mark.parametrize("name", _COMPONENTS)
def test_component(name, compare):
    compare(_component(_COMPONENTS[name]()))


def test_deferred_tensor(compare):
    v = tf.Variable(c([0.5, 1.0]))
    d = tfp.util.DeferredTensor(v, tf.exp)
    normal = tfd.Normal(c(0.0), d)
    with tf.GradientTape() as tape:
        y = normal.log_prob(c(0.3))
    compare([
        d + 1.0, 2.0 * d, -d, d[0], tf.math.log(d), d.shape, d.dtype, y,
        tape.gradient(y, normal.trainable_variables), tf.is_tensor(d),
        tf.convert_to_tensor(d, tf.float64), np.asarray(d),
        tf.function(lambda d: d * 2.0)(d), repr(d)[:20],
    ])


def test_auto_composite_tensor(compare):
    @tfp.experimental.auto_composite_tensor
    class Adder(tfp.experimental.AutoCompositeTensor):
        def __init__(self, x, y, name=None):
            with tf.name_scope(name or "Adder") as name:
                self._x = tf.convert_to_tensor(x)
                self._y = tf.convert_to_tensor(y)
                self._name = name

        def sum(self):
            return self._x + self._y

    out, = tf.while_loop(
        lambda _: True, lambda a: (Adder(a.sum(), 1.0, a._name),),
        (Adder(1.0, 1.0),), maximum_iterations=3,
    )
    compare([out.sum(), tf.nest.flatten(out, expand_composites=True)])


@pytest.mark.parametrize("size", [3, None])
def test_prefer_static(size, compare):
    from tensorflow_probability.python.internal import prefer_static as ps

    found = []

    @tf.function(input_signature=[tf.TensorSpec([size, 2], tf.float64)])
    def f(x):
        shape = ps.shape(x)
        values = [
            shape, ps.rank(x), ps.size(x), ps.concat([shape, [1]], 0),
            ps.reduce_prod(shape), ps.broadcast_shape(shape, [1, 2]),
            ps.range(ps.rank(x)), ps.dimension_size(x, 0),
            ps.cond(ps.equal(ps.rank(x), 2), lambda: 1, lambda: 2),
            ps.maximum(shape[0], 1), ps.where(shape > 2, 1, 0),
            ps.smart_where(x > 0, lambda: x, lambda: -x),
            ps.invert_permutation([1, 0]), ps.pad(shape, [[1, 0]]),
        ]
        found.append([tf.is_tensor(v) for v in values])
        return values

    compare([f(c([[1.0, -2.0]] * 3)), found[0]])
