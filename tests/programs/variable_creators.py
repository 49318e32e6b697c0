"""tf.variable_creator_scope: who is asked, in what order, and where."""

from __future__ import annotations

import threading

from outcomes import failure


def _creator(log, name, **changes):
    def create(next_creator, **kwargs):
        value = kwargs["initial_value"]
        log.append((name, hasattr(value, "graph") and not hasattr(value, "numpy")))
        return next_creator(**{**kwargs, **changes})

    return create


def program_around_and_inside_of_functions(tf):
    log, made = [], []

    @tf.function
    def f(x):
        with tf.variable_creator_scope(_creator(log, "in")):
            if not made:
                made.append(tf.Variable(tf.ones([]) * 2.0))
        return made[0] + x

    @tf.function
    def around(x):
        with tf.variable_creator_scope(_creator(log, "between")):
            return f(x)

    with tf.variable_creator_scope(_creator(log, "out")):
        result = around(tf.constant(1.0))
    return result, log


def program_what_creators_give_needs_no_first_trace(tf):
    kept = tf.Variable(5.0)

    @tf.function
    def f(x):
        return tf.Variable(3.0) + x

    @tf.function
    def g(x):
        with tf.variable_creator_scope(lambda next_creator, **unused: kept):
            return tf.Variable(3.0) + x

    with tf.variable_creator_scope(lambda next_creator, **unused: kept):
        results = [f(tf.constant(1.0)), f(tf.constant([1.0]))]
        mapped = list(
            tf.data.Dataset.range(2).map(
                lambda i: tf.cast(i, tf.float32) + tf.Variable(1.0)
            )
        )
    return results, g(tf.constant(1.0)), g(tf.constant([1.0])), mapped


def program_creators_change_what_is_traced(tf):
    made = []

    def tripled(next_creator, **kwargs):
        kwargs["initial_value"] = kwargs["initial_value"] * tf.constant(3.0)
        return next_creator(**kwargs)

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(tf.ones([]) * 2.0))
        return made[0] + x

    with tf.variable_creator_scope(tripled):
        return f(tf.constant(1.0))


def program_graphs_have_their_own(tf):
    log, made = [], []
    with tf.variable_creator_scope(_creator(log, "eager")):
        with tf.Graph().as_default() as graph:
            tf.Variable(1.0)
            with tf.variable_creator_scope(_creator(log, "graph")):
                tf.Variable(1.0)
                with tf.Graph().as_default():
                    tf.Variable(1.0)
                    with graph.as_default():
                        tf.Variable(1.0)
                with tf.init_scope():
                    tf.Variable(1.0)

                @tf.function
                def f():
                    if not made:
                        made.append(tf.Variable(1.0))
                    return made[0] + 1.0

                f()
        tf.Variable(1.0)
    return [name for name, _ in log]


def program_init_scope_keeps_them(tf):
    log, made = [], []

    @tf.function
    def inner():
        if len(made) < 2:
            made.append(tf.Variable(3.0))
        return made[1] + 1.0

    @tf.function
    def f(x):
        with tf.variable_creator_scope(_creator(log, "in")):
            with tf.init_scope():
                if not made:
                    made.append(tf.Variable(3.0))
                with tf.variable_creator_scope(_creator(log, "init")):
                    y = inner()
        return x + made[0] + y

    @tf.function
    def anew(x):
        with tf.init_scope():
            v = tf.Variable(1.0)
        return x + v

    with tf.variable_creator_scope(_creator(log, "out")):
        result = f(tf.constant(1.0))
        refused = failure(anew, tf.constant(1.0))[0]
    return result, refused, [name for name, _ in log]


def program_a_graph_in_a_function_is_on_its_own(tf):
    log = []

    @tf.function
    def f(x):
        with tf.variable_creator_scope(_creator(log, "in")):
            with tf.Graph().as_default():
                tf.Variable(3.0)
        return x

    with tf.variable_creator_scope(_creator(log, "out")):
        return f(tf.constant(1.0)), f(tf.constant([1.0])), log


def program_threads_have_their_own(tf):
    log, made = [], []

    @tf.function
    def f():
        graph = tf.compat.v1.get_default_graph()

        def make():
            with graph.as_default():
                made.append(tf.Variable(1.0))

        if not made:
            with tf.variable_creator_scope(_creator(log, "in")):
                thread = threading.Thread(target=make)
                thread.start()
                thread.join()
        return made[0] + 0.0

    with tf.variable_creator_scope(_creator(log, "out")):
        thread = threading.Thread(target=lambda: tf.Variable(1.0))
        thread.start()
        thread.join()
        return f(), log


def program_scopes_end_in_order(tf):
    scopes = [
        tf.variable_creator_scope(_creator([], "a")),
        tf.variable_creator_scope(_creator([], "b")),
    ]
    with tf.Graph().as_default():
        for scope in scopes:
            scope.__enter__()
        failed = failure(scopes[0].__exit__, None, None, None)
        scopes[1].__exit__(None, None, None)
    return failed


def program_a_creator_that_asks_itself(tf):
    with tf.variable_creator_scope(lambda next_creator, **k: tf.Variable(2.0)):
        return failure(tf.Variable, 1.0)[0]


def program_what_creators_are_given(tf):
    seen = []

    def create(next_creator, **kwargs):
        seen.append(sorted((k, repr(v)) for k, v in kwargs.items()))
        return next_creator(**kwargs)

    with tf.variable_creator_scope(create):
        tf.Variable(1.0)
    return seen


def program_scopes_as_names(tf):
    with tf.name_scope("s"):
        return tf.Variable(1.0, name="v/").name, tf.Variable(1.0, name="a/b").name


def program_initial_values_in_branches(tf):
    def made_in_branch(initial):
        kept = []

        @tf.function
        def f(x):
            y = tf.ones([]) * 2.0

            def branch():
                if not kept:
                    kept.append(tf.Variable(initial(x, y)))
                return kept[0] + 0.0

            return tf.cond(x > 0.0, branch, lambda: 1.0)

        return f(tf.constant(1.0)), kept[0].name

    return (
        made_in_branch(lambda x, y: tf.ones([]) * 2.0),
        made_in_branch(lambda x, y: y * 3.0), made_in_branch(lambda x, y: x * 3.0),
    )


def program_initial_values_of_functions_around(tf):
    kept, more = [], []

    @tf.function
    def inner(x, y):
        if not kept:
            kept.append(tf.Variable(y * 3.0))
        return kept[0] + x

    @tf.function
    def outer(x):
        y = x * 2.0

        @tf.function
        def captures(x):
            if not more:
                more.append(tf.Variable(y * 4.0))
            return more[0] + x

        return inner(x, tf.ones([]) * 2.0), captures(x)

    return outer(tf.constant(1.0))
