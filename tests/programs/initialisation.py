"""Variables that a function makes, and when they get their values."""

from __future__ import annotations

from outcomes import failure


def program_initialisation_functions(tf):
    made = {}

    @tf.function
    def f(x):
        if not made:
            made["v"] = tf.Variable(5.0)
            made["w"] = tf.Variable(lambda: tf.fill([2], 3.0), name="w")
        made["v"].assign_add(1.0)
        return made["v"] * x + made["w"]

    initialize = f.get_initialization_function(tf.constant(2.0))
    before = [
        bool(made[key].is_initialized()) for key in ("v", "w")
    ]
    nothing = initialize()
    after = [made["v"].numpy(), made["w"].numpy()]
    calls = [f(tf.constant(3.0)), f(tf.constant(1.0))]
    again = failure(f.get_initialization_function, tf.constant(2.0))[0]
    initialize()
    return before, nothing, after, calls, again, made["v"], made["w"].shape


def program_initialisation_in_another_function(tf):
    made = {}

    @tf.function
    def f(x):
        if not made:
            made["v"] = tf.Variable(7.0)
        return made["v"] * x

    initialize = f.get_initialization_function(tf.TensorSpec([]))

    @tf.function
    def start():
        initialize()

    start()
    return made["v"].numpy(), f(tf.constant(1.0))


def program_initialisation_of_what_has_no_variables(tf):
    @tf.function
    def f(x):
        return x

    initialize = f.get_initialization_function(tf.constant(1.0))
    return initialize(), f(tf.constant(2.0))


def program_variables_of_unknown_arguments(tf):
    def fresh():
        made = []

        @tf.function(autograph=False)
        def f(x):
            if not made:
                made.append(tf.Variable(x * 2.0))
            return made[0] + x

        return f

    def told(found):
        return found[0], found[1].partition(" <")[0]

    spec = tf.TensorSpec([])
    return [
        told(failure(lambda: fresh().get_concrete_function(spec))),
        told(failure(lambda: fresh().get_initialization_function(spec))),
        fresh()(tf.constant(3.0)),
    ]
