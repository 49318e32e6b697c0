"""tf.function as a decorator: its forms, and the Function object."""

from __future__ import annotations

import abc
import copy
import functools
import gc
import inspect
import operator
import pickle
import warnings
import weakref

import numpy as np

from outcomes import better, failure, phrase


def module_level(x, y=2):
    """Adds."""
    return x + y


def _count(f):
    return f.experimental_get_tracing_count()


def program_forms(tf):
    @tf.function
    def a(x):
        return x + 1

    @tf.function()
    def b(x):
        return x + 2

    @tf.function(autograph=False, reduce_retracing=True)
    def c(x):
        return x + 3

    d = tf.function(lambda x: x + 4)
    e = tf.function(None)(lambda x: x + 5)
    f = tf.function(func=lambda x: x + 6)
    return [g(tf.constant(1)) for g in (a, b, c, d, e, f)]


def program_options_are_accepted(tf):
    def f(x):
        return x * 2

    options = (
        dict(autograph=True), dict(autograph=False), dict(jit_compile=True),
        dict(jit_compile=False), dict(jit_compile=None),
        dict(experimental_implements="my.double"),
        dict(experimental_autograph_options=None),
        dict(experimental_attributes={"_noinline": True}),
        dict(experimental_attributes={}), dict(experimental_relax_shapes=True),
        dict(reduce_retracing=True), dict(experimental_compile=False),
        dict(experimental_follow_type_hints=True),
    )
    return [
        tf.function(f, **option)(tf.constant(3)) for option in options
    ]


def program_signature_of_function(tf):
    # More may follow.
    parameters = inspect.signature(tf.function).parameters.values()
    return [str(p) for p in parameters][:11]


def program_unknown_option(tf):
    return failure(tf.function, lambda: 1, other=1)[0]


def program_not_callable(tf):
    return [failure(tf.function, value) for value in (3, "x", [1])]


def program_two_decorators(tf):
    f = tf.function(tf.function(lambda x: x + 1))
    return f(tf.constant(1)), f.experimental_get_tracing_count()


def program_builtins_and_ops(tf):
    x = tf.constant([3.0, 4.0])
    return [
        tf.function(len)([1, 2]), tf.function(tf.add)(x, x),
        tf.function(tf.reduce_sum)(x), tf.function(operator.mul)(x, x),
        tf.function(abs)(-x), tf.function(tf.math.square)(x),
    ]


def program_partials(tf):
    f = tf.function(functools.partial(module_level, y=10))
    g = tf.function(functools.partial(module_level, tf.constant(1)))
    h = functools.partial(tf.function(module_level), y=5)
    return [
        f(tf.constant(1)), f(tf.constant(1), y=3), g(), g(7),
        h(tf.constant(1)), _count(f), _count(g),
    ]


def program_callable_objects(tf):
    class Adder:
        def __init__(self, n):
            self.n = n

        def __call__(self, x):
            return x + self.n

    f = tf.function(Adder(3))
    return [
        f(tf.constant(1)), failure(lambda: f.__name__)[0],
        isinstance(f.python_function, Adder),
    ]


def program_decorated_call_operator(tf):
    class Adder:
        @tf.function
        def __call__(self, x):
            return x + 1

    a = Adder()
    return a(tf.constant(1)), a(tf.constant(2))


def program_methods(tf):
    class Model:
        def __init__(self, n):
            self.n = n

        @tf.function
        def add(self, x):
            return x + self.n

    a, b = Model(1), Model(10)
    results = [a.add(tf.constant(1)), b.add(tf.constant(1))]
    a.n = 5
    results += [a.add(tf.constant(1)), a.add(tf.constant(1.0))]
    return results, [
        a.add is a.add, a.add is b.add, _count(a.add), _count(b.add),
        Model.add(a, tf.constant(1)), a.add.__name__,
    ]


def program_method_of_a_subclass(tf):
    class Base:
        @tf.function
        def f(self, x):
            return x + self.g()

        def g(self):
            return 1

    class Derived(Base):
        @tf.function
        def f(self, x):
            return super(Derived, self).f(x) * 2

        def g(self):
            return 10

    base, derived = Base(), Derived()
    return base.f(tf.constant(1)), derived.f(tf.constant(1))


def program_abstract_method(tf):
    class Base(abc.ABC):
        @abc.abstractmethod
        def f(self, x):
            """To be defined."""

    class Derived(Base):
        @tf.function
        def f(self, x):
            return x + 1

    return Derived().f(tf.constant(1))


def program_static_and_class_methods(tf):
    class Model:
        n = 3

        @staticmethod
        @tf.function
        def static(x):
            return x + 1

        @classmethod
        @tf.function
        def of_class(cls, x):
            return x + cls.n

        @property
        @tf.function
        def prop(self):
            return tf.constant(self.n)

        @tf.function
        def own(self, x):
            return self.static(x) + self.of_class(x) + self.prop

    m = Model()
    x = tf.constant(1)
    return [
        m.static(x), Model.static(x), m.of_class(x), Model.of_class(x),
        m.prop, m.own(x), _count(Model.static),
    ]


def program_instances_are_collected(tf):
    class Model:
        @tf.function
        def f(self, x):
            return x + 1

    m = Model()
    m.f(tf.constant(1))
    m.f(tf.constant(1.0))
    r = weakref.ref(m)
    del m
    gc.collect()
    return r() is None


def program_bound_function_outlives_its_object(tf):
    class Model:
        n = 1

        @tf.function
        def f(self, x):
            return x + 1

    f = Model().f
    gc.collect()
    return failure(f, tf.constant(1))[0]


def program_attributes(tf):
    @tf.function
    def f(x, y=2):
        """Doc of f."""
        return x + y

    return [
        f.__name__, f.__doc__, str(inspect.signature(f)), f.name,
        f.__wrapped__ is f.python_function, f.python_function(1, 2),
        f.__module__ == __name__, callable(f), str(f.function_type),
        f.input_signature, inspect.isfunction(f),
        f.function_spec.input_signature,
        [hasattr(f, name) for name in (
            "get_concrete_function", "experimental_get_compiler_ir",
            "pretty_printed_concrete_signatures", "function_spec",
            "get_initialization_function", "experimental_get_tracing_count",
        )],
    ]


def program_function_spec(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], name="n")])
    def f(x, y=2):
        return x + y

    spec = f.function_spec
    return [
        str(spec.fullargspec), spec.input_signature,
        spec.arg_names,
    ]


def program_spec_of_a_method(tf):
    class Model:
        @tf.function
        def f(self, x):
            return x

    m = Model()
    return [str(inspect.signature(m.f)), m.f.__doc__]


def program_wraps_under_another_decorator(tf):
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) * 2

        return wrapper

    @tf.function
    @twice
    def f(x):
        """Doc."""
        return x + 1

    @twice
    @tf.function
    def g(x):
        """Doc g."""
        return x + 1

    return [
        f(tf.constant(1)), f.__name__, f.__doc__, g(tf.constant(1)),
        g.__name__, g.__doc__,
    ]


def program_lambda_names(tf):
    f = tf.function(lambda x: x)
    concrete = f.get_concrete_function(tf.constant(1))
    return f.name, "<lambda>" in str(concrete.name)


def program_tracing_count(tf):
    @tf.function
    def f(x):
        return x

    counts = [_count(f)]
    for value in (1, 1, 2, tf.constant(1), tf.constant(2), tf.constant(1.0)):
        f(value)
        counts.append(_count(f))
    f.get_concrete_function(tf.constant([1]))
    return counts + [_count(f)]


def program_tracing_count_of_nested_functions(tf):
    @tf.function
    def inner(x):
        return x + 1

    @tf.function
    def outer(x):
        return inner(x) + inner(x)

    outer(tf.constant(1))
    outer(tf.constant(1.0))
    return _count(inner), _count(outer)


def program_copies(tf):
    @tf.function
    def f(x):
        return x + 1

    a, b = copy.copy(f), copy.deepcopy(f)
    return [
        a is f, b is f, a(tf.constant(1)), b(tf.constant(1)), _count(a),
        _count(b),
    ]


@better([2, 1, 1])
def program_copies_of_traced_functions(tf):
    @tf.function
    def f(x):
        return x + 1

    f(1)
    g = copy.deepcopy(f)
    return [int(g(1)), _count(g), _count(f)]


def program_pickle(tf):
    f = tf.function(module_level)
    g = pickle.loads(pickle.dumps(f))
    return [g(tf.constant(1)), _count(g), g.python_function is module_level]


def program_pickle_with_signature(tf):
    f = tf.function(
        module_level, input_signature=[tf.TensorSpec([None], tf.float32)]
    )
    g = pickle.loads(pickle.dumps(f))
    return g([1.0, 2.0]), failure(g, [[1.0]])[0]


def program_pickle_of_a_lambda(tf):
    return failure(pickle.dumps, tf.function(lambda x: x))[0]


def program_run_functions_eagerly(tf):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        seen.append([tf.executing_eagerly(), type(x).__name__ == "str"])
        return x

    states = [tf.config.functions_run_eagerly()]
    tf.config.run_functions_eagerly(True)
    try:
        states.append(tf.config.functions_run_eagerly())
        results = [f(tf.constant(1.0)), f("text"), f(2)]
        counts = _count(f)
        concrete = f.get_concrete_function()
        results.append(concrete(tf.constant(3.0)))
    finally:
        tf.config.run_functions_eagerly(False)
    states.append(tf.config.functions_run_eagerly())
    return states, results, counts, seen


def program_run_eagerly_creates_variables_each_time(tf):
    tf.config.run_functions_eagerly(True)
    try:
        @tf.function
        def f():
            return tf.Variable(1) + 1

        return f(), f()
    finally:
        tf.config.run_functions_eagerly(False)


def program_where_code_runs(tf):
    seen = []

    def look():
        seen.append([tf.executing_eagerly(), tf.inside_function()])

    @tf.function
    def f(x):
        look()
        with tf.init_scope():
            look()
            tf.constant(1).numpy()
        look()
        return x

    look()
    f(tf.constant(1))
    with tf.Graph().as_default():
        look()
        with tf.init_scope():
            look()
    return seen


def program_init_scope_nested(tf):
    seen = []

    @tf.function
    def inner(x):
        with tf.init_scope():
            seen.append(tf.constant(2).numpy())
        return x

    @tf.function
    def outer(x):
        return inner(x)

    outer(tf.constant(1))
    return seen


@phrase("is out of scope")
def program_init_scope_and_symbolic_tensors(tf):
    @tf.function(autograph=False)
    def f(x):
        with tf.init_scope():
            return x + 1

    f(tf.constant(1))


def program_init_scope_creates_variables(tf):
    made = []

    @tf.function
    def f(x):
        with tf.init_scope():
            if not made:
                made.append(tf.Variable(5))
        return x + made[0]

    return f(tf.constant(1)), f(tf.constant(2)), _count(f)


def program_no_gradient(tf):
    return [
        failure(tf.no_gradient, "MyOwnOp")[0],
        failure(tf.no_gradient, 3),
    ]


def program_generators(tf):
    def f():
        yield 1

    # The original fails in its own way; a Function of one is refused.
    return failure(lambda: tf.function(f)())[0]


def program_coroutine(tf):
    async def f():
        return 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return failure(lambda: tf.function(f)())[0]


def program_defaults_and_keywords(tf):
    @tf.function
    def f(a, b=2, *args, c=3, **kwargs):
        return a + b + sum(args) + c + sum(kwargs.values())

    return [
        f(1), f(1, 2), f(a=1), f(1, c=3), f(1, 2, 3, 4, c=5, d=6), _count(f),
    ]


def program_closure_values_are_frozen(tf):
    n = 1

    @tf.function
    def f(x):
        return x + n

    results = [f(tf.constant(1))]
    n = 10
    results.append(f(tf.constant(1)))
    results.append(f(tf.constant(1.0)))
    return results


def program_recursion(tf):
    @tf.function
    def factorial(n):
        return 1 if n == 0 else n * factorial(n - 1)

    return factorial(4), _count(factorial)


def program_returns(tf):
    @tf.function
    def f(what):
        return {
            "none": None, "number": 3, "float": 1.5, "text": "x",
            "array": np.ones(2), "tuple": (1, [2, {"k": 3}]),
            "bool": True, "empty": (), "list": [],
        }[what]

    return [f(what) for what in (
        "none", "number", "float", "text", "array", "tuple", "bool", "empty",
        "list",
    )]


@phrase(
    "To be compatible with tf.function, Python functions must return zero or "
    "more Tensors or ExtensionTypes or None values; in compilation of",
    "found return value of type set, which is not a Tensor or ExtensionType.",
)
def program_returns_a_set(tf):
    tf.function(lambda: {1})()


def program_name_scopes(tf):
    names = []

    @tf.function
    def f(x):
        with tf.name_scope("a") as scope:
            names.append(scope)
            names.append((x + 1).name)
            with tf.name_scope("b"):
                names.append(tf.add(x, 1, name="mine").name)
                names.append(tf.compat.v1.get_default_graph().get_name_scope())
            with tf.name_scope("b"):
                names.append((x * 2).name)
        with tf.name_scope("a"):
            names.append((x + 1).name)
        with tf.name_scope("a/"):
            names.append((x + 1).name)
        with tf.name_scope("") as top:
            names.append(top)
        return x

    f(tf.constant(1))
    names.append(failure(tf.name_scope, None))
    names.append(failure(tf.name_scope, 3))
    return names


def program_eager_name_scopes(tf):
    names = []
    with tf.name_scope("a") as scope:
        names.append(scope)
        names.append(tf.Variable(1, name="v").name)
        with tf.name_scope("b") as scope:
            names.append(scope)
            names.append(tf.Variable(1).name)
    with tf.name_scope("a") as scope:
        names.append(scope)
    with tf.name_scope("x/") as scope:
        names.append(scope)
        with tf.name_scope("y/") as scope:
            names.append(scope)
    names.append(tf.name_scope("n").name)
    return names


def program_name_scope_is_kept_in_functions(tf):
    names = []

    @tf.function
    def f(x):
        names.append((x + 1).name)
        return x

    with tf.name_scope("outside"):
        f(tf.constant(1))
    return names


def program_graph_building(tf):
    g = tf.Graph()
    v1 = tf.compat.v1
    with g.as_default():
        a = tf.constant(2.0, name="a")
        p = v1.placeholder(tf.float32, [None, 2], name="p")
        b = tf.reduce_sum(p) * a
        inside = [
            v1.get_default_graph() is g, a.graph is g, b.op.graph is g,
            tf.executing_eagerly(), tf.inside_function(),
        ]
        with g.name_scope("scope"):
            c = tf.add(a, 1.0, name="c")
        with g.control_dependencies([c]):
            d = tf.identity(b, name="d")
        with tf.control_dependencies(None):
            e = tf.identity(b)
    return [
        inside, a.name, p.name, str(p.shape), c.name, d.name,
        [i.name for i in d.op.control_inputs], len(e.op.control_inputs),
        [op.name for op in g.get_operations()],
        g.get_tensor_by_name("a:0") is not None,
        g.get_operation_by_name("scope/c").type,
        g.as_graph_element("a").name, g.as_graph_element("a:0").name,
        tf.executing_eagerly(), [i.name for i in b.op.inputs],
        [op.name for op in a.consumers()],
    ]


def program_graph_errors(tf):
    g = tf.Graph()
    with g.as_default():
        a = tf.constant(1, name="a")
    return [
        failure(g.get_tensor_by_name, "a"),
        failure(g.get_tensor_by_name, "b:0"),
        failure(g.get_tensor_by_name, "a:7")[0],
        failure(g.get_operation_by_name, "b"),
        failure(g.get_operation_by_name, 3),
        failure(g.get_tensor_by_name, 3),
        failure(g.as_graph_element, 3),
        failure(g.as_graph_element, tf.Graph())[0],
        failure(g.as_graph_element, "a:0", allow_tensor=False)[0],
        failure(g.as_graph_element, "a", allow_operation=False)[0],
        failure(lambda: a + 1)[0],
        failure(lambda: bool(a == a)),
        failure(lambda: a.numpy()),
        failure(tf.compat.v1.placeholder, tf.float32),
    ]


def program_graph_mixing(tf):
    g, h = tf.Graph(), tf.Graph()
    with g.as_default():
        a = tf.constant(1, name="a")
    with h.as_default():
        return failure(lambda: a + tf.constant(2))[0]


def program_graph_does_not_order_effects(tf):
    with tf.Graph().as_default() as g:
        tf.print("x")
        tf.print("y")
        return [len(op.control_inputs) for op in g.get_operations()
                if op.type == "PrintV2"]


def program_graph_versions(tf):
    g = tf.Graph()
    with g.as_default():
        tf.constant(1)
        g.add_to_collection("c", 1)
        g.add_to_collections(["c", "d"], 2)
    results = [
        g.building_function, g.seed, g.finalized, g.get_collection("c"),
        g.get_collection("none"), sorted(g.get_all_collection_keys()),
        g.get_collection_ref("d"), sorted(g.collections),
    ]
    g.clear_collection("c")
    g.finalize()
    results += [g.get_collection("c"), g.finalized]
    with g.as_default():
        results.append(failure(tf.constant, 1))
    return results


def program_implements_restrictions(tf):
    y = tf.constant(2.0)
    v = tf.Variable(1.0)
    make = functools.partial(
        tf.function, autograph=False, experimental_implements="a.b"
    )
    x = tf.constant(1.0)
    results = []
    for f in (
        make(lambda x: x + 1.0), make(lambda x: x + y), make(lambda x: x + v),
        make(lambda x: v.assign(x)),
    ):
        kind, what = failure(f, x)
        text = str(what)
        results.append([kind, what if kind == "ok" else
                        '"_implements=a.b" attribute' in text])
    attr = make(lambda x: x).get_concrete_function(x).function_def.attr
    return results, attr["_implements"].s


def program_attributes_of_functions(tf):
    def attributes(**given):
        def make():
            f = tf.function(lambda x: x, experimental_attributes=given)
            attr = f.get_concrete_function(1).function_def.attr
            return sorted(k for k in attr if k != "_construction_context")

        return failure(make)

    return [
        attributes(_noinline=True), attributes(runtime_constant_optimization=1),
        attributes(api_implements="x", api_preferred_device="CPU"),
        attributes(noinline=True), attributes(a=1),
        attributes(_disable_acd=False), attributes(go_backwards=True),
    ]


def program_experimental_get_compiler_ir_needs_jit(tf):
    f = tf.function(lambda x: x + 1)
    return failure(f.experimental_get_compiler_ir, tf.constant(1))


def program_attributes_of_any_kind(tf):
    def found(value):
        f = tf.function(
            lambda x: x, autograph=False,
            experimental_attributes={"disable_summaries_at_runtime": value},
        )
        definition = f.get_concrete_function(tf.constant(1.0)).function_def
        return str(definition.attr["disable_summaries_at_runtime"])

    return [
        failure(found, value)
        for value in (
            ["a", "b"], [1, 2], [1.5], [True, False], [], 3, 1.5, "q", b"q",
            True, (1,), None, {"a": 1}, [None],
        )
    ][:13]


def program_names_of_what_has_none(tf):
    class Callable:
        def __call__(self, x):
            return x

    x = tf.constant(1.0)
    partial = functools.partial(lambda a, b: a + b, b=2.0)
    functions = [tf.function(Callable()), tf.function(partial)]
    return [
        (f.name, f.get_concrete_function(x).name.rpartition(b"_")[0],
         f.get_concrete_function(x).graph.name)
        for f in functions
    ]


def program_two_words_for_one_option(tf):
    return failure(
        tf.function, lambda x: x, jit_compile=True, experimental_compile=True
    ), failure(
        tf.function, lambda x: x, experimental_attributes=3
    )[0]


def program_variables_of_a_later_call(tf):
    def later(first):
        made = []

        @tf.function(autograph=False)
        def f(x, flag):
            if first and not made:
                made.append(tf.Variable(1.0))
            if flag:
                made.append(tf.Variable(2.0))
                return made[-1] + x
            return x

        f(tf.constant(1.0), False)
        return f(tf.constant(1.0), True)

    return failure(later, False), failure(later, True)


@phrase("is out of scope and cannot be used here", "was defined here")
def program_argument_of_another_graph(tf):
    kept = []
    f = tf.function(lambda x: kept.append(x) or x, autograph=False)
    f(tf.constant(1.0))
    return tf.function(lambda x: x + 1.0, autograph=False)(kept[0])


def program_custom_gradient_without_variables(tf):
    v = tf.Variable(2.0)
    f = tf.custom_gradient(lambda x: (x * v, lambda upstream: upstream))
    return failure(f, tf.constant(1.5))
