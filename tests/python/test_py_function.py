"""Python called back from graphs; how functions show their signatures."""

import inspect

import graphkiln as tf


def test_function_has_one_object_under_all_names():
    assert tf.compat.v1.function is tf.function
    assert tf.compat.v2.function is tf.function


def test_parameters_of_a_function_type():
    f = tf.function(lambda x, *rest, k=3: x + 1)
    concrete = f.get_concrete_function(tf.constant(1.0), k=4)
    parameters = concrete.function_type.parameters
    assert list(parameters) == ["x", "k"]
    assert parameters["x"].type_constraint.dtype == tf.float32
    assert parameters["k"].kind is inspect.Parameter.KEYWORD_ONLY
    assert not parameters["k"].optional
    of_python = f.function_type.parameters
    assert [p.kind.name for p in of_python.values()] == [
        "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY",
    ]
    assert of_python["k"].optional
    assert repr(of_python["x"]) == (
        "Parameter(name=x, kind=POSITIONAL_OR_KEYWORD, optional=False, "
        "type_constraint=None)"
    )


def test_signatures_of_all_traces():
    f = tf.function(lambda x: x)
    f(tf.constant(1.0))
    f(2)
    text = f.pretty_printed_concrete_signatures()
    assert text.count("Input Parameters:") == 2
    assert "ConcreteFunction" not in text
    assert str(f.get_concrete_function(2)).startswith(
        "ConcreteFunction Input Parameters:\n"
    )
