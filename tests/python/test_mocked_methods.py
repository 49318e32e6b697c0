"""`unittest.mock` in the place of methods that are written in C."""

from __future__ import annotations

import inspect
import pickle
from types import FunctionType
from unittest import mock

import pytest

import graphkiln as tf

NAMES = ["assign", "assign_add", "assign_sub", "scatter_update", "assign"]


@pytest.mark.parametrize("name", NAMES)
def test_a_mock_with_autospec_gets_self(name):
    v = tf.Variable([1.0, 2.0])
    before = getattr(tf.Variable, name)
    for cls in (type(v), tf.Variable):
        with mock.patch.object(cls, name, autospec=True) as replaced:
            replaced.side_effect = lambda variable, value: (variable, value)
            variable, value = getattr(v, name)(3.0)
            assert variable is v and value == 3.0
            replaced.assert_called_once_with(v, 3.0)
            with pytest.raises(TypeError):
                getattr(v, name)()  # what the method itself would refuse
    assert getattr(tf.Variable, name) is before


def test_methods_work_after_a_mock():
    v = tf.Variable([1.0, 2.0])
    with mock.patch.object(tf.Variable, "assign", autospec=True):
        v.assign([5.0, 6.0])
    assert v.assign([3.0, 4.0]).numpy().tolist() == [3.0, 4.0]
    assert tf.Variable.assign_add(v, [1.0, 1.0], read_value=False) is None
    assert v.numpy().tolist() == [4.0, 5.0]


def test_methods_of_variables_pass_for_functions():
    method = tf.Variable.assign
    assert isinstance(method, FunctionType) and inspect.isfunction(method)
    assert str(inspect.signature(method)) == (
        "(self, /, value, use_locking=False, name=None, read_value=True)"
    )
    assert (method.__name__, method.__qualname__) == ("assign", "BaseVariable.assign")
    assert method.__doc__
    assert pickle.loads(pickle.dumps(method)) is method
    assert "method 'assign'" in repr(method)
    with pytest.raises(TypeError):
        type(method)()


def test_methods_in_functions():
    v = tf.Variable(1.0)
    for call in (v.assign_add, lambda x: tf.Variable.assign_add(v, x)):
        v.assign(1.0)
        tf.function(call)(tf.constant(2.0))
        assert v.numpy() == 3.0
    method = tf.Variable.assign

    @tf.function
    def f(x):
        method(v, x)
        return v + 1.0

    assert f(tf.constant(4.0)).numpy() == 5.0
    v.assign(1.0)
    tf.function(tf.Variable.assign_sub)(v, tf.constant(0.5))
    assert v.numpy() == 0.5
