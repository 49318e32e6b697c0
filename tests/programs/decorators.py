"""tf.function as a decorator: its forms, and the Function object."""

from __future__ import annotations

import abc
import copy
import functools
import gc
import inspect
import operator
import pickle
import weakref

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
