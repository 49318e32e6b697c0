"""Classes that a program registered with TensorFlow: where a model with them is loaded
and saved again here, that program still finds them."""

import logging

import pytest
import tensorflow as tf
from google.protobuf import wrappers_pb2

import graphkiln as gk

registration = pytest.importorskip("tensorflow.python.saved_model.registration")


@registration.register_serializable(package="shop")
class Scale(tf.Module):
    def __init__(self, unit="kg"):
        super().__init__()
        self.factor = tf.Variable(2.0)
        self.unit = unit

    def _serialize_to_proto(self, object_proto=None, **kwargs):
        return wrappers_pb2.StringValue(value=self.unit)

    @classmethod
    def _deserialize_from_proto(cls, proto=None, **kwargs):
        message = wrappers_pb2.StringValue()
        proto.Unpack(message)
        return cls(message.value)


class Counter(tf.__internal__.tracking.AutoTrackable):
    pass


def save_counters(trackables, file_prefix):
    for name in trackables:
        tf.raw_ops.SaveV2(
            prefix=file_prefix,
            tensor_names=["count/" + name],
            shape_and_slices=[""],
            tensors=[tf.constant(5)],
        )
    return file_prefix


registration.register_checkpoint_saver(
    "shop",
    "CounterSaver",
    predicate=lambda value: isinstance(value, Counter),
    save_fn=save_counters,
    restore_fn=lambda trackables, merged_prefix: None,
)


def test_saved_again(tmp_path, caplog):
    folder, again = str(tmp_path / "first"), str(tmp_path / "again")
    root = tf.Module()
    root.scales = [Scale("lb"), Scale()]
    root.counter = Counter()
    root.f = tf.function(
        lambda x: x * root.scales[0].factor,
        input_signature=[tf.TensorSpec([], tf.float32)],
    )
    root.scales[0].factor.assign(7.0)
    tf.saved_model.save(root, folder)
    loaded = gk.saved_model.load(folder)
    assert loaded.f(2.0).numpy() == 14.0
    loaded.scales[1].factor.assign(9.0)
    with caplog.at_level(logging.WARNING, logger=gk.get_logger().name):
        gk.saved_model.save(loaded, again)
    assert "registered saver (shop.CounterSaver)" in caplog.text
    theirs = tf.saved_model.load(again)
    assert [type(s) for s in theirs.scales] == [Scale, Scale]
    assert [s.unit for s in theirs.scales] == ["lb", "kg"]
    assert [s.factor.numpy() for s in theirs.scales] == [7.0, 9.0]
    assert theirs.f(2.0).numpy() == 14.0
    twice = gk.saved_model.load(again)
    assert [s.factor.numpy() for s in twice.scales] == [7.0, 9.0]
