"""tf.compat.v1.train: monitored sessions, their hooks, checkpoints and summaries."""

import os

import numpy as np
import pytest


def outcome(call):
    try:
        return call()
    except Exception as e:
        return type(e).__name__


def recorder(tf, told, feeds=None, stop_at=None):
    """A hook that writes down what is called, with what."""
    train = tf.compat.v1.train

    class Recorder(train.SessionRunHook):
        runs = 0

        def begin(self):
            told.append("begin")

        def after_create_session(self, session, coord):
            told.append(("created", type(coord).__name__, session.graph is not None))

        def before_run(self, run_context):
            args = run_context.original_args
            told.append(("before", args.feed_dict is None, run_context.stop_requested))
            return train.SessionRunArgs({"two": "two:0"}, feeds and feeds())

        def after_run(self, run_context, run_values):
            self.runs += 1
            told.append(("after", float(run_values.results["two"])))
            if self.runs == stop_at:
                run_context.request_stop()

        def end(self, session):
            told.append(("end", float(session.run("two:0"))))

    return Recorder()


def test_hooks_are_called(both):
    def program(tf):
        v, told = tf.compat.v1, []
        with tf.Graph().as_default():
            x = v.placeholder(tf.float32, [], name="x")
            y = v.placeholder_with_default(3.0, [], name="y")
            v.constant(2.0, name="two")
            total, product = x + y, x * y
            hook = recorder(tf, told, lambda: {y: 5.0}, stop_at=2)
            other = recorder(tf, told)
            with v.train.MonitoredSession(hooks=[hook, other]) as session:
                told.append(session.should_stop())
                told.append(float(session.run(total, {x: 1.0})))
                told.append(session.should_stop())
                told.append(outcome(lambda: session.run(total, {x: 1.0, y: 2.0})))
                told.append(float(session.run([y, {"a": product}], {x: 2.0})[1]["a"]))
                told.append(session.should_stop())
                told.append(outcome(lambda: session.run(y)))
            told.append(session.should_stop())
            told.append(outcome(session.close))
        return told

    both.agree(program)


def test_a_closed_session_runs_nothing(both):
    """TensorFlow's AttributeError of None says less."""
    v = both.ours.compat.v1
    with both.ours.Graph().as_default():
        x = v.constant(1)
        session = v.train.MonitoredSession()
        session.close()
        with pytest.raises(RuntimeError, match="already closed"):
            session.run(x)


def test_errors_end_it(both):
    def program(tf):
        v, told = tf.compat.v1, []
        for error in (tf.errors.OutOfRangeError(None, None, "end"), StopIteration(),
                      KeyError("k")):
            with tf.Graph().as_default():
                v.constant(2.0, name="two")

                def run(error=error):
                    with v.train.MonitoredSession(hooks=[recorder(tf, told)]):
                        raise error

                told.append(outcome(run))
        return told

    both.agree(program)


def test_step_functions(both):
    def program(tf):
        v, told = tf.compat.v1, []
        with tf.Graph().as_default():
            two = v.constant(2.0, name="two")
            hooks = [recorder(tf, told)]
            with v.train.MonitoredSession(hooks=hooks) as session:
                def step(step_context):
                    raw = step_context.session.run(two)
                    return float(raw + step_context.run_with_hooks(two))

                def stop(step_context):
                    step_context.request_stop()

                told.append(session.run_step_fn(step))
                told.append(session.run_step_fn(stop))
                told.append(session.should_stop())
                told.append(outcome(lambda: session.run_step_fn(lambda a, b: 1)))
        return told

    both.agree(program)


def test_training_writes_and_goes_on(both, tmp_path):
    def program(tf, name):
        v, told, folder = tf.compat.v1, [], str(tmp_path / name)

        class Listener(v.train.CheckpointSaverListener):
            def begin(self):
                told.append("begin")

            def before_save(self, session, step):
                told.append(("before", int(step)))

            def after_save(self, session, step):
                told.append(("after", int(step)))
                return int(step) == 9

            def end(self, session, step):
                told.append(("end", int(step)))

        for last in (5, 20):
            with tf.Graph().as_default():
                step = v.train.get_or_create_global_step()
                x = v.get_variable("x", initializer=1.0, use_resource=True)
                v.summary.scalar("x", x)
                with v.control_dependencies([v.assign_add(x, 0.5)]):
                    train = v.assign_add(step, 1)
                hooks = [
                    v.train.StopAtStepHook(last_step=last),
                    v.train.CheckpointSaverHook(
                        folder, save_steps=4, listeners=[Listener()],
                        saver=v.train.Saver(),
                    ),
                ]
                with v.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, hooks=hooks, save_checkpoint_secs=None,
                    save_summaries_steps=3, log_step_count_steps=2,
                ) as session:
                    told.append(float(session.run(x)))
                    while not session.should_stop():
                        session.run(train)
            told.append(os.path.basename(tf.train.latest_checkpoint(folder)))
        reader = tf.train.load_checkpoint(folder)
        told += [float(reader.get_tensor("x")), int(reader.get_tensor("global_step"))]
        told.append(sorted(n for n in os.listdir(folder) if n.startswith("graph")))
        v.summary.FileWriterCache.clear()
        found, tags = [], set()
        for file in sorted(os.listdir(folder)):
            if ".tfevents." not in file:
                continue
            for event in v.train.summary_iterator(os.path.join(folder, file)):
                if event.HasField("session_log"):
                    found.append((int(event.step), int(event.session_log.status)))
                # Their hooks read the step beside the assignment, in no order: at which
                # steps they write (and the numbers) is chance in TensorFlow.
                tags |= {value.tag for value in event.summary.value}
        return told, sorted(map(str, found)), sorted(tags)

    ours, theirs = program(both.ours, "ours"), program(both.theirs, "theirs")
    assert ours == theirs


def test_scaffolds_and_managers(both, tmp_path):
    def program(tf, name):
        v, told, folder = tf.compat.v1, [], str(tmp_path / name)
        os.makedirs(folder)
        with tf.Graph().as_default():
            x = v.get_variable("x", initializer=1.0, use_resource=True)
            start = v.placeholder(tf.float32, [])
            init = v.assign(x, start)
            table = v.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1
            )
            found = table.lookup(v.constant(["a", "b"]))

            def made(scaffold, session):
                told.append(("init_fn", float(session.run(x))))

            scaffold = v.train.Scaffold(
                init_op=init.op, init_feed_dict={start: 4.0}, init_fn=made
            )
            copied = v.train.Scaffold(copy_from_scaffold=scaffold)
            told.append(copied.init_feed_dict is scaffold.init_feed_dict)
            with v.train.SingularMonitoredSession(scaffold=scaffold) as session:
                told += [session.run(x), session.run(found).tolist()]
                told.append(session.raw_session().graph is session.graph)
                scaffold.saver.save(session.raw_session(), folder + "/model.ckpt")
            told.append(v.get_collection(v.GraphKeys.INIT_OP) == [])
            told.append(len(v.get_collection(v.GraphKeys.LOCAL_INIT_OP)))
        with tf.Graph().as_default():
            x = v.get_variable("x", initializer=1.0, use_resource=True)
            creator = v.train.ChiefSessionCreator(
                checkpoint_filename_with_path=folder + "/model.ckpt"
            )
            with v.train.MonitoredSession(creator) as session:
                told.append(session.run(x))
        with tf.Graph().as_default():
            x = v.get_variable("x", initializer=1.0, use_resource=True)
            ready = v.report_uninitialized_variables()
            init = v.global_variables_initializer()
            saver = v.train.Saver()
            manager = v.train.SessionManager(ready_op=ready)
            told.append(outcome(lambda: manager.prepare_session("")))
            told.append(outcome(lambda: manager.prepare_session("", v.no_op())))
            told.append(manager.prepare_session("", init).run(x))
            session, there = manager.recover_session("", saver, folder)
            told += [there, session.run(x)]
            told.append(manager.recover_session("", saver, folder + "/none")[1])
            waiting = v.train.SessionManager(ready_op=ready, recovery_wait_secs=0.1)
            told.append(outcome(lambda: waiting.wait_for_session("", max_wait_secs=0.2)))
            told.append(outcome(
                lambda: v.train.SessionManager(ready_for_local_init_op=ready)
            ))
        return told

    ours, theirs = program(both.ours, "ours"), program(both.theirs, "theirs")
    assert ours == theirs


def test_timers(both):
    def program(tf):
        timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=3)
        told = [timer.should_trigger_for_step(1), timer.update_last_triggered_step(1)]
        told += [timer.should_trigger_for_step(s) for s in (1, 3, 4)]
        told += [timer.update_last_triggered_step(4)[1], timer.last_triggered_step()]
        timer.reset()
        told += [timer.last_triggered_step(), timer.should_trigger_for_step(4)]
        timer = tf.compat.v1.train.SecondOrStepTimer(every_secs=1000.0)
        timer.update_last_triggered_step(1)
        return [*told, timer.should_trigger_for_step(9)]

    both.agree(program)


def test_hooks_that_watch(both):
    def program(tf):
        v, told = tf.compat.v1, []
        with tf.Graph().as_default():
            x = v.placeholder(tf.float32, [], name="x")
            more = x + 1.0
            final = v.train.FinalOpsHook({"a": x * 2.0}, {x: 4.0})
            texts = []
            log = v.train.LoggingTensorHook(
                {"x": "x:0"}, every_n_iter=2, at_end=False,
                formatter=lambda values: texts.append(float(values["x"])) or "text",
            )
            feed = v.train.FeedFnHook(lambda: {x: np.float32(len(texts))})
            quiet = v.train.NanTensorHook(x, fail_on_nan_loss=False)
            with v.train.MonitoredSession(hooks=[final, log, feed, quiet]) as session:
                told += [float(session.run(more)) for _ in range(5)]
            told += [texts, float(final.final_ops_values["a"])]
            loud = [v.train.NanTensorHook(x)]
            for hooks in (loud, [v.train.NanTensorHook(x, False)]):
                with v.train.MonitoredSession(hooks=hooks) as session:
                    told.append(float(session.run(x, {x: 1.0})))
                    told.append(str(outcome(lambda s=session: s.run(x, {x: np.nan}))))
                    told.append(session.should_stop())
        return told

    both.agree(program)


MISTAKES = {
    "timer of nothing": lambda t: t.SecondOrStepTimer(),
    "timer of both": lambda t: t.SecondOrStepTimer(1.0, 1),
    "log of nothing": lambda t: t.LoggingTensorHook(["x"]),
    "log of both": lambda t: t.LoggingTensorHook(["x"], 1, 1.0),
    "log of zero": lambda t: t.LoggingTensorHook(["x"], 0),
    "stop at nothing": lambda t: t.StopAtStepHook(),
    "stop at both": lambda t: t.StopAtStepHook(1, 2),
    "saver and scaffold": lambda t: t.CheckpointSaverHook(
        "/tmp", 1.0, saver=3, scaffold=3
    ),
    "count of both": lambda t: t.StepCounterHook(1, 1.0),
    "summaries of nothing": lambda t: t.SummarySaverHook(1),
    "no step": lambda t: t.StopAtStepHook(3).begin(),
    "no scaffold": lambda t: t.Scaffold(copy_from_scaffold=3),
    "no creator": lambda t: t.SessionCreator().create_session(),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_have_the_same_class(both, name):
    def program(tf):
        with tf.Graph().as_default():
            MISTAKES[name](tf.compat.v1.train)

    both.agree_on_error(program)


def test_lost_sessions_are_made_anew(both, tmp_path):
    def program(tf, name):
        v, told = tf.compat.v1, []

        class Loses(v.train.SessionRunHook):
            times = 0

            def after_create_session(self, session, coord):
                told.append("created")

            def before_run(self, run_context):
                self.times += 1
                if self.times == 2:
                    raise tf.errors.AbortedError(None, None, "lost")

        with tf.Graph().as_default():
            x = v.get_variable("x", initializer=1.0, use_resource=True)
            more = v.assign_add(x, 1.0)
            with v.train.MonitoredSession(hooks=[Loses()]) as session:
                told += [float(session.run(more)) for _ in range(3)]
            with v.train.SingularMonitoredSession(hooks=[Loses()]) as session:
                told.append(float(session.run(more)))
                told.append(outcome(lambda: session.run(more)))
        return told

    assert program(both.ours, "ours") == program(both.theirs, "theirs")
