"""Saves, or loads and shows, a model with classes and a saver that a program has
registered with TensorFlow: they are known to the process that registers them."""

import sys

import tensorflow as tf
from google.protobuf import wrappers_pb2
from tensorflow.python.saved_model import registration


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

if __name__ == "__main__":
    task, folder = sys.argv[1:]
    if task == "save":
        root = tf.Module()
        root.scales = [Scale("lb"), Scale()]
        root.counter = Counter()
        root.f = tf.function(
            lambda x: x * root.scales[0].factor,
            input_signature=[tf.TensorSpec([], tf.float32)],
        )
        root.scales[0].factor.assign(7.0)
        tf.saved_model.save(root, folder)
    else:
        loaded = tf.saved_model.load(folder)
        for scale in loaded.scales:
            print(type(scale).__name__, scale.unit, scale.factor.numpy())
        print(loaded.f(2.0).numpy())
