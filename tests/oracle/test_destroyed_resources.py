"""Handles of resources that were destroyed, and iterators by name: what comes of
them, here and in TensorFlow."""

from __future__ import annotations

import pytest
import tensorflow as original

import graphkiln as own

I64 = {"key_dtype": "int64", "value_dtype": "int64"}


def number(tf, *values):
    return tf.constant(values, tf.int64)


def elements(tf):
    return {"output_types": [tf.int64], "output_shapes": [[]]}


class Said:
    """What each step of a program gave or raised."""

    def __init__(self) -> None:
        self.all: list = []

    def __call__(self, step) -> None:
        try:
            found = step()
            if isinstance(found, (list, tuple)):
                found = found[0]
            self.all.append(None if found is None else int(found))
        except Exception as error:  # noqa: BLE001
            text = str(error).partition("}} ")[2] or str(error)
            missing = "does not exist" in text
            told = text.partition(" does not")[0] if missing else ""
            self.all.append((type(error).__name__, told))


def tables(tf, say):
    r = tf.raw_ops
    make = lambda: r.MutableHashTableV2(shared_name="t", **I64)  # noqa: E731
    table = make()
    size = lambda: r.LookupTableSizeV2(table_handle=table)  # noqa: E731
    insert = lambda: r.LookupTableInsertV2(  # noqa: E731
        table_handle=table, keys=number(tf, 1), values=number(tf, 2)
    )
    say(insert)
    say(size)
    say(lambda: r.DestroyResourceOp(resource=table, ignore_lookup_error=False))
    say(size)
    say(insert)
    say(lambda: r.DestroyResourceOp(resource=table, ignore_lookup_error=False))
    say(lambda: r.DestroyResourceOp(resource=table))
    again = make()
    say(lambda: r.LookupTableSizeV2(table_handle=again))
    say(insert)
    say(lambda: r.LookupTableSizeV2(table_handle=again))


def static_tables(tf, say):
    r = tf.raw_ops
    table = r.HashTableV2(shared_name="s", **I64)
    say(lambda: r.DestroyResourceOp(resource=table))
    say(
        lambda: r.LookupTableImportV2(
            table_handle=table, keys=number(tf, 1), values=number(tf, 2)
        )
    )


def tables_without_names(tf, say):
    r = tf.raw_ops
    table = r.AnonymousMutableHashTable(**I64)
    say(lambda: r.DestroyResourceOp(resource=table))
    say(lambda: r.LookupTableSizeV2(table_handle=table))


def in_functions(tf, say):
    r = tf.raw_ops

    def destroyed():
        table = r.MutableHashTableV2(shared_name="f", **I64)
        r.DestroyResourceOp(resource=table)
        return r.LookupTableSizeV2(table_handle=table)

    say(tf.function(destroyed))


def queues(tf, say):
    r = tf.raw_ops
    queue = r.FIFOQueueV2(component_types=[tf.int64], shared_name="q")
    say(lambda: r.QueueSizeV2(handle=queue))
    say(lambda: r.DestroyResourceOp(resource=queue))
    say(lambda: r.QueueSizeV2(handle=queue))


def iterators(tf, say):
    r, data = tf.raw_ops, tf.data.Dataset.range(5)

    def named(container="", types=None):
        return r.IteratorV2(
            shared_name="i",
            container=container,
            **{**elements(tf), **({"output_types": types} if types else {})},
        )

    first, second = named(), named()
    following = lambda i: lambda: r.IteratorGetNext(iterator=i, **elements(tf))  # noqa: E731
    say(following(first))
    say(lambda: r.MakeIterator(dataset=data._variant_tensor, iterator=first))
    say(following(first))
    say(following(second))
    say(following(named()))
    say(lambda: (named(types=[tf.float32]), 0)[1])
    say(following(named(container="other")))
    # Kinds do not meet.
    table = r.MutableHashTableV2(shared_name="i", **I64)
    say(lambda: r.LookupTableSizeV2(table_handle=table))
    say(lambda: r.DestroyResourceOp(resource=first))
    say(following(second))
    say(lambda: r.MakeIterator(dataset=data._variant_tensor, iterator=second))


def iterators_without_names(tf, say):
    r, data = tf.raw_ops, tf.data.Dataset.range(5)
    iterator = r.AnonymousIteratorV3(**elements(tf))
    say(lambda: r.MakeIterator(dataset=data._variant_tensor, iterator=iterator))
    say(lambda: r.DestroyResourceOp(resource=iterator))
    say(lambda: r.IteratorGetNext(iterator=iterator, **elements(tf)))


def iterators_as_texts(tf, say):
    r, data = tf.raw_ops, tf.data.Dataset.range(5)
    first = r.IteratorV2(shared_name="told", container="", **elements(tf))
    text = r.IteratorToStringHandle(resource_handle=first)
    say(lambda: r.MakeIterator(dataset=data._variant_tensor, iterator=first))
    read = lambda i: r.IteratorGetNext(iterator=i, **elements(tf))  # noqa: E731
    for op in (r.IteratorFromStringHandle, r.IteratorFromStringHandleV2):
        say(lambda op=op: read(op(string_handle=text)))
        say(lambda op=op: read(op(string_handle=text, **elements(tf))))
        say(lambda op=op: read(tf.function(lambda t: op(string_handle=t))(text)))
        say(lambda op=op: (op(string_handle=text, output_types=[tf.float32]), 0)[1])
        say(lambda op=op: (op(string_handle=[text]), 0)[1])
        say(lambda op=op: (op(string_handle="no handle"), 0)[1])
    table = r.MutableHashTableV2(shared_name="t", **I64)
    say(lambda: r.IteratorToStringHandle(resource_handle=table))
    say(lambda: r.DestroyResourceOp(resource=first))
    say(lambda: (r.IteratorFromStringHandleV2(string_handle=text), 0)[1])


def variables_without_names(tf, say):
    variable = tf.Variable(3.0)
    say(lambda: tf.raw_ops.DestroyResourceOp(resource=variable.handle))
    say(lambda: variable.read_value())
    say(lambda: variable.assign_add(2.0))
    say(
        lambda: tf.raw_ops.DestroyResourceOp(
            resource=variable.handle, ignore_lookup_error=False
        )
    )
    say(tf.function(lambda: variable + 1))


def stacks(tf, say):
    r = tf.raw_ops
    stack = r.StackV2(max_size=3, elem_type=tf.float32)
    push = lambda: r.StackPushV2(handle=stack, elem=1.0)  # noqa: E731
    pop = lambda: r.StackPopV2(handle=stack, elem_type=tf.float32)  # noqa: E731
    say(push)
    say(pop)
    say(lambda: r.DestroyResourceOp(resource=stack, ignore_lookup_error=False))
    for step in (push, pop):
        try:
            step()
        except tf.errors.NotFoundError:
            say(lambda: 1)


PROGRAMS = [
    tables,
    static_tables,
    tables_without_names,
    variables_without_names,
    stacks,
    in_functions,
    queues,
    iterators,
    iterators_without_names,
    iterators_as_texts,
]


def test_iterators_without_names_have_no_text():
    """TensorFlow finds them by their text as long as they live."""
    iterator = own.raw_ops.AnonymousIteratorV3(**elements(own))
    text = own.raw_ops.IteratorToStringHandle(resource_handle=iterator)
    with pytest.raises(own.errors.NotFoundError, match="Anonymous/.*does not exist"):
        own.raw_ops.IteratorFromStringHandleV2(string_handle=text)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_destroyed(program):
    found = []
    for tf in (own, original):
        say = Said()
        program(tf, say)
        found.append(say.all)
    assert found[0] == found[1]
    assert len(found[0]) > 0
