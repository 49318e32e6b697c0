"""The demands 33 to 48: AutoGraph, control flow and TensorArrays."""

from __future__ import annotations

from outcomes import better, failure, phrase


def _each(tf, f, *arguments):
    return [failure(tf.function(f), argument) for argument in arguments]


def program_33_loops_over_everything(tf):
    def over_tensor(values):
        total = 0
        for value in values:
            total += value
        return total

    def over_range(n):
        total, last = 0, -1
        for i in tf.range(n):
            total += i
            last = i
        return total, last

    def over_python_range(n):
        total = 0
        for i in range(n):
            total += i
        return total

    def while_tensor(n):
        i = 0
        while i < n:
            i += 2
        return i

    def over_list(x):
        for k in [1, 2, 3]:
            x += k
        return x

    def over_rows(table):
        total = 0
        for row in table:
            total += tf.reduce_sum(row)
        return total

    numbers = [tf.constant(n) for n in (0, 1, 4)]
    vectors = [tf.constant(v, tf.int32) for v in ([], [7], [1, 2, 3])]
    tables = [tf.zeros([0, 2], tf.int32), tf.ones([3, 2], tf.int32)]
    return [
        _each(tf, over_tensor, *vectors), _each(tf, over_range, *numbers),
        _each(tf, over_python_range, *numbers),
        _each(tf, while_tensor, *numbers), _each(tf, over_list, *numbers),
        _each(tf, over_rows, *tables),
    ]


def program_33_ragged_rows(tf):
    @tf.function
    def f(rows):
        total = 0
        for row in rows:
            total += tf.reduce_sum(row) * tf.size(row)
        return total

    return f(tf.ragged.constant([[1, 2], [], [3]]))


@phrase("'n' has dtype int32 before the loop, but dtype float32 after")
def program_34_dtypes_change(tf):
    @tf.function
    def f(n):
        while tf.cast(n, tf.int32) < 5:
            n = tf.cast(n, tf.float32) + 1.0
        return n

    f(tf.constant(1))


@phrase("'x' has shape (1,) before the loop, but shape (2,) after")
def program_35_shapes_change(tf):
    @tf.function
    def f(x):
        for _ in tf.range(2):
            x = tf.concat([x, [1]], 0)
        return x

    f(tf.constant([1]))


@phrase("has shape (1,) before the loop, but shape (None,) after")
def program_35_shapes_are_erased(tf):
    @tf.function
    def f(x, n):
        for _ in tf.range(2):
            x = tf.reshape(tf.tile(x, [n]), [-1])
        return x

    f.get_concrete_function(tf.constant([1]), tf.TensorSpec([], tf.int32))


@phrase("which does not conform with the shape invariant (2,)")
def program_35_invariants_are_violated(tf):
    @tf.function
    def f(x):
        for _ in tf.range(2):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([2]))]
            )
            x = x + 1
        return x

    f(tf.constant([1]))


@phrase("does not have the same nested structure after one iteration")
def program_35_structures_change(tf):
    @tf.function
    def f(x):
        pair = (x, x)
        while x < 3:
            x += 1
            pair = (x, (x, x))
        return pair

    f(tf.constant(1))


@phrase("condition of while loop started as non-Tensor")
def program_36_conditions_that_turn(tf):
    @tf.function
    def f(x):
        n = 0
        while n < 10:
            n = n + x
        return n

    f(tf.constant(3))


@better(8)
def program_36_breaks_that_turn(tf):
    @tf.function
    def f(x):
        while True:
            x *= 2
            if x > 5:
                break
        return x

    return f(tf.constant(2)).numpy().item()


@phrase("else branch must also have a return")
def program_37_early_return(tf):
    @tf.function
    def f(x):
        if x > 0:
            return x

    f(tf.constant(1))


def program_37_early_returns_that_fit(tf):
    @tf.function
    def f(x):
        if x > 10:
            return x
        if x > 5:
            return x * 2
        return -x

    return [f(tf.constant(v)) for v in (11, 6, 1)]


def program_39_shape_invariants(tf):
    @tf.function
    def f(n):
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(v, tf.TensorShape([None]))]
            )
            v = tf.concat([v, [i]], 0)
        return v

    return f(tf.constant(3))


def program_33_datasets_and_iterators(tf):
    @tf.function
    def f(source):
        total = tf.constant(0, tf.int64)
        for x in source:
            total += x
        return total

    datasets = [tf.data.Dataset.range(n) for n in (0, 1, 4)]
    return [
        [f(d) for d in datasets], [f(iter(d)) for d in datasets],
    ]


def program_38_shapes_over_datasets(tf):
    @tf.function
    def f(source):
        x = tf.constant([1])
        for _ in source:
            x = tf.concat([x, x], 0)
        return x

    numbers = tf.data.Dataset.range(2)
    error = failure(f, iter(numbers))
    return f(numbers), error[0], "has shape (1,) before the loop" in error[1]


@better([1, 0, 1])
def program_39_sparse_shape_invariants(tf):
    @tf.function
    def f(n):
        v = tf.SparseTensor([[0, 0]], [1], [3, 3])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(v, tf.TensorShape([None, None]))]
            )
            v = tf.SparseTensor(
                tf.concat([v.indices, [[1, 2]]], 0),
                tf.concat([v.values, [i]], 0), [3, 3],
            )
        return v.values

    return f(tf.constant(2)).numpy().tolist()


def program_40_builtins(tf):
    @tf.function
    def f(x, v):
        return (
            abs(-x), int(2.5 + float(x)), float(x), len(v),
            sorted(v)[0], sorted(v, reverse=True)[0],
            [k for k in range(len(v))],
        )

    return f(tf.constant(3), tf.constant([2, 1, 5]))


def program_40_strict_zip_of_python_values(tf):
    @tf.function
    def f(x):
        return [a * x + b for a, b in zip([1, 2], (3, 4), strict=True)]

    @tf.function
    def g(x):
        return [a * x + b for a, b in zip([1, 2], (3,), strict=True)]

    return f(tf.constant(2)), failure(g, tf.constant(2))[0]


def program_41_bodies_inherit_the_device(tf):
    seen = []

    @tf.function(autograph=False)
    def f(x):
        with tf.device("CPU:0"):
            def body(i, y):
                seen.append(y.device if hasattr(y, "device") else "")
                outer = (y + 1.0).device
                with tf.device("CPU:1"):
                    inner = (y + 1.0).device
                seen.append((outer, inner))
                return i + 1, y * 2.0

            y = tf.while_loop(
                lambda i, _: i < 2, body, (tf.constant(0), x)
            )[1]
            return tf.cond(
                y > 0.0, lambda: seen.append((y + 1.0).device) or y, lambda: -y
            )

    f.get_concrete_function(tf.constant(1.0))
    return seen[1:]


def program_42_control_dependencies_outside(tf):
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f(x):
        change = v.assign_add(1)

        def chosen():
            with tf.control_dependencies([change]):
                return x * 2

        return tf.cond(x > 0, chosen, lambda: x)

    return f(tf.constant(1)), f(tf.constant(-1)), v.read_value()


def _ifs(f, *arguments):
    graph = f.get_concrete_function(*arguments).graph
    types = [op.type for op in graph.get_operations()]
    return [kind for kind in types if kind.endswith("If")]


def program_43_effects_decide_the_op(tf):
    v = tf.Variable(0)
    x = tf.constant(1)

    @tf.function
    def without(x):
        if x > 0:
            x += 1
        return x

    @tf.function
    def effects(x):
        if x > 0:
            v.assign(x)
        return x

    return [_ifs(f, x) for f in (without, effects)]


def program_44_gradients_add_outputs_once(tf):
    def count(times):
        @tf.function(autograph=False)
        def f(x):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = tf.cond(x > 0.0, lambda: tf.sin(x) * x, lambda: -x)
            return y, [tape.gradient(y, x) for _ in range(times)]

        graph = f.get_concrete_function(tf.constant(1.0)).graph
        return max(len(op.outputs) for op in graph.get_operations())

    none, once, twice = count(0), count(1), count(2)
    return once >= none, once == twice


@phrase("same number, type, and overall structure")
def program_45_branches_differ(tf):
    @tf.function(autograph=False)
    def f(x):
        return tf.cond(x > 0, lambda: (x, x), lambda: (x, 1.0))

    f(tf.constant(1))


def program_46_empty_stack(tf):
    def empty():
        array = tf.TensorArray(
            tf.float32, size=0, dynamic_size=True, element_shape=(5, 10)
        )
        return array.stack()

    return empty(), tf.function(empty)()


def program_47_map_fn(tf):
    return [
        failure(tf.map_fn, lambda x: x, [])[0],
        failure(tf.map_fn, lambda x: x, tf.constant(1))[0],
        failure(
            tf.map_fn, lambda x: (x, x), tf.constant([1]),
            fn_output_signature=[tf.int32],
        )[0],
    ]


@phrase(" 3 elements")
def program_48_gather_behind_the_end(tf):
    @tf.function
    def f():
        array = tf.TensorArray(tf.int32, size=3, element_shape=[])
        return array.unstack([1, 2, 3]).gather([0, 3])

    f()


@phrase("Trying to modify element 5 in a list with 2 elements.")
def program_48_write_behind_the_end(tf):
    @tf.function
    def f():
        return tf.TensorArray(tf.int32, size=2).write(5, 1).stack()

    f()


@phrase("Trying to access element -1 in a list with 2 elements.")
def program_48_read_before_the_start(tf):
    @tf.function
    def f(i):
        return tf.TensorArray(tf.int32, size=2).unstack([1, 2]).read(i)

    f(tf.constant(-1))
