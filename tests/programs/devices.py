"""Devices: their names and tf.device."""

from __future__ import annotations

import subprocess
import sys

from outcomes import failure, phrase


def program_specs(tf):
    texts = (
        "/job:a/replica:1/task:2/device:GPU:3", "/cpu:0", "CPU:0", "/GPU:*",
        "", "/device:CPU:*", "/job:w", "/task:1", "gpu",
    )
    make = tf.DeviceSpec.from_string
    a = tf.DeviceSpec(job="w", device_type="CPU", device_index=0)
    return [[repr(make(t)), make(t).to_string()] for t in texts] + [
        failure(make, t) for t in ("foo", "/cpu:0/gpu:1", "/job:a/foo:1")
    ] + [
        repr(a.make_merged_spec(make("/job:z/GPU:1"))),
        repr(a.replace(device_index=5)), a == make("/job:w/CPU:0"),
        hash(a) == hash(make("/job:w/CPU:0")), a.job, a.replica, a.task,
        a.device_type, a.device_index, repr(a.parse_from_string("/job:q")),
        failure(tf.DeviceSpec, "a", 1, "x")[0],
        failure(setattr, a, "job", "x")[0],
    ]


def program_eager_scopes(tf):
    def use(name):
        with tf.device(name):
            x = tf.constant(1.0)
            return [x.device, (x + 1.0).device, tf.Variable(1.0).device]

    return [failure(use, name) for name in (
        "CPU:0", "cpu:0", "/CPU:0", "/device:CPU:0", None, "", "/cpu:*",
        "/job:localhost/replica:0/task:0/device:CPU:0", "GPU:0", "foo",
        "/job:worker", "/job:localhost/task:3/CPU:0", 3, "cpu:0/gpu:0",
        lambda op: "cpu",
    )]


def program_scopes_while_tracing(tf):
    names = []

    @tf.function
    def f(x):
        with tf.device("CPU:0"):
            names.append((x + 1).device)
            with tf.device(None):
                names.append((x + 1).device)
            with tf.device("GPU"):
                names.append((x + 1).device)
            with tf.device("/job:worker"):
                names.append((x + 1).device)
            names.append((x + 1).op.device)
        names.append((x + 1).device)
        return x

    f.get_concrete_function(tf.constant(1))
    return names


def _without_soft_placement(tf, use):
    tf.config.set_soft_device_placement(False)
    try:
        return failure(use)
    finally:
        tf.config.set_soft_device_placement(True)


def program_devices_that_are_not_there(tf):
    def use(name, make):
        with tf.device(name):
            return make().device

    makes = (lambda: tf.constant(1), lambda: tf.Variable(1))
    return [
        _without_soft_placement(tf, lambda: use(name, make))
        for name in ("GPU:0", "GPU", "CPU:5", "CPU:0", "cpu", None)
        for make in makes
    ]


@phrase("Unable to find any devices for spec /device:GPU:0")
def program_function_on_a_device_that_is_not_there(tf):
    @tf.function
    def f(x):
        with tf.device("GPU:0"):
            return x + 1

    tf.config.set_soft_device_placement(False)
    try:
        return f(tf.constant(1))
    finally:
        tf.config.set_soft_device_placement(True)


def program_soft_placement_of_functions(tf):
    @tf.function
    def f(x):
        with tf.device("GPU:0"):
            return x + 1

    return tf.config.get_soft_device_placement(), f(tf.constant(1))


def program_logical_devices_after_use(tf):
    tf.constant(1) + 1
    device = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * 3
    return failure(tf.config.set_logical_device_configuration, device, parts)


_LOGICAL_DEVICES = """
import sys, {module} as tf
device = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration()
tf.config.set_logical_device_configuration(device, [part] * 3)
tf.config.set_logical_device_configuration(device, [part] * 2)
with tf.device("CPU:1"):
    x = tf.constant(1)
names = [d.name for d in tf.config.list_logical_devices("CPU")]
tf.config.set_logical_device_configuration(device, [part] * 2)
print(names, len(tf.config.get_logical_device_configuration(device)))
try:
    tf.config.set_logical_device_configuration(device, [part])
except RuntimeError as error:
    print(error)
"""


def program_logical_devices_before_use(tf):
    code = _LOGICAL_DEVICES.format(module=tf.__name__)
    return subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL, check=True,
    ).stdout
