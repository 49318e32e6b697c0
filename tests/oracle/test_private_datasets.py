"""Ops of datasets and of their elements that have no public name, and variants as
strings, on both modules."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def same(both, program):
    assert program(both.ours) == program(both.theirs)


def made(tf, op, dataset, spec=None, **inputs):
    """The elements and cardinality of what a raw op makes of a dataset."""
    spec = dataset.element_spec if spec is None else spec
    variant = getattr(tf.raw_ops, op)(
        input_dataset=dataset._variant_tensor,
        output_types=[spec.dtype],
        output_shapes=[spec.shape],
        **inputs,
    )
    iterator = tf.raw_ops.AnonymousIteratorV3(
        output_types=[spec.dtype], output_shapes=[spec.shape]
    )
    tf.raw_ops.MakeIterator(dataset=variant, iterator=iterator)
    elements = []
    while True:
        try:
            (element,) = tf.raw_ops.IteratorGetNext(
                iterator=iterator, output_types=[spec.dtype], output_shapes=[spec.shape]
            )
        except tf.errors.OutOfRangeError:
            break
        elements.append(np.asarray(element).tolist())
    return elements, int(tf.raw_ops.DatasetCardinality(input_dataset=variant))


@pytest.mark.parametrize("replicas", [1, 2, 3, 5, 10, 0, -1])
def test_batches_in_parts(both, replicas):
    def program(tf):
        return [
            outcome(lambda d=d: made(tf, "RebatchDataset", d, num_replicas=replicas))
            for d in (
                tf.data.Dataset.range(10).batch(4),
                tf.data.Dataset.range(6).batch(3).take(0),
                tf.data.Dataset.range(6),
                tf.data.Dataset.from_tensor_slices([["a", "b"], ["c", "d"]]).batch(2),
            )
        ]

    same(both, program)


@pytest.mark.parametrize("policy", [-1, 0, 1, 2, 3])
@pytest.mark.parametrize(
    ("workers", "index"), [(1, 0), (3, 1), (2, 0), (3, 5), (12, 0)]
)
def test_parts_of_workers(both, tmp_path, policy, workers, index):
    names = []
    for i in range(4):
        names.append(str(tmp_path / f"{i}.txt"))
        pathlib.Path(names[-1]).write_text(f"{i}a\n{i}b\n{i}c\n")

    def program(tf):
        data = tf.data.Dataset
        of_files = data.from_tensor_slices(names)
        return [
            outcome(
                lambda d=d: made(
                    tf,
                    "AutoShardDataset",
                    d,
                    num_workers=workers,
                    index=index,
                    auto_shard_policy=policy,
                )
            )
            for d in (
                data.range(10),
                data.range(10).map(lambda x: x * 2).batch(2).prefetch(1),
                tf.data.TextLineDataset(names),
                of_files.interleave(tf.data.TextLineDataset, cycle_length=2),
                of_files.flat_map(tf.data.TextLineDataset).batch(2).take(3),
                data.list_files(str(tmp_path / "*.txt"), shuffle=False)
                .flat_map(tf.data.TextLineDataset)
                .repeat(2),
                tf.data.TextLineDataset(names[:2]).concatenate(
                    tf.data.TextLineDataset(names[2:])
                ),
            )
        ]

    same(both, program)


def ragged_variant(tf, rows):
    ragged = tf.ragged.constant(rows)
    return tf.raw_ops.RaggedTensorToVariant(
        rt_nested_splits=ragged.nested_row_splits,
        rt_dense_values=ragged.flat_values,
        batched_input=False,
    )


def rows_of(tf, variant):
    """Of a ragged tensor of texts."""
    made = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=variant,
        input_ragged_rank=1,
        output_ragged_rank=1,
        Tvalues=tf.string,
    )
    values = made.output_dense_values.numpy().tolist()
    return made.output_nested_splits[0].numpy().tolist(), values


def components(tf):
    return [
        [tf.constant([1, 2, 3]), tf.constant(["ab", ""]), tf.constant(2.5)],
        [tf.zeros([3, 100]), tf.constant(np.arange(300) % 7)],
        [tf.constant([], tf.float32)],
        [ragged_variant(tf, [["a"], [], ["b", "c"]])],
        [tf.constant(np.random.default_rng(1).bytes(100_000))],
        [tf.constant("x" * 70_000 + "yz" * 40_000)],
    ]


@pytest.mark.parametrize("case", range(6))
def test_compressed_elements(both, case):
    """Each module uncompresses what either compressed."""
    written = {}
    for tf in (both.ours, both.theirs):
        element = components(tf)[case]
        compressed = tf.raw_ops.CompressElement(components=element)
        assert compressed.dtype == tf.variant and compressed.shape == []
        written[tf] = tf.io.serialize_tensor(compressed).numpy()
    sizes = [len(bytes) for bytes in written.values()]
    assert sizes[0] <= 1.1 * sizes[1] + 100
    for tf in (both.ours, both.theirs):
        element = components(tf)[case]
        for bytes in written.values():
            back = tf.raw_ops.UncompressElement(
                compressed=tf.io.parse_tensor(bytes, tf.variant),
                output_types=[t.dtype for t in element],
                output_shapes=[t.shape for t in element],
            )
            for before, after in zip(element, back, strict=True):
                if before.dtype == tf.variant:
                    assert rows_of(tf, before) == rows_of(tf, after)
                else:
                    np.testing.assert_array_equal(before, after)


def test_wrong_elements(both):
    def program(tf):
        whole = tf.raw_ops.CompressElement(
            components=[tf.constant([1, 2, 3]), tf.constant(["a"])]
        )
        ragged = ragged_variant(tf, [[1], [2, 3]])

        def read(value, *types):
            tf.raw_ops.UncompressElement(
                compressed=value,
                output_types=types,
                output_shapes=[[None]] * len(types),
            )

        return [
            outcome(lambda: read(whole, tf.int32)),
            outcome(lambda: read(whole, tf.int64, tf.string)),
            outcome(lambda: read(ragged, tf.int32, tf.string)),
            outcome(lambda: tf.raw_ops.CompressElement(components=[])),
        ]

    same(both, program)


def test_damaged_elements(both):
    """None crashes; what is read of one that lost bytes is an error."""
    tf = both.ours
    whole = tf.io.serialize_tensor(
        tf.raw_ops.CompressElement(
            components=[tf.constant([1, 2, 3]), tf.constant(["abc", "d"])]
        )
    ).numpy()

    def read(bytes):
        tf.raw_ops.UncompressElement(
            compressed=tf.io.parse_tensor(bytes, tf.variant),
            output_types=[tf.int32, tf.string],
            output_shapes=[[3], [2]],
        )

    read(whole)
    for n in range(len(whole)):
        with pytest.raises(tf.errors.OpError):
            read(whole[:n])
    rng = np.random.default_rng(5)
    for _ in range(2000):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        try:
            read(bytes(damaged))
        except tf.errors.OpError:
            pass


def variants(tf):
    reserve = tf.raw_ops.TensorListReserve
    some = reserve(element_shape=[2], num_elements=3, element_dtype=tf.float32)
    some = tf.raw_ops.TensorListSetItem(
        input_handle=some, index=1, item=tf.constant([1.0, 2.0])
    )
    empty = reserve(element_shape=-1, num_elements=0, element_dtype=tf.int32)
    optional = tf.experimental.Optional
    spec = tf.TensorSpec([], tf.int32)
    return {
        "some": some,
        "empty": empty,
        "lists": tf.stack([some, empty]),
        "ragged": ragged_variant(tf, [["a"], [], ["b", "c"]]),
        "sparse": tf.raw_ops.SerializeSparse(
            sparse_indices=tf.constant([[0, 1]], tf.int64),
            sparse_values=[5],
            sparse_shape=tf.constant([2, 2], tf.int64),
            out_type=tf.variant,
        ),
        "optional": optional.from_value((3, "a"))._variant_tensor,
        "nothing": optional.empty(spec)._variant_tensor,
    }


def test_variants_as_strings(both):
    """Each module reads what either wrote."""
    written = {
        tf: {
            name: tf.io.serialize_tensor(v).numpy() for name, v in variants(tf).items()
        }
        for tf in (both.ours, both.theirs)
    }

    def read(tf, strings):
        v = {name: tf.io.parse_tensor(s, tf.variant) for name, s in strings.items()}
        raw = tf.raw_ops
        stack = raw.TensorListStack(
            input_handle=v["some"], element_shape=[2], element_dtype=tf.float32
        )
        sparse = raw.DeserializeSparse(serialized_sparse=v["sparse"], dtype=tf.int32)
        value = raw.OptionalGetValue(
            optional=v["optional"],
            output_types=[tf.int32, tf.string],
            output_shapes=[[], []],
        )
        return [
            stack.numpy().tolist(),
            [raw.TensorListLength(input_handle=x).numpy() for x in v["lists"]],
            raw.TensorListLength(input_handle=v["empty"]).numpy(),
            rows_of(tf, v["ragged"]),
            [x.numpy().tolist() for x in sparse],
            [x.numpy() for x in value],
            raw.OptionalHasValue(optional=v["nothing"]).numpy(),
        ]

    found = [
        read(tf, strings)
        for tf in (both.ours, both.theirs)
        for strings in written.values()
    ]
    assert all(f == found[0] for f in found), found


@pytest.mark.parametrize("given", [0, 3, 10])
def test_states_of_iterators_as_strings(both, given):
    def program(tf):
        def start():
            return iter(
                tf.data.Dataset.range(10).shuffle(4, seed=1).map(lambda x: x * x)
            )

        iterator = start()
        for _ in range(given):
            next(iterator)
        state = tf.raw_ops.SerializeIterator(
            resource_handle=iterator._iterator_resource
        )
        text = tf.io.serialize_tensor(state)
        other = start()
        next(other)
        tf.raw_ops.DeserializeIterator(
            resource_handle=other._iterator_resource,
            serialized=tf.io.parse_tensor(text, tf.variant),
        )
        rest = [int(x) for x in iterator]
        assert rest == [int(x) for x in other]
        return rest

    same(both, program)


def test_variants_that_have_no_strings(both):
    def program(tf):
        text = tf.io.serialize_tensor(tf.constant([1, 2]))
        return [
            outcome(lambda: tf.io.parse_tensor(text, tf.variant)),
            outcome(
                lambda: tf.io.parse_tensor(
                    tf.io.serialize_tensor(variants(tf)["some"]), tf.int32
                )
            ),
            outcome(
                lambda: tf.io.parse_tensor(b"\x08\x15\x12\x00\x22\x02\x01a", tf.variant)
            ),
        ]

    same(both, program)
