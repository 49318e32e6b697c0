"""The optimizers of TensorFlow's first version: steps, slots, names, checkpoints and
errors, eagerly, in functions and in graphs."""

import inspect

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

LIBRARIES = [gk, tf]
KINDS = {
    "GradientDescent": {"learning_rate": 0.1},
    "Momentum": {"learning_rate": 0.1, "momentum": 0.9},
    "Momentum nesterov": {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True},
    "Adagrad": {"learning_rate": 0.1},
    "Adadelta": {"learning_rate": 0.1},
    "Adam": {"learning_rate": 0.1},
    "RMSProp": {"learning_rate": 0.1, "momentum": 0.5},
    "RMSProp centered": {"learning_rate": 0.1, "momentum": 0.5, "centered": True},
    "Ftrl": {"learning_rate": 0.1, "l1_regularization_strength": 0.01},
    "Ftrl shrinking": {
        "learning_rate": 0.1,
        "l2_shrinkage_regularization_strength": 0.02,
        "beta": 0.5,
        "learning_rate_power": -0.7,
    },
    "ProximalGradientDescent": {
        "learning_rate": 0.1,
        "l1_regularization_strength": 0.01,
    },
    "ProximalAdagrad": {"learning_rate": 0.1, "l2_regularization_strength": 0.1},
    "AdagradDA": {"learning_rate": 0.1, "l1_regularization_strength": 0.01},
}
NAMES = [*dict.fromkeys(kind.split()[0] for kind in KINDS), ""]


def made(t, kind, **others):
    name = kind.split()[0] + "Optimizer"
    return getattr(t.compat.v1.train, name)(**KINDS[kind], **others)


def optimizer_of(t, kind):
    if kind != "AdagradDA":
        return made(t, kind)
    return made(t, kind, global_step=t.Variable(3, dtype=t.int64))


def variables_of(t):
    return t.Variable([1.0, 2.0], name="v"), t.Variable([[1.0], [2.0], [3.0]], name="w")


def loss_of(t, v, w):
    # Gradients of the rows 0, 0 and 2 of w.
    return t.reduce_sum(v**2) + t.reduce_sum(t.gather(w, [0, 0, 2]) ** 2)


def shown(values):
    return [(v.name, v.numpy().ravel().tolist()) for v in values]


def shown_slots(optimizer, *variables):
    """With names that do not depend on how many others were made."""
    return [
        (f"{name} of {v.name}", optimizer.get_slot(v, name).numpy().ravel().tolist())
        for name in optimizer.get_slot_names()
        for v in variables
    ] + [
        (v.name.split("_")[0], v.numpy().tolist())
        for v in optimizer.variables()
        if v.name.startswith("beta")
    ]


def assert_alike(ours, theirs):
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for (name, a), (_, b) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_eager_steps(kind):
    found = []
    for t in LIBRARIES:
        optimizer, (v, w) = optimizer_of(t, kind), variables_of(t)
        for _ in range(3):
            done = optimizer.minimize(lambda: loss_of(t, v, w), var_list=[v, w])
            assert done is None
        found.append([*shown([v, w]), *shown_slots(optimizer, v, w)])
        assert optimizer.get_name() == kind.split()[0]
        for name in optimizer.get_slot_names():
            assert optimizer.get_slot(v, name).shape == [2]
            assert optimizer.get_slot(w, name).shape == [3, 1]
    assert_alike(*found)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_in_functions(kind):
    found = []
    for t in LIBRARIES:
        optimizer, (v, w) = optimizer_of(t, kind), variables_of(t)

        @t.function
        def step():
            optimizer.minimize(lambda: loss_of(t, v, w), var_list=[v, w])

        @t.function
        def of_tensor(x):
            grads = t.gradients(loss_of(t, v, w) * x, [v, w])
            optimizer.apply_gradients(zip(grads, [v, w], strict=True))

        step()
        step()
        of_tensor(t.constant(2.0))
        found.append([*shown([v, w]), *shown_slots(optimizer, v, w)])
    assert_alike(*found)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_in_graphs(kind):
    found, told = [], []
    for t in LIBRARIES:
        one = t.compat.v1
        with t.Graph().as_default() as graph:
            v = one.get_variable("v", initializer=[1.0, 2.0])
            w = one.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
            count = one.train.get_or_create_global_step()
            others = {"global_step": count} if kind == "AdagradDA" else {}
            optimizer = made(t, kind, **others)
            pairs = optimizer.compute_gradients(loss_of(t, v, w))
            train = optimizer.apply_gradients(pairs, global_step=count)
            everything = one.global_variables()
            with one.Session() as session:
                session.run(one.global_variables_initializer())
                for _ in range(3):
                    session.run(train)
                values = session.run(everything)
                assert one.train.global_step(session, count) == 3
            found.append(
                [
                    (x.name, np.ravel(y).tolist())
                    for x, y in zip(everything, values, strict=True)
                ]
            )
            told.append(
                (
                    train.name,
                    [x.name for x in one.get_collection("train_op")],
                    [x.name for x in optimizer.variables()],
                    {x.type for x in graph.get_operations() if "Apply" in x.type},
                )
            )
    assert_alike(*found)
    assert told[0] == told[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("writer", LIBRARIES)
def test_checkpoints(tmp_path, kind, writer):
    optimizer, (v, w) = optimizer_of(writer, kind), variables_of(writer)
    optimizer.minimize(lambda: loss_of(writer, v, w), var_list=[v, w])
    path = writer.train.Checkpoint(o=optimizer, v=v, w=w).write(str(tmp_path / "c"))
    keys, found = [], []
    for t in LIBRARIES:
        keys.append(sorted(t.train.list_variables(path)))
        fresh, (a, b) = optimizer_of(t, kind), variables_of(t)
        status = t.train.Checkpoint(o=fresh, v=a, w=b).read(path)
        fresh.minimize(lambda: loss_of(t, a, b), var_list=[a, b])
        status.assert_consumed()
        found.append([*shown([a, b]), *shown_slots(fresh, a, b)])
    assert keys[0] == keys[1]
    assert_alike(*found)


@pytest.mark.parametrize("name", NAMES)
def test_parameters(name):
    ours, theirs = (
        inspect.signature(getattr(t.compat.v1.train, name + "Optimizer").__init__)
        for t in LIBRARIES
    )
    assert [(p.name, p.default) for p in ours.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


def optimizer_and_variable(t):
    return t.compat.v1.train.GradientDescentOptimizer(0.1), t.Variable([1.0, 2.0])


BAD = {
    "loss": lambda t, o, v: o.minimize(v**2),
    "nothing": lambda t, o, v: o.apply_gradients([]),
    "no gradient": lambda t, o, v: o.apply_gradients([(None, v)]),
    "no pair": lambda t, o, v: o.apply_gradients([(v,)]),
    "shape": lambda t, o, v: o.apply_gradients([(t.ones(3), v)]),
    "constant loss": lambda t, o, v: o.minimize(lambda: t.constant(1.0), var_list=[v]),
    "no variables": lambda t, o, v: o.minimize(lambda: v[0], var_list=[]),
    "no name": lambda t, o, v: t.compat.v1.train.Optimizer(False, None),
    "abstract": lambda t, o, v: t.compat.v1.train.Optimizer(False, "x").minimize(
        lambda: v[0], var_list=[v]
    ),
    "power": lambda t, o, v: t.compat.v1.train.FtrlOptimizer(
        0.1, learning_rate_power=1.0
    ),
    "start": lambda t, o, v: t.compat.v1.train.FtrlOptimizer(
        0.1, initial_accumulator_value=-1.0
    ),
    "l1": lambda t, o, v: t.compat.v1.train.FtrlOptimizer(
        0.1, l1_regularization_strength=-1.0
    ),
    "accumulator": lambda t, o, v: t.compat.v1.train.AdagradOptimizer(
        0.1, initial_accumulator_value=0.0
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_errors(what):
    errors = []
    for t in LIBRARIES:
        optimizer, v = optimizer_and_variable(t)
        with pytest.raises(Exception) as raised:
            BAD[what](t, optimizer, v)
        errors.append(type(raised.value).__name__)
        assert v.numpy().tolist() == [1.0, 2.0]
        text = str(raised.value)
        if "0x" not in text and "{{" not in text and errors[-1] == "ValueError":
            errors[-1] += text
    assert errors[0].partition("Arguments")[0] == errors[1]


def test_errors_of_graphs():
    for t in LIBRARIES:
        optimizer, _ = optimizer_and_variable(t)
        with t.Graph().as_default():
            with pytest.raises(ValueError, match="No variables to optimize"):
                optimizer.minimize(t.constant(1.0))
            v = t.compat.v1.get_variable("v", initializer=[1.0, 2.0])
            with pytest.raises(ValueError, match="No gradients provided"):
                optimizer.minimize(t.constant(1.0))
            with pytest.raises(ValueError, match="Invalid type"):
                optimizer.compute_gradients(t.cast(v, t.int32))


def test_global_steps():
    for t in LIBRARIES:
        train = t.compat.v1.train
        with t.Graph().as_default() as graph:
            assert train.get_global_step() is None
            made = train.create_global_step()
            assert made.name == "global_step:0" and made.dtype.base_dtype == t.int64
            assert train.get_global_step(graph) is made
            assert train.get_or_create_global_step() is made
            with pytest.raises(ValueError, match="already exists"):
                train.create_global_step()
            with pytest.raises(TypeError, match="does not have integer type"):
                train.assert_global_step(t.constant(1.0))
            with pytest.raises(TypeError, match="is not scalar"):
                train.assert_global_step(t.constant([1]))


def test_rates_may_be_functions_and_variables():
    for t in LIBRARIES:
        for rate in (lambda: 0.25, t.Variable(0.25), t.constant(0.25)):
            v = t.Variable([1.0])
            optimizer = t.compat.v1.train.GradientDescentOptimizer(rate)
            optimizer.minimize(lambda: v**2, var_list=[v])
            assert v.numpy().tolist() == [0.5]
