"""Readers of tf.compat.v1: the records of files whose names a queue gives."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Operation, Tensor
from graphkiln.io import TFRecordOptions


def _reference(queue: Any) -> Tensor:
    return queue if _graphkiln.is_tensor(queue) else queue.queue_ref


class ReaderBase:
    """What reads records, one after the other, of what a queue names. Graphs only.

    >>> with tf.Graph().as_default():
    ...     isinstance(tf.compat.v1.TextLineReader(), tf.compat.v1.ReaderBase)
    True
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        if _graphkiln.executing_eagerly():
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, "
                "please use tf.data to get data into your model."
            )
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Can its state be saved?"""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record, a key and a value; its run waits for one.

        Args:
          queue: of names, a queue or its handle.
          name: of the operation.
        """
        return raw_ops.ReaderReadV2(
            reader_handle=self._reader_ref, queue_handle=_reference(queue), name=name
        )

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records of what one name stands for, vectors of keys and of values.

        Args:
          queue: of names, a queue or its handle.
          num_records: at most how many.
          name: of the operation.
        """
        return raw_ops.ReaderReadUpToV2(
            reader_handle=self._reader_ref,
            queue_handle=_reference(queue),
            num_records=num_records,
            name=name,
        )

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records it gave."""
        return raw_ops.ReaderNumRecordsProducedV2(
            reader_handle=self._reader_ref, name=name
        )

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many of the names it is done with."""
        return raw_ops.ReaderNumWorkUnitsCompletedV2(
            reader_handle=self._reader_ref, name=name
        )

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Where it is, a string, of readers that can tell."""
        return raw_ops.ReaderSerializeStateV2(reader_handle=self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """Brings it to where it was.

        Args:
          state: from `serialize_state` of a reader of that class.
          name: of the operation.
        """
        return raw_ops.ReaderRestoreStateV2(
            reader_handle=self._reader_ref, state=state, name=name
        )

    def reset(self, name: str | None = None) -> Operation:
        """Brings it to its beginning."""
        return raw_ops.ReaderResetV2(reader_handle=self._reader_ref, name=name)


class WholeFileReader(ReaderBase):
    """Whole files as records; the keys are their names.

    Args:
      name: of the operation.

    >>> with tf.Graph().as_default():
    ...     reader = tf.compat.v1.WholeFileReader()
    ...     queue = tf.queue.FIFOQueue(2, tf.string, [[]])
    ...     key, value = reader.read(queue)
    >>> reader.supports_serialize
    True
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(raw_ops.WholeFileReaderV2(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    r"""Lines of files as records; the keys are "file:line", counted from 1.

    Args:
      skip_header_lines: how many lines of each file are left out.
      name: of the operation.

    >>> file = tf.io.gfile.GFile("/tmp/lines_of_a_reader.txt", "w")
    >>> _ = file.write("first\nsecond\n")
    >>> file.close()
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     queue = tf.queue.FIFOQueue(2, tf.string, [[]])
    ...     session.run(queue.enqueue(file.name))
    ...     _, line = tf.compat.v1.TextLineReader().read(queue)
    ...     session.run(line), session.run(line)
    (b'first', b'second')
    """

    def __init__(
        self, skip_header_lines: int | None = None, name: str | None = None
    ) -> None:
        super().__init__(
            raw_ops.TextLineReaderV2(skip_header_lines=skip_header_lines or 0, name=name)
        )


class FixedLengthRecordReader(ReaderBase):
    """Records of one length; the keys are "file:record", counted from 0.

    Args:
      record_bytes: the length of each.
      header_bytes: what is left out at the beginning of a file.
      footer_bytes: what is left out at its end.
      hop_bytes: how far a record begins behind the one before it; 0: its length.
      name: of the operation.
      encoding: "", "ZLIB" or "GZIP".

    >>> with tf.Graph().as_default():
    ...     reader = tf.compat.v1.FixedLengthRecordReader(record_bytes=4)
    >>> reader.supports_serialize
    False
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        super().__init__(
            raw_ops.FixedLengthRecordReaderV2(
                record_bytes=record_bytes,
                header_bytes=header_bytes or 0,
                footer_bytes=footer_bytes or 0,
                hop_bytes=hop_bytes or 0,
                encoding=encoding or "",
                name=name,
            )
        )


class TFRecordReader(ReaderBase):
    """Records of TFRecord files; the keys are "file:offset".

    Args:
      name: of the operation.
      options: `tf.io.TFRecordOptions`, of how files are compressed.

    >>> with tf.Graph().as_default():
    ...     reader = tf.compat.v1.TFRecordReader()
    >>> reader.supports_serialize
    False
    """

    def __init__(
        self, name: str | None = None, options: TFRecordOptions | None = None
    ) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(
            raw_ops.TFRecordReaderV2(compression_type=compression, name=name)
        )


class IdentityReader(ReaderBase):
    """What the queue gives, as keys and values.

    Args:
      name: of the operation.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     queue = tf.queue.FIFOQueue(2, tf.string, [[]])
    ...     session.run(queue.enqueue("work"))
    ...     session.run(tf.compat.v1.IdentityReader().read(queue))
    ReaderReadV2(key=b'work', value=b'work')
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(raw_ops.IdentityReaderV2(name=name), supports_serialize=True)
