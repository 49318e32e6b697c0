"""Run by TensorFlow or by us in a process of its own: writes checkpoints and shows
what is in those of the other."""

from __future__ import annotations

import sys

import numpy as np

DTYPES = (
    "bfloat16 half float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 "
    "uint64 bool complex64 complex128 string"
).split()


def values(tf) -> dict:
    numbers = np.array([[0, 1, 2], [3, 4, 5]])
    named = {}
    for name in DTYPES:
        if name == "string":
            value = tf.constant([["a", "", "x" * 200], ["\0", "ä", "z"]])
        else:
            value = tf.cast(tf.constant(numbers), getattr(tf, name))
        named[name] = tf.Variable(value, name=name)
    return named


def objects(tf, factor: int):
    root = tf.Module()
    root.values = values(tf)
    root.layers = [tf.Variable(1 * factor), tf.Module()]
    root.layers[1].w = tf.Variable([2.0 * factor])
    root.pair = (tf.Variable(3 * factor),)
    root.named = {"a/b.c": tf.Variable(4 * factor)}
    root.twice = root.layers[1]
    root.generator = tf.random.Generator.from_seed(factor)
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    root.table.insert(tf.constant(["k"]), tf.constant([factor], tf.int64))
    return root


def facts(tf, root) -> list[str]:
    shown = [
        f"{name} {v.dtype.name} {v.numpy().tolist()}"
        for name, v in sorted(root.values.items())
    ]
    shown.append(str(root.layers[0].numpy()))
    shown.append(str(root.layers[1].w.numpy()))
    shown.append(str(root.pair[0].numpy()))
    shown.append(str(root.named["a/b.c"].numpy()))
    shown.append(str(root.generator.state.numpy().tolist()))
    shown.append(str(root.table[tf.constant("k")].numpy()))
    return shown


def write(tf, folder: str) -> None:
    root = objects(tf, 3)
    checkpoint = tf.train.Checkpoint(root=root, step=tf.Variable(9))
    print(checkpoint.save(folder + "/objects"))
    print(checkpoint.write(folder + "/again"))
    root.layers[0].assign(33)
    print(checkpoint.write(folder + "/again"))
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable([1.0])), folder + "/kept", max_to_keep=2
    )
    for _ in range(3):
        manager.save()
    tf.raw_ops.SaveV2(
        prefix=folder + "/parts",
        tensor_names=["p", "p", "whole"],
        shape_and_slices=["3 2 0,1:-", "3 2 1,2:-", ""],
        tensors=[
            tf.constant([[1.0, 2.0]]),
            tf.constant([[3.0, 4.0], [5.0, 6.0]]),
            tf.constant("text"),
        ],
    )
    for i in range(2):
        tf.raw_ops.SaveV2(
            prefix=f"{folder}/shard{i}",
            tensor_names=[f"t{i}"],
            shape_and_slices=[""],
            tensors=[tf.constant([i, i])],
        )
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=[folder + "/shard0", folder + "/shard1"],
        destination_prefix=folder + "/merged",
        delete_old_dirs=False,
    )


def show(tf, folder: str) -> None:
    root = objects(tf, 5)
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(root=root, step=step)
    for name in ("/objects-1", "/again"):
        checkpoint.restore(folder + name).assert_consumed()
        print("\n".join(facts(tf, root)))
    print(step.numpy(), int(checkpoint.save_counter))
    late = tf.Module()
    checkpoint = tf.train.Checkpoint(late)
    status = checkpoint.restore(folder + "/objects-1")
    late.layers = []
    for _ in range(2):
        late.layers.append(tf.Module() if late.layers else tf.Variable(0))
    late.layers[1].w = tf.Variable([0.0])
    print(late.layers[0].numpy(), late.layers[1].w.numpy())
    status.expect_partial()
    reader = tf.train.load_checkpoint(folder + "/again")
    print(sorted(reader.get_variable_to_shape_map().items()))
    print(sorted((k, v.name) for k, v in reader.get_variable_to_dtype_map().items()))
    print(tf.train.latest_checkpoint(folder + "/kept")[-11:])
    print(
        len(tf.train.get_checkpoint_state(folder + "/kept").all_model_checkpoint_paths)
    )
    for names, parts in (
        (["p", "whole"], ["", ""]),
        (["p", "p"], ["3 2 1,2:-", "3 2 0,3:1,1"]),
    ):
        restored = tf.raw_ops.RestoreV2(
            prefix=folder + "/parts",
            tensor_names=names,
            shape_and_slices=parts,
            dtypes=[tf.float32, tf.string if "whole" in names else tf.float32],
        )
        print([tf.io.serialize_tensor(t).numpy() for t in restored])
    print([(k, tf.train.load_variable(folder + "/merged", k)) for k in ("t0", "t1")])


if __name__ == "__main__":
    library, what, folder = sys.argv[1:]
    if library == "tensorflow":
        import tensorflow as tf
    else:
        import graphkiln as tf
    {"write": write, "show": show}[what](tf, folder)
