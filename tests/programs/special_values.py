"""Derivatives at infinity, at poles and of numbers whose square is none."""

from __future__ import annotations

import math

import numpy as np


def _slopes(tf, f, values, dtype):
    found = []
    for value in values:
        x = tf.constant(value, dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        slope = tape.gradient(y, x).numpy()
        # Zeros of either sign are one, and the last digits each module's own.
        parts = [y.numpy(), np.real(slope), np.imag(slope)]
        found.append([f"{float(part) + 0.0:.4g}" for part in parts])
    return found


def program_slopes_of_angles(tf):
    inf = math.inf
    values = [
        complex(inf, 0), complex(-inf, 0), complex(0, inf), complex(1, inf),
        complex(inf, inf), complex(inf, 1), 1 + 1j, -1 + 0j, -2j,
        1e30 + 1e30j, 1e-30 + 1e-30j,
    ]
    return [
        _slopes(tf, tf.math.angle, values, dtype)
        for dtype in (tf.complex64, tf.complex128)
    ]


def program_slopes_of_gamma_functions(tf):
    values = [math.inf, -math.inf, 0.0, -1.0, -1.5, -2.0, math.nan, 2.5, 30.0]
    one, two = tf.constant(1.0), tf.constant(2.0)
    return [
        _slopes(tf, f, values, tf.float32)
        for f in (
            tf.math.digamma, tf.math.lgamma,
            lambda x: tf.math.polygamma(one, x),
            lambda x: tf.math.polygamma(two, x),
        )
    ], [
        [f"{tf.math.zeta(order, x).numpy():.4g}" for x in values]
        for order in (2.0, 3.0, 4.0)
    ]
