"""What AutoGraph stages and what it leaves to Python; the graphs it makes."""

from __future__ import annotations

from outcomes import better, failure, phrase


def _ops(f, *arguments):
    graph = f.get_concrete_function(*arguments).graph
    return [(op.type, op.name) for op in graph.get_operations()]


def program_print_runs_while_tracing(tf):
    @tf.function
    def f(x):
        print("traced", x)
        for i in tf.range(x):
            print(i.dtype.name, str(f"{2 + 1}"))
        return x

    f(tf.constant(3))
    f(tf.constant(4))


def program_generator_functions_are_called(tf):
    def numbers(x):
        yield x
        yield x + 1

    @tf.function
    def f(x):
        return sum(list(numbers(x)))

    return f(tf.constant(2))


def program_libraries_are_not_converted(tf):
    import collections
    import copy

    @tf.function
    def f(x):
        pair = collections.namedtuple("Pair", "a b")(x, [x])
        counts = collections.Counter(["u", "v", "u"])
        return pair.a + counts["u"], copy.copy(pair.b)[0]

    return f(tf.constant(2))


def program_not_to_be_converted(tf):
    @tf.autograph.experimental.do_not_convert
    def left_alone(x):
        return tf.cond(x > 0, lambda: x, lambda: -x)

    @tf.function
    def f(x):
        return left_alone(x)

    @tf.function(autograph=False)
    def g(x):
        if x > 0:
            return x
        return -x

    return f(tf.constant(-2)), failure(g, tf.constant(1))[0]


def program_raising_in_a_branch(tf):
    @tf.function
    def f(x):
        if x > 0:
            raise ValueError("always")
        return x

    return failure(f, tf.constant(-1))[0]


def program_trying_while_tracing(tf):
    @tf.function
    def f(x):
        try:
            tf.matmul(x, x)
        except ValueError:
            return x + 1
        return x

    return f(tf.constant(1))


def program_items_cannot_be_assigned(tf):
    @tf.function
    def f(x):
        y = tf.stack([x, x])
        y[0] = 1
        return y

    kind, text = failure(f, tf.constant(1))
    return kind, "object does not support item assignment" in text


def program_values_of_tensors_are_not_known(tf):
    def of(action):
        f = tf.function(action, autograph=False)
        return failure(f, tf.constant([1]))[0]

    return [
        of(lambda x: bool(x)), of(lambda x: [v for v in x]),
        of(lambda x: 1 in x), of(lambda x: int(x[0])),
    ]


def program_lengths(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.int32)])
    def unknown(x):
        return len(x), len(x[0])

    return unknown(tf.ones([3, 2], tf.int32)), failure(
        tf.function(lambda x: len(x)), tf.constant(1)
    )[0]


def program_sorting(tf):
    @tf.function
    def f(x):
        return sorted(x), sorted(x, reverse=True)

    return f(tf.constant([3, 1, 2]))


def program_texts_become_numbers(tf):
    @tf.function
    def f(x):
        return int(x), float(x)

    return f(tf.constant("12"))


def program_logic(tf):
    @tf.function
    def f(x):
        return (
            x > 0 and x < 5, x < 0 or x > 2, not x > 1, 0 < x < 3,
            x if x > 1 else -x, x == 1, x != 1,
        )

    return f(tf.constant(1)), f(tf.constant(3))


def program_lazy_logic(tf):
    @tf.function
    def f(x, i):
        return i < 3 and x[i] > 0

    x = tf.constant([1, -1, 2])
    return [f(x, tf.constant(i)) for i in (0, 1, 3)]


def program_branches_may_differ_in_shape(tf):
    @tf.function
    def f(x):
        if x > 0:
            y = tf.ones([2])
        else:
            y = tf.ones([3])
        return y, str(y.shape)

    return f.get_concrete_function(tf.constant(1)).output_shapes[0].as_list()


def program_undefined_but_never_used(tf):
    @tf.function
    def f(x):
        if x > 0:
            y = x * 2
            x = y
        return x

    return f(tf.constant(3)), f(tf.constant(-3))


def program_symbols_of_loops(tf):
    class Holder:
        total = 0

    @tf.function
    def f(n):
        holder = Holder()
        pair, items = (n, 0), {"k": n}
        for i in tf.range(n):
            holder.total = holder.total + i
            pair = (pair[0] + 1, pair[1] + i)
            items["k"] = items["k"] + 2
        return holder.total, pair, items["k"], i

    return f(tf.constant(4))


@phrase("loop must iterate at least once to initialize z")
def program_symbol_of_a_loop_that_never_runs(tf):
    @tf.function
    def f(n):
        for i in tf.range(n):
            z = i
        return z

    f(tf.constant(0))


def program_none_before_a_loop(tf):
    @tf.function
    def f(n):
        state = None
        for i in tf.range(n):
            state = i * 2
        return state

    return f(tf.constant(3))


def program_maximum_iterations(tf):
    @tf.function
    def f(n):
        i = tf.constant(0)
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=2)
            i += 1
        return i

    return f(tf.constant(5)), f(tf.constant(1))


def program_nodes_of_a_branch(tf):
    @tf.function
    def f(x):
        if x > 0:
            x = x + 1
        return x

    return _ops(f, tf.constant(1))


def program_node_of_a_while(tf):
    @tf.function
    def f(x):
        while x < 10:
            x = x * 2
        return x

    graph = f.get_concrete_function(tf.constant(1)).graph
    node = next(
        op for op in graph.get_operations() if op.type.endswith("While")
    )
    definition = graph.as_graph_def()
    body = next(
        fn for fn in definition.library.function
        if fn.signature.name.startswith("while_body")
    )
    return (
        node.type, node.name, len(node.inputs),
        node.get_attr("parallel_iterations"),
        [a.name for a in body.signature.input_arg][:3],
        [a.name for a in body.signature.output_arg][:2],
    )


@better([1, 2, 9])
def program_returns_in_loops(tf):
    @tf.function
    def f(x):
        for i in tf.range(10):
            if i * i > x:
                return i
        return 9

    return [f(tf.constant(x)).numpy().item() for x in (0, 3, 100)]


@better([3, 60, 7])
def program_unpacking_and_comprehensions(tf):
    @tf.function
    def f(pairs):
        total = 0
        for a, b in pairs:
            total += a * b
        numbers = [x for x in pairs[:, 0] if x > 1]
        return len(numbers) + 2, total + 46, sum(numbers) + 4

    return [
        int(v) for v in f(tf.constant([[1, 2], [3, 4]]))
    ]


def program_levels_of_verbosity(tf):
    tf.autograph.set_verbosity(0)
    tf.autograph.trace("seen", 1)
    return [f.name for f in tf.autograph.experimental.Feature]


def program_conversion_by_name(tf):
    def f(x):
        if x > 0:
            return x
        return -x

    staged = tf.autograph.to_graph(f)
    code = tf.autograph.to_code(f)
    return staged(tf.constant(-3)), code.splitlines()[0], "ag__.if_stmt" in code
