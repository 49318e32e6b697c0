"""Datasets of what is in files: tf.data.TFRecordDataset and the like."""

from __future__ import annotations

import os
import typing

from graphkiln import _graphkiln
from graphkiln.data import _dataset

Names = typing.Any  # of files
Count = typing.Any  # an int64 scalar


def as_text(names: Names) -> Names:
    if isinstance(names, (list, tuple)):
        return [as_text(name) for name in names]
    return os.fspath(names) if isinstance(names, os.PathLike) else names


class MadeDataset(_dataset.Dataset):
    """A dataset that a function of the extension makes."""

    def __init__(self, made: _dataset.Dataset) -> None:
        super().__init__(made._variant_tensor)
        self._element_spec = made.element_spec
        self._parts = (made,)


class TFRecordDataset(MadeDataset):
    """The records of files of framed records, strings.

    Args:
      filenames: the names of the files: strings of any shape, paths, or a
        dataset of scalar strings.
      compression_type: "ZLIB", "GZIP", or "" or None for files that are not
        compressed.
      buffer_size: how many bytes are read at a time; None: as is best.
      num_parallel_reads: how many files are read at a time, whose records take
        turns; None: one file after the other.
      name: accepted for compatibility.

    Raises:
      TypeError: names are no strings.

    Iterating raises tf.errors.NotFoundError and the like for files that cannot
    be opened and tf.errors.DataLossError, with the name of the file and where
    the record is, for those that are damaged; behind that come the records of
    the next file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'a.tfrecord')
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b'first')
    ...     writer.write(b'second')
    >>> [x.numpy() for x in tf.data.TFRecordDataset([path])]
    [b'first', b'second']
    """

    def __init__(
        self,
        filenames: Names,
        compression_type: typing.Any = None,
        buffer_size: Count | None = None,
        num_parallel_reads: Count | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            _graphkiln.files_dataset(
                "TFRecord",
                as_text(filenames),
                compression_type,
                buffer_size,
                num_parallel_reads,
            )
        )


class TextLineDataset(MadeDataset):
    """The lines of files, strings without what ends them.

    Args:
      filenames: the names of the files: strings of any shape, paths, or a
        dataset of scalar strings.
      compression_type: "ZLIB", "GZIP", or "" or None for files that are not
        compressed.
      buffer_size: how many bytes are read at a time; 0 or None: as is best.
      num_parallel_reads: how many files are read at a time, whose lines take
        turns; None: one file after the other.
      name: accepted for compatibility.

    Raises:
      TypeError: names are no strings.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'a.txt')
    >>> tf.io.write_file(path, 'one\\ntwo\\n')
    >>> [x.numpy() for x in tf.data.TextLineDataset(path)]
    [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Names,
        compression_type: typing.Any = None,
        buffer_size: Count | None = None,
        num_parallel_reads: Count | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            _graphkiln.files_dataset(
                "TextLine",
                as_text(filenames),
                compression_type,
                buffer_size,
                num_parallel_reads,
            )
        )


class FixedLengthRecordDataset(MadeDataset):
    """The records of files of records of one length, strings.

    Args:
      filenames: the names of the files: strings of any shape, paths, or a
        dataset of scalar strings.
      record_bytes: the length of a record.
      header_bytes: of what stands before the records of a file; 0 for None.
      footer_bytes: of what stands behind them; 0 for None.
      buffer_size: how many bytes are read at a time; 0 or None: as is best.
      compression_type: "ZLIB", "GZIP", or "" or None for files that are not
        compressed.
      num_parallel_reads: how many files are read at a time, whose records take
        turns; None: one file after the other.
      name: accepted for compatibility.

    Raises:
      TypeError: names are no strings.

    Iterating raises tf.errors.InvalidArgumentError for a file whose length is
    no multiple of the records'.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'a.bin')
    >>> tf.io.write_file(path, 'Habcdef')
    >>> d = tf.data.FixedLengthRecordDataset(path, 3, header_bytes=1)
    >>> [x.numpy() for x in d]
    [b'abc', b'def']
    """

    def __init__(
        self,
        filenames: Names,
        record_bytes: Count,
        header_bytes: Count | None = None,
        footer_bytes: Count | None = None,
        buffer_size: Count | None = None,
        compression_type: typing.Any = None,
        num_parallel_reads: Count | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            _graphkiln.files_dataset(
                "FixedLength",
                as_text(filenames),
                compression_type,
                buffer_size,
                num_parallel_reads,
                record_bytes,
                header_bytes,
                footer_bytes,
            )
        )


class TFRecordWriter:
    """Writes a dataset to a file of framed records.

    Args:
      filename: of the file.
      compression_type: "ZLIB", "GZIP", or "" or None for no compression.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'a.tfrecord')
    >>> writer = tf.data.experimental.TFRecordWriter(path)
    >>> writer.write(tf.data.Dataset.from_tensor_slices(['a', 'b']))
    >>> [x.numpy() for x in tf.data.TFRecordDataset(path)]
    [b'a', b'b']
    """

    def __init__(
        self, filename: typing.Any, compression_type: typing.Any = None
    ) -> None:
        self._filename = as_text(filename)
        self._compression_type = compression_type

    def write(self, dataset: _dataset.Dataset) -> None:
        """Writes the elements, in place of what the file held.

        Args:
          dataset: of scalar strings.

        Raises:
          TypeError: it is none.
          tf.errors.InvalidArgumentError: there is no such compression.
        """
        if not isinstance(dataset, _dataset.Dataset):
            raise TypeError(
                "Invalid `dataset.` Expected a `tf.data.Dataset` object but got "
                f"{type(dataset)}."
            )
        _graphkiln.write_record_file(dataset, self._filename, self._compression_type)


def tf_record_iterator(
    path: typing.Any, options: typing.Any = None
) -> typing.Iterator[bytes]:
    """The records of a file.

    Args:
      path: of the file.
      options: a tf.io.TFRecordOptions, or the name of a compression.

    Raises:
      ValueError: there is no such compression.
      tf.errors.NotFoundError: there is no such file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'a.tfrecord')
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b'first')
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'first']
    """
    return iter(_graphkiln._read_records(path, options).next, None)


class TFRecordCompressionType:
    """Numbers of compressions, as `tf.io.TFRecordOptions` takes them.

    >>> tf.compat.v1.io.TFRecordCompressionType.GZIP
    2
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


class SqlDataset(MadeDataset):
    """The rows that a query of a database gives.

    SQLite is loaded from the system when the first row is asked for.

    Args:
      driver_name: the kind of database: "sqlite".
      data_source_name: the name of its file, which is only read.
      query: what is asked, in SQL.
      output_types: a structure of the types of the columns: tf.string,
        tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool or
        tf.float64.

    Raises:
      tf.errors.InvalidArgumentError: there is no such driver or type; when
        iterating, no such file, the query is none, or gives another number of
        columns.

    Values become others as SQLite has it: a text that is no number is 0, and
    what is NULL is 0 or empty.

    >>> import os, sqlite3, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'people.db')
    >>> with sqlite3.connect(path) as base:
    ...     _ = base.execute('create table people (name text, age integer)')
    ...     _ = base.execute("insert into people values ('Ada', 36)")
    >>> d = tf.data.experimental.SqlDataset(
    ...     'sqlite', path, 'select name, age from people', (tf.string, tf.int32))
    >>> [(name.numpy(), int(age)) for name, age in d]
    [(b'Ada', 36)]
    """

    def __init__(
        self,
        driver_name: typing.Any,
        data_source_name: typing.Any,
        query: typing.Any,
        output_types: typing.Any,
    ) -> None:
        super().__init__(
            _graphkiln.sql_dataset(
                driver_name, as_text(data_source_name), query, output_types
            )
        )
