"""Classes whose objects a SavedModel names, for a program that makes them again."""

from __future__ import annotations

from collections.abc import Callable

from graphkiln import _proto


class VersionedTypeRegistration:
    """How objects of one kind are made again, for some versions of what was saved.

    Args:
      object_factory: a function of the saved object's message that gives the object.
      version: what new objects are saved as.
      min_producer_version: the oldest that can be read.
      min_consumer_version: the oldest reader of what is written.
      bad_consumers: readers that must not read it.
      setter: sets an attribute: (object, name, value).
    """

    def __init__(
        self,
        object_factory: Callable,
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: list | None = None,
        setter: Callable = setattr,
    ) -> None:
        self.setter = setter
        self.identifier: str | None = None
        self._object_factory = object_factory
        self.version = version
        self._min_producer_version = min_producer_version
        self._min_consumer_version = min_consumer_version
        self._bad_consumers = list(bad_consumers or [])

    def to_proto(self) -> object:
        """The SavedUserObject that names the kind."""
        made = _proto.SavedUserObject()
        made.identifier = self.identifier
        made.version.producer = self.version
        made.version.min_consumer = self._min_consumer_version
        made.version.bad_consumers.extend(self._bad_consumers)
        return made

    def from_proto(self, proto: object) -> object:
        """The object of a SavedUserObject."""
        return self._object_factory(proto)

    def should_load(self, proto: object) -> bool:
        """Can what this SavedUserObject names be read?"""
        if proto.identifier != self.identifier:
            return False
        version = proto.version
        return (
            self.version >= version.min_consumer
            and version.producer >= self._min_producer_version
            and self.version not in version.bad_consumers
        )


_registered: dict[str, tuple[Callable, list]] = {}


def register_revived_type(
    identifier: str, predicate: Callable, versions: list[VersionedTypeRegistration]
) -> None:
    """Registers a kind of objects.

    Args:
      identifier: what SavedModels call it.
      predicate: is an object of this kind?
      versions: the newest first when it is read.

    Raises:
      AssertionError: it is registered, or one version twice.
    """
    versions.sort(key=lambda made: made.version, reverse=True)
    if not versions:
        raise AssertionError("Need at least one version of a revived type.")
    seen: set[int] = set()
    for made in versions:
        if made.version in seen:
            raise AssertionError(
                f"Got multiple registrations with version {made.version} for type "
                f"{identifier}."
            )
        seen.add(made.version)
        made.identifier = identifier
    if identifier in _registered:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'")
    _registered[identifier] = predicate, versions


def registered_identifiers() -> list[str]:
    """The kinds that are registered.

    >>> "no such" in tf.__internal__.saved_model.load.registered_identifiers()
    False
    """
    return list(_registered)


def get_setter(proto: object) -> Callable | None:
    """What sets attributes of the object that a SavedUserObject names; None if its
    kind is not registered."""
    _, versions = _registered.get(proto.identifier, (None, []))
    return versions[0].setter if versions else None


def find_registration(saved: bytes) -> tuple[object, Callable] | None:
    """The object that a SavedObject is of, and what sets its attributes; None if its
    kind is not registered."""
    proto = _proto.SavedObject.FromString(saved).user_object
    for made in _registered.get(proto.identifier, (None, []))[1]:
        if made.should_load(proto):
            return made.from_proto(proto), made.setter
    return None


def described(value: object) -> object | None:
    """The SavedUserObject of an object of a registered kind, or None."""
    for predicate, versions in _registered.values():
        if predicate(value):
            return versions[0].to_proto()
    return None
