"""Loss scales of TensorFlow's first version, the optimizer that uses them and the
switch that wraps optimizers."""

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

SCALES = {
    "fixed": (8.0, None),
    "grows": (16.0, [[1.0], [2.0], [3.0], [4.0]]),
    "shrinks": (4.0, [[np.inf], [1.0], [np.nan], [np.inf], [np.nan]]),
    "stays finite": (3e38, [[1.0], [1.0], [1.0]]),
    "without gradients": (16.0, [[], [None], []]),
}


def scale_of(t, kind):
    start, grads = SCALES[kind]
    mixed = t.compat.v1.mixed_precision
    if grads is None:
        return mixed.FixedLossScale(start), [[1.0]]
    return mixed.DynamicLossScale(start, increment_period=2, multiplier=2.0), grads


@pytest.mark.parametrize("kind", SCALES)
def test_scales_eagerly(both, kind):
    def program(t):
        scale, steps = scale_of(t, kind)
        seen = [repr(scale), str(scale.get_config())]
        for grads in steps:
            given = [None if g is None else t.constant(g) for g in grads]
            _, apply = scale.update(given)
            seen += [scale(), bool(apply), repr(scale)]
        again = type(scale).from_config(scale.get_config())
        return [*seen, again()]

    both.agree(program)


@pytest.mark.parametrize("kind", ["fixed", "grows", "shrinks"])
def test_scales_in_graphs(both, kind):
    def program(t):
        v1 = t.compat.v1
        with t.Graph().as_default():
            scale, steps = scale_of(t, kind)
            grad = v1.placeholder(t.float32, [])
            update, apply = scale.update([grad])
            seen = [repr(scale), [v.name for v in v1.global_variables()]]
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                wanted = [update, t.convert_to_tensor(apply)]
                for (value,) in steps:
                    ran = session.run(wanted, {grad: value})
                    seen += [bool(ran[1]), float(session.run(scale()))]
        return seen

    both.agree(program)


@pytest.mark.parametrize("loss_scale", [8.0, "dynamic"])
@pytest.mark.parametrize("rows", [False, True])
def test_steps_eagerly(both, loss_scale, rows):
    def program(t):
        # A name of its own: those of slots count what the process made before.
        named = f"stepped_{rows}_{loss_scale}"
        v = t.Variable([[1.0], [2.0], [3.0]], name=named)
        step = t.Variable(0, dtype=t.int64)
        plain = t.compat.v1.train.MomentumOptimizer(0.1, 0.9)
        train = t.compat.v1.train.experimental
        optimizer = train.MixedPrecisionLossScaleOptimizer(plain, loss_scale)
        seen = []
        for factor in (1.0, np.inf, 2.0):
            if loss_scale != "dynamic" and np.isinf(factor):
                continue

            def loss(factor=factor):
                given = t.gather(v, [0, 0, 2]) if rows else v
                return t.reduce_sum(given**2) * factor

            pairs = optimizer.compute_gradients(loss, [v])
            seen += [type(g).__name__ for g, _ in pairs]
            optimizer.apply_gradients(pairs, step)
            seen += [v.numpy().tolist(), int(step)]
        return [*seen, [w.name for w in optimizer.variables()], optimizer.get_name()]

    both.agree(lambda t: _rounded(program(t)))


def _rounded(values):
    return [
        np.float32(v).round(5).tolist() if np.ndim(v) == 2 else v for v in values
    ]


def test_steps_in_graphs(both):
    def program(t):
        v1 = t.compat.v1
        with t.Graph().as_default():
            x = v1.placeholder(t.float32, [])
            v = v1.get_variable("v", initializer=2.0)
            step = v1.train.get_or_create_global_step()
            plain = v1.train.AdamOptimizer(0.1)
            optimizer = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(
                plain, v1.mixed_precision.DynamicLossScale(4.0, 2)
            )
            train = optimizer.minimize(v * v * x, step, name="go")
            seen = [train.name, [w.name for w in v1.global_variables()]]
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for value in (1.0, np.inf, 1.0, 1.0, 1.0):
                    session.run(train, {x: value})
                    now = session.run([v, step, optimizer._loss_scale()])
                    seen.append([round(float(n), 4) for n in now])
        return seen

    both.agree(program)


def test_checkpoints_hold_scales(both, tmp_path):
    def program(t):
        def made(start):
            plain = t.compat.v1.train.GradientDescentOptimizer(0.1)
            scale = t.compat.v1.mixed_precision.DynamicLossScale(start)
            wrap = t.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer
            return wrap(plain, scale)

        path = str(tmp_path / t.__name__)
        path = t.train.Checkpoint(optimizer=made(64.0)).write(path)
        other = made(2.0)
        t.train.Checkpoint(optimizer=other).read(path).assert_consumed()
        names = [name for name, _ in t.train.list_variables(path)]
        return [*names, other._loss_scale()]

    both.agree(program)


def test_the_switch_wraps_and_says_so(both):
    def program(t):
        mixed, internal = t.compat.v1.mixed_precision, t.config.optimizer
        before = internal.get_experimental_options().get("auto_mixed_precision")
        plain = t.compat.v1.train.AdamOptimizer(0.1)
        wrapped = mixed.enable_mixed_precision_graph_rewrite(plain, 4)
        during = internal.get_experimental_options().get("auto_mixed_precision")
        train = t.compat.v1.train.experimental
        train.disable_mixed_precision_graph_rewrite()
        after = internal.get_experimental_options().get("auto_mixed_precision")
        return [bool(before), during, after, type(wrapped).__name__,
                repr(wrapped._loss_scale)]

    both.agree(program)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, plain: m.FixedLossScale(0.5),
        lambda m, plain: m.FixedLossScale("1"),
        lambda m, plain: m.LossScale(),
        lambda m, plain: m.MixedPrecisionLossScaleOptimizer("adam", 1),
        lambda m, plain: m.MixedPrecisionLossScaleOptimizer(plain, None),
        lambda m, plain: m.MixedPrecisionLossScaleOptimizer(plain, "static"),
        lambda m, plain: m.enable_mixed_precision_graph_rewrite(plain.get_name()),
        lambda m, plain: m.enable_mixed_precision_graph_rewrite(
            m.MixedPrecisionLossScaleOptimizer(plain, 2)
        ),
    ],
)
def test_what_is_refused(call):
    said = []
    for t in (gk, tf):
        plain = t.compat.v1.train.AdamOptimizer(0.1)
        with pytest.raises((ValueError, TypeError)) as error:
            call(t.compat.v1.mixed_precision, plain)
        said.append((error.type, str(error.value).split(":")[0].split("(")[0][:40]))
    assert said[0] == said[1]
