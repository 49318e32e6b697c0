"""What the traces of a loaded model show of themselves: the same on both modules."""

from __future__ import annotations

import collections
import pathlib
import re

import pytest
import tensorflow
from tensorflow.core.protobuf import saved_model_pb2

import graphkiln

BOTH = {"tensorflow": tensorflow, "graphkiln": graphkiln}
Pair = collections.namedtuple("Pair", "b a")  # noqa: PYI024


def both(program, *args):
    theirs, ours = (program(tf, *args) for tf in (tensorflow, graphkiln))
    assert ours == theirs
    return ours


def saved(tf, folder, model, **options):
    path = str(folder / tf.__name__)
    tf.saved_model.save(model, path, **options)
    return path


def message_of(path):
    file = pathlib.Path(path) / "saved_model.pb"
    return saved_model_pb2.SavedModel.FromString(file.read_bytes())


def names(tensors):
    return [t.name for t in tensors]


def _twice(tf, tmp_path, model):
    """Loaded, saved and loaded once more."""
    for _ in range(2):
        model = tf.saved_model.load(saved(tf, tmp_path, model))
    return model


def test_traces_are_the_bodies_that_were_saved(tmp_path):
    def program(tf):
        model = tf.Module()
        model.v = tf.Variable(1.0)

        @tf.function(input_signature=[tf.TensorSpec([], name="x")])
        def assign(x):
            return model.v.assign(x * 2.0, name="write") + 1.0

        model.assign = assign
        loaded = _twice(tf, tmp_path, model)
        (trace,) = loaded.assign.concrete_functions
        graph = trace.graph
        assert loaded.assign(3.0).numpy() == 7.0
        assert loaded.v.numpy() == 6.0
        return (
            [(op.name, op.type) for op in graph.get_operations()],
            sorted(op.name for op in graph.control_outputs),
            names(trace.inputs),
            names(trace.outputs),
            len(trace.captured_inputs),
            len(trace.variables),
        )

    ops = both(program)[0]
    assert ("write", "AssignVariableOp") in ops


@pytest.mark.parametrize("jit_compile", [None, True, False])
def test_functions_remember_what_they_were_compiled_with(tmp_path, jit_compile):
    def program(tf):
        model = tf.Module()
        model.f = tf.function(
            lambda x: x + 1.0,
            input_signature=[tf.TensorSpec(None)],
            jit_compile=jit_compile,
        )
        loaded = _twice(tf, tmp_path, model)
        (trace,) = loaded.f.concrete_functions
        attr = trace.function_def.attr
        written = attr["_XlaMustCompile"].b if "_XlaMustCompile" in attr else None
        return loaded.f._jit_compile, written

    assert both(program) == (jit_compile, jit_compile)


def test_results_have_the_names_of_the_file(tmp_path):
    def program(tf):
        model = tf.Module()

        @tf.function
        def pack(x, y):
            return [Pair(x, y), x, {"x": tf.constant(1.0)}]

        model.pack = pack
        spec = tf.TensorSpec([], tf.int32)
        pack.get_concrete_function(spec, tf.TensorSpec([], tf.int32, name="second"))
        loaded = tf.saved_model.load(saved(tf, tmp_path, model))
        (trace,) = loaded.pack.concrete_functions
        constraints = [
            (p.type_constraint == tf.TensorSpec([], tf.int32, name=name))
            for name, p in trace.function_type.parameters.items()
        ]
        return trace.pretty_printed_signature(), constraints

    text, constraints = both(program)
    assert "name='tensor_0_b'" in text
    assert constraints == [True, False]


def test_inputs_of_signatures_have_names_that_programs_can_write(tmp_path):
    def program(tf):
        model = tf.Module()
        specs = [
            tf.TensorSpec([], tf.int32, name=name) for name in ("A-b", "A/D", "bar")
        ]

        @tf.function(input_signature=specs)
        def add(a, b, c):
            return a + b * 10 + c * 100

        model.add = add
        loaded = tf.saved_model.load(saved(tf, tmp_path, model))
        serve = loaded.signatures["serving_default"]
        one, two, three = (tf.constant(n) for n in (1, 2, 3))
        inputs = serve.structured_input_signature[1]
        return (
            sorted(names(serve.inputs)),
            {key: spec.name for key, spec in inputs.items()},
            serve(A_b=one, A_D=two, bar=three)["output_0"].numpy().item(),
        )

    assert both(program)[2] == 321


def test_aliases_of_functions_that_no_object_is(tmp_path):
    def program(tf):
        inner = tf.function(lambda x: 2 * x)

        @tf.function
        def outer(x):
            return 3 * inner(x)

        model = tf.Module()
        model.outer = outer
        outer(tf.constant(1))
        outer(tf.constant(1.0))
        path = saved(
            tf,
            tmp_path,
            model,
            options=tf.saved_model.SaveOptions(
                function_aliases={"inner": inner, "outer": outer}
            ),
        )
        loaded = tf.saved_model.load(
            path,
            options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True),
        )
        aliases = loaded.function_aliases
        kind = type(model.outer.get_concrete_function(tf.constant(1)))
        return (
            sorted(aliases),
            [isinstance(trace, kind) for trace in aliases["inner"]],
            aliases["outer"](tf.constant(1.5)).numpy().item(),
        )

    assert both(program) == (["inner", "outer"], [True, True], 9.0)


def test_an_alias_is_called(tmp_path):
    tf = graphkiln
    inner = tf.function(lambda x: 2 * x)
    model = tf.Module()
    model.outer = tf.function(
        lambda x: 3 * inner(x), input_signature=[tf.TensorSpec([], tf.int32)]
    )
    options = tf.saved_model.SaveOptions(function_aliases={"inner": inner})
    model.outer(tf.constant(1))
    path = saved(tf, tmp_path, model, options=options)
    loaded = tf.saved_model.load(
        path,
        options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True),
    )
    (trace,) = loaded.function_aliases["inner"]
    assert trace(tf.constant(4)).numpy() == 8
    with pytest.raises(TypeError):
        trace()


def test_nodes_say_of_what_shapes_their_results_are(tmp_path):
    def program(tf):
        model = tf.Module()
        model.v = tf.Variable([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def f(x):
            return tf.reduce_sum(x * model.v, axis=1)

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def g(x):
            return f(x) + 1.0

        model.f, model.g = f, g
        with tf.GradientTape():
            g(tf.ones([3, 2]))
        path = saved(tf, tmp_path, model, signatures={"g": g})
        graph = message_of(path).meta_graphs[0].graph_def
        shapes = {}
        for function in graph.library.function:
            plain = re.sub(r"_\d+$", "", function.signature.name)
            if plain not in ("__inference_f", "__inference_g"):
                continue
            for node in function.node_def:
                listed = node.attr["_output_shapes"].list.shape
                shapes[plain, node.op] = [
                    [d.size for d in shape.dim] for shape in listed
                ]
        return shapes

    shapes = both(program)
    assert shapes["__inference_g", "StatefulPartitionedCall"] == [[-1]]


@pytest.mark.parametrize("allowed", [None, [], ["Mine"], ["Other"]])
def test_namespaces_of_ops(tmp_path, allowed):
    tf = graphkiln
    model = tf.Module()
    model.f = tf.function(
        lambda x: tf.sinh(x) + 1.0, input_signature=[tf.TensorSpec([], tf.float32)]
    )
    path = saved(tf, tmp_path, model)
    message = message_of(path)
    for function in message.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            node.op = "Mine>Sinh" if node.op == "Sinh" else node.op
    (pathlib.Path(path) / "saved_model.pb").write_bytes(message.SerializeToString())

    options = tf.saved_model.SaveOptions(namespace_whitelist=allowed)
    theirs = tensorflow.saved_model.SaveOptions(namespace_whitelist=allowed)
    assert options.namespace_whitelist == theirs.namespace_whitelist == allowed
    loaded, again = tf.saved_model.load(path), tmp_path / "again"
    if allowed is None or "Mine" in allowed:
        tf.saved_model.save(loaded, again, options=options)
        assert b"Mine>Sinh" in (again / "saved_model.pb").read_bytes()
    else:
        with pytest.raises(ValueError, match="non-whitelisted namespaces.*'Mine>Sinh'"):
            tf.saved_model.save(loaded, again, options=options)
        assert not tf.saved_model.contains_saved_model(again)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (
            lambda tf: tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1
            ),
            "StaticHashTable",
        ),
        (
            lambda tf: tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, 0),
            "MutableHashTable",
        ),
        (
            lambda tf: tf.lookup.experimental.DenseHashTable(
                tf.string, tf.int32, 0, "e", "d"
            ),
            "DenseHashTable",
        ),
    ],
)
@pytest.mark.parametrize("module", list(BOTH))
def test_tables_that_nothing_holds_are_named(tmp_path, module, make, named):
    tf = BOTH[module]
    table, model = make(tf), tf.Module()
    model.look = tf.function(
        table.lookup, input_signature=[tf.TensorSpec(None, tf.string)]
    )
    model.look(tf.constant("a"))
    with pytest.raises(AssertionError, match=named):
        tf.saved_model.save(model, str(tmp_path))


def test_no_variables_in_input_signatures():
    def program(tf):
        variable = tf.type_spec_from_value(tf.Variable(1))
        with pytest.raises(TypeError, match="doesn't support VariableSpec") as error:
            tf.function(lambda v: 1, input_signature=[variable])
        return str(error.value)

    both(program)


@pytest.mark.parametrize("version", ["", "1.8.0", "1.9.0", "2.21.0"])
@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("collected", [True, False])
def test_which_variables_of_version_one_are_trained(tmp_path, version, said, collected):
    v1 = tensorflow.compat.v1
    path = str(tmp_path / "model")
    with tensorflow.Graph().as_default(), v1.Session() as session:
        keys = v1.GraphKeys
        collections = [keys.GLOBAL_VARIABLES]
        collections += [keys.TRAINABLE_VARIABLES] if collected else []
        v = v1.get_variable(
            "v",
            initializer=3.0,
            trainable=said,
            collections=collections,
            use_resource=True,
        )
        session.run(v.initializer)
        builder = v1.saved_model.Builder(path)
        builder.add_meta_graph_and_variables(session, ["serve"])
        builder.save()
    message = message_of(path)
    message.meta_graphs[0].meta_info_def.tensorflow_version = version
    (tmp_path / "model" / "saved_model.pb").write_bytes(message.SerializeToString())

    both(lambda tf: [v.trainable for v in tf.saved_model.load(path).variables])
