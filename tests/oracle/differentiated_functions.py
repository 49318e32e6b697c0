"""Functions that differentiate functions: what each gives, a line of JSON."""

import json

import tensorflow as tf
from tensorflow.python.eager import backprop


def values(x):
    if isinstance(x, (list, tuple)):
        return [values(v) for v in x]
    return None if x is None else x.numpy().tolist()


def told(call):
    try:
        return values(call())
    except Exception as error:
        return type(error).__name__ + ": " + str(error)[:40]


def f(x, y):
    return x * x * y


v = tf.Variable(3.0)
n = tf.Variable(1)
cases = [
    lambda: backprop.gradients_function(f)(2.0, 3.0),
    lambda: backprop.gradients_function(f, params=["y"])(2.0, 3.0),
    lambda: backprop.gradients_function(f, params=[0])(2.0, 3.0),
    lambda: backprop.gradients_function(f, params=[0])(2.0, 3.0, dy=10.0),
    lambda: backprop.gradients_function(f, params=["z"])(2.0, 3.0),
    lambda: backprop.gradients_function(f)(2.0, y=3.0),
    lambda: backprop.gradients_function(lambda x: None)(1.0),
    lambda: backprop.gradients_function(f)(v, v),
    lambda: backprop.val_and_grad_function(f)(2.0, 3.0),
    lambda: backprop.val_and_grad_function(lambda a: [a * 2.0, a * 3.0])(1.0),
    lambda: backprop.val_and_grad_function(lambda a: [a * 2.0, a * 3.0])(
        1.0, dy=[1.0, 10.0]
    ),
    lambda: backprop.implicit_grad(lambda x: v * v * x)(2.0)[0][0],
    lambda: backprop.implicit_val_and_grad(lambda x: v * v * x)(2.0)[0],
    lambda: backprop.implicit_grad(lambda x: x)(2.0),
    lambda: backprop.implicit_grad(lambda x: None)(2.0),
    lambda: backprop.make_vjp(f)(2.0, 3.0)[1](),
    lambda: backprop.make_vjp(f)(2.0, 3.0)[1](5.0),
    lambda: backprop.gradients_function(
        backprop.gradients_function(lambda x: x**3, [0])
    )(2.0),
]
for case in cases:
    print(json.dumps(told(case)))
