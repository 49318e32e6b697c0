"""tf.compat.v1.train: what a session needs before it runs, and who makes it."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.session import graph_variables as variables
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.session import Session
from graphkiln._src.summary.version_one import merge_all
from graphkiln._src.training.session_manager import SessionManager


class Scaffold:
    """The operations that give variables their values and tell whether they have
    them, the saver and the summaries: the usual ones unless given.

    Args:
      init_op: gives values.
      init_feed_dict: what `init_op` is fed.
      init_fn: a function of the scaffold and the session, called after `init_op`.
      ready_op: gives the names of what has no value yet.
      ready_for_local_init_op: the same, before `local_init_op`.
      local_init_op: gives local variables and tables their values.
      summary_op: makes summaries.
      saver: writes and restores checkpoints.
      copy_from_scaffold: what is not given comes from here.
      local_init_feed_dict: what `local_init_op` is fed.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.Scaffold().finalize().local_init_op.type
    'NoOp'
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        other = copy_from_scaffold
        if other is not None and not isinstance(other, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(value: Any, name: str) -> Any:
            return value if value is not None or other is None else getattr(other, name)

        # A function is called with this scaffold, too.
        self._user_init_fn = given(init_fn, "_user_init_fn")
        user = self._user_init_fn
        self._init_fn = (lambda session: user(self, session)) if user else None
        self._init_op = given(init_op, "_init_op")
        self._init_feed_dict = given(init_feed_dict, "_init_feed_dict")
        self._ready_op = given(ready_op, "_ready_op")
        self._ready_for_local_init_op = given(
            ready_for_local_init_op, "_ready_for_local_init_op"
        )
        self._local_init_op = given(local_init_op, "_local_init_op")
        self._local_init_feed_dict = given(
            local_init_feed_dict, "_local_init_feed_dict"
        )
        self._summary_op = given(summary_op, "_summary_op")
        self._saver = given(saver, "_saver")

    def finalize(self) -> Scaffold:
        """Makes what is missing. Nothing can be added to the graph any more."""
        if self._init_op is None:
            self._init_op = Scaffold.get_or_default(
                "init_op", GraphKeys.INIT_OP,
                lambda: _graphkiln.group(
                    variables.global_variables_initializer(),
                    *variables.get_collection(GraphKeys.RESOURCES),
                    *variables.get_collection("saved_model_initializers"),
                ),
            )
        if self._ready_op is None:
            self._ready_op = Scaffold.get_or_default(
                "ready_op", GraphKeys.READY_OP,
                lambda: ops.concat([variables.report_uninitialized_variables()], 0),
            )
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = Scaffold.get_or_default(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: ops.concat([
                    variables.report_uninitialized_variables(
                        variables.global_variables()
                    )
                ], 0),
            )
        if self._local_init_op is None:
            self._local_init_op = Scaffold.get_or_default(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = Scaffold.get_or_default(
                "summary_op", GraphKeys.SUMMARY_OP, merge_all
            )
        if self._saver is None:
            self._saver = Scaffold.get_or_default(
                "saver", GraphKeys.SAVERS, lambda: Saver(sharded=True, allow_empty=True)
            )
        self._saver.build()
        _graphkiln.get_default_graph().finalize()
        _graphkiln.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable | None:
        """A function of the session, called after `init_op`."""
        return self._init_fn

    @property
    def init_op(self) -> Any:
        """Gives values."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """Gives the names of what has no value yet."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The same, before `local_init_op`."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """Gives local variables and tables their values."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """What `local_init_op` is fed."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """Makes summaries."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """Writes and restores checkpoints."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable
    ) -> Any:
        """What the graph keeps under a name, made and kept if there is none.

        Args:
          arg_name: what it is called in the error.
          collection_key: under which name.
          default_constructor: makes it.

        Raises:
          RuntimeError: if there are several.
        """
        kept = variables.get_collection(collection_key)
        if len(kept) > 1:
            raise RuntimeError(
                f"More than one item in the collection {collection_key!r}. Please "
                f"indicate which one to use by passing it to the tf.Scaffold "
                f"constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if kept:
            return kept[0]
        made = default_constructor()
        if made is not None:
            variables.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Gives local variables and tables their values."""
        return _graphkiln.group(
            variables.local_variables_initializer(), variables.tables_initializer(),
            *variables.get_collection(GraphKeys.LOCAL_RESOURCES),
        )


class SessionCreator(abc.ABC):
    """Makes sessions for a `MonitoredSession`.

    >>> issubclass(tf.compat.v1.train.ChiefSessionCreator,
    ...            tf.compat.v1.train.SessionCreator)
    True
    """

    @abc.abstractmethod
    def create_session(self) -> Session:
        """A new session."""


class _Creator(SessionCreator):
    def __init__(self, scaffold: Scaffold | None, master: str, config: Any) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._manager: SessionManager | None = None

    def _session_manager(self) -> SessionManager:
        if self._manager is None:
            whole = self._scaffold.finalize()
            self._manager = SessionManager(
                local_init_op=whole.local_init_op,
                local_init_feed_dict=whole.local_init_feed_dict,
                ready_op=whole.ready_op,
                ready_for_local_init_op=whole.ready_for_local_init_op,
                graph=_graphkiln.get_default_graph(),
            )
        return self._manager


class ChiefSessionCreator(_Creator):
    """Makes sessions from checkpoints, or by initializers.

    Args:
      scaffold: what they need.
      master: "".
      config: a ConfigProto.
      checkpoint_dir: where checkpoints are.
      checkpoint_filename_with_path: one checkpoint, in place of a folder.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     session = tf.compat.v1.train.ChiefSessionCreator().create_session()
    >>> session.run(v).item()
    3.0
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._folder = checkpoint_dir
        self._path = checkpoint_filename_with_path

    def create_session(self) -> Session:
        """A new session, in which everything has a value."""
        manager = self._session_manager()
        return manager.prepare_session(
            self._master, saver=self._scaffold.saver, checkpoint_dir=self._folder,
            checkpoint_filename_with_path=self._path, config=self._config,
            init_op=self._scaffold.init_op, init_fn=self._scaffold.init_fn,
            init_feed_dict=self._scaffold.init_feed_dict,
        )


class WorkerSessionCreator(_Creator):
    """Makes sessions once others have given everything a value.

    Args:
      scaffold: what they need.
      master: "".
      config: a ConfigProto.
      max_wait_secs: how long it waits at most.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1)
    ...     session = tf.compat.v1.train.WorkerSessionCreator().create_session()
    >>> session.run(x).item()
    1
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 1800,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Session:
        """A new session, in which everything has a value."""
        return self._session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )
