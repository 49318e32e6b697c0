"""What evaluates a graph's model from a checkpoint, a number of times: libraries of
TensorFlow's first version (tf_slim) are built on it."""

from __future__ import annotations

import time

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln.compat import v1

_KEYS = v1.GraphKeys


def get_or_create_eval_step() -> object:
    """The graph's counter of evaluations.

    Raises:
      ValueError: the graph has several.
    """
    steps = v1.get_default_graph().get_collection(_KEYS.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if steps:
        return steps[0]
    return v1.get_variable(
        "eval_step",
        shape=[],
        dtype=_graphkiln.int64,
        initializer=v1.zeros_initializer(),
        trainable=False,
        collections=[_KEYS.LOCAL_VARIABLES, _KEYS.EVAL_STEP],
    )


class StopAfterNEvalsHook(v1.train.SessionRunHook):
    """Stops once as many evaluations have run; without a number, where the input
    ends."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._log_progress = log_progress
        self._evals_completed: object = None
        many = num_evals is not None and num_evals >= 20
        self._log_frequency = num_evals // 10 if many else 1

    def _set_evals_completed_tensor(self, updated_eval_step: object) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: object) -> object:
        return v1.train.SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: object, run_values: object) -> None:
        done = run_values.results["evals_completed"]
        if self._log_progress and self._num_evals is None:
            v1.logging.info("Evaluation [%d]", done)
        elif self._log_progress and (
            done % self._log_frequency == 0 or done == self._num_evals
        ):
            v1.logging.info("Evaluation [%d/%d]", done, self._num_evals)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: object = None,
    eval_ops: object = None,
    feed_dict: dict | None = None,
    final_ops: object = None,
    final_ops_feed_dict: dict | None = None,
    hooks: list | None = None,
    config: object = None,
) -> object:
    """Runs `eval_ops` on the model of a checkpoint until a hook says that it is enough,
    then `final_ops` once, whose values it gives."""
    step = get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        count = v1.assign_add(step, 1, use_locking=True)
        if isinstance(eval_ops, dict):
            eval_ops["update_eval_step"] = count
            before = list(eval_ops.values())
        else:
            several = isinstance(eval_ops, (list, tuple))
            before = eval_ops = [*(eval_ops if several else [eval_ops]), count]
        with v1.control_dependencies(before):
            counted = ops.identity(step.read_value())
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(counted)
    v1.logging.info("Starting evaluation at " + time.strftime("%Y-%m-%dT%H:%M:%S"))
    start = time.time()
    creator = v1.train.ChiefSessionCreator(
        scaffold=scaffold,
        checkpoint_filename_with_path=checkpoint_path,
        master=master,
        config=config,
    )
    final = v1.train.FinalOpsHook(final_ops, final_ops_feed_dict)
    with v1.train.MonitoredSession(
        session_creator=creator, hooks=[*hooks, final]
    ) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    v1.logging.info(f"Inference Time : {time.time() - start:0.5f}s")
    v1.logging.info("Finished evaluation at " + time.strftime("%Y-%m-%d-%H:%M:%S"))
    return final.final_ops_values
