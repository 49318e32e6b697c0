"""What tells saved models apart."""

from __future__ import annotations

import os
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import NotFoundError

_HASHES = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


class Fingerprint:
    """Hashes of the parts of a saved model: equal parts have equal ones.

    Args:
      saved_model_checksum: of the whole file.
      graph_def_program_hash: of the graph.
      signature_def_hash: of the signatures.
      saved_object_graph_hash: of the objects.
      checkpoint_hash: of the index of the variables.
      version: of the format.

    >>> tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5).singleprint()
    '2/3/4/5'
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: int | None = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """That of a FingerprintDef, a message or its bytes."""
        if isinstance(proto, bytes):
            proto = _proto.FingerprintDef.FromString(proto)
        hashes = [getattr(proto, name) for name in _HASHES]
        return cls(*hashes, proto.version.producer)

    def _hashes(self) -> tuple:
        return tuple(getattr(self, name) for name in _HASHES)

    def singleprint(self) -> str:
        """The hashes as one text.

        Raises:
          ValueError: one of them is not known.
        """
        if None in self._hashes()[1:]:
            raise ValueError(
                "Encountered invalid fingerprint values when constructing "
                f"singleprint. {self}"
            )
        return "/".join(str(number) for number in self._hashes()[1:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._hashes() == other._hashes()

    def __hash__(self) -> int:
        return hash(self._hashes())

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in _HASHES]
        return "SavedModel Fingerprint\n" + "\n".join(lines)

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(map(str, self._hashes()))})"


def read_fingerprint(export_dir: str | os.PathLike) -> Fingerprint:
    """The fingerprint of a saved model.

    Args:
      export_dir: its folder.

    Raises:
      FileNotFoundError: there is none.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(tf.Module(), folder)
    >>> tf.saved_model.experimental.read_fingerprint(folder).version
    4
    """
    folder = os.fspath(export_dir)
    try:
        return Fingerprint.from_proto(_graphkiln._read_fingerprint(folder))
    except NotFoundError:
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: there is no fingerprint in {folder}."
        ) from None
