"""Which devices of variables saved models tell, and who asks for them; what objects
that are loaded wait for. Each module in a process of its own, with two devices."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import importlib, json, sys
name, folder = sys.argv[1:]
tf = importlib.import_module(name)
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)

class Late(tf.__internal__.tracking.AutoTrackable):
    def __init__(self, other):
        self.other = other

    def _deserialization_dependencies(self, children):
        return {"first": self.other}

def saved(policy):
    model = tf.Module()
    with tf.device("CPU:1"):
        model.v = tf.Variable(1.0)
    model.w = tf.Variable(2.0)
    model.late = Late(model.w)
    model.f = tf.function(
        lambda x: x * model.v + model.w, input_signature=[tf.TensorSpec([], tf.float32)])
    path = f"{folder}/{policy}"
    tf.saved_model.save(
        model, path,
        options=tf.saved_model.SaveOptions(experimental_variable_policy=policy))
    return path

def told(path):
    message = SavedModel()
    with open(path + "/saved_model.pb", "rb") as file:
        message.ParseFromString(file.read())
    graph = message.meta_graphs[0]
    objects = graph.object_graph_def.nodes
    return [
        [n.variable.device for n in objects if n.HasField("variable")],
        sorted(n.device for n in graph.graph_def.node if n.op == "VarHandleOp"),
        [(objects[d.node_id].variable.name, d.local_name)
         for n in objects if n.HasField("user_object") for d in n.dependencies],
    ]

def loaded(path, policy):
    model = tf.saved_model.load(
        path, options=tf.saved_model.LoadOptions(experimental_variable_policy=policy))
    return [model.v.device, model.w.device, float(model.f(tf.constant(3.0)))]

if name == "tensorflow":
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
else:
    from graphkiln._proto import SavedModel
found = []
for policy in (None, "save_variable_devices", "expand_distributed_variables"):
    path = saved(policy)
    found += [told(path), loaded(path, None), loaded(path, policy)]
print(json.dumps(found))
"""


def test_devices_of_variables(tmp_path):
    found = []
    for name in ("graphkiln", "tensorflow"):
        (tmp_path / name).mkdir()
        program = tmp_path / name / "program.py"
        program.write_text(PROGRAM)
        done = subprocess.run(
            [sys.executable, str(program), name, str(tmp_path / name)],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        found.append(json.loads(done.stdout.splitlines()[-1]))
    assert found[0] == found[1]
