"""Texts, sets and distances: the same call on both, its value or its error."""

from __future__ import annotations

import numpy as np
import pytest

CALLS = r"""
tf.strings.split(['a b','c',''])
tf.strings.split('a b')
tf.strings.split([['a b','c'],['d','e f g']])
tf.strings.split([[['a b','c'],['d','e f g']]])
tf.strings.split(tf.ragged.constant([['a b','c'],['d']]))
tf.strings.split(tf.ragged.constant([[['a b','c']],[['d'],[]]]))
tf.strings.split(['a,b','c'],',')
tf.strings.split(['a,b,c','c'],sep=',',maxsplit=1)
tf.strings.split(['a,b','c'],sep=tf.constant(','))
tf.strings.split(['a'],sep=1)
tf.strings.split([1])
tf.strings.split([])
tf.strings.bytes_split(['ab','c'])
tf.strings.bytes_split('ab')
tf.strings.bytes_split([['ab','c'],['','d']])
tf.strings.bytes_split(tf.ragged.constant([['ab','c'],['d']]))
tf.strings.unicode_decode(['ab','c\xe9'],'UTF-8')
tf.strings.unicode_decode('ab','UTF-8')
tf.strings.unicode_decode([['ab'],['c']],'UTF-8')
tf.strings.unicode_decode(tf.ragged.constant([['ab','c'],['d']]),'UTF-8')
tf.strings.unicode_decode([b'a\xff'],'UTF-8',errors='strict')
tf.strings.unicode_decode([b'a\xff'],'UTF-8',errors='ignore')
tf.strings.unicode_decode([b'a\xff'],'UTF-8',replacement_char=63)
tf.strings.unicode_decode([b'a'],'no-such')
tf.strings.unicode_decode_with_offsets(['ab','c\xe9d'],'UTF-8')
tf.strings.unicode_decode_with_offsets('c\xe9d','UTF-8')
tf.strings.unicode_split(['ab','c\xe9'],'UTF-8')
tf.strings.unicode_split('c\xe9','UTF-8')
tf.strings.unicode_split(['ab'],'US-ASCII')
tf.strings.unicode_split([['ab','c\xe9']],'UTF-8')
tf.strings.unicode_split_with_offsets(['ab','c\xe9d'],'UTF-8')
tf.strings.unicode_encode([[97,98],[99,100]],'UTF-8')
tf.strings.unicode_encode([97,98],'UTF-8')
tf.strings.unicode_encode([[[97,98],[99,100]]],'UTF-16-BE')
tf.strings.unicode_encode(97,'UTF-8')
tf.strings.unicode_encode(tf.ragged.constant([[97,98],[99]]),'UTF-8')
tf.strings.unicode_encode(tf.ragged.constant([[[97,98],[99]],[]]),'UTF-8')
tf.strings.unicode_encode([[97,98]],'UTF-7')
tf.strings.unicode_encode([[97,0xD800]],'UTF-8',errors='strict')
tf.strings.unicode_transcode(['a','\xe9'],'UTF-8','UTF-16-BE')
tf.strings.unicode_transcode(['a\x01'],'UTF-8','UTF-8',errors='strict',replace_control_characters=True)
tf.strings.unicode_script([65,0x3b1,0x4e00,0x1f600,0x10ffff,-1])
tf.strings.lower(['ΑΣ','ΑΣΑ','Σ','1Σ','ΑΣ.Α','ʰΣ','İ','ﬁ',b'A\xff'],encoding='utf-8')
tf.strings.upper(['ß','ﬁ','ŉ','ſ','ƀ','ǆ','ᾳ',b'a\xff'],encoding='utf-8')
tf.strings.split(tf.RaggedTensor.from_row_splits([['a b','c'],['d','e'],['f','g']],tf.constant([0,2,3],tf.int64)))
tf.strings.ngrams(['a','b','c'],2)
tf.strings.ngrams(['a','b','c'],[2,3],separator='|')
tf.strings.ngrams([['a','b','c'],['d','e','f']],2)
tf.strings.ngrams([[['a','b','c'],['d','e','f']]],2,pad_values='P')
tf.strings.ngrams(tf.ragged.constant([['a','b','c'],['d']]),2,pad_values=('L','R'))
tf.strings.ngrams(tf.ragged.constant([[['a','b','c'],['d']],[]]),2)
tf.strings.ngrams(tf.ragged.constant([['a','b','c'],['d']]),3,pad_values=('L','R'),padding_width=1)
tf.strings.ngrams(tf.ragged.constant([['a','b','c'],['d']]),3,preserve_short_sequences=True)
tf.strings.ngrams(['a'],0)
tf.strings.ngrams(['a'],2,pad_values=5)
tf.strings.ngrams(['a'],2,pad_values='x',padding_width=0)
tf.strings.ngrams(['a'],2,padding_width=1)
tf.strings.ngrams('a',2)
tf.strings.regex_full_match(['a','b'],'[ab]')
tf.strings.regex_full_match(tf.ragged.constant([['a','b'],['c']]),'a')
tf.strings.regex_full_match(['a','b'],tf.constant('a'))
tf.strings.regex_replace(['aba','b'],'a','x',replace_global=False)
tf.strings.regex_replace(['aba','b'],tf.constant('a'),'x')
tf.strings.regex_replace(['aba','b'],b'a',tf.constant('x'))
tf.strings.regex_replace(tf.ragged.constant([['a','b'],['c']]),'a','x')
tf.strings.regex_replace(['abab'],'(a)(b)',r'\2\1\0')
tf.strings.regex_replace(['ab'],'a',r'\3')
tf.strings.regex_replace([b'\xff'],'.','x')
tf.strings.regex_replace(['a'],'(','x')
tf.strings.regex_replace([b'',b'banana',b'aabcc',b'xyz',b'a\xffaa\xc3\xa4'],'[a-c]+','<>')
tf.strings.regex_replace([b'',b'banana',b'aabcc',b'xyz',b'a\x00\xffaa\xc3'],'[a-bz_]','<>')
tf.strings.regex_replace(['a-b','c]d','a^b'],'[a^]+','')
tf.strings.regex_replace(['a-b','c]d','a+b'],'[-a]+','.')
tf.strings.regex_replace(['a-b','c]d','a+b'],'[]a]+','.')
tf.strings.regex_replace(['a-b','aab'],'[a]+?','.')
tf.strings.regex_replace(['a b','aab'],'[ a]+','\\\\')
tf.strings.regex_replace(['a b','aab'],'[b-a]','x')
tf.strings.regex_replace([1],'a','x')
tf.strings.to_hash_bucket(['a','b'],3)
tf.strings.to_hash_bucket(tf.ragged.constant([['a','b'],['c']]),3)
tf.strings.to_hash_bucket_fast(tf.ragged.constant([['a','b'],['c']]),3)
tf.strings.to_hash_bucket_strong(['a','b'],3,[1,2])
tf.strings.to_hash_bucket_strong(['a','b'],3,[1])
tf.fingerprint(['a'])
tf.fingerprint([[1,2]],tf.constant('farmhash64'))
tf.fingerprint([['a','b'],['c','d']])
tf.fingerprint([[1.5,2]],'x')
tf.fingerprint(1)
tf.strings.unsorted_segment_join(['a','b','c'],[1,0,1],2,':')
tf.strings.unsorted_segment_join([['a','b'],['c','d']],[1,0],3)
tf.strings.unsorted_segment_join(['a','b','c'],[1,0,5],2,':')
tf.strings.unsorted_segment_join(['','','a','b','','c'],[0,0,0,1,1,2],3,'::')
tf.raw_ops.DecodeRaw(bytes=[b'abcd',b'efgh'],out_type='int32')
tf.raw_ops.DecodeRaw(bytes=b'abcd',out_type=tf.uint8)
tf.raw_ops.DecodeRaw(bytes=[b'abcd',b'efg'],out_type=tf.uint8)
tf.raw_ops.DecodeRaw(bytes=[b'abc'],out_type=tf.int16)
tf.raw_ops.DecodeRaw(bytes=[b'abcd'],out_type=tf.int16,little_endian=False)
tf.raw_ops.DecodeRaw(bytes=[b'abcdefgh'],out_type=tf.complex64,little_endian=False)
tf.raw_ops.DecodeRaw(bytes=[b'ab'],out_type=tf.bfloat16,little_endian=False)
tf.raw_ops.DecodeRaw(bytes=[b'\x00\x01\x02'],out_type=tf.bool)
tf.raw_ops.DecodeRaw(bytes=[],out_type=tf.int32)
tf.raw_ops.DecodeRaw(bytes=[b''],out_type=tf.int32)
tf.raw_ops.DecodeRaw(bytes=['a'],out_type=tf.uint32)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd',b'ef'],fixed_length=4,out_type=tf.uint8)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd',b'ef'],fixed_length=2,out_type=tf.uint16)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd',b'ef'],fixed_length=3,out_type=tf.uint16)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd',b'efg'],fixed_length=4,out_type=tf.int16,little_endian=False)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd',b'efg'],fixed_length=4,out_type=tf.int16)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd'],fixed_length=0,out_type=tf.int16)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd'],fixed_length=-2,out_type=tf.int16)
tf.raw_ops.DecodePaddedRaw(input_bytes=[b'abcd'],fixed_length=[2],out_type=tf.int16)
tf.raw_ops.DecodePaddedRaw(input_bytes=[],fixed_length=2,out_type=tf.int16)
tf.raw_ops.DecodePaddedRaw(input_bytes=b'abc',fixed_length=2,out_type=tf.int8)
tf.io.decode_raw([b'abcd'],tf.uint8)
tf.io.decode_raw(b'abcd',tf.int16,fixed_length=8)
tf.io.decode_raw(b'abcd',tf.int16,little_endian=False)
tf.io.decode_raw(input_bytes=['ab'],out_type=tf.string)
tf.io.decode_raw([1],tf.uint8)
tf.io.encode_base64(['a','\xff'],pad=True)
tf.io.decode_base64(['YQ','YWJj'])
tf.io.decode_base64(['Y'])
tf.edit_distance(tf.SparseTensor([[0,0],[1,0]],['a','b'],[2,1]),tf.SparseTensor([[0,0],[0,1]],['a','c'],[2,2]))
tf.edit_distance(tf.SparseTensor([[0,0],[1,0]],[1,2],[2,1]),tf.SparseTensor([[0,0],[0,1]],[1,3],[2,2]),normalize=False)
tf.edit_distance([1],[1])
tf.sets.size(tf.SparseTensor([[0,0],[0,1],[2,0]],[2,2,5],[3,2]))
tf.sets.size(tf.constant([[1]]))
tf.sets.size(tf.SparseTensor([[0,0]],[1.],[1,1]))
tf.sets.union([[1,2],[5,5]],[[3],[5]])
tf.sets.union(tf.constant([[1.]]),tf.constant([[1.]]))
tf.sets.union(tf.constant([[1]]),tf.constant([['a']]))
tf.sets.union(tf.constant([['b']]),tf.constant([['a']]))
tf.sets.union([1],[2])
tf.sets.intersection([[1,2],[5,5]],[[2,3],[5,6]])
tf.sets.difference([[1,2],[5,5]],[[2,3],[5,6]])
tf.sets.difference([[1,2],[5,5]],[[2,3],[5,6]],aminusb=False)
tf.sets.difference(tf.SparseTensor([[0,0]],[1],[1,1]),tf.constant([[2]]))
tf.sets.difference(tf.constant([[2]]),tf.SparseTensor([[0,0]],[1],[1,1]))
tf.sets.union(tf.SparseTensor([[0,0],[2,0]],[1,4],[3,1]),tf.SparseTensor([[0,0],[1,0]],[1,2],[3,1]))
tf.sets.union(tf.SparseTensor([[2,0],[0,0]],[1,4],[3,1]),tf.SparseTensor([[0,0],[1,0]],[1,2],[3,1]))
tf.sets.union(tf.SparseTensor([[0,0],[5,0]],[1,4],[3,1]),tf.SparseTensor([[0,0],[1,0]],[1,2],[3,1]))
""".strip().splitlines()


def flat(value, tf):
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in flat(item, tf)]
    if isinstance(value, tf.RaggedTensor):
        return [value.dtype.name, str(value.shape), value.to_list()]
    if isinstance(value, tf.SparseTensor):
        return flat((value.indices, value.values, value.dense_shape), tf)
    return [value.dtype.name, np.asarray(value.numpy()).tolist()]


def outcome(call, tf):
    try:
        return flat(eval(call, {"tf": tf}), tf)
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("call", CALLS)
def test_calls(call, both):
    assert str(outcome(call, both.ours)) == str(outcome(call, both.theirs))


# Of an argument of this shape.
SHAPED = """
[2] tf.strings.split(x)
[None] tf.strings.split(x)
[2,3] tf.strings.split(x)
[None,3] tf.strings.split(x)
[] tf.strings.split(x)
None tf.strings.split(x)
[2] tf.strings.bytes_split(x)
[2] tf.strings.unicode_decode(x,'UTF-8')
[2,3] tf.strings.unicode_decode(x,'UTF-8')
[] tf.strings.unicode_split(x,'UTF-8')
[None] tf.strings.unicode_split(x,'UTF-8')
[3] tf.strings.ngrams(x,2)
[2,3] tf.strings.ngrams(x,2)
[None,3] tf.strings.ngrams(x,2)
[2,3] tf.strings.regex_replace(x,'a','b')
None tf.strings.regex_replace(x,'a','b')
[2,None] tf.fingerprint(x)
[2,None] tf.strings.unsorted_segment_join(x,[0,1],3)
[2,None] tf.sets.union(x,x).values
[2,None] tf.sets.union(x,x).indices
""".strip().splitlines()


def shape_in_graph(shape, call, tf):
    @tf.function(
        input_signature=[tf.TensorSpec(shape, tf.string)], autograph=False
    )
    def f(x):
        shapes.append(str(eval(call, {"tf": tf, "x": x}).shape))
        return 0

    shapes = []
    try:
        f.get_concrete_function()
    except Exception as error:
        return type(error).__name__
    return shapes[0]


@pytest.mark.parametrize("line", SHAPED)
def test_static_shapes(line, both):
    shape, call = line.split(" ", 1)
    shape = eval(shape)
    ours = shape_in_graph(shape, call, both.ours)
    assert ours == shape_in_graph(shape, call, both.theirs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_plain_decimal_numbers(both, dtype):
    """Short and long ones, to the last bit; signs, points and zeros in all places."""
    rng = np.random.default_rng(7)
    texts = ["0", "-0", "-0.0", "5.", ".5", "-.5", "00012.500", "16777216", "16777217",
             "9007199254740993", "0.1", "3.4028236e38", "1234567890123456789",
             "123456789.0123456789", "0.00000000001", "1" * 25]  # fmt: skip
    for _ in range(5000):
        digits = "".join(map(str, rng.integers(0, 10, rng.integers(1, 21))))
        at = rng.integers(0, len(digits) + 2)
        sign = "-" * int(rng.integers(2))
        texts.append(sign + digits[:at] + "." * int(at < len(digits)) + digits[at:])
    own, theirs = (
        tf.strings.to_number(tf.constant(texts), dtype).numpy()
        for tf in (both.ours, both.theirs)
    )
    np.testing.assert_array_equal(own.view("i4"), theirs.view("i4"))
    for wrong in ("", ".", "-", "-.", "1.2.3", "--1", "1-", "+-1", "1 2", "a"):
        for tf in (both.ours, both.theirs):
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.strings.to_number(wrong, dtype)
