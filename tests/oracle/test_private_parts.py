"""What packages take from TensorFlow's inside (graphkiln._src.host), and what they
ask of public things: the same calls on both modules."""

from __future__ import annotations

import collections
import functools

import numpy as np
import pytest
import tensorflow
from tensorflow.python.data.experimental.ops import distribute as their_distribute
from tensorflow.python.framework import tensor_util as their_tensor_util
from tensorflow.python.util import nest as their_nest

import graphkiln
from graphkiln._src.host import nest_paths, private_graphs, private_inspect
from graphkiln._src.host import private_parts

Pair = collections.namedtuple("Pair", "a b")
Twin = collections.namedtuple("Pair", "a b")

_DEEP = {"b": [1, (2, 3)], "a": Pair(4, {"x": 5})}
_SHALLOW = {"b": [0, 0], "a": 0}


def _is_deep(node):
    return not isinstance(node, Pair)


NEST_CALLS = {
    "flatten_up_to": lambda n: n.flatten_up_to(_SHALLOW, _DEEP),
    "up to a leaf": lambda n: n.flatten_up_to(0, [1, 2]),
    "leaf up to a list": lambda n: n.flatten_up_to([1, 2], 0),
    "other length": lambda n: n.flatten_up_to([1, 2], [1, 2, 3]),
    "other type": lambda n: n.flatten_up_to([1, 2], (1, 2)),
    "other type, unchecked": lambda n: n.flatten_up_to(
        [1, 2], (1, 2), check_types=False
    ),
    "other keys": lambda n: n.flatten_up_to({"a": 1}, {"b": 1}),
    "like named": lambda n: n.flatten_up_to(Pair(1, 2), Twin(3, 4)),
    "map_structure_up_to": lambda n: n.map_structure_up_to(
        _SHALLOW, lambda x, y: [x, y], _SHALLOW, _DEEP
    ),
    "map with a keyword": lambda n: n.map_structure_up_to(
        [0, 0], lambda x, more: x + more, [1, 2], more=3
    ),
    "map of nothing": lambda n: n.map_structure_up_to([0], lambda x: x),
    "map with paths up to": lambda n: n.map_structure_with_tuple_paths_up_to(
        _SHALLOW, lambda path, x: path, _DEEP
    ),
    "map with paths": lambda n: n.map_structure_with_tuple_paths(
        lambda path, x: (path, x), _DEEP
    ),
    "map with texts": lambda n: n.map_structure_with_paths(
        lambda path, x: path, _DEEP
    ),
    "yield_flat_paths": lambda n: list(n.yield_flat_paths(_DEEP)),
    "joined paths": lambda n: n.flatten_with_joined_string_paths(_DEEP, "."),
    "tuple paths": lambda n: n.flatten_with_tuple_paths(_DEEP),
    "tuple paths up to": lambda n: n.flatten_with_tuple_paths_up_to(
        _SHALLOW, _DEEP
    ),
    "traverse all": lambda n: n.get_traverse_shallow_structure(
        lambda node: True, _DEEP
    ),
    "traverse none": lambda n: n.get_traverse_shallow_structure(
        lambda node: False, _DEEP
    ),
    "traverse some": lambda n: n.get_traverse_shallow_structure(_is_deep, _DEEP),
    "traverse by parts": lambda n: n.get_traverse_shallow_structure(
        lambda node: [True, False] if isinstance(node, list) else True,
        [1, [2, 3]],
    ),
    "traverse by words": lambda n: n.get_traverse_shallow_structure(
        lambda node: "yes", _DEEP
    ),
    "sequence_like a dict": lambda n: n._sequence_like(
        collections.OrderedDict(b=1, a=2), [3, 4]
    ),
    "sequence_like a default dict": lambda n: n._sequence_like(
        collections.defaultdict(list, b=1, a=2), [3, 4]
    ),
    "sequence_like a pair": lambda n: n._sequence_like(Pair(1, 2), [3, 4]),
    "sequence_like a tuple": lambda n: n._sequence_like((1, 2), [3, 4]),
    "is_mapping": lambda n: [n.is_mapping({}), n.is_mapping([])],
    "is_namedtuple": lambda n: [
        n._is_namedtuple(Pair(1, 2)), n._is_namedtuple((1, 2))
    ],
    "sorted items": lambda n: list(n._yield_sorted_items({"b": 1, "a": [2]})),
    "values": lambda n: list(n._yield_value(Pair(1, [2]))),
    "unsortable keys": lambda n: list(n._yield_value({1: 2, "a": 3})),
    "flatten_dict_items": lambda n: n.flatten_dict_items(
        {("a", ("b",)): (1, (2,)), "c": 3}
    ),
    "flatten_dict_items of two": lambda n: n.flatten_dict_items(
        {("a", "b"): (1, 2), "a": 3}
    ),
}


class _OurNest:
    """As packages see it."""

    def __getattr__(self, name):
        names = {
            "_sequence_like": "sequence_like", "_yield_value": "yield_value",
            "_yield_sorted_items": "yield_sorted_items",
            "_is_namedtuple": "is_namedtuple",
        }
        if name == "flatten_dict_items":
            return private_parts.flatten_dict_items
        return getattr(nest_paths, names.get(name, name))


def _outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("name", NEST_CALLS)
def test_nest(name):
    call = NEST_CALLS[name]
    wanted, found = _outcome(call, their_nest), _outcome(call, _OurNest())
    assert found == wanted
    assert type(found) is type(wanted)


def test_nest_of_composites():
    def paths(tf, nest):
        ragged = tf.ragged.constant([[1], [2, 3]])
        return [
            path for path, _ in nest.flatten_with_tuple_paths(
                [ragged, tf.constant(1)], expand_composites=True
            )
        ]

    wanted = paths(tensorflow, their_nest)
    assert paths(graphkiln, nest_paths) == wanted


STATIC_VALUES = {
    "a number": lambda tf: 5,
    "None": lambda tf: None,
    "a list": lambda tf: [1, 2],
    "an array": lambda tf: np.array([1]),
    "a shape": lambda tf: tuple(tf.TensorShape([1, 2])),
    "a text": lambda tf: "a",
    "a variable": lambda tf: tf.Variable(1.0),
    "a ragged tensor": lambda tf: tf.ragged.constant([[1], [2, 3]]),
    "a scalar": lambda tf: tf.constant(2),
    "bytes": lambda tf: tf.constant("a"),
    "a vector": lambda tf: tf.constant([1, 2]),
}


@pytest.mark.parametrize("name", STATIC_VALUES)
def test_static_value(name):
    found = [
        tf.get_static_value(STATIC_VALUES[name](tf))
        for tf in (tensorflow, graphkiln)
    ]
    assert type(found[1]) is type(found[0])
    np.testing.assert_array_equal(found[1], found[0])


def test_static_values_in_functions():
    def values(tf):
        found = []

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def f(x):
            for y in (
                x, tf.constant(3), tf.constant([1, 2]), tf.stack([1, len(x)]),
                tf.stack([tf.shape(x)[0], 2]),
            ):
                for partial in (False, True):
                    value = tf.get_static_value(y, partial)
                    found.append(
                        None if value is None
                        else (type(value).__name__, np.shape(value),
                              str(np.asarray(value).tolist()))
                    )
            return x

        f.get_concrete_function()
        return found

    assert values(graphkiln) == values(tensorflow)


def test_static_values_go_through_what_tensorflow_looks_through():
    """Programs ask which way they go: `int()` of a value that is not told fails."""

    def told(tf):
        answers = {}

        @tf.function(input_signature=[tf.TensorSpec([4, 2])])
        def f(x):
            rank = tf.rank(x)
            made = {
                "SelectV2": tf.where(rank >= 0, rank, 0),
                "AddV2": rank + 1,
                "Mul": tf.shape(x) * 2,
                "StridedSlice": tf.shape(x)[0],
                "GreaterEqual": rank >= 0,
                "Equal": rank == 2,
                "NotEqual": rank != 2,
                "Range": tf.range(rank),
                "Cast": tf.cast(tf.size(x), tf.float32),
                "ConcatV2": tf.concat([tf.shape(x), [3]], 0),
                "ConcatV2 of a sum": tf.concat([tf.shape(x) + 1, [3]], 0),
                "Split": tf.split(tf.constant([1, 2]), 2)[1],
                "Fill": tf.fill([2], tf.constant(3)),
                "Fill with a sum": tf.fill([2], rank + 1),
                "Pack": tf.stack([rank, tf.size(x)]),
                "Pack of columns": tf.stack([[1, 2], tf.shape(x)], axis=1),
                "Unpack": tf.unstack(tf.constant([1, 2]))[1],
                "Identity": tf.identity(rank),
                "StopGradient": tf.stop_gradient(tf.constant(1.0)),
                "Reshape": tf.reshape(tf.shape(x), [2, 1]),
            }
            for name, value in made.items():
                known = tf.get_static_value(value)
                answers[name] = None if known is None else known.tolist()
            return x

        f.get_concrete_function()
        return answers

    assert told(graphkiln) == told(tensorflow)


DATASETS = {
    "batch": lambda d: d.batch(8),
    "batch that drops": lambda d: d.batch(8, drop_remainder=True),
    "map": lambda d: d.batch(8).map(lambda x: x + 1),
    "prefetch": lambda d: d.batch(8).prefetch(2),
    "shuffle": lambda d: d.batch(8).shuffle(2),
    "repeat": lambda d: d.batch(8).repeat(2),
    "take and skip": lambda d: d.batch(8).take(2).skip(1),
    "filter": lambda d: d.batch(8).filter(lambda x: True),
    "cache": lambda d: d.batch(8).cache(),
    "shard": lambda d: d.batch(8).shard(2, 0),
    "zip": lambda d: d.zip((d.batch(8), d.batch(8))),
    "zip of two sizes": lambda d: d.zip((d.batch(8), d.batch(7))),
    "concatenate": lambda d: d.batch(8).concatenate(d.batch(8)),
    "concatenate of two sizes": lambda d: d.batch(8).concatenate(d.batch(7)),
    "padded batch": lambda d: d.batch(3).padded_batch(5),
    "flat map": lambda d: d.flat_map(lambda x: d.batch(4)),
    "interleave": lambda d: d.interleave(lambda x: d.batch(4)),
    "batches of batches": lambda d: d.batch(8).batch(4),
    "unbatch": lambda d: d.batch(8).unbatch().batch(3),
    "rebatch": lambda d: d.batch(8).rebatch(4),
    "ragged batch": lambda d: d.ragged_batch(3),
    "window": lambda d: d.window(3),
    "ignore errors": lambda d: d.batch(8).ignore_errors(),
    "take while": lambda d: d.batch(8).take_while(lambda x: True),
    "dictionary": lambda d: d.map(lambda x: {"a": x, "b": x}).batch(8),
}


@pytest.mark.parametrize("name", DATASETS)
def test_sizes_of_batches(name):
    make = DATASETS[name]
    ours = private_parts.compute_batch_size(make(graphkiln.data.Dataset.range(100)))
    theirs = their_distribute.compute_batch_size(
        make(tensorflow.data.Dataset.range(100))
    )
    assert int(ours) == int(theirs)
    assert ours.dtype.name == theirs.dtype.name


def test_value_as_shape():
    def shapes(tf, as_shape):
        found = [as_shape(tf.constant([2, -1]))]

        @tf.function(input_signature=[
            tf.TensorSpec([None, 2]), tf.TensorSpec([3], tf.int32),
            tf.TensorSpec(None, tf.int32),
        ])
        def f(x, sizes, unknown):
            found.extend(
                as_shape(s) for s in (
                    tf.shape(x), tf.concat([tf.shape(x), [5]], 0), sizes,
                    tf.stack([tf.shape(x)[0], 4]), tf.shape(x)[1:],
                    tf.reshape(unknown, [-1]),
                )
            )
            return x

        f.get_concrete_function()
        return [None if s.rank is None else s.as_list() for s in found]

    assert shapes(graphkiln, private_parts.constant_value_as_shape) == shapes(
        tensorflow, their_tensor_util.constant_value_as_shape
    )


def test_specs_say_less():
    def texts(tf):
        specs = (
            tf.TensorSpec([2, 3], tf.int32, "x"), tf.TensorSpec(None, tf.int32),
            tf.RaggedTensorSpec([2, None], tf.int32),
        )
        return [
            (str(s._without_tensor_names()), str(s._with_tensor_ranks_only()))
            for s in specs
        ]

    assert texts(graphkiln) == texts(tensorflow)


def test_specs_as_lists():
    value = graphkiln.ragged.constant([[1], [2, 3]])
    spec = value._type_spec
    again = spec._from_tensor_list(spec._to_tensor_list(value))
    assert again.to_list() == [[1], [2, 3]]
    assert len(spec._flat_tensor_specs) == len(spec._to_tensor_list(value))


def test_registered_specs():
    class MySpec(graphkiln.TypeSpec):
        pass

    register = private_parts.register_type_spec("my.Spec")
    assert register(MySpec) is MySpec
    assert private_parts.lookup_type_spec("my.Spec") is MySpec
    assert private_parts.get_type_spec_name(MySpec) == "my.Spec"
    with pytest.raises(ValueError, match="already been registered"):
        register(MySpec)
    with pytest.raises(ValueError, match="must have the form"):
        private_parts.register_type_spec("noname")


def test_tensor_members():
    for tf in (tensorflow, graphkiln):
        assert tf.Tensor.__array_priority__ == 100
        assert tf.constant(2).__nonzero__() is True
        module = tf.Module(name="m")
        module.rows = module._no_dependency([1])
        assert module.rows == [1]


def _of_two_implementations(tf):
    @tf.function
    def f(x):
        slow = tf.function(
            lambda x: x + 1.0, experimental_attributes={"api_implements": "u"}
        )
        fast = tf.function(
            lambda x: x * 10.0,
            experimental_attributes={
                "api_implements": "u", "api_preferred_device": "CPU"
            },
        )
        y = slow(x)
        traced = fast.get_concrete_function(x)
        traced.add_to_graph()
        traced.add_gradient_functions_to_graph()
        return y

    return f(tf.constant(2.0)).numpy()


def test_implementation_for_processors():
    found = _of_two_implementations(graphkiln)
    assert found == _of_two_implementations(tensorflow) == 20.0


def test_members_of_variable_scopes():
    def members(tf):
        found = []
        with tf.Graph().as_default():
            with tf.compat.v1.variable_scope("a") as scope:
                found += [scope.caching_device, scope.partitioner]
                scope.set_caching_device("/cpu:0")
                scope.set_partitioner(len)
                scope.set_custom_getter(None)
                found += [scope.caching_device, scope.partitioner]
        return found

    assert members(graphkiln) == members(tensorflow)


def test_case_by():
    def decide(tf, case):
        def cond(pred, true_fn, false_fn):
            return true_fn() if bool(pred) else false_fn()

        pairs = [(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)]
        return [
            case(cond, pairs, lambda: 3, False, "c"),
            case(cond, pairs[:1], lambda: 3, True, "c"),
            _outcome(case, cond, [1], lambda: 3, False, "c"),
            _outcome(case, cond, [(1.0, lambda: 1)], lambda: 3, False, "c"),
        ]

    from tensorflow.python.ops import control_flow_case

    wanted = decide(tensorflow, control_flow_case._case_helper)
    assert decide(graphkiln, private_parts.case_by) == wanted


def test_deprecations_warn_once(caplog):
    from graphkiln._src.host import deprecation

    @deprecation.deprecated_args(None, "use b", "a")
    @deprecation.deprecated("2030-01-01", "use g")
    def f(a=1, b=2):
        return a + b

    assert [f(), f(b=3), f(a=2)] == [3, 4, 4]
    with deprecation.silence():
        assert f(a=5) == 7
    assert private_inspect.getfullargspec(f).args == ["a", "b"]
    old = deprecation.deprecated_alias("old", "Pair", Pair)
    assert isinstance(old(1, 2), Pair)


def test_arguments_below_decorators():
    from tensorflow.python.util import tf_decorator, tf_inspect

    from graphkiln._src.internal.decorator import TFDecorator

    def f(a, *rest, b=2, **more):
        return a, rest, b, more

    def specs(inspecting, decorator):
        said = inspecting.FullArgSpec(["x"], None, None, (1,), [], None, {})
        inner = decorator("", f)
        outer = decorator("", decorator("", f, "", said))
        # Its wrapper takes no arguments.
        bound = functools.wraps(f)(lambda: f(1))
        return [
            tuple(get(target))
            for get in (inspecting.getargspec, inspecting.getfullargspec)
            for target in (f, inner, outer, bound, decorator("", bound))
        ]

    wanted = specs(tf_inspect, tf_decorator.TFDecorator)
    assert specs(private_inspect, TFDecorator) == wanted
    for name in ("init_scope", "add", "map_fn", "where"):
        arguments = private_inspect.getfullargspec(getattr(graphkiln, name)).args
        of_theirs = tf_inspect.getfullargspec(getattr(tensorflow, name)).args
        assert arguments == of_theirs, name


def test_small_functions_of_ragged_tensors_and_numbers():
    from tensorflow.python.framework import tensor_shape
    from tensorflow.python.ops import control_flow_ops, gradient_checker_v2, math_ops
    from tensorflow.python.ops.ragged import ragged_string_ops, ragged_tensor

    from graphkiln._src.host import private_numbers, private_ragged

    def values(tf, shapes, flow, checker, math, strings, ragged):
        rt = tf.ragged.constant([[1, 2, 3, 4], [], [5]])
        words = tf.ragged.constant([["it's"], ["b", "c"]])
        x = tf.constant([1.0, 2.0])
        arrays = tf.compat.v1.ragged.constant_value([[1], [2, 3]])
        convert = ragged.convert_to_tensor_or_ragged_tensor
        with pytest.raises(ValueError):
            convert(rt, dtype=tf.float32)
        with pytest.raises(ValueError):
            strings.ragged_tensor_to_string(rt, summarize=0)
        return [
            strings.ragged_tensor_to_string(rt).numpy(),
            strings.ragged_tensor_to_string(rt, summarize=1).numpy(),
            strings.ragged_tensor_to_string(words).numpy(),
            convert(rt) is rt,
            convert(arrays).to_list(),
            convert([1, 2], preferred_dtype=tf.int64).dtype.name,
            str(shapes.unknown_shape()),
            str(shapes.unknown_shape(2)),
            checker.max_error([np.array([1.0, 2.0])], [np.array([1.5, 2.0])]),
            flow.with_dependencies([x], x).numpy().tolist(),
            math.tensor_equals(x, None),
            math.tensor_not_equals(x, [1.0, 3.0]).numpy().tolist(),
        ]

    theirs = values(
        tensorflow, tensor_shape, control_flow_ops, gradient_checker_v2, math_ops,
        ragged_string_ops, ragged_tensor,
    )
    ours = values(
        graphkiln, private_numbers, private_numbers, private_numbers, private_numbers,
        private_ragged, private_ragged,
    )
    assert ours == theirs


def test_sets_and_dictionaries_by_identity():
    from tensorflow.python.util import object_identity as theirs

    from graphkiln._src.host import object_identity as ours

    class Key:
        __hash__ = None

        def __eq__(self, other):
            return True

    def told(kinds, tf):
        a, b, c = Key(), Key(), Key()
        names = {id(a): "a", id(b): "b", id(c): "c"}

        def named(items):
            return sorted(names[id(item)] for item in items)

        answers = []
        for kind in (kinds.ObjectIdentitySet, kinds.ObjectIdentityWeakSet):
            items = kind([a, b, a])
            answers += [len(items), a in items, c in items, named(items)]
            answers.append(named(items.difference([b, c])))
            answers.append(len(items.intersection([b, c])))
            items.update([c])
            items.discard(a)
            answers.append(named(items))
            items.add(Key())
            answers.append(len(items))
            items.clear()
            answers.append(list(items))
        for kind in (
            kinds.ObjectIdentityDictionary, kinds.ObjectIdentityWeakKeyDictionary,
        ):
            values = kind()
            values[a], values[b] = 1, 2
            values[a] += 5
            values.setdefault(c, 7)
            del values[b]
            answers += [len(values), values[a], b in values, values.get(b)]
            answers.append(named(values))
        v = tf.Variable(1.0)
        answers.append((v.ref() == kinds.Reference(v), len({v.ref(), kinds.Reference(v)})))
        answers.append((repr(kinds.Reference(3)), kinds.Reference(3).deref()))
        return answers

    assert told(ours, graphkiln) == told(theirs, tensorflow)


def of_a_graph(tf, from_graph_def):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v.placeholder(tf.float32, [], name="x")
        held = v.placeholder(tf.float32, [], name="held")
        tf.identity(x * held, name="y")
    message, value = graph.as_graph_def(), tf.constant(5.0)
    f = from_graph_def(message, "x:0", {"y": "y:0"}, captures={"held": value})
    g = from_graph_def(message, ["held:0", "x:0"], ["y:0"])
    two, three = tf.constant(2.0), tf.constant(3.0)
    return f(two)["y"].numpy().item(), [t.numpy().item() for t in g(two, three)]


def test_functions_of_graphs_in_messages():
    from tensorflow.python.eager import wrap_function

    ours = of_a_graph(graphkiln, private_graphs.function_from_graph_def)
    assert ours == of_a_graph(tensorflow, wrap_function.function_from_graph_def)
