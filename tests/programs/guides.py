"""What was answered otherwise when TensorFlow's guides ran first."""

import typing

from outcomes import failure


def program_handlers_of_lists_of_tensors_and_values(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor

    def masked(x):
        return x if isinstance(x, Masked) else Masked(x)

    @tf.experimental.dispatch_for_api(tf.stack)
    def stacked(values: typing.List[typing.Union[Masked, tf.Tensor]], axis=0):
        return Masked(tf.stack([masked(v).values for v in values], axis))

    x, y = Masked([1, 2]), tf.constant([3, 4])
    shown = [
        tf.stack([x, y, x]).values, tf.stack([y, x]).values, tf.stack([y, y]),
        tf.stack([[1], [2]]), failure(tf.stack, [x, 3])[0],
    ]
    tf.experimental.unregister_dispatch_for(stacked)
    return shown


def program_handlers_of_values_or_tensors(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor

    def masked(x):
        return x if isinstance(x, Masked) else Masked(x)

    either = typing.Union[Masked, tf.Tensor]

    @tf.experimental.dispatch_for_binary_elementwise_apis(either, either)
    def binary(api_func, x, y):
        return Masked(api_func(masked(x).values, masked(y).values))

    @tf.experimental.dispatch_for_unary_elementwise_apis(either)
    def unary(api_func, x):
        return Masked(api_func(x.values))

    x, y = Masked([1, -2]), tf.constant([3, 4])
    shown = [
        tf.add(x, y).values, tf.add(y, x).values, tf.add(x, x).values,
        tf.add(y, y), tf.abs(x).values, tf.abs(y), failure(tf.add, x, 3)[0],
    ]
    for handler in binary, unary:
        tf.experimental.unregister_dispatch_for(handler)
    return shown


def program_handlers_of_plain_classes(tf):
    class Plain:
        pass

    @tf.experimental.dispatch_for_unary_elementwise_apis(Plain)
    def unary(api_func, x):
        return "called"

    @tf.experimental.dispatch_for_api(tf.identity)
    def same(input: typing.Union[Plain, int], name=None):
        return "called"

    shown = [
        failure(tf.abs, Plain())[0], failure(tf.identity, Plain())[0],
        tf.identity(3),
    ]
    for handler in unary, same:
        tf.experimental.unregister_dispatch_for(handler)
    return shown


def program_keys_of_fields_are_part_of_a_type(tf):
    class Player(tf.experimental.ExtensionType):
        traits: typing.Mapping[str, tf.Tensor]

    class Counts(tf.experimental.ExtensionType):
        of: typing.Mapping[int, typing.Tuple[int, ...]]

    traced = []

    @tf.function
    def keys(player):
        traced.append(sorted(player.traits))
        return Player(dict(player.traits))

    high, fast = Player({"high": 1.0, "on": 2.0}), Player({"fast": 1.0, "on": 2.0})
    results = [sorted(keys(p).traits) for p in (high, fast, high)]
    specs = [
        tf.type_spec_from_value(value)
        for value in (
            high, fast, Counts({1: (1, 2)}), Counts({2: (1, 2)}),
            Counts({1: (1, 2, 3)}), Counts({1: (1, 2)}),
        )
    ]
    return results, traced, [
        [a == b, a.is_subtype_of(b), a.is_compatible_with(b),
         a.most_specific_common_supertype([b]) is None]
        for a in specs for b in specs
    ]


def program_embeddings_of_ragged_ids(tf):
    table = tf.Variable(tf.reshape(tf.range(20.0), [10, 2]))
    parts = [tf.reshape(tf.range(10.0), [5, 2]), tf.ones([5, 2])]
    ids = tf.ragged.constant([[[1, 2], []], [[9]]], dtype=tf.int64)
    look = tf.nn.embedding_lookup
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(look(table, ids).flat_values ** 2)
    slope = tape.gradient(total, table)
    return [
        look(table, ids).to_list(), look(parts, ids).to_list(),
        look(table, ids, max_norm=1.0).flat_values,
        look(table, ids).shape.as_list(), slope.values, slope.indices,
        tf.function(lambda i: look(table, i).to_tensor())(ids),
    ]
