"""Variables that are not lifted: each run of a function makes its own."""

from __future__ import annotations

from outcomes import failure


def _made(tf, initial_value, **kwargs):
    return tf.Variable(
        initial_value, experimental_enable_variable_lifting=False, **kwargs
    )


def program_a_new_variable_in_each_run(tf):
    @tf.function
    def f(x):
        v = _made(tf, 2.0)
        v.assign_add(x)
        w = _made(tf, lambda: tf.ones([2]) * x)
        w.assign_sub([x, 1.0])
        return v, w.read_value()

    one, three = tf.constant(1.0), tf.constant(3.0)
    return f(one), f(three), f(one), f.experimental_get_tracing_count()


def program_initial_values_of_a_run(tf):
    eager = tf.constant(4.0)
    variable = tf.Variable(3.0)
    values = {
        "number": lambda x: 2.0,
        "list": lambda x: [1.0, 2.0],
        "text": lambda x: "a",
        "callable": lambda x: lambda: x * 3.0,
        "eager": lambda x: eager,
        "variable": lambda x: variable,
        "argument": lambda x: x,
        "constant": lambda x: tf.constant(1.0),
        "computed": lambda x: x + eager,
        "nothing": lambda x: None,
    }
    outcomes = {}
    for key, initial in values.items():

        @tf.function(autograph=False)
        def f(x, initial=initial):
            return _made(tf, initial(x)).read_value()

        try:
            outcomes[key] = f(tf.constant(1.5))
        except ValueError as error:
            outcomes[key] = str(error).split("Please file")[0]
    return outcomes


def program_one_kept_between_traces(tf):
    kept = []

    @tf.function(autograph=False)
    def f(x):
        if not kept:
            kept.append(_made(tf, 1.0))
        return kept[0].assign_add(x)

    calls = [f(tf.constant(2.0)), f(tf.constant(3.0)), f(tf.constant(3.0))]
    text = repr(kept[0])
    outside = [
        failure(lambda: kept[0].numpy())[0],
        failure(lambda: kept[0] + 1.0)[0],
        failure(lambda: kept[0].assign(1.0))[0],
    ]
    return calls, text, outside, kept[0].shape, kept[0].trainable


def program_names_of_a_run(tf):
    seen = []

    @tf.function
    def f(x):
        v = _made(tf, 3, name="foo", trainable=False, dtype=tf.float32)
        w = _made(tf, 4.0, name="foo")
        seen.append((v.name, w.name, v.trainable, v.shape, str(v)))
        return v + w + x

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    operations = [
        (o.name, o.type) for o in concrete.graph.get_operations()
        if o.type not in ("Identity", "NoOp")
    ]
    return (
        f(tf.constant(1.0)), seen, operations, len(concrete.variables),
        len(concrete.captured_inputs),
    )


def program_under_control_flow(tf):
    @tf.function
    def outside(x):
        v = _made(tf, 1.0)
        if x > 0.0:
            v.assign_add(10.0)
        for _ in tf.range(3):
            v.assign_add(x)
        return v.read_value()

    @tf.function
    def inside(x):
        total = x
        for _ in tf.range(3):
            v = _made(tf, 2.0)
            v.assign_add(1.0)
            total += v
        if total > 0.0:
            w = _made(tf, lambda: total * 2.0)
            total = w.assign_add(0.5) + 0.0
        return total

    one, less = tf.constant(1.0), tf.constant(-20.0)
    return outside(one), outside(less), inside(one), inside(less)


def program_gradients_of_a_run(tf):
    @tf.function
    def f(x):
        v = _made(tf, 2.0)
        with tf.GradientTape() as tape:
            y = v * v * x
        return tape.gradient(y, v), [w.shape for w in tape.watched_variables()]

    return f(tf.constant(2.0)), f(tf.constant(3.0))


def program_callees_and_datasets(tf):
    @tf.function
    def inner(x):
        v = _made(tf, 2.0)
        return v.assign_add(x) * 1.0

    @tf.function
    def outer(x):
        return inner(x) + inner(x)

    mapped = tf.data.Dataset.range(3).map(
        lambda i: _made(tf, 3.0).assign_add(tf.cast(i, tf.float32)) + 0.0
    )
    lifted = failure(
        lambda: tf.data.Dataset.range(3).map(lambda i: tf.Variable(1.0) + 0.0)
    )[0]
    one = tf.constant(1.0)
    return outer(one), inner(one), list(mapped), lifted


def program_together_with_lifted_ones(tf):
    kept = []

    @tf.function(autograph=False)
    def f(x):
        kept[:] = kept or [tf.Variable(1.0)]
        return kept[0].assign_add(_made(tf, 2.0) + x)

    return failure(f, tf.constant(1.0))[0]


def program_creators_see_the_wish(tf):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(kwargs["experimental_enable_variable_lifting"])
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        eager = _made(tf, 2.0)
        result = tf.function(lambda x: x + eager)(tf.constant(1.0))
    return seen, result, eager.numpy()


def program_shapes_that_are_not_known(tf):
    @tf.function
    def f(x):
        v = _made(tf, [1.0, 2.0], shape=tf.TensorShape([None]))
        v.assign(tf.stack([x, x, x]))
        wrong = failure(lambda: _made(tf, [1.0], shape=[2]))[0]
        return v.read_value(), wrong

    return f(tf.constant(1.0))
