"""tf.io.decode_json_example on both modules: messages, and what is no such text."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as original

import graphkiln as own

OF_A = '{"features":{"feature":{"a":%s}}}'
INT64 = OF_A % '{"int64List":{"value":%s}}'
FLOAT = OF_A % '{"floatList":{"value":%s}}'
BYTES = OF_A % '{"bytesList":{"value":%s}}'

WHOLE = """
{} {"features":{}} {"features":null} {"features":{"feature":{}}} {features:{}}
{"features":{"feature":null}} {'features':{}} {"features":{},}
{"features":{},"features":{}} {"features":{"feature":{"b":{},"a":{}}}}
{"features":{"feature":{"\\u00e9\\ud83d\\ude00":{},"b":{"floatList":{}}}}}
{"features":{"feature":{"a":{},}}} {"features":{"feature":{"":{}}}}
{"features":{"feature":{"a":{}},"feature":{"b":{}}}}
{"features":{"feature":{a:{}}}} {"features":{"feature":{"\\t\\"\\/\\\\":{}}}}
[] null {}x {} {"x":1} {"features":{"feature":[]}} {"Features":{}} {"features":1}
{"features":{"feature":{"a":1}}} {"features":{"feature":{"a":{},"a":{}}}}
{"features":{"feature":{"\\ud83d":{}}}} {"features":{"feature":{"\\x":{}}}}
{"features":{"feature":{"\\u12":{}}}} {"features":{"feature":{1:{}}}} { {"a
/*c*/{} {"@type":1} {{{{ {"features" {"features": {"features":} {"features":{},,}
true 1 "a" {"features":true} {"features":{"feature":{"a":{"int64list":{}}}}}
""".split()

FEATURES = """
null {} {"int64List":null} {"int64_list":{"value":[1]}} {"int64List":{"value":null}}
{"floatList":null,"int64List":{"value":[1]}} {"int64List":{"value":[1],"value":[2]}}
{"floatList":{"value":[1],"value":[2]}} {"bytesList":{}} {"bytesList":{"value":[]}}
{"floatList":{"value":[1]},"int64List":{"value":[1]}} {"unknown":1}
{"float_list":{"value":[1]},"floatList":{"value":[1]}} {"int64List":[1]}
{"int64List":{"values":[1]}} {"int64List":1}
""".split()

NUMBERS = (
    """
[1,"2",-3,1.0,1e2] 1 "5" [] [null] [[1]] [[1,[2]],[]] [1,] [-0] ["1.0"] ["1e2"] [1E+2]
["9223372036854775807","-9223372036854775808"] [9223372036854775807] [true] ["x"] [""]
[1.5] [9223372036854775808] [-9223372036854775809] [" 1"] [0x10] [01] [1e30] [1,,2]
[{}] {} [1 [1}
""".split()
    + ["[1 2]", "[ 1 , 2 ]", '[" 1"]', "[\n1\t]"]
)

FLOATS = (
    """
[1,2.5,"NaN","Infinity","-Infinity","3.5"] ["inf"] [1e-50] [0.1,16777217] [1e-400]
[3.4028235e38] [-3.4028235e38] ["1e3"] 2.5 [null,1] [-0.0] [[1],2] ["-inf"] ["infinity"]
[NaN] [1e40] ["1e40"] [""] [.5] [5.] [+5] [3.4028236e38] [1e400] [true] ["x"] ["1x"]
[Infinity] [0x1] ["0x1p3"] ["1_0"] [1f]
""".split()
    + ['["1 "]', '[" 1"]']
)

TEXTS = (
    """
["YWJj","YQ==","YQ","-_8=","+/8=",""] "YWJj" ["YR=="] ["YW\\u004aj"] [null] [["YQ"]]
["!"] ["Y"] [1] ["YQ="] ["YQ==="] ["="] ["YWJj="] ["YWJjY"] [true] ["YQ==YQ=="] ['YQ']
""".split()
    + ['["YWJ j"]']
)

CASES = [
    *WHOLE, "", " ", " \n{\t\"features\" : { } } \n", "{} {}", '{"features":{"feature":{"a\x01":{}}}}',
    b'{"features":{"feature":{"\xff":{}}}}', b'{"features":{"feature":{"\xc3\xa9":{}}}}',
    *(OF_A % f for f in FEATURES), *(INT64 % v for v in NUMBERS),
    *(FLOAT % v for v in FLOATS), *(BYTES % v for v in TEXTS),
]  # fmt: skip


def decoded(tf, text):
    """The message, or the error's class."""
    try:
        found = tf.io.decode_json_example(text).numpy()
    except tf.errors.InvalidArgumentError as error:
        assert "Error while parsing JSON: " in str(error)
        return "InvalidArgumentError"
    message = original.train.Example.FromString(found)
    return message.SerializeToString(deterministic=True)


@pytest.mark.parametrize("text", CASES)
def test_one(text) -> None:
    assert decoded(own, text) == decoded(original, text)


@pytest.mark.parametrize("cut", range(0, 90, 3))
def test_cut_texts(cut: int) -> None:
    text = INT64 % '["1", 2, -3]' + " "
    assert decoded(own, text[:cut]) == decoded(original, text[:cut])


def test_shapes_and_errors() -> None:
    texts = np.array([["{}", INT64 % "[1]"], [BYTES % '["YQ"]', "{}"]], object)
    found = own.io.decode_json_example(texts)
    assert found.shape == [2, 2]
    read = own.io.parse_single_example(
        found[0, 1], {"a": own.io.FixedLenFeature([1], own.int64)}
    )
    assert read["a"].numpy().tolist() == [1]
    graph = own.function(own.io.decode_json_example)
    assert graph(texts).numpy().tolist() == found.numpy().tolist()
    with pytest.raises(own.errors.InvalidArgumentError, match="near 1:7.*'x'"):
        own.io.decode_json_example(["{}", '{"x" :1}', "["])
