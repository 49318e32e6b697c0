"""What tf.train.Checkpoint.restore gives: what was restored, and assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphkiln import _graphkiln
from graphkiln._src.checkpoint.graph_checkpoints import initializers
from graphkiln._src.session.default_session import get_default_session

if TYPE_CHECKING:
    from graphkiln._graphkiln import _Restoration
    from graphkiln._src.checkpoint.leftovers import Leftovers
    from graphkiln._src.checkpoint.objects import Protocol

_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class CheckpointLoadStatus:
    """What became of a checkpoint that was restored.

    Values of objects that come later are restored when they come, so assertions
    may fail first and hold later. When neither the status nor an object that
    waits for others is left, a warning tells of values that nobody asked for.
    """

    def __init__(self, leftovers: Leftovers, root: Any, protocol: Protocol) -> None:
        self._leftovers = leftovers
        self._root = root
        self._protocol = protocol

    @property
    def _restoration(self) -> _Restoration:
        return self._leftovers.restoration

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Asserts that all objects of the program are in the checkpoint and all
        its values were restored.

        Raises:
          AssertionError: it names what is missing.
        """
        self._restoration.assert_consumed(self._root, self._protocol)
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Asserts that all objects of the program are in the checkpoint, which
        may have more.

        Raises:
          AssertionError: it names those that are not.
        """
        self._restoration.assert_existing_objects_matched(self._root, self._protocol)
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Asserts that something besides the root is in the checkpoint.

        Raises:
          AssertionError: nothing is.
        """
        self._restoration.assert_nontrivial_match(self._root, self._protocol)
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that values nobody asks for are no mistake."""
        self._leftovers.expected = True
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Gives variables of a graph their values, by the session given or the default
        one. Others have them since they were met."""
        if _graphkiln.executing_eagerly():
            return
        for variable, value in self._leftovers.values:
            variable.load(value, session)
        if self._leftovers.operations:
            (session or get_default_session()).run(self._leftovers.operations)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does that, and initializes variables that are not in the checkpoint."""
        if _graphkiln.executing_eagerly():
            return
        objects = _graphkiln._reachable_objects(self._root, self._protocol)
        missing = initializers(objects, self._restoration.number)
        self.run_restore_ops(session)
        (session or get_default_session()).run(missing)


class InitializationOnlyStatus:
    """The status of a restoration from no checkpoint (`save_path` of None)."""

    def __init__(self, root: Any, protocol: Protocol) -> None:
        self._root = root
        self._protocol = protocol

    def assert_consumed(self) -> None:
        """Raises AssertionError: there is no checkpoint."""
        raise AssertionError(_NOTHING)

    assert_existing_objects_matched = assert_consumed
    assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError: there is no checkpoint."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available "
            "(save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initializes the variables of a graph. Others have their initial values."""
        if _graphkiln.executing_eagerly():
            return
        objects = _graphkiln._reachable_objects(self._root, self._protocol)
        (session or get_default_session()).run(initializers(objects, None))

    def expect_partial(self) -> InitializationOnlyStatus:
        """Nothing is expected anyway."""
        return self
