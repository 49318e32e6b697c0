"""Queues and critical sections: the same program on both, what it shows or its
error."""

from __future__ import annotations

import numpy as np
import pytest

# Each is a program: lines before the last one, and an expression.
PROGRAMS = r"""
q = Q.FIFOQueue(3,tf.int32); q.enqueue(1); q.dequeue()
q = Q.FIFOQueue(3,tf.int32); q.name
q = Q.FIFOQueue(3,[tf.int32,tf.string]); q.enqueue([1,'a']); q.dequeue()
q = Q.FIFOQueue(3,[tf.int32,tf.string]); q.enqueue([1])
q = Q.FIFOQueue(3,[tf.int32]); q.enqueue('a')
q = Q.FIFOQueue(3,[tf.int32],shapes=[[2]]); q.enqueue([[1,2]]); q.dequeue()
q = Q.FIFOQueue(3,[tf.int32],shapes=[[2]]); q.enqueue([[1,2,3]])
q = Q.FIFOQueue(3,tf.int32,shapes=[2]); (q.shapes, q.dtypes, q.names)
q = Q.FIFOQueue(3,tf.int32); q.shapes
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); q.enqueue_many([[1,2]]); q.dequeue_many(2)
q = Q.FIFOQueue(3,[tf.int32,tf.string],shapes=[(),[2]]); q.enqueue_many([[1,2],[['a','b'],['c','d']]]); q.dequeue_many(2)
q = Q.FIFOQueue(3,tf.int32); q.enqueue_many([[1,2]]); q.dequeue_many(2)
q = Q.FIFOQueue(3,tf.int32); q.enqueue_many([[1,2]]); q.close(); q.size()
q = Q.FIFOQueue(3,tf.int32); q.enqueue_many([[1,2]]); q.close(); q.enqueue(1)
q = Q.FIFOQueue(3,tf.int32); q.close(); q.close()
q = Q.FIFOQueue(3,tf.int32); q.close(); q.close(True)
q = Q.FIFOQueue(3,tf.int32); q.enqueue_many([[1]]); q.close(); q.dequeue(); q.dequeue()
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); q.enqueue_many([[1]]); q.close(); q.dequeue_many(2)
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); q.enqueue_many([[1]]); q.close(); q.dequeue_up_to(2)
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); q.close(); q.dequeue_up_to(2)
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); q.dequeue_many(-1)
q = Q.FIFOQueue(3,tf.int32,shapes=[[2]]); q.dequeue_many(0)
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); q.dequeue_up_to(0)
q = Q.FIFOQueue(3,tf.int32,shapes=[()]); (q.is_closed(), q.close(), q.is_closed())
q = Q.FIFOQueue(3,tf.int32,names=['a']); q.enqueue({'a':1}); sorted(q.dequeue())
q = Q.FIFOQueue(3,tf.int32,names=['a']); q.enqueue(1)
q = Q.FIFOQueue(3,tf.int32,names=['a']); q.enqueue({'b':1})
Q.FIFOQueue(3,tf.int32,names=['a','b'])
q = Q.FIFOQueue(3,tf.int32); q.enqueue({'a':1})
q = Q.FIFOQueue(0,tf.int32); q.size()
q = Q.FIFOQueue(-5,tf.int32); q.enqueue(1); q.size()
Q.FIFOQueue(3,tf.int32,shapes=[[None]])
Q.FIFOQueue(3,[])
Q.FIFOQueue(3,[tf.int32],shapes=[[1],[2]])
q = Q.PaddingFIFOQueue(3,tf.int32,shapes=[[None]]); q.enqueue([[1]]); q.enqueue([[1,2,3]]); q.dequeue_many(2)
q = Q.PaddingFIFOQueue(3,tf.int32,shapes=[[None,2]]); q.enqueue([[[1,2]]]); q.enqueue([[[1,2],[3,4]]]); q.dequeue_up_to(2)
q = Q.PaddingFIFOQueue(3,tf.string,shapes=[[None,2]]); q.enqueue([[['a','b']]]); q.dequeue()
q = Q.PaddingFIFOQueue(3,tf.int32,shapes=[[None]]); q.enqueue([1])
q = Q.PaddingFIFOQueue(3,tf.int32,shapes=[[None]]); q.enqueue_many([[[1,2],[3,4]]]); q.dequeue_many(2)
Q.PaddingFIFOQueue(3,tf.int32,shapes=[None])
Q.PaddingFIFOQueue(3,tf.int32,shapes=None)
q = Q.PriorityQueue(5,tf.string,shapes=[()]); q.enqueue_many((I64(3,1,2,1),['c','a','b','a2'])); q.dequeue_many(4)
q = Q.PriorityQueue(5,tf.string,shapes=[()]); q.enqueue((C(3,tf.int64),'c')); q.enqueue((C(1,tf.int64),'a')); q.dequeue()
q = Q.PriorityQueue(5,tf.string,shapes=[()]); q.enqueue((I64(3),'c'))
q = Q.PriorityQueue(5,tf.string,shapes=[()]); q.dtypes
q = Q.RandomShuffleQueue(30,0,tf.int32,shapes=[()],seed=3); q.enqueue_many([list(range(20))]); q.dequeue_many(12)
q = Q.RandomShuffleQueue(30,0,tf.int32,shapes=[()],seed=3); q.enqueue_many([list(range(20))]); [q.dequeue() for _ in range(5)]
q = Q.RandomShuffleQueue(30,5,tf.int32,shapes=[()],seed=3); q.enqueue_many([list(range(7))]); q.close(); q.dequeue_many(7)
tf.random.set_seed(5); q = Q.RandomShuffleQueue(30,0,tf.int32,shapes=[()]); q.enqueue_many([list(range(20))]); q.dequeue_many(12)
Q.RandomShuffleQueue(3,5,tf.int32)
Q.RandomShuffleQueue(3,-1,tf.int32)
q = [Q.FIFOQueue(3,tf.int32),Q.FIFOQueue(3,tf.int32)]; q[1].enqueue(5); Q.QueueBase.from_list(1,q).dequeue()
q = [Q.FIFOQueue(3,tf.int32,shapes=[[2]]),Q.FIFOQueue(3,tf.int32,shapes=[[3]])]; Q.QueueBase.from_list(1,q).shapes
Q.QueueBase.from_list(1,[1])
Q.QueueBase.from_list(1,[Q.FIFOQueue(3,tf.int32),Q.FIFOQueue(3,tf.int64)])
q = Q.FIFOQueue(3,tf.int32); q.enqueue_many([[1,2],[3,4]])
q = Q.FIFOQueue(3,tf.int32); q.enqueue_many(5)
q = Q.FIFOQueue(3,[tf.int32,tf.int32]); q.enqueue_many([[1,2],[3]])
q = Q.FIFOQueue(3,tf.int32); f = tf.function(lambda x: (q.enqueue(x), q.size(), q.dequeue())[1:], autograph=False); f(C(7))
q = Q.FIFOQueue(3,tf.int32,shapes=[[2]]); f = tf.function(lambda: (str(q.dequeue().shape), str(q.dequeue_many(3).shape), str(q.dequeue_up_to(3).shape)), autograph=False); shapes_of(f)
q = Q.FIFOQueue(3,tf.int32); R.QueueDequeueV2(handle=q.queue_ref,component_types=[tf.string])
q = Q.FIFOQueue(3,tf.int32); R.QueueEnqueueV2(handle=q.queue_ref,components=['a'])
q = Q.FIFOQueue(3,tf.int32); R.QueueEnqueueV2(handle=q.queue_ref,components=[1],timeout_ms=5)
R.QueueSizeV2(handle=tf.Variable(1).handle)
R.FIFOQueueV2(component_types=[tf.int32],shapes=[[2],[3]])
R.PaddingFIFOQueueV2(component_types=[tf.int32],shapes=[])
h = R.FIFOQueueV2(component_types=[tf.int32],shared_name='sh'); R.FIFOQueueV2(component_types=[tf.int64],shared_name='sh')
h = R.FIFOQueueV2(component_types=[tf.int32],shared_name='sg'); R.FIFOQueueV2(component_types=[tf.int32],shared_name='sg',capacity=9)
c = tf.CriticalSection(); c.execute(lambda: C(1))
c = tf.CriticalSection(); c.name
c = tf.CriticalSection(); c.execute(lambda: c.execute(lambda: C(1)))
v = tf.Variable(0); c = tf.CriticalSection(); (c.execute(lambda: v.assign_add(1)), c.execute(lambda: v.assign_add(1)))
v = tf.Variable(0); c = tf.CriticalSection(); f = tf.function(lambda: c.execute(lambda: v.assign_add(1))); (f(), f(), v.read_value())
v = tf.Variable(0); c = tf.CriticalSection(); d = tf.CriticalSection(); f = tf.function(lambda: (c.execute(lambda: v.assign_add(1)), d.execute(lambda: v.assign_add(1))), autograph=False); f()
v = tf.Variable(0); c = tf.CriticalSection(); f = tf.function(lambda: (c.execute(lambda: v.assign_add(1)), c.execute(lambda: v.assign_add(1))), autograph=False); f()
tf.CriticalSection(name='x',critical_section_def=1)
tf.CriticalSection(critical_section_def=1)
c = tf.CriticalSection(); c.execute(lambda: [C(1),{'a':2.}])
c = tf.CriticalSection(); c.execute(lambda: None)
c = tf.CriticalSection(); c.execute(lambda: 1/0)
R.MutexLock(mutex=tf.Variable(1).handle)
""".strip().splitlines()


def flat(value):
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in flat(item)]
    if isinstance(value, dict):
        return [part for item in value.items() for part in flat(item)]
    if not hasattr(value, "numpy"):
        return [str(value)]
    return [value.dtype.name, np.asarray(value.numpy()).tolist()]


def outcome(program, tf):
    def shapes_of(function):
        found = []
        traced = tf.function(
            lambda: found.append(function.python_function()) or 0,
            autograph=False,
        )
        traced.get_concrete_function()
        return found

    names = {
        "tf": tf, "R": tf.raw_ops, "Q": tf.queue, "C": tf.constant,
        "I64": lambda *v: tf.constant(v, tf.int64), "shapes_of": shapes_of,
    }
    *lines, last = program.split("; ")
    try:
        for line in lines:
            exec(line, names)
        value = eval(last, names)
        return "made" if "object at" in str(value) else flat(value)
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program, both):
    ours = outcome(program, both.ours)
    assert str(ours) == str(outcome(program, both.theirs))
