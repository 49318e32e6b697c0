"""What is kept beside a graph, and what waits for what in it, where parts of it are
made: branches, bodies of loops, functions, variables."""

import numpy as np
import pytest


def test_branches_and_bodies_share_the_collections_of_their_graph(both):
    def program(t):
        v1, seen = t.compat.v1, []
        with t.Graph().as_default():
            v1.add_to_collection("before", 5)

            def inside(name, result):
                def part(*_):
                    seen.extend(v1.get_collection("before"))
                    v1.add_to_collection(name, 1)
                    v1.add_to_collection("before", 6)
                    return result

                return part

            yes = v1.placeholder(t.bool, [])
            one = t.constant(1)
            t.cond(yes, inside("branch", one), lambda: one)
            t.switch_case(one, [inside("case", one), lambda: one])
            t.while_loop(lambda i: i < 3, inside("body", [one]), [0])
            names = v1.get_default_graph().get_all_collection_keys()
            seen += [n for n in sorted(map(str, names)) if n in
                     ("before", "branch", "case", "body")]
            seen += v1.get_collection("branch") + v1.get_collection("before")
        return seen

    both.agree(program)


def test_branches_of_functions_share_those_of_the_function(both):
    def program(t):
        v1, seen = t.compat.v1, []

        @t.function(autograph=False)
        def f(x):
            def branch():
                v1.add_to_collection("lot", 1)
                return x

            y = t.cond(x > 0, branch, lambda: x)
            seen.extend(v1.get_collection("lot"))
            return y

        return [f(t.constant(1.0)), *seen]

    both.agree(program)


def _waits(op, for_type="AssignAddVariableOp"):
    """Does it wait for an operation of that type, through whatever else?"""
    left, seen = [op], set()
    while left:
        here = left.pop()
        if here.name in seen:
            continue
        seen.add(here.name)
        if here.type == for_type:
            return True
        left += [i.op for i in here.inputs] + list(here.control_inputs)
    return False


MAKERS = {
    "Variable": lambda t: [t.Variable(1.0)],
    "of a callable": lambda t: [t.Variable(lambda: t.ones([2]))],
    "get_variable": lambda t: [t.compat.v1.get_variable("b", [2])],
    "a given start": lambda t: [t.compat.v1.get_variable("b", initializer=3.0)],
    "the global step": lambda t: [t.compat.v1.train.get_or_create_global_step()],
    "in a name scope": lambda t: [_within_name(t)],
    "a metric": lambda t: [
        t.compat.v1.metrics.mean(t.constant([1.0])),
        *t.compat.v1.local_variables(),
    ][1:],
    "slots": lambda t: _slots(t),
    "averages": lambda t: _averages(t),
}


def _within_name(t):
    with t.name_scope("outer"):
        return t.Variable(1.0)


def _slots(t):
    v = t.Variable(1.0)
    optimizer = t.compat.v1.train.AdamOptimizer(0.1)
    optimizer.minimize(v * v, var_list=[v])
    return optimizer.variables()


def _averages(t):
    v = t.Variable(1.0)
    average = t.train.ExponentialMovingAverage(0.5)
    average.apply([v])
    return [average.average(v)]


@pytest.mark.parametrize("kind", MAKERS)
def test_variables_wait_for_nothing_around_them(both, kind):
    def program(t):
        with t.Graph().as_default():
            count = t.Variable(0, name="count")
            with t.control_dependencies([t.compat.v1.assign_add(count, 1)]):
                made = MAKERS[kind](t)
            return [(v.name, _waits(v.initializer), _waits(v.value().op)) for v in made]

    both.agree(program)


def test_init_scope_waits_for_nothing(both):
    def program(t):
        seen = []
        with t.Graph().as_default():
            with t.control_dependencies([t.constant(1, name="first")]):
                with t.init_scope():
                    seen.append(t.constant(2).op.control_inputs)
                    with t.control_dependencies([t.constant(3, name="inner")]):
                        again = t.constant(4).op.control_inputs
                        seen.append([op.name for op in again])
                seen.append([op.name for op in t.constant(5).op.control_inputs])
        return seen

    both.agree(program)


def test_averages_behind_a_count_count_once(both):
    def program(t):
        v1 = t.compat.v1
        with t.Graph().as_default(), v1.Session() as session:
            count, v = t.Variable(0), t.Variable(10.0)
            average = t.train.ExponentialMovingAverage(0.25)
            with t.control_dependencies([v1.assign_add(count, 1)]):
                moved = average.apply([v])
            session.run(v1.global_variables_initializer())
            seen = [session.run([count, v, average.average(v)])]
            session.run(moved)
            seen.append(session.run([count, v, average.average(v)]))
        return [[float(x) for x in row] for row in seen]

    both.agree(program)


POLICIES = {
    "gather_nd": lambda t, x, i: t.gather_nd(x, i, bad_indices_policy="IGNORE"),
    "max": lambda t, x, i: t.raw_ops.TensorScatterMax(
        tensor=x, indices=i, updates=t.ones([3]), bad_indices_policy="IGNORE"
    ),
    "min": lambda t, x, i: t.raw_ops.TensorScatterMin(
        tensor=x, indices=i, updates=t.ones([3]), bad_indices_policy="IGNORE"
    ),
}


@pytest.mark.parametrize("kind", POLICIES)
def test_gradients_ignore_the_indices_that_their_op_ignored(both, kind):
    def program(t):
        x = t.constant([1.0, 2.0])
        indices = t.constant([[1], [-1], [0]])
        if kind == "gather_nd":
            indices = indices[:, None]
        with t.GradientTape() as tape:
            tape.watch(x)
            y = t.reduce_sum(np.float32(3) * POLICIES[kind](t, x, indices))
        return tape.gradient(y, x)

    both.agree(program)
