"""tf.DeviceSpec: the name of a device, taken apart."""

from __future__ import annotations

from graphkiln import _graphkiln

_PARTS = ("job", "replica", "task", "device_type", "device_index")


def _number(value: object) -> int | None:
    return None if value is None else int(value)


class DeviceSpec:
    """Which device: any part that is None is left open.

    Raises ValueError for parts that are no numbers where numbers belong.

    >>> tf.DeviceSpec.from_string("/job:worker/cpu:0").to_string()
    '/job:worker/device:CPU:0'
    """

    __slots__ = ("_parts",)

    def __init__(
        self, job=None, replica=None, task=None, device_type=None,
        device_index=None,
    ):
        self._parts = (
            None if job is None else str(job), _number(replica), _number(task),
            None if device_type is None else _type_name(str(device_type)),
            _number(device_index),
        )

    job = property(lambda self: self._parts[0], doc="The job's name.")
    replica = property(lambda self: self._parts[1], doc="Its replica.")
    task = property(lambda self: self._parts[2], doc="The task's number.")
    device_type = property(lambda self: self._parts[3], doc='"CPU" and so on.')
    device_index = property(lambda self: self._parts[4], doc="Which of them.")

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Takes a name such as "/job:worker/task:1/device:CPU:0" apart.

        Raises ValueError if it is none.
        """
        return cls(*_graphkiln.parse_device(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The same as `from_string`."""
        return self.from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This spec with the parts of `dev` that are not open."""
        return DeviceSpec(*(
            old if new is None else new
            for old, new in zip(self._parts, dev._parts)
        ))

    def replace(self, **kwargs) -> DeviceSpec:
        """This spec with other parts.

        >>> tf.DeviceSpec(device_type="CPU").replace(device_index=1).to_string()
        '/device:CPU:1'
        """
        return DeviceSpec(**{**dict(zip(_PARTS, self._parts)), **kwargs})

    def to_string(self) -> str:
        """The name of the device."""
        text = "".join(
            f"/{name}:{value}"
            for name, value in zip(_PARTS[:3], self._parts)
            if value is not None
        )
        kind, index = self._parts[3:]
        if kind is not None:
            text += f"/device:{kind}:{'*' if index is None else index}"
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        parts = (f"{n}={v}" for n, v in zip(_PARTS, self._parts))
        return f"<DeviceSpec({', '.join(parts)})>"


def _type_name(name: str) -> str:
    return name.upper() if name.lower() in ("cpu", "gpu") else name
