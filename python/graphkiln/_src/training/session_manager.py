"""tf.compat.v1.train.SessionManager: sessions whose variables have values."""

from __future__ import annotations

import os
import time
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.state_file import get_checkpoint_state
from graphkiln._src.session.session import Session


class SessionManager:
    """Makes sessions, from checkpoints where there are some.

    Args:
      local_init_op: run in each session that is made.
      ready_op: gives the names of what has no value yet.
      ready_for_local_init_op: the same, before `local_init_op`.
      graph: of the sessions; the default graph unless given.
      recovery_wait_secs: how long it waits before it looks again.
      local_init_run_options: RunOptions of `local_init_op`.
      local_init_feed_dict: what `local_init_op` is fed.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     init = tf.compat.v1.global_variables_initializer()
    ...     manager = tf.compat.v1.train.SessionManager()
    ...     manager.prepare_session("", init_op=init).run(v).item()
    3.0
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a "
                f"local_init_op , ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = _graphkiln.get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def _restored(
        self, master: str, saver: Any, folder: Any, path: Any, wait: bool,
        longest: float, config: Any,
    ) -> tuple[Session, bool]:
        session = Session(master, graph=self._graph, config=config)
        if folder and path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        if not saver or not (folder or path):
            return session, False
        if path:
            saver.restore(session, path)
            return session, True
        waited = 0.0
        state = get_checkpoint_state(folder)
        while not state or not state.model_checkpoint_path:
            if not wait or waited >= longest:
                return session, False
            _graphkiln.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            state = get_checkpoint_state(folder)
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | os.PathLike | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Session:
        """A session, from a checkpoint if there is one, else by `init_op`.

        Args:
          master: "".
          init_op: run where there is no checkpoint.
          saver: restores checkpoints.
          checkpoint_dir: where they are.
          checkpoint_filename_with_path: one checkpoint, in place of a folder.
          wait_for_checkpoint: does it wait for one?
          max_wait_secs: how long at most.
          config: a ConfigProto.
          init_feed_dict: what `init_op` is fed.
          init_fn: a function of the session, called after `init_op`.

        Raises:
          RuntimeError: if something has no value then.
        """
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path,
            wait_for_checkpoint, max_wait_secs, config,
        )
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or "
                    "local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        done, message = self._run_local_init_op(session)
        if not done:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  Init op: "
                f"{_name(init_op)}, init fn: {init_fn}, error: {message}"
            )
        ready, message = self._is_ready(self._ready_op, session)
        if not ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {_name(init_op)}, "
                f"init fn: {init_fn}, local_init_op: {_name(self._local_init_op)}, "
                f"error: {message}"
            )
        return session

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | os.PathLike | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """A session, from a checkpoint if there is one, and whether everything has
        a value.

        Args:
          master: "".
          saver: restores checkpoints.
          checkpoint_dir: where they are.
          checkpoint_filename_with_path: one checkpoint, in place of a folder.
          wait_for_checkpoint: does it wait for one?
          max_wait_secs: how long at most.
          config: a ConfigProto.
        """
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path,
            wait_for_checkpoint, max_wait_secs, config,
        )
        done, message = self._run_local_init_op(session)
        if not restored:
            return session, False
        if not done:
            _graphkiln.info(
                "Restoring model from %s did not make model ready for local init: %s",
                checkpoint_dir or checkpoint_filename_with_path, message,
            )
            return session, False
        ready, message = self._is_ready(self._ready_op, session)
        if not ready:
            _graphkiln.info(
                "Restoring model from %s did not make model ready: %s",
                checkpoint_dir or checkpoint_filename_with_path, message,
            )
        return session, ready

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("Inf")
    ) -> Session:
        """A session once everything has a value, which others give it.

        Args:
          master: "".
          config: a ConfigProto.
          max_wait_secs: how long at most.

        Raises:
          DeadlineExceededError: if it does not come to that.
        """
        end = time.monotonic() + (float("Inf") if max_wait_secs is None else max_wait_secs)
        while True:
            session = Session(master, graph=self._graph, config=config)
            done, message = self._run_local_init_op(session)
            if done:
                ready, message = self._is_ready(self._ready_op, session)
                if ready:
                    return session
            session.close()
            if time.monotonic() + self._recovery_wait_secs >= end:
                raise _graphkiln.DeadlineExceededError(
                    None, None,
                    "Session was not ready after waiting "
                    f"{max_wait_secs} secs: {message}",
                )
            _graphkiln.info("Waiting for model to be ready: %s", message)
            time.sleep(self._recovery_wait_secs)

    def _is_ready(self, op: Any, session: Session) -> tuple[bool, str | None]:
        if op is None:
            return True, None
        try:
            missing = session.run(op)
        except _graphkiln.FailedPreconditionError as error:
            return False, str(error)
        if missing is None or missing.size == 0:
            return True, None
        names = ", ".join(n.decode() for n in missing.ravel().tolist())
        return False, f"Variables not initialized: {names}"

    def _run_local_init_op(self, session: Session) -> tuple[bool, str | None]:
        if self._local_init_op is None:
            return True, None
        ready, message = self._is_ready(self._ready_for_local_init_op, session)
        if ready:
            session.run(
                self._local_init_op, self._local_init_feed_dict,
                self._local_init_run_options,
            )
        return ready, message


def _name(op: Any) -> str:
    return "None" if op is None else str(getattr(op, "name", op))
