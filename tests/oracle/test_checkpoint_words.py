"""What checkpoints say of mistakes: the same program on both, its error's words."""

from __future__ import annotations

import pytest

# Each is a program: lines before the last one, and an expression.
PROGRAMS = r"""
tf.train.Checkpoint(x=3)
c = tf.train.Checkpoint(v=V(1.)); c.restore(D()+'/none')
p = tf.train.Checkpoint(v=V([1.,2.])).write(D()+'/c'); tf.train.Checkpoint(v=V([1.],name='n')).read(p)
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.train.Checkpoint(w=V(1.)).read(p).assert_nontrivial_match()
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.train.Checkpoint(v=V(1.),w=V(2.,name='w')).read(p).assert_existing_objects_matched()
p = tf.train.Checkpoint(v=V(1.),u=V(1.)).write(D()+'/c'); tf.train.Checkpoint(v=V(1.)).read(p).assert_consumed()
tf.train.Checkpoint(v=V(1.)).restore(None).assert_consumed()
tf.train.Checkpoint(v=V(1.)).restore(None).run_restore_ops()
tf.train.CheckpointManager(tf.train.Checkpoint(), D(), max_to_keep=0)
tf.train.CheckpointManager(tf.train.Checkpoint(), D(), 1, checkpoint_interval=3)
tf.train.load_checkpoint(D())
p = tf.train.Checkpoint(v=V([1.])).write(D()+'/c'); tf.train.Checkpoint(v=V(['a'],name='n')).read(p)
p = tf.train.Checkpoint(v=V([1.])).write(D()+'/c'); c = tf.train.Checkpoint(); c.read(p); setattr(c, 'v', V([1],name='n'))
tf.train.Checkpoint(v=V(1.)).read(D())
tf.train.Checkpoint(v=V(1.)).restore(D())
tf.train.latest_checkpoint(D())
tf.train.get_checkpoint_state(D())
m = tf.Module(); m.v = V(1.); tf.train.Checkpoint(m, v=V(2.))
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.train.load_variable(p, 'q')
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.train.list_variables(p)
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.train.CheckpointView(p).children(0)
p = tf.train.Checkpoint(l=[V(1.), {'a': V(2.)}]).write(D()+'/c'); tf.train.CheckpointView(p).descendants()
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.raw_ops.RestoreV2(prefix=p, tensor_names=['v/.ATTRIBUTES/VARIABLE_VALUE'], shape_and_slices=[''], dtypes=[tf.int32])
p = tf.train.Checkpoint(v=V(1.)).write(D()+'/c'); tf.raw_ops.RestoreV2(prefix=p, tensor_names=['v/.ATTRIBUTES/VARIABLE_VALUE'], shape_and_slices=['x 0,1'], dtypes=[tf.float32])
p = tf.train.Checkpoint(v=V([1.])).write(D()+'/c'); tf.raw_ops.RestoreV2(prefix=p, tensor_names=['v/.ATTRIBUTES/VARIABLE_VALUE'], shape_and_slices=['2 0,1'], dtypes=[tf.float32])
tf.raw_ops.ShardedFilename(basename='a', shard=1, num_shards=123456)
tf.raw_ops.ShardedFilespec(basename='a', num_shards=2)
i = tf.lookup.KeyValueTensorInitializer(['a'],[7]); p = tf.train.Checkpoint(t=tf.lookup.StaticHashTable(i,-1),v=V(1.)).write(D()+'/c'); tf.train.CheckpointView(p).descendants()
i = tf.lookup.KeyValueTensorInitializer(['a'],tf.constant([0],tf.int64)); p = tf.train.Checkpoint(t=tf.lookup.StaticVocabularyTable(i,1),v=V(1.)).write(D()+'/c'); tf.train.CheckpointView(p).descendants()
open(D()+'/w','w').write('a b'); i = tf.lookup.TextFileInitializer(D()+'/w',tf.string,-2,tf.int64,-1); p = tf.train.Checkpoint(t=tf.lookup.StaticHashTable(i,-1)).write(D()+'/c'); tf.train.CheckpointView(p).descendants()
i = tf.lookup.KeyValueTensorInitializer(['a'],[7]); t = tf.lookup.StaticHashTable(i,-1); p = tf.train.Checkpoint(t=t,v=V(1.)).write(D()+'/c'); str(tf.train.Checkpoint(t=t,v=V(2.)).read(p).assert_consumed())[:0]
""".strip().splitlines()


def outcome(tf, program: str) -> str:
    import re
    import tempfile

    folder = tempfile.mkdtemp()
    scope = {"tf": tf, "V": tf.Variable, "D": lambda: folder}
    *lines, last = program.split("; ")
    try:
        exec("\n".join(lines), scope)
        value = eval(last, scope)
        if isinstance(value, tf.Tensor):
            value = value.numpy()
        return repr(value)
    except Exception as error:
        text = str(error).replace(folder, "FOLDER").replace("tensorflow.", "")
        text = re.sub(r" at 0x[0-9a-f]+|\{\{function_node.*?\}\} ?", "", text)
        return f"{type(error).__name__}: {text.splitlines()[0]}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_words(program: str) -> None:
    import tensorflow

    import graphkiln

    expected = outcome(tensorflow, program)
    got = outcome(graphkiln, program)
    # What ours says beyond: the file, the node.
    assert got == expected or got.startswith(expected.split(" [Op:")[0]), expected
