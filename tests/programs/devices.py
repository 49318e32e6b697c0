"""Devices: their names and tf.device."""

from __future__ import annotations

from outcomes import failure


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
