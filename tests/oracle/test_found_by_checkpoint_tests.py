"""What TensorFlow's own tests of checkpoints and saved models ask for: the same small
program on both libraries, the same outcome."""

from __future__ import annotations

import copy
import logging
import os
import re
import weakref

import pytest
import tensorflow as real

import graphkiln as gk


class Notes(logging.Handler):
    """What a library's logger was told."""

    def __init__(self, tf):
        super().__init__()
        self.lines = []
        self.logger = tf.get_logger()

    def emit(self, record):
        self.lines.append(record.getMessage())

    def __enter__(self):
        self.logger.addHandler(self)
        return self.lines

    def __exit__(self, *error):
        self.logger.removeHandler(self)


def auto(tf, **parts):
    made = tf.__internal__.tracking.AutoTrackable()
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def outcome(call):
    try:
        return call()
    except Exception as error:
        # AssertionError's text has objects in it.
        return type(error).__name__, str(error).split(" (<")[0]


# Programs of the default graph and a session.
def saved_by_a_session(tf, folder, session):
    v = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(v=v)
    session.run(v.initializer)
    path = checkpoint.save(folder + "/c")
    session.run(v.assign(1.0))
    checkpoint.restore(path).assert_consumed().run_restore_ops()
    names = sorted(tf.train.list_variables(path))
    return path, session.run([v, checkpoint.save_counter]), names


def values_that_come_later(tf, folder, session):
    v = tf.Variable([3.0, 4.0])
    session.run(v.initializer)
    path = tf.train.Checkpoint(v=v).save(folder + "/c")
    late = tf.train.Checkpoint()
    status = late.restore(path)
    late.v = tf.Variable([0.0, 0.0])
    status.assert_consumed().run_restore_ops()
    return session.run(late.v).tolist()


def written_and_read(tf, folder, session):
    v = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(v=v)
    session.run(v.initializer)
    checkpoint.write(folder + "/c")
    session.run(v.assign(7.0))
    operations = len(tf.compat.v1.get_default_graph().get_operations())
    checkpoint.write(folder + "/d")
    grown = len(tf.compat.v1.get_default_graph().get_operations()) > operations
    values = []
    for name in "cd":
        checkpoint.read(f"{folder}/{name}").run_restore_ops()
        values.append(session.run(v))
    return values, grown


def initialized_or_restored(tf, folder, session):
    old = tf.train.Checkpoint(v=tf.Variable(1.0), w=tf.Variable(2.0))
    session.run(tf.compat.v1.global_variables_initializer())
    path = old.save(folder + "/c")
    new = tf.train.Checkpoint(v=tf.Variable(5.0), q=tf.Variable(4.0))
    new.restore(path).initialize_or_restore()
    return session.run([new.v, new.q])


def initialized_without_a_checkpoint(tf, folder, session):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(3.0))
    checkpoint.restore(None).initialize_or_restore()
    return session.run([checkpoint.v, checkpoint.save_counter])


def states_of_python(tf, folder, session):
    class Words(tf.train.experimental.PythonState):
        text = "first"

        def serialize(self):
            return self.text

        def deserialize(self, string_value):
            self.text = string_value.decode()

    words = Words()
    checkpoint = tf.train.Checkpoint(words=words)
    paths = [checkpoint.write(folder + "/a")]
    words.text = "second"
    paths.append(checkpoint.write(folder + "/b"))
    values = []
    for path in paths:
        checkpoint.read(path).run_restore_ops()
        values.append(words.text)
    return values


def read_by_a_saver(tf, folder, session):
    v = tf.compat.v1.get_variable("v", initializer=3.0)
    session.run(v.initializer)
    path = tf.train.Checkpoint(v=v).save(folder + "/c")
    session.run(v.assign(1.0))
    tf.compat.v1.train.Saver([v]).restore(session, path)
    return session.run(v)


def a_manager(tf, folder, session):
    step = tf.Variable(10, dtype=tf.int64)
    session.run(step.initializer)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    made = [manager.save(), manager.save(step), manager.save(32)]
    return made, manager.checkpoints, session.run(checkpoint.save_counter)


def words_of_savers(tf, folder, session):
    v1 = tf.compat.v1
    a = v1.Variable(1.0, name="a")
    session.run(a.initializer)
    saver = v1.train.Saver()
    return [
        outcome(call)
        for call in (
            lambda: v1.train.Saver([a, a]),
            lambda: v1.train.Saver({"x": a, "y": a}),
            lambda: v1.train.import_meta_graph(folder + "/none"),
            lambda: saver.save(session, folder + "/new/x"),
            lambda: saver.save(session, folder + "/no/folder/x"),
        )
    ]


def savers_that_keep_all(tf, folder, session):
    v1 = tf.compat.v1
    session.run(v1.Variable(1.0, name="a").initializer)
    saver = v1.train.Saver(max_to_keep=0)
    paths = [saver.save(session, folder + "/c", global_step=i) for i in range(3)]
    state = tf.train.get_checkpoint_state(folder)
    noted = list(state.all_model_checkpoint_paths)
    return paths, saver.last_checkpoints, noted, sorted(os.listdir(folder))


GRAPH_PROGRAMS = [
    words_of_savers,
    savers_that_keep_all,
    saved_by_a_session,
    values_that_come_later,
    written_and_read,
    initialized_or_restored,
    initialized_without_a_checkpoint,
    states_of_python,
    read_by_a_saver,
    a_manager,
]


# Eager programs.
def eager_values_in_a_graph(tf, folder):
    path = tf.train.Checkpoint(v=tf.Variable(2.0)).save(folder + "/c")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        new = tf.train.Checkpoint(v=tf.Variable(0.0))
        new.restore(path).assert_consumed().run_restore_ops()
        return session.run(new.v)


def no_session(tf, folder):
    with tf.Graph().as_default():
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        return outcome(lambda: checkpoint.write(folder + "/c"))


def written_by_a_function(tf, folder):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    new = tf.train.Checkpoint(v=tf.Variable(0.0))
    write = tf.function(lambda: checkpoint.write(folder + "/c"))
    write_to = tf.function(checkpoint.write)
    values = [write().numpy() == f"{folder}/c".encode()]
    for call in (write, lambda: write_to(tf.constant(folder + "/c"))):
        for value in (3.0, 4.0):
            checkpoint.v.assign(value)
            call()
            new.read(folder + "/c").assert_consumed()
            values.append(new.v.numpy())
    try:
        write_to(tf.constant(folder + "/none/c"))
    except tf.errors.NotFoundError as error:
        values.append(type(error).__name__)
    # How many data files there are is not the same.
    return values, sorted({name.split(".data")[0] for name in os.listdir(folder)})


def deeply_copied(tf, folder):
    first = tf.train.Checkpoint(v=tf.Variable(1.0))
    second = copy.deepcopy(first)
    second.v.assign(2.0)
    before = first.v.numpy()
    first.restore(second.save(folder + "/c")).assert_consumed()
    return before, first.v.numpy()


def a_root_held_weakly(tf, folder):
    root = auto(tf, v=tf.Variable(1))
    checkpoint = tf.train.Checkpoint(root=weakref.ref(root))
    path = checkpoint.save(folder + "/c")
    root.v.assign(2)
    checkpoint.restore(path)
    return root.v.numpy()


def tensors_of_an_object(tf, folder):
    class Pair(tf.__internal__.tracking.Trackable):
        def __init__(self, a, b):
            self.a, self.b = a, b

        def _serialize_to_tensors(self):
            return {"a": self.a, "b": self.b}

        def _restore_from_tensors(self, tensors):
            return tf.group(
                self.a.assign(tensors["a"] + 0), self.b.assign(tensors["b"])
            )

    root = Pair(tf.Variable(1), tf.Variable(2))
    child = Pair(tf.Variable(3), tf.Variable(4))
    checkpoint = tf.train.Checkpoint(root=root, child=child)
    path = checkpoint.save(folder + "/c")
    variables = [root.a, root.b, child.a, child.b]
    for v in variables:
        v.assign(0)
    checkpoint.restore(path).assert_consumed()
    return sorted(tf.train.list_variables(path)), [v.numpy() for v in variables]


def gathered_saveables(tf, folder):
    class Owner(tf.__internal__.tracking.Trackable):
        def __init__(self):
            self.a = tf.Variable(6.0)

        def _gather_saveables_for_checkpoint(self):
            return {"VARIABLE_VALUE": self.a}

    owner = Owner()
    checkpoint = tf.train.Checkpoint(owner=owner)
    path = checkpoint.save(folder + "/c")
    owner.a.assign(1.0)
    checkpoint.restore(path).assert_consumed()
    return owner.a.numpy(), sorted(tf.train.list_variables(path))


def a_saved_model_is_restored(tf, folder):
    tf.saved_model.save(auto(tf, v=tf.Variable(5.0)), folder + "/model")
    new = auto(tf, v=tf.Variable(0.0))
    tf.train.Checkpoint(new).restore(folder + "/model").expect_partial()
    return new.v.numpy()


def what_holds_no_values_is_not_missed(tf, folder):
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/c")
    new = tf.train.Checkpoint(v=tf.Variable(0.0), other=auto(tf), more=[[], auto(tf)])
    new.restore(path).assert_consumed().assert_existing_objects_matched()
    return new.v.numpy()


def what_is_waited_for(tf, folder):
    old = auto(tf, full=auto(tf, v=tf.Variable(1.0)), empty=auto(tf, child=auto(tf)))
    path = tf.train.Checkpoint(model=old).save(folder + "/c")
    new = auto(tf)
    tf.train.Checkpoint(model=new).restore(path).expect_partial()
    return sorted(new._deferred_dependencies)


def one_object_becomes_two(tf, folder):
    shared = auto(tf, v=tf.Variable(1.0))
    path = tf.train.Checkpoint(a=shared, b=shared).save(folder + "/c")
    told, said = [], []
    for late in (False, True):
        new = tf.train.Checkpoint()
        with Notes(tf) as lines:
            if late:
                status = new.restore(path)
            new.a = auto(tf, v=tf.Variable(0.0))
            new.b = auto(tf, v=tf.Variable(0.0))
            if not late:
                status = new.restore(path)
        told.append([line.split("The referenced")[0] for line in lines])
        said.append(outcome(status.assert_consumed)[0])
    return told, said


def unrestored_values_are_told(tf, folder):
    path = tf.train.Checkpoint(v=tf.Variable(1.0), w=tf.Variable(1.0)).save(
        folder + "/c"
    )
    with Notes(tf) as lines:
        tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path)
    return lines


def the_root_is_a_part(tf, folder):
    path = tf.train.Checkpoint(root=auto(tf, v=tf.Variable(1.0))).save(folder + "/c")
    return tf.train.CheckpointView(path).children(0)


def parts_told_twice(tf, folder):
    root = auto(tf, leaf=auto(tf))
    said = outcome(lambda: root._track_trackable(auto(tf), "leaf"))
    other = auto(tf)
    root._track_trackable(other, "leaf", overwrite=True)
    return said, root._lookup_dependency("leaf") is other


def parts_in_a_list(tf, folder):
    root = auto(tf, leaf=auto(tf), number=3, text="a", pair=(1, 2))
    names = [r.name for r in root._unconditional_checkpoint_dependencies]
    return names, sorted(root._trackable_children())


def a_name_like_the_state_file(tf, folder):
    v1 = tf.compat.v1
    os.mkdir("train")
    with tf.Graph().as_default(), v1.Session() as session:
        v1.Variable(0.0)
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver()
        said = outcome(lambda: saver.save(session, "train/checkpoint"))
        paths = [saver.save(session, "train/checkpoint", global_step=1)]
        saver = v1.train.Saver(sharded=True)
        paths.append(saver.save(session, "train/checkpoint"))
        return said, paths, tf.train.latest_checkpoint("train")


def folders_that_savev2_makes(tf, folder):
    def save(path):
        tf.raw_ops.SaveV2(
            prefix=path,
            tensor_names=["a"],
            shape_and_slices=[""],
            tensors=[tf.constant(1.0)],
        )

    save("one/c")
    with pytest.raises(tf.errors.NotFoundError, match="two/three; No such file"):
        save("two/three/c")
    return sorted(os.listdir())


def modes_of_loaded_variables(tf, folder):
    v = tf.Variable(
        1,
        synchronization=tf.VariableSynchronization.NONE,
        aggregation=tf.VariableAggregation.SUM,
    )
    tf.saved_model.save(auto(tf, v=v), folder + "/model")
    loaded = tf.saved_model.load(folder + "/model")
    return loaded.v.synchronization.name, loaded.v.aggregation.name


def a_reserved_name(tf, folder):
    said = outcome(
        lambda: tf.saved_model.save(auto(tf, signatures=auto(tf)), folder + "/m")
    )
    tf.saved_model.save(auto(tf), folder + "/n")
    # That of a loaded model is its own.
    tf.saved_model.save(tf.saved_model.load(folder + "/n"), folder + "/o")
    return said[0], "which has an attribute named 'signatures'" in said[1] or said


PROGRAMS = [
    eager_values_in_a_graph,
    no_session,
    written_by_a_function,
    deeply_copied,
    a_root_held_weakly,
    tensors_of_an_object,
    gathered_saveables,
    a_saved_model_is_restored,
    what_holds_no_values_is_not_missed,
    what_is_waited_for,
    one_object_becomes_two,
    unrestored_values_are_told,
    the_root_is_a_part,
    parts_told_twice,
    parts_in_a_list,
    a_name_like_the_state_file,
    folders_that_savev2_makes,
    modes_of_loaded_variables,
    a_reserved_name,
]


def compared(monkeypatch, tmp_path, run):
    seen = []
    for tf in (gk, real):
        folder = tmp_path / ("graphkiln" if tf is gk else "tensorflow")
        folder.mkdir()
        monkeypatch.chdir(folder)
        text = repr(run(tf, str(folder))).replace(str(folder), "FOLDER")
        seen.append(re.sub(r" at 0x[0-9a-f]+", "", text))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("program", PROGRAMS)
def test_eager_programs(program, monkeypatch, tmp_path):
    compared(monkeypatch, tmp_path, program)


@pytest.mark.parametrize("program", GRAPH_PROGRAMS)
def test_programs_of_graphs(program, monkeypatch, tmp_path):
    def run(tf, folder):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return program(tf, folder, session)

    compared(monkeypatch, tmp_path, run)


def test_signatures_have_names(tmp_path):
    module = auto(gk)
    module.f = gk.function(lambda: 1, input_signature=[])
    with pytest.raises(ValueError, match="names of signatures are strings: .* key 1"):
        gk.saved_model.save(module, str(tmp_path), signatures={1: module.f})
