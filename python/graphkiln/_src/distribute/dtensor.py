"""tf.experimental.dtensor: what is named of it. Tensors here lie on one device, and
whoever makes a mesh or a layout is told so."""

from __future__ import annotations

from typing import Any

# The axis of a tensor that is on every device whole.
UNSHARDED = "unsharded"
# Of a layout that any other fits.
MATCH = "match"

_ONE_DEVICE = (
    "tensors of graphkiln lie on one device, so that there is nothing to lay out: "
    "leave the mesh out, or run this program on TensorFlow"
)


def _refused(what: str) -> NotImplementedError:
    return NotImplementedError(f"tf.experimental.dtensor.{what}: {_ONE_DEVICE}.")


class Mesh:
    """Devices in rows. There is one here.

    Raises:
      NotImplementedError: always.

    >>> try:
    ...     tf.experimental.dtensor.Mesh(["x"], [0], [0], ["CPU:0"])
    ... except NotImplementedError:
    ...     "one device"
    'one device'
    """

    def __init__(
        self,
        dim_names: Any,
        global_device_ids: Any,
        local_device_ids: Any,
        local_devices: Any,
        mesh_name: str = "",
        global_devices: Any = None,
        use_xla_spmd: bool = False,
    ) -> None:
        raise _refused("Mesh")


class Layout:
    """How a tensor lies on the devices of a mesh.

    Raises:
      NotImplementedError: always.

    >>> try:
    ...     tf.experimental.dtensor.Layout(["x"], None)
    ... except NotImplementedError:
    ...     "one device"
    'one device'
    """

    def __init__(self, sharding_specs: Any, mesh: Any) -> None:
        raise _refused("Layout")


def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Any = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of the devices of several machines.

    Raises:
      NotImplementedError: always.

    >>> try:
    ...     tf.experimental.dtensor.create_distributed_mesh([("x", 2)])
    ... except NotImplementedError:
    ...     "one device"
    'one device'
    """
    raise _refused("create_distributed_mesh")


def create_mesh(
    mesh_dims: Any = None,
    mesh_name: str = "",
    devices: Any = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of the devices of this machine.

    Raises:
      NotImplementedError: always.

    >>> try:
    ...     tf.experimental.dtensor.create_mesh([("x", 2)])
    ... except NotImplementedError:
    ...     "one device"
    'one device'
    """
    raise _refused("create_mesh")


def is_dtensor(tensor: Any) -> bool:
    """Whether a tensor lies on several devices: none does.

    >>> tf.experimental.dtensor.is_dtensor(tf.constant(1))
    False
    """
    return False


class DVariable:
    """A variable that is spread over a mesh, of which there is none here: the class
    is there to be named.

    Raises:
      NotImplementedError: always.

    >>> isinstance(tf.Variable(1), tf.experimental.dtensor.DVariable)
    False
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "graphkiln spreads no variables over meshes: use tf.Variable."
        )


class DTensorDataset:
    """A dataset whose elements are spread over a mesh, of which there is none here:
    the class is there to be named.

    Raises:
      NotImplementedError: always.

    >>> isinstance(tf.data.Dataset.range(3), tf.experimental.dtensor.DTensorDataset)
    False
    """

    def __init__(
        self,
        dataset: Any,
        *,
        mesh: Any,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: Any = None,
    ) -> None:
        raise NotImplementedError(
            "graphkiln spreads no elements over meshes: use the tf.data.Dataset."
        )
