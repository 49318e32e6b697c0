"""Functions cut out of graphs: wrap_function and prune."""

from __future__ import annotations

from outcomes import failure


def _wrap(tf, function, *specs):
    return tf.compat.v1.wrap_function(function, list(specs))


def _two(tf):
    spec = tf.TensorSpec([], tf.float32)
    return _wrap(
        tf, lambda x, y: (x * y, x + y),
        tf.TensorSpec([], tf.float32, name="x"),
        tf.TensorSpec(spec.shape, spec.dtype, name="y"),
    )


def program_calls_of_wrapped_functions(tf):
    w = _two(tf)
    two, three = tf.constant(2.0), tf.constant(3.0)
    with_number = _wrap(tf, lambda a, b: a * b, tf.TensorSpec([]), 5)
    return (
        w(two, three), [t.name for t in w.inputs], [t.name for t in w.outputs],
        type(w).__name__, with_number(two),
        _wrap(tf, lambda x: None, tf.TensorSpec([]))(two),
        failure(lambda: w(x=two, y=three))[0], failure(w, two)[0],
        isinstance(w, tf.types.experimental.ConcreteFunction),
    )


def program_parts_of_wrapped_functions(tf):
    w = _two(tf)
    four, five = tf.constant(4.0), tf.constant(5.0)
    cut = w.prune(["x:0", "y:0"], ["mul:0"])
    return (
        w.prune(["x:0", "y:0"], ["mul:0", "add:0"])(four, five),
        w.prune(w.inputs, w.outputs)(four, five),
        w.prune(["x:0", "y:0"], {"a": "mul:0", "b": "add:0"})(four, five),
        w.prune(["mul:0"], ["mul:0"])(four),
        w.prune(
            ["x:0", "y:0"], w.graph.get_operation_by_name("mul")
        )(four, five),
        [t.name for t in cut.inputs], [t.name for t in cut.outputs],
        cut.structured_input_signature, type(cut).__name__,
        cut.prune("x:0", "x:0")(four),
        failure(w.prune, ["x:0"], ["mul:0"])[0],
        failure(w.prune, ["nope:0"], ["mul:0"])[0],
        failure(w.prune, ["x"], ["mul:0"])[0],
    )


def program_results_of_elsewhere(tf):
    three = tf.constant(3.0)

    @tf.function
    def outer(x):
        y = x * 2.0
        w = _wrap(tf, lambda a: (a * 1.0, y), tf.TensorSpec([]))
        return w(x)

    return _wrap(tf, lambda: three)(), outer(tf.constant(1.0))


def _graph(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        y = tf.identity(x * 2.0 + 1.0, name="y")
        tf.identity(y * 3.0, name="z")
    return graph.as_graph_def()


def program_parts_of_imported_graphs(tf):
    graph_def = _graph(tf)
    w = _wrap(tf, lambda: tf.compat.v1.import_graph_def(graph_def, name=""))
    x = tf.constant([1.0, 2.0])
    element = w.graph.as_graph_element
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = w.prune("x:0", "z:0")(x)
    return (
        w(), w.prune("x:0", "y:0")(x), w.prune(["x:0"], ["y:0", "z:0"])(x),
        w.prune([element("x:0")], [element("z:0")])(x),
        w.prune("y:0", "z:0")(x), tape.gradient(z, x),
        tf.function(lambda t: w.prune("x:0", "z:0")(t))(x),
    )


def program_variables_of_imported_graphs(tf):
    graph = tf.Graph()
    with graph.as_default():
        v = tf.Variable(3.0, name="wrapped_v")
        tf.identity(v.assign_add(1.0), name="step")
        tf.identity(v * 2.0, name="doubled")
        tf.group(v.initializer, name="init")
    graph_def = graph.as_graph_def()
    w = _wrap(tf, lambda: tf.compat.v1.import_graph_def(graph_def, name=""))
    init = w.prune([], w.graph.get_operation_by_name("init"))
    step, doubled = w.prune([], "step:0"), w.prune([], ["doubled:0"])
    before = failure(doubled)[0]
    return (
        before, init(), doubled(), step(), step(), doubled(), init(),
        doubled(), len(w.variables),
    )


def program_variables_made_while_wrapping(tf):
    captured = tf.Variable(1.0)

    def build(x):
        v = tf.Variable(3.0, name="made")
        v.assign_add(x)
        return v * 2.0

    def changes(x):
        return captured.assign_add(x) * 1.0

    made = _wrap(tf, build, tf.TensorSpec([]))
    changing = _wrap(tf, changes, tf.TensorSpec([]))
    one = tf.constant(1.0)
    return (
        made(one), made(one), [v.name for v in made.variables],
        [v.numpy() for v in made.variables],
        changing(one), changing(one), captured.numpy(),
        changing.prune(changing.inputs[0], changing.outputs[0])(one),
    )


def program_reads_of_assignments_in_graphs(tf):
    graph = tf.Graph()
    with graph.as_default():
        v = tf.Variable(3.0, name="v")
        tf.identity(v.assign(5.0), name="a")
        tf.identity(v.assign_sub(1.0).assign_add(2.0) + 0.0, name="b")
    waits = {}
    for node in graph.as_graph_def().node:
        if node.op == "ReadVariableOp":
            waits[node.name] = [i for i in node.input if i.startswith("^")]
    kept = {k: v for k, v in waits.items() if k.startswith("a/")}
    return kept


def program_creators_around_wrapped_functions(tf):
    log = []

    def frozen(next_creator, **kwargs):
        log.append(kwargs["name"])
        return next_creator(**{**kwargs, "trainable": False})

    def inner(x):
        with tf.variable_creator_scope(frozen):
            return x * tf.Variable(2.0, name="v")

    spec, kept = tf.TensorSpec([]), tf.Variable(7.0, name="kept")
    with tf.variable_creator_scope(frozen):
        around = _wrap(tf, lambda x: x * tf.Variable(2.0, name="v"), spec)
    inside = _wrap(tf, inner, spec)
    with tf.variable_creator_scope(lambda next_creator, **unused: kept):
        replaced = _wrap(tf, lambda x: x + tf.Variable(1.0), spec)
    return (
        log, [(v.name, v.trainable) for w in (around, inside)
              for v in w.variables],
        len(around.trainable_variables), replaced(tf.constant(0.0)),
        [v.name for v in replaced.variables],
    )


def program_names_of_variables_made_while_wrapping(tf):
    def build(x):
        a, b = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
        c = tf.Variable(3.0, name="c")
        with tf.name_scope("s"):
            d = tf.Variable(4.0, name="c")
        e = tf.Variable(5.0, name="c")
        tf.Variable(6.0, name="unused")
        in_branch = tf.cond(
            x > 0.0, lambda: tf.Variable(1.0, name="q") + x, lambda: x
        )
        with tf.init_scope():
            outside = tf.Variable(3.0, name="i")
        return x + a + b + c + d + e + in_branch + outside

    w = _wrap(tf, build, tf.TensorSpec([]))
    collections = [
        sorted(v.name for v in w.graph.get_collection(key))
        for key in ("variables", "trainable_variables")
    ]
    return (
        sorted(v.name for v in w.variables), w(tf.constant(1.0)), collections,
    )


def program_initial_values_of_wrapped_functions(tf):
    four = tf.constant(4.0)

    def wrapped(initial, **kwargs):
        return _wrap(
            tf, lambda x: x * tf.Variable(initial(x), **kwargs),
            tf.TensorSpec([]),
        )(tf.constant(3.0))

    return (
        wrapped(lambda x: four), wrapped(lambda x: lambda: tf.ones([]) * 2.0),
        failure(wrapped, lambda x: tf.ones([]) * 2.0)[0],
        failure(wrapped, lambda x: tf.constant(2.0))[0],
        failure(wrapped, lambda x: x)[0],
    )


def program_functions_around_and_in_wrapped_functions(tf):
    made, kept = [], []

    def build(x):
        @tf.function
        def inner(x):
            if not kept:
                kept.append(tf.Variable(tf.ones([]) * 2.0, name="q"))
            return kept[0] * x

        return inner(x)

    @tf.function
    def f(x):
        if not made:
            made.append(
                _wrap(tf, lambda x: x + tf.Variable(tf.ones([])),
                      tf.TensorSpec([]))
            )
        return made[0](x)

    @tf.function
    def anew(x):
        return _wrap(tf, lambda x: x + tf.Variable(1.0), tf.TensorSpec([]))(x)

    one = tf.constant(1.0)
    w = _wrap(tf, build, tf.TensorSpec([]))
    with tf.Graph().as_default():
        in_graph = _wrap(tf, lambda x: x + tf.Variable(1.0, name="q"),
                         tf.TensorSpec([]))
        names = [v.name for v in in_graph.variables]
    return (
        f(one), f(one), w(one), [v.name for v in w.variables], names,
        failure(anew, one)[0],
    )


def program_names_of_wrapped_functions(tf):
    def named(name):
        return tf.compat.v1.wrap_function(lambda: 1.0, [], name=name)

    return [
        (w.graph.name, w.name[: len("__inference_wrapped_function")])
        for w in (named("n"), named(None))
    ]
