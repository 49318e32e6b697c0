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


# Two CPUs: what a process that has divided its CPU prints.
_TWO_DEVICES = '''
import copy, threading, {module} as tf
part = tf.config.LogicalDeviceConfiguration()
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [part] * 2)

def on(name, make):
    with tf.device(name):
        made = make()
    made = made if isinstance(made, (list, tuple)) else [made]
    return "".join(t.device[-1] for t in made)

def show(label, make):
    try:
        print(label, make())
    except Exception as error:
        print(label, type(error).__name__, str(error).split(" [Op:")[0])

with tf.device("CPU:1"):
    x1, v1 = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
x0, v0 = tf.constant([3.0, 4.0]), tf.Variable([1.0, 2.0])

{body}
'''

_ON_TENSORS = '''
print(x1.device, x0.device, x1.backing_device, repr(x1))
print("ops", [(t.device[-1]) for t in (
    x1 + 1.0, x1 + x0, x0 + x1, x1 + x1, tf.identity(x1), tf.shape(x1),
    tf.reduce_sum(x1), tf.cast(x1, tf.int32), x1[0], tf.concat([x1, x0], 0),
    tf.zeros_like(x1), tf.random.uniform([2]), -x1, x1 > 1.0)])
for name in ("CPU:1", "CPU:0", "cpu", None, "/job:localhost", "CPU:5", "GPU:0"):
    print(name, on(name, lambda: (
        x0 + x0, x1 + x1, tf.identity(x0), tf.constant(1.0), tf.range(3),
        tf.constant(["a"]), tf.convert_to_tensor([1, 2]), tf.reshape(x1, [-1]),
        tf.random.uniform([2]), *tf.split(x0, 2))))
    print(name, on(name, lambda: (tf.convert_to_tensor(x0), tf.constant(x1))))
print(x1.cpu().device, copy.copy(x1).device, copy.deepcopy(x1).device)
print(x1.numpy().tolist())
seen = []
with tf.device("CPU:1"):
    thread = threading.Thread(
        target=lambda: seen.append(tf.constant(1).device[-1]))
    thread.start()
    thread.join()
    for name in (None, "/job:localhost", "CPU:0"):
        with tf.device(name):
            seen.append(tf.constant(1).device[-1])
    seen.append(tf.constant(1).device[-1])
print(seen, tf.constant(1).device[-1])
print(on(tf.DeviceSpec(device_type="CPU", device_index=1),
         lambda: tf.constant(1)),
      on(tf.config.list_logical_devices()[1], lambda: tf.constant(1)))
for name in ("foo", "/job:worker", "/task:3"):
    show(name, lambda: on(name, lambda: tf.constant(1)))
with tf.GradientTape() as tape:
    tape.watch(x0)
    with tf.device("CPU:1"):
        y = x0 * x0
print(y.device[-1], tape.gradient(y, x0).device[-1])
'''

_ON_VARIABLES = '''
print(v1.device, v0.device, v1.handle.device, repr(v1))
print(v1.read_value().device[-1], v1.value().device[-1], (v1 + x0).device[-1])
print(on("CPU:1", lambda: (v0.read_value(), v0 + 1.0)))
print(on("CPU:0", lambda: (v1.read_value(), v1.value(), v1 + 1.0)))
print(v1.assign(x0).device[-1], on("CPU:0", lambda: v1.assign_add(x0)))
print(on("CPU:5", lambda: tf.Variable(1.0)), copy.deepcopy(v1).device[-1])
with tf.GradientTape() as tape:
    y = v1 * 2.0
print(tape.gradient(y, v1).device[-1])
made = []
@tf.function(autograph=False)
def make(x):
    if not made:
        with tf.device("CPU:1"):
            made.append(tf.Variable(5.0))
    return made[0] + x
print(make(tf.constant(1.0)).device[-1], made[0].device[-1])
'''

_ON_FUNCTIONS = '''
@tf.function(autograph=False)
def f(a):
    with tf.device("CPU:1"):
        b = a + 1.0
    with tf.device("CPU:0"):
        c = b * 3.0
    return a, b, c, tf.constant(2.0), x1 + a, v1 + a, v1.value()
print(on(None, lambda: f(x0)), on("CPU:1", lambda: f(x0)))
print(on("CPU:0", lambda: f(x1)), f.experimental_get_tracing_count())
graph = f.get_concrete_function(x0).graph
print([(o.name, o.device) for o in graph.get_operations()])
print([t.device[-1] for t in f.get_concrete_function(x0).captured_inputs])
with tf.GradientTape() as tape:
    tape.watch(x1)
    with tf.device("CPU:1"):
        results = f(x1)
print([t.device[-1] for t in results], tape.gradient(results[2], x1).device[-1])
seen = []
@tf.function(autograph=False)
def g(a):
    with tf.device("CPU:1"):
        with tf.init_scope():
            seen.append(tf.constant(1.0).device[-1])
        b = tf.cond(a[0] > 1.0, lambda: a * 2.0, lambda: a * 3.0)
        return f(a)[0] + b
print(g(x0).device[-1], seen)
graph = g.get_concrete_function(x0).graph
print([(o.name, o.device) for o in graph.get_operations()
       if o.type not in ("Placeholder", "Const")])
print([(n.name, n.device) for d in graph.as_graph_def().library.function
       if "cond" in d.signature.name for n in d.node_def if n.op == "Mul"])
def asking(name):
    def h(a):
        with tf.device(name):
            return tf.identity(a, name="there")
    return tf.function(h, autograph=False)(x0).device
for soft in (True, False):
    tf.config.set_soft_device_placement(soft)
    for name in ("CPU:1", "CPU", "CPU:7", "GPU:0", "/job:worker", "/task:2"):
        show(name, lambda: asking(name))
'''


def _with_two_devices(tf, body):
    code = _TWO_DEVICES.format(module=tf.__name__, body=body)
    return subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL, check=True,
    ).stdout


def program_tensors_on_two_devices(tf):
    return _with_two_devices(tf, _ON_TENSORS)


def program_variables_on_two_devices(tf):
    return _with_two_devices(tf, _ON_VARIABLES)


def program_functions_on_two_devices(tf):
    return _with_two_devices(tf, _ON_FUNCTIONS)


def program_devices_chosen_by_a_function(tf):
    def place(op):
        return "/device:CPU:1" if op.type == "MatMul" else "/cpu:0"

    def spec(op):
        return tf.DeviceSpec(device_type="CPU", device_index=2)

    scopes = (
        [place], [place, "/job:w"], ["/task:3", place],
        ["/task:3", place, "/GPU:0"], [place, None], [place, None, "/GPU:0"],
        [lambda op: ""], ["/GPU:0", lambda op: ""], ["/GPU:0", spec],
        ["/GPU:0", lambda op: op.device + "/task:3"],
    )

    def make(graph, names, out):
        if names:
            with graph.device(names[0]):
                make(graph, names[1:], out)
        else:
            a = tf.constant([[1.0]])
            out += [a.device, tf.matmul(a, a).device]

    found = []
    for names in scopes:
        with tf.Graph().as_default() as graph:
            make(graph, names, found)
    return found, failure(tf.device, place)


def program_a_function_of_devices_in_a_function(tf):
    @tf.function
    def f(x):
        with x.graph.device(lambda op: "/device:CPU:" + str(len(op.inputs))):
            return tf.matmul(x, x) + 1.0

    graph = f.get_concrete_function(tf.ones([1, 1])).graph
    return [(o.name, o.device) for o in graph.get_operations()]


def program_containers(tf):
    def handle(**kwargs):
        return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], **kwargs)

    with tf.Graph().as_default() as graph:
        with graph.container("a") as name:
            with graph.container("b"):
                made = [handle(), handle(container="given")]
            with graph.container(""):
                made.append(handle())
            made.append(handle())
        made.append(handle())
    return name, [t.op.get_attr("container") for t in made]


def program_ops_on_a_device_that_is_not_there(tf):
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    f = tf.function(lambda x: x * 2.0)
    f(x)
    steps = (
        lambda: tf.constant([1.0, 3.0]), lambda: tf.constant("a"),
        lambda: tf.zeros([2]), lambda: tf.identity(x), lambda: x + x,
        lambda: tf.shape(x), lambda: v.read_value(), lambda: v + 1.0,
        lambda: v.assign(4.0), lambda: tf.random.normal([2]),
        lambda: tf.print("a"), lambda: f(x), lambda: tf.Variable(1.0),
        lambda: tf.range(3), lambda: x[0], lambda: x.numpy(),
        lambda: f.get_concrete_function(tf.constant(1)) is None,
    )

    def under(name, step):
        with tf.device(name):
            return step()

    def inside(name, step):
        with tf.device(name):
            with tf.device("/job:localhost/replica:0/task:0/device:CPU:0"):
                return step()

    def refused(kind, text):
        return [kind, text.partition("]. ")[0].partition(" [Op:")[0][:70]]

    return [
        _without_soft_placement(tf, lambda: inside("GPU:0", lambda: x + x)),
        _without_soft_placement(tf, lambda: under("GPU:0", lambda: None)),
    ] + [
        refused(*map(str, _without_soft_placement(
            tf, lambda: under(name, step)
        )))
        for name in ("GPU:0", "CPU:3") for step in steps
    ] + [failure(under, "/job:other", step)[0] for step in steps]


def program_calls_of_functions_for_devices_that_are_not_there(tf):
    @tf.function
    def result(x):
        with tf.device("GPU:0"):
            return x + 1

    @tf.function
    def unused(x):
        with tf.device("GPU:0"):
            x + 1
        return x

    @tf.function
    def branch(x):
        def true():
            with tf.device("GPU:0"):
                return x + 1

        return tf.cond(x > 0, true, lambda: x)

    x = tf.constant(1)
    results = []
    for f in (result, unused, branch):
        hard = _without_soft_placement(tf, lambda: f(x))
        traced = _without_soft_placement(
            tf, lambda: f.get_concrete_function(x) is not None
        )
        results.append([hard[0], hard[1].split()[0], traced, f(x)])
    return results
