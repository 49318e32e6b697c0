"""The retracing warning, and explanations of traces."""

import functools
import itertools
import logging
import re
import threading
import types
import xml.etree.ElementTree

import pytest

import graphkiln as tf


@pytest.fixture
def warnings():
    """A list that gets "5/9" for "5 out of the last 9 calls"."""
    texts = []

    class Handler(logging.Handler):
        def emit(self, record):
            found = re.match(
                r"(\d+) out of the last (\d+) calls to", record.getMessage()
            )
            if found:
                texts.append(f"{found[1]}/{found[2]}")

    logger = logging.getLogger("tensorflow")
    handler = Handler()
    logger.addHandler(handler)
    yield texts
    logger.removeHandler(handler)


def noted(warnings, calls):
    """What was warned, between the numbers of the calls."""
    for i, call in enumerate(calls):
        warnings.append(i)
        call()
    return [
        (w, warnings[i - 1] if isinstance(warnings[i - 1], int) else None)
        for i, w in enumerate(warnings)
        if isinstance(w, str)
    ]


_lines = itertools.count(1)


def identity(function=lambda x: x):
    """A tf.function named f of a place in the code of its own."""
    code = function.__code__.replace(co_firstlineno=next(_lines), co_name="f")
    # Its code is of no file: nothing there to convert.
    return tf.function(
        types.FunctionType(code, globals(), "f"), autograph=False
    )


@pytest.mark.parametrize(
    "repeats,expected",
    [
        (1, [("5/5", 4), ("6/6", 5)]),
        (2, [("5/9", 4), ("6/11", 5)]),
        (3, [("5/13", 4), ("5/13", 5)]),
        (4, []),
    ],
)
def test_window_of_calls(warnings, repeats, expected):
    f = identity()

    def call(i):
        for _ in range(repeats):
            f(i)

    calls = [functools.partial(call, i) for i in range(20)]
    assert noted(warnings, calls) == expected


def test_old_tracings_leave_the_window(warnings):
    f = identity()
    for i in range(3):
        f(i)
    for _ in range(9):
        f(0)
    calls = [functools.partial(f, i) for i in range(3, 12)]
    assert noted(warnings, calls) == [("5/14", 3), ("6/15", 4)]


def test_functions_made_in_a_loop(warnings):
    def call():
        tf.function(lambda x: x)(1)

    assert noted(warnings, [call] * 12) == [
        ("5/5", 4), ("6/6", 5)
    ]


def test_calls_of_all_functions_of_a_place_count(warnings):
    kept = []

    def call():
        kept.append(tf.function(lambda x: x))
        for f in kept:
            f(1)

    assert noted(warnings, [call] * 12) == []


def test_calls_of_dropped_functions_count(warnings):
    def call():
        f = tf.function(lambda x: x)
        for _ in range(4):
            f(1)

    assert noted(warnings, [call] * 12) == []


def test_methods_are_counted_together(warnings):
    class Model:
        @tf.function
        def f(self, x):
            return x

    models = [Model() for _ in range(8)]
    calls = [functools.partial(m.f, 1) for m in models]
    assert noted(warnings, calls) == [("5/5", 4), ("6/6", 5)]


def test_partials_are_counted_alone(warnings):
    def call():
        tf.function(functools.partial(lambda a, x: x, 1))(1)

    assert noted(warnings, [call] * 8) == []


def test_traces_inside_of_traces_do_not_count(warnings):
    inner = identity()

    @tf.function
    def outer(x):
        for i in range(8):
            inner(i)
        return x

    @tf.function
    def down(n):
        return tf.constant(0) if n == 0 else down(n - 1)

    outer(1)
    down(8)
    assert warnings == []


def test_traces_of_other_threads_are_not_inside_of_this_one(warnings):
    traces, goes_on = threading.Event(), threading.Event()

    @tf.function(autograph=False)
    def slow(x):
        traces.set()
        assert goes_on.wait(60)
        return x

    thread = threading.Thread(target=slow, args=(1,))
    thread.start()
    assert traces.wait(60)
    f = identity()
    try:
        calls = [functools.partial(f, i) for i in range(8)]
        assert noted(warnings, calls) == [("5/5", 4), ("6/6", 5)]
    finally:
        goes_on.set()
        thread.join()


def test_inner_functions_called_from_new_outer_ones(warnings):
    inner = identity()

    def call(i):
        @tf.function
        def outer(x):
            return inner(x)

        outer(i)

    calls = [functools.partial(call, i) for i in range(8)]
    assert noted(warnings, calls) == [("5/5", 4), ("6/6", 5)]


def test_failed_calls_do_not_count(warnings):
    @tf.function
    def f(x):
        if x == 2:
            raise ValueError("no")
        return x

    def call(i):
        try:
            f(i)
        except ValueError:
            pass

    calls = [functools.partial(call, i) for i in range(8)]
    assert noted(warnings, calls) == [("5/5", 5), ("6/6", 6)]


def test_concrete_functions_do_not_count(warnings):
    f = identity()
    for i in range(12):
        f.get_concrete_function(i)
    assert warnings == []


def test_the_warning_explains(caplog):
    f = identity()
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for i in range(5):
            f(i)
    [record] = caplog.records
    lines = record.getMessage().splitlines()
    assert lines[0].endswith("for  more details.")
    assert lines[1:3] == ["f was traced 5 times.", "The last 3 retraces:"]
    assert f'File "{__file__}"' in lines[3]
    assert "`x` (number): Literal[1] -> Literal[2]" in lines[4]
    assert "tf.constant(2)" in lines[5]


def test_the_warning_names_the_loop(caplog):
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for _ in range(5):
            tf.function(lambda x: x)(1)
    line = test_the_warning_names_the_loop.__code__.co_firstlineno + 3
    assert "tf.functions made of the function at File" in caplog.text
    assert f'"{__file__}", line {line};' in caplog.text
    assert "outside of the loop" in caplog.text


# Explanations


def reasons(f, *calls):
    """The reasons of the last retrace of `calls`."""
    for args in calls:
        f(*args)
    return f.explain_retraces()[-1].reasons


def float_tensor(*shape):
    return tf.zeros(shape)


def test_nothing_to_explain():
    f = identity()
    assert str(f.explain_retraces()) == "f was traced 0 times."
    f(1)
    f(1)
    explanation = f.explain_retraces()
    assert len(explanation) == 0 and str(explanation) == "f was traced once."


def test_a_record_tells_where_and_what():
    f = identity()
    f(float_tensor(2))
    line = test_a_record_tells_where_and_what.__code__.co_firstlineno + 4
    f(float_tensor(3))
    [retrace] = f.explain_retraces()
    assert (retrace.number, retrace.compared_to) == (2, 1)
    assert (retrace.file, retrace.line) == (__file__, line)
    assert retrace.function == "test_a_record_tells_where_and_what"
    assert 0 < retrace.seconds < 10 and not retrace.evicted
    [reason] = retrace.reasons
    assert reason.argument == "x" and reason.cause == "shape"
    spec = "TensorSpec(shape=(%s,), dtype=tf.float32, name=None)"
    assert (reason.old_type, reason.new_type) == (spec % 2, spec % 3)
    assert reason.advice == (
        "Give tf.function reduce_retracing=True, or an input_signature with "
        "tf.TensorSpec(shape=(None,), dtype=tf.float32) for it."
    )


@pytest.mark.parametrize(
    "first,second,argument,cause",
    [
        (1, 2, "x", "number"),
        (1, 2.5, "x", "number"),
        (True, False, "x", "value"),
        ("a", "b", "x", "value"),
        (None, 1, "x", "value"),
        (1, tf.constant(1), "x", "kind"),
        ([1], (1,), "x", "kind"),
        ([1], [1, 2], "x", "length"),
        ({"a": 1}, {"b": 1}, "x", "keys"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "x['a'][1]", "number"),
        (float_tensor(2), float_tensor(2, 1), "x", "rank"),
        (tf.constant(1), tf.constant(1.0), "x", "dtype"),
        ([float_tensor(1)], [float_tensor(2)], "x[0]", "shape"),
    ],
)
def test_causes(first, second, argument, cause):
    [reason] = reasons(identity(), [first], [second])
    assert (reason.argument, reason.cause) == (argument, cause)
    assert reason.advice


def test_reasons_are_of_the_trace_most_alike():
    f = tf.function(lambda a, b: a)
    f(1, "x")
    f(2, "y")
    f(1, "z")
    retrace = f.explain_retraces()[-1]
    assert retrace.compared_to == 1
    assert [r.argument for r in retrace.reasons] == ["b"]


def test_objects():
    class Thing:
        pass

    one, two = Thing(), Thing()

    def fresh():
        return identity(lambda x: 0)

    [reason] = reasons(fresh(), [one], [two])
    assert reason.cause == "object" and "Thing" in reason.new_type
    f = fresh()
    f(Thing())
    f(Thing())
    [reason] = f.explain_retraces()[0].reasons
    assert reason.cause == "temporary object"
    assert "outside of the loop" in reason.advice


def test_variables_and_parameters():
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    f = tf.function(lambda a, b: a + b)
    [reason] = reasons(f, [v, w], [v, v])
    assert (reason.argument, reason.cause) == ("b", "variable")
    g = tf.function(lambda *args: args[0])
    [reason] = reasons(g, [1], [1, 2])
    assert reason.cause == "parameters"
    assert (reason.old_type, reason.new_type) == ("(args_0)", "(args_0, args_1)")


def test_composite_values():
    def ragged(*rows):
        return tf.ragged.constant(list(rows))

    f = identity()
    for value in (ragged([1]), ragged([1.0]), ragged([1], [2, 3])):
        f(value)
    first, second = f.explain_retraces()
    assert first.reasons[0].cause == "details"
    assert second.compared_to == 1
    assert second.reasons[0].advice.endswith(
        "an input_signature with tf.RaggedTensorSpec(tf.TensorShape([None, "
        "None]), tf.int32, 1, tf.int64) for it."
    )


def test_general_shapes_are_told():
    f = tf.function(lambda x: x, reduce_retracing=True)
    f(float_tensor(2))
    f(float_tensor(3))
    f(float_tensor(4))
    [retrace] = f.explain_retraces()
    assert "shape=(3,)" in retrace.signature
    assert "shape=(None,)" in retrace.traced_signature
    assert "traced for (x: TensorSpec(shape=(None,)" in str(retrace)


def test_variable_creation_is_told():
    v = []

    @tf.function
    def f(x):
        if not v:
            v.append(tf.Variable(1.0))
        return x

    f(1)
    assert "twice, because it created variables" in str(f.explain_retraces())


def test_methods_are_told():
    class Model:
        @tf.function
        def f(self, x):
            return x

    models = [Model(), Model()]
    for m in models:
        m.f(1)
    assert "2 tf.functions" in str(models[0].f.explain_retraces())
    assert "keep the objects" in str(models[0].f.explain_retraces())


def test_html():
    f = identity()
    f("<a>")
    f("<i>")
    f(tf.constant(1))
    text = f.explain_retraces()._repr_html_()
    assert text.startswith("<p>f was traced 3 times.</p><table ")
    assert "&lt;i&gt;" in text and "<i>" not in text
    # It is whole, names the place, and long types wrap.
    tree = xml.etree.ElementTree.fromstring(
        "<div>" + text.replace("&rarr;", "->") + "</div>"
    )
    rows = tree.findall(".//tbody/tr")
    assert len(rows) == 4 and rows[0].find("td").get("rowspan") == "2"
    assert "test_retracing.py:" in "".join(rows[0].itertext())
    assert "anywhere" in text and "text-align:left" in text
    assert repr(f.explain_retraces()) == str(f.explain_retraces())


def test_long_histories_are_bounded():
    f = identity()
    for i in range(600):
        f.get_concrete_function(i)
    explanation = f.explain_retraces()
    assert explanation.num_traces == 600
    assert len(explanation) == 512 and explanation[-1].number == 600
