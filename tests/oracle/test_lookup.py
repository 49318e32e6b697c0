"""Lookup tables: the same program on both, what it shows or its error."""

from __future__ import annotations

import numpy as np
import pytest

# Each is a program: lines before the last one, and an expression.
PROGRAMS = r"""
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.lookup(C(['b','c']))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t[C([['b','c']])]
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t[C('a')]
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.size()
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); sorted_(t.export())
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.name
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); (t.key_dtype, t.value_dtype, t.default_value)
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.lookup(tf.ragged.constant([['a'],['b','c']]))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.lookup(tf.ragged.constant([[['a']],[['b','c']]]))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.lookup(tf.sparse.from_dense([['a',''],['c','b']]))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.lookup(C([1]))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); t.lookup(['a'])
t = tf.lookup.StaticHashTable(KV(['a','a'],[7,8]),-1); t.size()
t = tf.lookup.StaticHashTable(KV(['a','a'],[7,7]),-1); t.size()
t = tf.lookup.StaticHashTable(KV(['a','b'],[7]),-1); t.size()
t = tf.lookup.StaticHashTable(KV([['a','b']],[[7,8]]),-1); t.size()
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),[-1]); t.size()
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),'x'); t.size()
t = tf.lookup.StaticHashTable(KV(['a','b'],['x','y']),'-'); t[C(['b','q'])]
t = tf.lookup.StaticHashTable(KV(I64(1,2),[0.5,1.5]),-1.); t[I64(2,3)]
t = tf.lookup.StaticHashTable(KV(['a'],[7],key_dtype=tf.string,value_dtype=tf.int64),-1); t[C(['a'])]
t = tf.lookup.StaticHashTable(KV(['a'],[7],value_dtype=tf.string),-1); t[C(['a'])]
KV([1],[2]).key_dtype
t = tf.lookup.StaticVocabularyTable(KV(['a','b'],I64(0,1)),2); t.lookup(C(['a','b','x','y','zz']))
t = tf.lookup.StaticVocabularyTable(KV(['a','b'],I64(0,1)),2); t.size()
t = tf.lookup.StaticVocabularyTable(None,3); t.lookup(C(['a','b','x']))
t = tf.lookup.StaticVocabularyTable(None,3); t.size()
t = tf.lookup.StaticVocabularyTable(KV(I64(5,6),I64(0,1)),2,lookup_key_dtype=tf.int32); t.lookup(C([5,9,7]))
t = tf.lookup.StaticVocabularyTable(KV(['a','b'],I64(0,1)),2); t.lookup(tf.ragged.constant([['a'],['q']]))
t = tf.lookup.StaticVocabularyTable(KV(['a','b'],I64(0,1)),0); t.size()
t = tf.lookup.StaticVocabularyTable(KV(['a','b'],[0,1]),1); t.size()
t = tf.lookup.StaticVocabularyTable(KV([1.],I64(0)),1); t.size()
m = M(tf.string,tf.int64,-1); m.insert(C(['a','b','a']),I64(1,2,3)); (m.lookup(C(['a','z'])), m.size())
m = M(tf.string,tf.int64,-1); m.insert(['a','b'],[1,2]); m.remove(C(['a','q'])); (m[C(['a','b'])], m.size())
m = M(tf.string,tf.int64,-1); m.insert(['a','b'],[1,2]); sorted_(m.export())
m = M(tf.string,tf.int64,-1); m.insert(['a','b','c','d'],[1,2,3,4]); m.remove(C(['b','a'])); m.insert(['b'],[9]); sorted_(m.export())
m = M(tf.string,tf.int64,-1); m.lookup(C(['a','z']),dynamic_default_values=I64(5,6))
m = M(tf.string,tf.int64,-1); m.lookup(C(['a','z']),dynamic_default_values=I64(5))
m = M(tf.string,tf.int64,-1); m.insert(['a'],[1,2])
m = M(tf.string,tf.int64,-1); m.insert([1],[1])
m = M(tf.string,tf.int64,-1); m.remove(C([1]))
m = M(tf.string,tf.int64,-1); m.lookup([1])
m = M(tf.string,tf.int64,-1); m.insert(C([['a','b']]),[[1,2]]); m[C([['b'],['c']])]
m = M(tf.int64,tf.float32,[0.,9.]); m.insert(I64(1,2),[[1.,2.],[3.,4.]]); (m.lookup(I64(1,5)), m.lookup(C(1,tf.int64)))
m = M(tf.int64,tf.float32,[0.,9.]); m.insert(I64(1,2),[[1.],[3.]])
m = M(tf.int64,tf.float32,[0.,9.]); m.lookup(I64(1,5),dynamic_default_values=[[1.,2.],[3.,4.]])
m = M(tf.int64,tf.float32,[[0.,9.]]); m.size()
m = M(tf.int64,tf.string,'?'); m.insert(I64(1),['x']); m[I64(1,2)]
m = M(tf.string,tf.bool,False); m.insert(['a'],[True]); m[C(['a','b'])]
d = D(tf.int64,tf.int64,-1,0,-1,initial_num_buckets=4); d.insert(I64(11,12,13),I64(0,1,2)); (d.lookup(I64(11,15)), d.size(), d.export())
d = D(tf.int64,tf.int64,-1,0,-1,initial_num_buckets=4); d.insert(I64(11,12,13),I64(0,1,2)); d.remove(I64(12,99)); (d.size(), d.export())
d = D(tf.int64,tf.int64,-1,0,-1,initial_num_buckets=4); d.insert(range_(20),range_(20)); (d.size(), d.export())
d = D(tf.int64,tf.int64,-1,0,-1); d.insert(I64(0),I64(0))
d = D(tf.int64,tf.int64,-1,0,-1); d.insert(I64(-1),I64(0))
d = D(tf.int64,tf.int64,-1,0,-1); d.lookup(I64(0))
d = D(tf.int64,tf.int64,-1,0,-1); d.erase(I64(0))
d = D(tf.int64,tf.int64,-1,0,-1); d.erase(C([5]))
d = D(tf.int64,tf.int64,-1,0,0); d.size()
d = D(tf.int64,tf.int64,-1,0,-1,initial_num_buckets=3); d.size()
d = D(tf.string,tf.int64,-1,'','$',initial_num_buckets=4); d.insert(['a','b','c','dd'],I64(1,2,3,4)); d.export()
d = D(tf.string,tf.int64,-1,'','$'); d.insert_or_assign(['a','b'],I64(1,2)); (d[C(['b','z'])], d.size())
d = D(tf.int64,tf.int64,I64(9,8),I64(5,5),I64(5,6),initial_num_buckets=4); d.insert(tf.stack([I64(1,2),I64(3,4)]),tf.stack([I64(1,2),I64(3,4)])); (d[tf.stack([I64(1,2),I64(3,5)])], d.export())
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,-2,tf.int64,-1),-1); t[C(['a 1','c 3','z'])]
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,0,tf.int64,1,delimiter=' '),-1); t[C(['a','c','z'])]
t = tf.lookup.StaticHashTable(TF_(FILE,tf.int64,-1,tf.string,-2),'?'); t[I64(0,2,3)]
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,0,tf.float32,1,vocab_size=3,delimiter=' '),-1.); t[C(['a','c','z'])]
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,-2,tf.int64,-1,vocab_size=2),-1); t.size()
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,-2,tf.int64,-1,value_index_offset=5),-1); t[C(['a 1'])]
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,-2,tf.int64,-1,vocab_size=5),-1); t.size()
t = tf.lookup.StaticHashTable(TF_(FILE,tf.string,0,tf.int64,7,delimiter=' '),-1); t.size()
t = tf.lookup.StaticHashTable(TF_(FILE,tf.int64,0,tf.int64,1,delimiter=' '),-1); t.size()
t = tf.lookup.StaticHashTable(TF_('/no/such/file',tf.string,-2,tf.int64,-1),-1); t.size()
TF_(FILE,tf.string,-1,tf.int64,-1)
TF_(FILE,tf.string,-2,tf.float32,-2)
TF_(FILE,tf.string,-3,tf.int64,-1)
TF_(FILE,tf.string,-2,tf.int64,-1,vocab_size=0)
TF_('',tf.string,-2,tf.int64,-1)
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); f = tf.function(lambda k: t.lookup(k)); f(C(['a','x']))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); f = tf.function(lambda k: t.size()); f(C(['a','x']))
m = M(tf.string,tf.int64,-1); f = tf.function(lambda k: (m.insert(k,tf.cast(tf.strings.length(k),tf.int64)), m.lookup(k))[1], autograph=False); f(C(['a','xyz']))
m = M(tf.string,tf.int64,-1); f = tf.function(lambda k: (m.insert(k,[1]), m.size(), m.remove(k), m.size())[1::2], autograph=False); f(C(['a']))
f = tf.function(lambda k: tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1).lookup(k), autograph=False); f(C(['b','x']))
t = tf.lookup.StaticVocabularyTable(KV(['a','b'],I64(0,1)),2); f = tf.function(lambda k: t.lookup(k)); f(C(['a','b','x']))
t = tf.lookup.StaticHashTable(KV(['a','b'],[7,8]),-1); [x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(['a','q']).map(lambda k: t.lookup(k))]
R.LookupTableFindV2(table_handle=R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='un'),keys=['a'],default_value=I64(1)[0])
R.LookupTableExportV2(table_handle=R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='un'),Tkeys=tf.string,Tvalues=tf.int64)
R.LookupTableInsertV2(table_handle=R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='un'),keys=['a'],values=I64(1))
R.LookupTableRemoveV2(table_handle=R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='un'),keys=['a'])
R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int32,shared_name=(R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='un2'),'un2')[1])
R.HashTableV2(key_dtype=tf.complex128,value_dtype=tf.int32)
h = R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='in'); R.InitializeTableV2(table_handle=h,keys=['a'],values=I64(1)); R.InitializeTableV2(table_handle=h,keys=['b'],values=I64(1)); R.LookupTableSizeV2(table_handle=h)
h = R.HashTableV2(key_dtype=tf.string,value_dtype=tf.int64,shared_name='im'); R.InitializeTableV2(table_handle=h,keys=['a'],values=I64(1)); R.LookupTableImportV2(table_handle=h,keys=['b','c'],values=I64(1,2))
R.InitializeTableV2(table_handle=M(tf.string,tf.int64,-1).resource_handle,keys=['a'],values=I64(1))
R.LookupTableSizeV2(table_handle=tf.Variable(1).handle)
R.LookupTableFindV2(table_handle=M(tf.string,tf.int64,-1).resource_handle,keys=['a'],default_value=1)
""".strip().splitlines()


@pytest.fixture(scope="module")
def words(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("lookup") / "words"
    path.write_text("a 1\nb 2\nc 3\n")
    return str(path)


def flat(value, tf):
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in flat(item, tf)]
    if isinstance(value, tf.RaggedTensor):
        return [value.dtype.name, str(value.shape), value.to_list()]
    if isinstance(value, tf.SparseTensor):
        return flat((value.indices, value.values, value.dense_shape), tf)
    if not hasattr(value, "numpy"):
        return [str(value)]
    return [value.dtype.name, np.asarray(value.numpy()).tolist()]


def outcome(program, tf, words):
    def in_order(pair):
        keys, values = (part.numpy().tolist() for part in pair)
        return [str(sorted(zip(keys, values)))]

    names = {
        "tf": tf, "R": tf.raw_ops, "C": tf.constant, "FILE": words,
        "I64": lambda *v: tf.constant(v, tf.int64),
        "range_": lambda n: tf.range(1, n, dtype=tf.int64),
        "KV": tf.lookup.KeyValueTensorInitializer,
        "TF_": tf.lookup.TextFileInitializer,
        "M": tf.lookup.experimental.MutableHashTable,
        "D": tf.lookup.experimental.DenseHashTable, "sorted_": in_order,
    }
    *lines, last = program.split("; ")
    try:
        for line in lines:
            exec(line, names)
        value = eval(last, names)
        if type(value).__name__.endswith("Initializer"):
            return "made"
        return flat(value, tf)
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program, both, words):
    ours = outcome(program, both.ours, words)
    assert str(ours) == str(outcome(program, both.theirs, words))
