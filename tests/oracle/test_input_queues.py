"""Queues of inputs of the first version, their runners and what supervises a session:
the same programs on both modules."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
import tensorflow

import graphkiln


def both(program, *args):
    """What a program gives on both, which is the same."""
    theirs, ours = (program(tf, *args) for tf in (tensorflow, graphkiln))
    assert ours == theirs
    return ours


def plain(value):
    """Arrays as lists, sparse values as tuples."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "dense_shape"):
        return [plain(part) for part in value]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def runs(tf, make, most=9):
    """The values of what `make` gives, run by run, until there is no more, then the
    last one's error, the static shapes and the names of the summaries."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        made = make(tf)
        flat = tf.nest.flatten(made, expand_composites=True)
        shapes = [str(t.shape) for t in flat]
        with v1.Session() as session:
            session.run(
                [v1.global_variables_initializer(), v1.local_variables_initializer()]
            )
            coord = tf.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coord)
            values, error = [], None
            try:
                while len(values) < most:
                    values.append(plain(session.run(made)))
            except tf.errors.OpError as e:
                error = type(e).__name__
            try:
                coord.request_stop()
                coord.join(threads, stop_grace_period_secs=10)
            except tf.errors.InvalidArgumentError:
                error = "thread"
        summaries = [op.name for op in graph.get_operations() if "Summary" in op.type]
        kept = [len(q.enqueue_ops) for q in graph.get_collection("queue_runners")]
    return values, error, shapes, summaries, kept


def numbers(tf, n=5, **kwargs):
    kwargs = {"num_epochs": 1, "shuffle": False, **kwargs}
    return tf.compat.v1.train.range_input_producer(n, **kwargs).dequeue()


def sparse(tf):
    n = numbers(tf)
    wide = tf.cast(tf.reshape(n, [1, 1]), tf.int64)
    return tf.SparseTensor(wide, tf.reshape(n * 10, [1]), [6])


def rows(tf, train):
    return train.input_producer(
        tf.reshape(tf.range(12), [2, 3, 2]), num_epochs=2, shuffle=False
    ).dequeue()


CASES = {
    "batch": lambda tf, t: t.batch([numbers(tf), "a"], 2),
    "batch of one": lambda tf, t: t.batch([numbers(tf)], 2),
    "batch of a dictionary": lambda tf, t: t.batch({"x": numbers(tf), "a": 1.0}, 2),
    "smaller batch": lambda tf, t: t.batch(
        [numbers(tf)], 2, allow_smaller_final_batch=True, capacity=7, name="mine"
    ),
    "batch of rows": lambda tf, t: t.batch([rows(tf, t)], 4, enqueue_many=True),
    "padded batch": lambda tf, t: t.batch(
        [tf.range(numbers(tf))], 2, dynamic_pad=True, allow_smaller_final_batch=True
    ),
    "batch of sparse": lambda tf, t: t.batch([sparse(tf), numbers(tf)], 2),
    "batch of sparse rows": lambda tf, t: t.batch(
        [tf.SparseTensor([[0, 1], [1, 0], [1, 3]], [5, 7, 2], [2, 4])],
        2,
        enqueue_many=True,
    ),
    "given shapes": lambda tf, t: t.batch(
        [tf.compat.v1.placeholder_with_default([1, 2], None)], 2, shapes=[[2]]
    ),
    "kept by a scalar": lambda tf, t: (lambda n: t.maybe_batch([n], n % 2 > 0, 2))(
        numbers(tf, 6)
    ),
    "kept by a vector": lambda tf, t: (
        lambda r: t.maybe_batch([r], r[:, 0] % 4 < 1, 2, enqueue_many=True)
    )(rows(tf, t)),
    "sparse kept by a vector": lambda tf, t: t.maybe_batch(
        [tf.SparseTensor([[0, 1], [0, 2], [1, 0], [1, 3]], [5, 4, 7, 2], [2, 4])],
        [True, False],
        1,
        enqueue_many=True,
    ),
    "joined": lambda tf, t: t.batch_join([[numbers(tf)]], 2),
    "joined dictionary": lambda tf, t: t.batch_join([{"x": numbers(tf)}], 2),
    "kept and joined": lambda tf, t: t.maybe_batch_join(
        [[numbers(tf), sparse(tf)]], True, 2
    ),
    "shuffled": lambda tf, t: tf.sort(t.shuffle_batch([numbers(tf)], 5, 9, 4)),
    "shuffled rows": lambda tf, t: tf.sort(
        tf.reshape(t.shuffle_batch([rows(tf, t)], 12, 19, 1, enqueue_many=True), [-1])
    ),
    "shuffled and joined": lambda tf, t: tf.sort(
        t.shuffle_batch_join([[numbers(tf)], [numbers(tf, 4) + 9]], 9, 20, 3)
    ),
    "kept and shuffled": lambda tf, t: (
        lambda n: tf.sort(t.maybe_shuffle_batch([n], 3, 9, 1, n < 3))
    )(numbers(tf)),
    "kept, shuffled and joined": lambda tf, t: (
        lambda n: tf.sort(t.maybe_shuffle_batch_join([[n]], 3, 9, 1, n < 3))
    )(numbers(tf)),
    "strings": lambda tf, t: t.string_input_producer(
        ["a", "b"], num_epochs=2, shuffle=False
    ).dequeue(),
    "shuffled strings": lambda tf, t: tf.sort(
        tf.strings.length(
            t.string_input_producer(["a", "bb", "ccc"], num_epochs=2).dequeue_many(3)
        )
    ),
    "an empty tensor": lambda tf, t: t.string_input_producer(
        tf.constant([], tf.string), shuffle=False
    ).dequeue(),
    "slices": lambda tf, t: t.slice_input_producer(
        [[1, 2], [["a"], ["b"]]], num_epochs=1, shuffle=False
    ),
    "limited": lambda tf, t: t.limit_epochs(tf.constant("x"), 2),
}


@pytest.mark.parametrize("name", list(CASES))
def test_batches(name):
    both(runs, lambda tf: CASES[name](tf, tf.compat.v1.train))


def _placeholder(tf, *shape):
    return tf.compat.v1.placeholder(tf.float32, *shape)


BAD = {
    "rank": lambda tf, t: t.batch([_placeholder(tf)], 2),
    "vector without rows": lambda tf, t: t.maybe_batch([1], [True, False], 1),
    "matrix": lambda tf, t: t.maybe_batch([[1]], [[True]], 1, enqueue_many=True),
    "unknown": lambda tf, t: t.maybe_batch(
        [[1]], tf.compat.v1.placeholder(tf.bool), 1, enqueue_many=True
    ),
    "keys": lambda tf, t: t.batch_join([{"a": 1}, {"b": 1}], 2),
    "types": lambda tf, t: t.batch_join([[1], ["a"]], 2),
    "nothing": lambda tf, t: t.batch([], 2),
    "capacity": lambda tf, t: t.shuffle_batch([1], 2, 3, 3),
    "epochs": lambda tf, t: t.limit_epochs(1, 0),
    "rows": lambda tf, t: t.input_producer(_placeholder(tf, [None, None])),
    "no strings": lambda tf, t: t.string_input_producer([]),
    "no tensors": lambda tf, t: t.slice_input_producer([]),
    "no queue": lambda tf, t: t.QueueRunner(),
    "errors": lambda tf, t: t.QueueRunner(
        tf.queue.FIFOQueue(1, tf.int32), [1], queue_closed_exception_types=(ValueError,)
    ),
    "no session": lambda tf, t: t.start_queue_runners(),
    "not a session": lambda tf, t: t.start_queue_runners("session"),
    "no coordinator": lambda tf, t: t.LooperThread("coord", 1),
    "no target": lambda tf, t: t.LooperThread(tf.train.Coordinator(), 1, args=(1,)),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_calls(name):
    def program(tf):
        with tf.Graph().as_default():
            with pytest.raises((ValueError, TypeError)) as error:
                BAD[name](tf, tf.compat.v1.train)
        text = str(error.value).split(":")[0]
        return type(error.value).__name__, text.replace(tf.__name__, "")[:60]

    both(program)


def test_eager_programs_have_none():
    def program(tf):
        t, seen = tf.compat.v1.train, []
        for call in (
            lambda: t.batch([1], 2),
            lambda: t.shuffle_batch([1], 2, 3, 1),
            lambda: t.input_producer([1]),
            lambda: t.QueueRunner(None, [1]),
            lambda: t.Supervisor(),
        ):
            with pytest.raises((ValueError, RuntimeError)) as error:
                call()
            seen.append((type(error.value).__name__, str(error.value)))
        return seen

    both(program)


def test_runners_in_meta_graphs():
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            x = v1.train.batch([numbers(tf)], 2, name="out")
            message = v1.train.export_meta_graph()
        runners = [
            str(type(v1.train.QueueRunner).__name__)
            for _ in message.collection_def["queue_runners"].bytes_list.value
        ]
        with tf.Graph().as_default() as graph:
            v1.train.import_meta_graph(message, import_scope="again")
            names = [q.name for q in graph.get_collection("queue_runners")]
            texts = [
                str(q.to_proto(export_scope="again"))
                for q in graph.get_collection("queue_runners")
            ]
            with v1.Session() as session:
                session.run(v1.local_variables_initializer())
                coord = tf.train.Coordinator()
                threads = v1.train.start_queue_runners(session, coord)
                value = session.run("again/out:0").tolist()
                coord.request_stop()
                coord.join(threads)
        return runners, names, texts, value, x.name

    assert both(program)[3] == [0, 1]


@pytest.mark.parametrize("with_coord", [False, True])
def test_errors_of_threads(with_coord):
    def program(tf):
        v1, seen = tf.compat.v1, []
        with tf.Graph().as_default():
            q = tf.queue.FIFOQueue(9, tf.int32, shapes=[()])
            bad = q.enqueue(
                tf.cast(tf.debugging.check_numerics(tf.zeros([]) / 0, "no"), tf.int32)
            )
            runner = v1.train.QueueRunner(q, [bad])
            with v1.Session() as session:
                coord = tf.train.Coordinator() if with_coord else None
                threads = runner.create_threads(session, coord, start=True)
                seen.append(sorted(t.name for t in threads))
                for thread in threads if coord is None else ():
                    thread.join()
                if coord is not None:
                    with pytest.raises(tf.errors.InvalidArgumentError):
                        coord.join(threads)
                seen.append([type(e).__name__ for e in runner.exceptions_raised])
        return seen

    def quiet(*args):
        pass

    hook, threading.excepthook = threading.excepthook, quiet
    try:
        both(program)
    finally:
        threading.excepthook = hook


def test_closed_sessions_end_what_waits():
    def program(tf):
        v1, seen = tf.compat.v1, []
        with tf.Graph().as_default():
            x = tf.queue.FIFOQueue(1, tf.int32, shapes=[()]).dequeue()
            session = v1.Session()

            def work():
                try:
                    session.run(x)
                except tf.errors.OpError as e:
                    seen.append(type(e).__name__)

            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            time.sleep(0.05)
            session.close()
            thread.join(10)
            return seen, thread.is_alive()

    assert both(program) == (["CancelledError"], False)


def test_runs_end_at_their_deadline():
    def program(tf):
        v1, seen = tf.compat.v1, []
        with tf.Graph().as_default():
            x = tf.queue.FIFOQueue(1, tf.int32, shapes=[()]).dequeue()
            config = v1.ConfigProto(operation_timeout_in_ms=30)
            for given in (None, config):
                with v1.Session(config=given) as session:
                    options = v1.RunOptions(timeout_in_ms=0 if given else 30)
                    with pytest.raises(tf.errors.DeadlineExceededError):
                        session.run(x, options=options)
                    seen.append(session.run(tf.constant(3)).item())
        return seen

    both(program)


def test_what_assignments_give_is_read_in_finalized_graphs():
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default() as graph:
            v = v1.get_variable("v", initializer=1.0, use_resource=True)
            more = v.assign_add(2.0)
            init = v1.global_variables_initializer()
            graph.finalize()
            types = [op.type for op in graph.get_operations()][-4:]
            with v1.Session() as session:
                session.run(init)
                return session.run(more).item(), types

    both(program)


def test_supervisors(tmp_path):
    def program(tf):
        v1, seen = tf.compat.v1, []
        folder = str(tmp_path / tf.__name__)
        with tf.Graph().as_default() as graph:
            step = v1.train.create_global_step()
            more = step.assign_add(1)
            v1.summary.scalar("s", tf.cast(step, tf.float32))
            x = v1.train.batch([numbers(tf, num_epochs=None)], 2)
            sv = v1.train.Supervisor(
                logdir=folder, save_model_secs=0, save_summaries_secs=0
            )
            seen.append((graph.finalized, sv.is_chief, sv.save_path[len(folder) :]))
            seen.append([sv.saver is not None, sv.summary_op is not None])
            with sv.managed_session() as session:
                seen.append([session.run([more, x])[1].tolist() for _ in range(2)])
                sv.summary_computed(session, session.run(sv.summary_op))
                path = sv.saver.save(session, sv.save_path, global_step=sv.global_step)
                seen.append(os.path.basename(path))
            with pytest.raises(ZeroDivisionError), sv.managed_session() as session:
                seen.append(session.run(step).item())
                raise ZeroDivisionError
            seen.append(sv.should_stop())
            calls = []
            worker = v1.train.Supervisor(is_chief=False, graph=tf.Graph())
            looper = worker.loop(None, lambda: calls.append(1) or worker.request_stop())
            worker.stop([looper])
            seen.append(len(calls))
            with pytest.raises(RuntimeError) as error:
                worker.start_standard_services(None)
            seen.append(str(error.value))
        seen.append(sorted({n.split(".")[0] for n in os.listdir(folder)}))
        return seen

    both(program)


def test_training_loops():
    def program(tf):
        v1, seen = tf.compat.v1, []
        with tf.Graph().as_default():
            more = v1.train.create_global_step().assign_add(1)
            sv = v1.train.Supervisor()

            def turn(session, word, last):
                seen.append((word, session.run(more).item()))
                if len(seen) == 2:
                    raise tf.errors.AbortedError(None, None, "again")
                if len(seen) == last:
                    sv.request_stop()

            v1.train.basic_train_loop(sv, turn, args=("a",), kwargs={"last": 5})
        return seen

    assert both(program)[-1] == ("a", 3)
