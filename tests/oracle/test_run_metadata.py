"""What tf.compat.v1.Session.run tells of a run: RunMetadata on both modules."""

import pytest


def program(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2, 2], name="x")
        y = tf.matmul(x, x, name="mm")
        tf.reduce_sum(tf.nn.relu(y * 2.0 + 1.0, name="act"), name="sum")
    return graph


FEED = {"x:0": [[1.0, 2.0], [3.0, 4.0]]}


def same(both, run):
    ours, theirs = run(both.ours), run(both.theirs)
    assert ours == theirs
    return ours


def told(tf, session, fetch="sum:0", **options):
    metadata = tf.compat.v1.RunMetadata()
    metadata.partition_graphs.add()  # what it held is gone
    given = tf.compat.v1.RunOptions(**options) if options else None
    value = session.run(fetch, FEED, given, metadata)
    return value, metadata


def test_what_is_asked_for_is_told(both):
    def run(tf):
        levels = tf.compat.v1.RunOptions
        with tf.compat.v1.Session(graph=program(tf)) as session:
            found = []
            for options in (
                {},
                {"trace_level": levels.NO_TRACE},
                {"trace_level": levels.SOFTWARE_TRACE},
                {"trace_level": levels.FULL_TRACE},
                {"output_partition_graphs": True},
                {"output_partition_graphs": True, "trace_level": levels.FULL_TRACE},
            ):
                value, metadata = told(tf, session, **options)
                devices = metadata.step_stats.dev_stats
                found.append(
                    (
                        float(value),
                        [d.device for d in devices],
                        len(metadata.partition_graphs),
                        len(metadata.function_graphs),
                    )
                )
            fetch = session.make_callable("sum:0", ["x:0"], accept_options=True)
            metadata = tf.compat.v1.RunMetadata()
            fetch(FEED["x:0"], options=levels(trace_level=3), run_metadata=metadata)
            return found, len(metadata.step_stats.dev_stats)

    same(both, run)


def test_nodes_have_times(both):
    def run(tf):
        with tf.compat.v1.Session(graph=program(tf)) as session:
            told(tf, session)
            _, metadata = told(tf, session, trace_level=3)
        stats = {n.node_name: n for n in metadata.step_stats.dev_stats[0].node_stats}
        wanted = stats["mm"], stats["act"], stats["sum"]
        for node in wanted:
            assert node.all_start_micros * 1000 <= node.all_start_nanos
            assert node.all_start_nanos > 10**18
            assert 0 <= node.op_end_rel_nanos <= node.all_end_rel_nanos < 10**10
            assert node.timeline_label.startswith(f"{node.node_name} = ")
        starts = [n.all_start_nanos for n in wanted]
        assert stats["mm"].all_end_rel_nanos > 0
        return starts == sorted(starts)

    assert same(both, run)


def test_graphs_are_what_runs(both):
    def run(tf):
        with tf.compat.v1.Session(graph=program(tf)) as session:
            _, metadata = told(tf, session, output_partition_graphs=True)
        (graph,) = metadata.partition_graphs
        ops = (n.op for n in graph.node if n.name in ("mm", "sum"))
        return sorted(op.replace("_Mkl", "") for op in ops)

    assert same(both, run) == ["MatMul", "Sum"]


@pytest.mark.parametrize("name", ["options", "run_metadata"])
def test_what_is_no_message(both, name):
    def run(tf):
        given = {"options": tf.compat.v1.RunOptions(trace_level=3), name: 5}
        with tf.compat.v1.Session(graph=program(tf)) as session:
            try:
                session.run("sum:0", FEED, **given)
            except AttributeError:
                return "AttributeError"
        return None

    same(both, run)


def test_the_profiler_keeps_its_recording(tmp_path):
    import graphkiln as tf

    with tf.compat.v1.Session(graph=program(tf)) as session:
        with tf.profiler.experimental.Profile(str(tmp_path)):
            value, metadata = told(tf, session, trace_level=3)
        assert float(value) > 0
        assert not metadata.step_stats.dev_stats
        assert told(tf, session, trace_level=3)[1].step_stats.dev_stats
    assert list(tmp_path.rglob("*.xplane.pb"))


def test_what_an_error_leaves_behind(both):
    def run(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            x = v1.placeholder(tf.int32, [], name="x")
            tf.math.floordiv(1, x, name="sum")
            with v1.Session() as session:
                options = v1.RunOptions(trace_level=3)
                found = []
                for value in (0, 1):
                    metadata = v1.RunMetadata()
                    try:
                        session.run("sum:0", {x: value}, options, metadata)
                    except tf.errors.InvalidArgumentError:
                        found.append("InvalidArgumentError")
                    else:
                        found.append(len(metadata.step_stats.dev_stats))
        return found

    assert same(both, run) == ["InvalidArgumentError", 1]
