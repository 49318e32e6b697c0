"""tf.compat.v1.make_template: names, shared variables, errors and checkpoints, on both
modules, in a graph and eagerly."""

from __future__ import annotations

import contextlib

import pytest


@contextlib.contextmanager
def _mode(tf, eager):
    with tf.Graph().as_default() if not eager else contextlib.nullcontext():
        yield tf.compat.v1


def _names(variables):
    return [v.name for v in variables]


def _scaled(v1, name="scale", trainable=True):
    def call(x=1.0):
        ones = v1.ones_initializer()
        return x * v1.get_variable(name, [], initializer=ones, trainable=trainable)

    return call


def shared(tf, v1, unique):
    first = v1.make_template(unique("s"), _scaled(v1))
    second = v1.make_template(unique("s"), _scaled(v1, trainable=False))
    told = [first.name, first.variable_scope_name, first.variables]
    for template in (first, first, second):
        template(3.0)
        told += [_names(template.variables), template.variable_scope_name]
    told += [_names(t.trainable_variables) for t in (first, second)]
    told += [_names(t.non_trainable_variables) for t in (first, second)]
    told += [_names(t.local_variables) for t in (first, second)]
    told += [_names(t.weights) for t in (first, second)]
    return told


def nested(tf, v1, unique):
    inner = v1.make_template("inner", _scaled(v1))

    def outer():
        other = v1.get_variable("o", [], initializer=v1.zeros_initializer())
        return inner(2.0) + other

    template = v1.make_template(unique("outer"), outer)
    template()
    template()
    keys = tf.train.Checkpoint(t=template)
    seen = tf.train.TrackableView(keys)
    return [
        _names(template.variables), _names(inner.variables),
        sorted(seen.children(template)), sorted(seen.children(inner)),
    ]


def scopes(tf, v1, unique):
    now = v1.make_template(unique("n"), _scaled(v1), create_scope_now_=True)
    later = v1.make_template(unique("n"), _scaled(v1))
    told = [now.variable_scope.name, later.variable_scope]
    with v1.variable_scope(unique("around")):
        later()
        now()
        inside = v1.make_template("inside", _scaled(v1))
        inside()
    return told + [_names(t.variables) for t in (now, later, inside)]


def getters(tf, v1, unique):
    def half(getter, *args, **kwargs):
        return getter(*args, **kwargs) * 0.5

    template = v1.make_template(unique("g"), _scaled(v1), custom_getter_=half)
    template()
    return _names(template.variables)


def arguments(tf, v1, unique):
    def call(a, b, c=3.0):
        return a + b + c + v1.get_variable("z", [], initializer=v1.zeros_initializer())

    template = v1.make_template(unique("args"), call, b=2.0)
    return [template(1.0).shape, template(1.0, c=5.0).shape]


def a_new_variable(tf, v1, unique):
    def call():
        return v1.Variable(1.0) + v1.get_variable("z", [])

    template = v1.make_template(unique("new"), call)
    template()
    try:
        template()
    except ValueError as error:
        return str(error).split(":")[0], "originally defined at:" in str(error)
    return "nothing"


def a_failing_call(tf, v1, unique):
    def call(fails):
        v1.get_variable("z", [])
        if fails:
            raise KeyError("fails")

    template = v1.make_template(unique("fail"), call)
    told = []
    try:
        template(True)
    except KeyError as error:
        told.append(error.args[0].split("\n")[0])
    return told


def bad(tf, v1, unique):
    told = []
    for make in (
        lambda: v1.make_template(None, _scaled(v1)),
        lambda: v1.make_template("x", _scaled(v1), unique_name_="y") and None,
    ):
        try:
            told.append(make())
        except ValueError as error:
            told.append(str(error))
    return told


PROGRAMS = (
    shared, nested, scopes, getters, arguments, a_new_variable, a_failing_call, bad
)


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_templates(both, program, eager):
    told = []
    for tf in (both.ours, both.theirs):
        with _mode(tf, eager) as v1:
            told.append(repr(program(tf, v1, lambda name: f"{program.__name__}_{name}")))
    if program is not a_new_variable or not eager:
        assert told[0] == told[1]


def test_a_unique_name_is_shared(both):
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            first = v1.make_template("_", _scaled(v1), unique_name_="s")
            second = v1.make_template("_", _scaled(v1), unique_name_="s")
            first()
            try:
                second()
            except ValueError as error:
                told = [str(error)[:40]]
            v1.get_variable_scope().reuse_variables()
            third = v1.make_template("_", _scaled(v1), unique_name_="s")
            third()
            return [*told, third.variables[0] is first.variables[0]]

    assert program(both.ours) == program(both.theirs)


def test_restored_where_it_is_made(both, tmp_path):
    for tf in (both.ours, both.theirs):
        v1 = tf.compat.v1
        template = v1.make_template("kept", _scaled(v1))
        template()
        template.variables[0].assign(4.0)
        path = tf.train.Checkpoint(t=template).save(str(tmp_path / tf.__name__))
        again = v1.make_template("kept_again", _scaled(v1))
        tf.train.Checkpoint(t=again).restore(path)
        assert again(2.0).numpy() == 8.0
