"""tf.io.decode_csv beside TensorFlow's."""

from __future__ import annotations

import pytest

RECORDS = [
    "1,2,a", "1,2,", "1,,", ",,", "1,2", "1,2,3,4", "", "\n", "\n1,2,a", "1,2,a\r\n",
    '1,"2",a', '1,2,"a,""b"""', '1,2,a"b', '1,2,"ab"c', '1,2,"', '1,2,""', '1,2,"a',
    "x,2,a", " 1 ,2,a", "1.5,2,a", "1,nan,a", "1,1e400,a", "99999999999,2,a",
    '1,2,"a\nb"', "1,2,a\nb", '"1",2,a', "0x10,2,a", "1,0x1p3,a", "+1,-2,a",
    '1,2,"a",', '1,"2,a', "1,2,\u00e9", '"",,""', '1,2,"a"\n',
]
DEFAULTS = [[1], [2.5], ["x"]]

CALLS = """
tf.io.decode_csv([['1,2,a'], ['3,4,b']], DEFAULTS)
tf.io.decode_csv('1,2,a', DEFAULTS)
tf.io.decode_csv([',2,a'], [1, 1., ''])
tf.io.decode_csv(['1;2;a'], DEFAULTS, field_delim=';')
tf.io.decode_csv(['1,2,"a'], DEFAULTS, use_quote_delim=False)
tf.io.decode_csv(['NA,NA,NA'], DEFAULTS, na_value='NA')
tf.io.decode_csv(['1,2,a'], [[1], ['x']], select_cols=[0, 2])
tf.io.decode_csv(['1,2,'], [[1], ['x']], select_cols=[0, 2])
tf.io.decode_csv(['1,2'], [tf.constant([1], tf.int64), tf.constant([1.], tf.float64)])
tf.io.decode_csv(tf.zeros([0], tf.string), DEFAULTS)
"""
ERRORS = """
tf.io.decode_csv([',2,a'], [tf.constant([], tf.int32), [1.], ['']])
tf.io.decode_csv(['1,2,a'], [[1, 2], [1.], ['']])
tf.io.decode_csv(['1,2,a'], [[[1]], [1.], ['']])
tf.io.decode_csv(['1;2;a'], DEFAULTS, field_delim=';;')
tf.io.decode_csv(['1,2,a'], [[1], ['x']], select_cols=[2, 0])
tf.io.decode_csv(['1,2,a'], [[1], ['x']], select_cols=[0])
tf.io.decode_csv(['1,2,a'], [[1], ['x']], select_cols=[-1, 0])
tf.io.decode_csv(['1,2,a'], [[1], ['x']], select_cols=[0, 7])
tf.io.decode_csv(['1'], [[True]])
tf.io.decode_csv(['1'], [])
"""


def outcome(tf, record, **options):
    try:
        made = tf.io.decode_csv([record], DEFAULTS, **options)
        return [str(x.numpy().tolist()) for x in made]
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("record", RECORDS)
@pytest.mark.parametrize("quotes", [True, False])
def test_records(both, record, quotes):
    ours, theirs = (
        outcome(tf, record, use_quote_delim=quotes)
        for tf in (both.ours, both.theirs)
    )
    assert ours == theirs


@pytest.mark.parametrize("call", [c for c in CALLS.splitlines() if c])
def test_calls(both, call):
    both.agree(lambda tf: eval(call, {"tf": tf, "DEFAULTS": DEFAULTS}))


@pytest.mark.parametrize("call", [c for c in ERRORS.splitlines() if c])
def test_errors(both, call):
    both.agree_on_error(lambda tf: eval(call, {"tf": tf, "DEFAULTS": DEFAULTS}))


def test_functions_of_unknown_shapes(both):
    def run(tf):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.string)])
        def f(records):
            made = tf.io.decode_csv(records, DEFAULTS)
            assert [x.shape.as_list() for x in made] == [[None, 2]] * 3
            return made

        return f([["1,2,a", "3,4,b"]])

    both.agree(run)
