"""Parts of saving and restoring that optimizers of Keras' second version use."""

from __future__ import annotations

from graphkiln import _graphkiln, train
from graphkiln._src.checkpoint.trackable import TrackableReference


class CheckpointInitialValue:
    """The value that a variable has in a checkpoint, which restores what is below the
    variable too once that has it.

    >>> value = tf.__internal__.tracking.CheckpointInitialValue(None)
    >>> value.checkpoint_position is None
    True
    """

    def __init__(
        self,
        checkpoint_position: object,
        shape: object = None,
        shard_info: object = None,
    ) -> None:
        self._position = checkpoint_position
        value = None if checkpoint_position is None else checkpoint_position.value()
        if value is not None and shape is not None:
            value.shape.assert_is_compatible_with(shape)
        self.wrapped_value = value

    @property
    def checkpoint_position(self) -> object:
        """Where the value is."""
        return self._position


class DelegatingTrackableMixin:
    """A class of objects that are saved as another object is, of which they are a
    wrapper.

    Args:
      trackable_obj: the other object.

    >>> class Wrapper(tf.__internal__.tracking.DelegatingTrackableMixin):
    ...     pass
    >>> module = tf.Module()
    >>> module.v = tf.Variable(1.0)
    >>> list(Wrapper(module)._trackable_children())
    ['v']
    """

    def __init__(self, trackable_obj: object) -> None:
        self._trackable = trackable_obj

    @property
    def _setattr_tracking(self) -> bool:
        return self._trackable._setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._trackable._setattr_tracking = value

    @property
    def _update_uid(self) -> int:
        return self._trackable._update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        self._trackable._update_uid = value

    @property
    def _unconditional_checkpoint_dependencies(self) -> list:
        return self._trackable._unconditional_checkpoint_dependencies

    @property
    def _unconditional_dependency_names(self) -> dict:
        return self._trackable._unconditional_dependency_names

    @property
    def _deferred_dependencies(self) -> dict:
        return self._trackable._deferred_dependencies

    @property
    def _object_identifier(self) -> str:
        return self._trackable._object_identifier

    @property
    def _tracking_metadata(self) -> str:
        return self._trackable._tracking_metadata

    def _maybe_initialize_trackable(self) -> None:
        self._trackable._maybe_initialize_trackable()

    def _add_variable_with_custom_getter(
        self, *args: object, **kwargs: object
    ) -> object:
        return self._trackable._add_variable_with_custom_getter(*args, **kwargs)

    def _preload_simple_restoration(self, name: str) -> object:
        return self._trackable._preload_simple_restoration(name)

    def _track_trackable(
        self, trackable: object, name: str, overwrite: bool = False
    ) -> object:
        return self._trackable._track_trackable(trackable, name, overwrite)

    def _handle_deferred_dependencies(self, name: str, trackable: object) -> None:
        self._trackable._handle_deferred_dependencies(name, trackable)

    def _lookup_dependency(self, name: str, *cached: object) -> object:
        return self._trackable._lookup_dependency(name, *cached)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: object
    ) -> dict:
        return dict(self._trackable._trackable_children(save_type, **kwargs))

    def _create_or_restore_slot_variable(self, **named: object) -> None:
        self._trackable._create_or_restore_slot_variable(**named)


class ObjectGraphView(train.TrackableView):
    """The objects that a checkpoint of `root` has, with the names of the edges.

    Args:
      root: the object at the top.
      attached_dependencies: more `TrackableReference`s of the root.

    >>> view = tf.__internal__.tracking.ObjectGraphView(tf.train.Checkpoint())
    >>> view.list_children(view.root)
    []
    """

    def __init__(self, root: object, attached_dependencies: object = None) -> None:
        super().__init__(root)
        self._attached_dependencies = attached_dependencies

    @property
    def attached_dependencies(self) -> object:
        """What was given."""
        return self._attached_dependencies

    def list_children(self, obj: object) -> list:
        """The children of an object as `TrackableReference`s."""
        found = [TrackableReference(n, c) for n, c in self.children(obj).items()]
        if obj is self.root and self._attached_dependencies:
            found += list(self._attached_dependencies)
        return found

    def breadth_first_traversal(self) -> tuple[list, dict]:
        """All objects, the nearest first, and the way to each."""
        found, paths = [self.root], {self.root: ()}
        for obj in found:
            for reference in self.list_children(obj):
                if not any(reference.ref is other for other in found):
                    found.append(reference.ref)
                    paths[reference.ref] = (*paths[obj], reference)
        return found, paths


def saveable_objects_from_trackable(obj: object, tf1_saver: bool = False) -> dict:
    """What makes the saved parts of an object, by their names.

    >>> tf.__internal__.tracking.saveable_objects_from_trackable(tf.Module())
    {}
    """
    gather = getattr(obj, "_gather_saveables_for_checkpoint", None)
    if gather is not None:
        return gather()
    if isinstance(obj, _graphkiln.BaseVariable):
        return {"VARIABLE_VALUE": obj}
    return {}


def streaming_restore(status: object, session: object = None) -> None:
    """Runs what a graph has for a restoration; eagerly it has run already.

    Args:
      status: what `restore` gave.
      session: of the graph.
    """
    if _graphkiln.executing_eagerly():
        return
    run = getattr(status, "run_restore_ops", None)
    if run is not None:
        run(session=session)
