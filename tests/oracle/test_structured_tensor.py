"""tf.experimental.StructuredTensor: values, shapes and classes of errors are
TensorFlow's."""

import pytest

PEOPLE = [
    {"age": 12, "names": ["Ann"], "shoes": {"sizes": [8.0, 7.5]}},
    {"age": 82, "names": ["Bob", "Bo"], "shoes": {"sizes": [11.0]}},
    {"age": 42, "names": [], "shoes": {"sizes": []}},
]
ROWS = [[{"x": 1}, {"x": 2}], [], [{"x": 3}]]
DEEP = [[[{"x": 1}, {"x": 2}], [{"x": 3}]], [[{"x": 4}]]]
DOCS = [
    {"docs": [{"tokens": [1, 2]}, {"tokens": [3]}]},
    {"docs": [{"tokens": [7]}]},
]


def _shown(value):
    if hasattr(value, "to_pyval"):
        return (
            value.to_pyval(), value.shape.as_list(), value.rank,
            sorted(value.field_names()),
            [p.row_splits().numpy().tolist() for p in value.row_partitions],
            None if value.nrows() is None else int(value.nrows()),
        )
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "numpy"):
        value = value.numpy()
        return value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple)):
        return [_shown(v) for v in value]
    return value


def _outcome(call):
    try:
        return _shown(call())
    except Exception as e:
        return type(e).__name__


def _parts(tf, lengths):
    return tf.experimental.RowPartition.from_row_lengths(lengths)


CALLS = {
    "dictionary": lambda tf, S: S.from_pyval({"a": 1, "b": [1, 2], "c": {"d": "x"}}),
    "list": lambda tf, S: S.from_pyval(PEOPLE),
    "rows": lambda tf, S: S.from_pyval(ROWS),
    "deep": lambda tf, S: S.from_pyval(DEEP),
    "in one another": lambda tf, S: S.from_pyval(DOCS),
    "number": lambda tf, S: S.from_pyval(3),
    "numbers": lambda tf, S: S.from_pyval([[1], [2, 3]]),
    "without fields": lambda tf, S: S.from_pyval([{}, {}]),
    "rows without fields": lambda tf, S: S.from_pyval([[{}, {}], [], [{}]]),
    "several depths": lambda tf, S: S.from_pyval([{"a": 1}, [{"a": 2}]]),
    "missing key": lambda tf, S: S.from_pyval([{"a": 1}, {"b": 2}]),
    "several types": lambda tf, S: S.from_pyval({"a": [1, "x"]}),
    "fields": lambda tf, S: S.from_fields({"x": 1, "y": [1, 2, 3]}),
    "fields of rank 1": lambda tf, S: S.from_fields({"x": [1, 2], "y": [3, 4]}, [2]),
    "fields of unknown": lambda tf, S: S.from_fields({"x": [1, 2]}, [None]),
    "fields of rank 2": lambda tf, S: S.from_fields(
        {"x": [[1, 2]], "y": [[[3], [4]]]}, [1, 2]
    ),
    "ragged fields": lambda tf, S: S.from_fields(
        {"x": tf.ragged.constant([[1], [2, 3]])}, [2, None]
    ),
    "fields of other shapes": lambda tf, S: S.from_fields({"x": [1, 2], "y": [3]}, [2]),
    "another shape": lambda tf, S: S.from_fields({"x": [1, 2]}, [3]),
    "shallow fields": lambda tf, S: S.from_fields({"x": 1}, [2]),
    "no dictionary": lambda tf, S: S.from_fields([1], [2]),
    "bad name": lambda tf, S: S.from_fields({"1x": 1}),
    "no name": lambda tf, S: S.from_fields({1: 1}),
    "bad value": lambda tf, S: S.from_fields({"x": object()}),
    "unknown rank": lambda tf, S: S.from_fields({"x": 1}, None),
    "rows of one": lambda tf, S: S.from_fields({"x": 1}, (), nrows=3),
    "nothing known": lambda tf, S: S.from_fields({}, [None]),
    "count alone": lambda tf, S: S.from_fields({}, [None], nrows=tf.constant(3)),
    "shape alone": lambda tf, S: S.from_fields({}, [2, 3]),
    "partitions alone": lambda tf, S: S.from_fields(
        {}, [None, None], row_partitions=[_parts(tf, [2, 0])]
    ),
    "too few partitions": lambda tf, S: S.from_fields(
        {}, [None, None], row_partitions=[]
    ),
    "partitions of rank 1": lambda tf, S: S.from_fields(
        {}, [2], row_partitions=[_parts(tf, [2, 0])]
    ),
    "rank 0": lambda tf, S: S.from_fields_and_rank({"x": 1, "y": [1, 2]}, 0),
    "rank 1": lambda tf, S: S.from_fields_and_rank({"x": [1, 2], "y": [3, 4]}, 1),
    "rank 2": lambda tf, S: S.from_fields_and_rank(
        {
            "x": tf.ragged.constant([[1], [2, 3]]),
            "y": tf.ragged.constant([["a"], ["b", "c"]]),
        },
        2,
    ),
    "no fields": lambda tf, S: S.from_fields_and_rank({}, 1),
    "negative rank": lambda tf, S: S.from_fields_and_rank({"x": 1}, -1),
    "no number": lambda tf, S: S.from_fields_and_rank({"x": 1}, "1"),
    "first": lambda tf, S: S.from_pyval(PEOPLE)[0],
    "last": lambda tf, S: S.from_pyval(PEOPLE)[-1]["names"],
    "some": lambda tf, S: S.from_pyval(PEOPLE)[1:],
    "tensor": lambda tf, S: S.from_pyval(PEOPLE)[tf.constant(1)],
    "field of all": lambda tf, S: S.from_pyval(PEOPLE)[:, "age"],
    "field of one": lambda tf, S: S.from_pyval(PEOPLE)[1, "names", 0],
    "field in field": lambda tf, S: S.from_pyval(PEOPLE)[0, "shoes", "sizes"],
    "row": lambda tf, S: S.from_pyval(ROWS)[0],
    "in rows": lambda tf, S: S.from_pyval(ROWS)[0, 1],
    "rows of rows": lambda tf, S: S.from_pyval(ROWS)[:, 1:],
    "name of several": lambda tf, S: S.from_pyval(PEOPLE)["age"],
    "number of one": lambda tf, S: S.from_pyval({"a": 1})[0],
    "unknown field": lambda tf, S: S.from_pyval({"a": 1})["b"],
    "new axis": lambda tf, S: S.from_pyval(PEOPLE)[None],
    "all of one": lambda tf, S: S.from_pyval({"a": 1, "b": [1]})[:],
    "value": lambda tf, S: S.from_pyval(PEOPLE).field_value("names"),
    "value in value": lambda tf, S: S.from_pyval(PEOPLE).field_value(("shoes", "sizes")),
    "no value in value": lambda tf, S: S.from_pyval(PEOPLE).field_value(("age", "x")),
    "updated": lambda tf, S: S.from_pyval(PEOPLE).with_updates({
        "age": lambda a: a + 1, "new": [1, 2, 3], "names": None,
        ("shoes", "sizes"): lambda s: s * 2.0,
    }),
    "updated twice": lambda tf, S: S.from_pyval(PEOPLE).with_updates(
        {"shoes": None, ("shoes", "sizes"): None}
    ),
    "updated nothing": lambda tf, S: S.from_pyval(PEOPLE).with_updates({"q": None}),
    "updated by function": lambda tf, S: S.from_pyval(PEOPLE).with_updates(
        {"q": lambda q: q}
    ),
    "updated below": lambda tf, S: S.from_pyval(PEOPLE).with_updates({("q", "r"): 1}),
    "updated in tensor": lambda tf, S: S.from_pyval(PEOPLE).with_updates(
        {("age", "r"): 1}
    ),
    "updated shape": lambda tf, S: S.from_pyval(PEOPLE).with_updates({"q": [1]}),
    "updated empty": lambda tf, S: S.from_pyval(PEOPLE).with_updates({"": [1]}),
    "promoted": lambda tf, S: S.from_pyval(DOCS).promote(("docs", "tokens"), "all"),
    "promoted short": lambda tf, S: S.from_pyval(DOCS).promote(("docs",), "all"),
    "promoted text": lambda tf, S: S.from_pyval(DOCS).promote("docs", "all"),
    "promoted number": lambda tf, S: S.from_pyval(DOCS).promote(("docs", "tokens"), 1),
    "partitioned": lambda tf, S: S.from_pyval(PEOPLE).partition_outer_dimension(
        _parts(tf, [2, 0, 1])
    ),
    "partitioned evenly": lambda tf, S: S.from_pyval(
        [{"x": [1]}, {"x": [2]}]
    ).partition_outer_dimension(
        tf.experimental.RowPartition.from_uniform_row_length(1, 2)
    ),
    "partitioned rows": lambda tf, S: S.from_pyval(ROWS).partition_outer_dimension(
        _parts(tf, [2, 1])
    ),
    "partitioned one": lambda tf, S: S.from_pyval({"a": 1}).partition_outer_dimension(
        _parts(tf, [2])
    ),
    "partitioned by list": lambda tf, S: S.from_pyval(ROWS).partition_outer_dimension(
        [1]
    ),
    "merged": lambda tf, S: S.from_pyval(ROWS).merge_dims(0, 1),
    "merged inner": lambda tf, S: S.from_pyval(DEEP).merge_dims(1, 2),
    "merged outer": lambda tf, S: S.from_pyval(DEEP).merge_dims(0, -2),
    "merged all": lambda tf, S: S.from_pyval(DEEP).merge_dims(0, 2),
    "merged backwards": lambda tf, S: S.from_pyval(DEEP).merge_dims(2, 1),
    "merged beyond": lambda tf, S: S.from_pyval(DEEP).merge_dims(0, 3),
    "merged uniform": lambda tf, S: S.from_fields(
        {"x": [[1, 2], [3, 4]]}, [2, 2]
    ).merge_dims(0, 1),
    "shape dtype": lambda tf, S: S.from_pyval(ROWS).with_shape_dtype(tf.int32),
    "from shape": lambda tf, S: S.from_shape(
        tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)])
    ),
    "text": lambda tf, S: repr(S.from_pyval({"a": [1, 2], "b": {"c": 1.5}})),
    "text of rows": lambda tf, S: repr(S.from_pyval(ROWS)),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_agree(both, name):
    ours, theirs = (
        _outcome(lambda tf=tf: CALLS[name](tf, tf.experimental.StructuredTensor))
        for tf in (both.ours, both.theirs)
    )
    assert ours == theirs


def test_specs_tell_what_is_made(both):
    def program(tf):
        S = tf.experimental.StructuredTensor
        spec = S.from_pyval(PEOPLE)._type_spec
        made = S.from_pyval({"a": [1]}, S.from_pyval({"a": [2]})._type_spec)
        return (
            made.to_pyval(), spec.shape.as_list(), spec.rank,
            _outcome(lambda: S.from_pyval({"b": 1}, S.from_pyval({"a": 2})._type_spec)),
            _outcome(lambda: S.from_pyval(3, spec)),
        )

    assert program(both.ours) == program(both.theirs)


def test_functions_take_and_give_them(both):
    def program(tf):
        S = tf.experimental.StructuredTensor

        @tf.function
        def f(people):
            shape = people.shape.as_list()
            older = people.with_updates({"age": lambda age: age + 1})
            with_all = S.from_pyval(DOCS).promote(("docs", "tokens"), "all")
            return older, with_all.field_value("all"), shape

        older, words, shape = f(S.from_pyval(PEOPLE))
        ragged = tf.function(lambda s: s.merge_dims(0, 1))(S.from_pyval(ROWS))
        return _shown(older), _shown(words), _shown(shape), _shown(ragged)

    assert program(both.ours) == program(both.theirs)


def test_values_of_functions_are_not_pythons(both):
    def program(tf):
        S = tf.experimental.StructuredTensor
        return tf.function(lambda s: s.to_pyval())(S.from_pyval(PEOPLE))

    both.agree_on_error(program)
