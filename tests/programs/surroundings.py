"""Programs of what surrounds functions: seeds, options, generators, the
functions below, signatures."""

import inspect
import os

from outcomes import failure, phrase


def program_seed_taken_back(tf):
    tf.random.set_seed(5)
    seen = [tf.random.uniform([2], seed=1)]
    tf.random.set_seed(None)
    a, b = tf.random.uniform([4]), tf.random.uniform([4])
    seen += [
        bool(tf.reduce_any(a != b)), tf.random.uniform([2], seed=3),
        tf.function(lambda: tf.random.uniform([2], seed=3))(),
        tf.random.normal([2], seed=3),
    ]
    tf.random.set_seed(1)
    return seen


def program_experimental_options(tf):
    # Set by other tests of the process, maybe, which cannot take it back.
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})
    seen = [tf.config.optimizer.get_experimental_options()]
    for options in (
        {"constant_folding": False, "min_graph_nodes": 3},
        {"disable_meta_optimizer": True, "layout_optimizer": True},
        {"constant_folding": True, "disable_meta_optimizer": False},
    ):
        tf.config.optimizer.set_experimental_options(options)
        told = tf.config.optimizer.get_experimental_options()
        seen.append([list(told), told])
    return seen


def program_generators_that_are_called(tf):
    def numbers(n):
        for i in range(n):
            if i > 1:
                yield i
            else:
                yield -i

    class Rows:
        def __iter__(self):
            yield 1
            yield from self.more()

        def more(self):
            yield 5

    def condition(x):
        if x > 0:
            yield x

    @tf.function
    def loop(x):
        for v in numbers(4):
            x += v
        return x

    @tf.function
    def rows(x):
        for v in Rows():
            x += v
        return x

    def all_of():
        return [
            loop(tf.constant(1)), rows(tf.constant(1)),
            tf.function(lambda x: sum(numbers(3)) + x)(tf.constant(1)),
            tf.function(lambda x: tf.stack([
                a * x for a in (b for b in range(3))
            ]))(2),
            failure(
                tf.function(lambda x: list(condition(x))), tf.constant(1)
            )[0],
        ]

    seen = all_of()
    os.environ["AUTOGRAPH_STRICT_CONVERSION"] = "1"
    try:
        loop = tf.function(loop.python_function)
        rows = tf.function(rows.python_function)
        seen += all_of()
    finally:
        del os.environ["AUTOGRAPH_STRICT_CONVERSION"]
    return seen


@phrase("To be compatible with tf.function, Python functions must return")
def program_a_generator_that_is_traced(tf):
    @tf.function
    def f(x):
        yield x

    return f(tf.constant(1))


def program_decorated_before_tracing(tf):
    def twice(function):
        return lambda *args: function(*args) * 2

    f = tf.function(lambda x: x + 1)
    g = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.int32)])
    f._decorate(twice)
    g._decorate(twice)
    return [
        f(tf.constant(3)), f.python_function(tf.constant(3)), g(4),
        failure(f._decorate, twice), f(tf.constant(3)),
    ]


def program_inference_functions(tf):
    v = tf.Variable(2.0)
    concrete = tf.function(lambda x: {"a": x * v, "b": [x]})
    concrete = concrete.get_concrete_function(tf.TensorSpec([], tf.float32))
    f = concrete.inference_fn
    plain = tf.function(lambda x: x + 1.0).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    ).inference_fn
    x = tf.constant(3.0)
    return [
        type(f).__name__, f.name == concrete.name, f.graph is concrete.graph,
        f is concrete.inference_fn, str(f.function_type),
        f.function_type == concrete.function_type,
        f.definition.signature.name == concrete.name.decode(),
        f.cached_definition is f.cached_definition, f.attributes,
        failure(f, x), f.call_with_captures((x,), {}, concrete.captured_inputs),
        f.call_flat(x, v.handle), f.call_preflattened([x, v.handle]),
        failure(f.call_flat, x)[0], plain(x), plain(x=x), plain(2.0),
        plain.call_flat(x), failure(plain)[0],
        failure(plain, tf.constant([1.0, 2.0]))[0],
        tf.function(lambda y: plain(y) * 2.0)(x),
    ]


def program_signatures(tf):
    # With the parameters of the original's public functions in their order.
    names = (
        "ones zeros shape add concat reduce_sum matmul gather constant fill "
        "stack where cond while_loop map_fn scan einsum cast reshape tile pad "
        "one_hot range linspace random.normal random.uniform math.argmax "
        "nn.relu nn.softmax nn.conv2d strings.join ones_like identity "
        "convert_to_tensor Variable.assign Variable.assign_add split unstack"
    ).split()
    seen = []
    for name in names:
        found = tf
        for part in name.split("."):
            found = getattr(found, part)
        seen.append([name, list(inspect.signature(found).parameters)])
        assert inspect.isroutine(found)
    return seen


def program_functions_as_methods(tf):
    class Holder:
        square = tf.square
        both = staticmethod(tf.add)

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(3.0, dtype)

    return [Holder().square(), Holder.square(2.0), Holder().both(1, 2)]


def program_a_variable_of_ones_own(tf):
    class Held(tf.Variable):
        def __init__(self, value):
            self._value = value

        @property
        def dtype(self):
            return self._value.dtype

        @property
        def shape(self):
            return self._value.shape

        def numpy(self):
            return self._value.numpy()

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.identity(value._value)

    x = Held(tf.constant([1.0, 2.0]))
    tf.register_tensor_conversion_function(Held, convert)
    return [
        isinstance(x, tf.Variable), tf.convert_to_tensor(x), x.numpy(),
        tf.add(x, x), tf.constant([1.0, 1.0]) * x, tf.reduce_sum(x),
        tf.stack([x, x]), tf.gather(x, [0]), tf.cast(x, tf.int32),
        tf.shape(x), tf.function(lambda: tf.reduce_sum(x) * 2.0)(),
    ]
