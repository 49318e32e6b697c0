"""TensorFlow's private flags that its tests ask for."""

from __future__ import annotations


class Flag:
    """On, until it is reset."""

    def __init__(self, value: bool) -> None:
        self._value = value

    def value(self) -> bool:
        return self._value

    def reset(self, value: bool) -> None:
        self._value = value


class Flags:
    """All of them. What is saved has a fingerprint whatever its flag says."""

    def __init__(self) -> None:
        self.saved_model_fingerprinting = Flag(True)


_the_flags = Flags()


def config() -> Flags:
    return _the_flags
