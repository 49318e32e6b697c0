"""tf.data.experimental.CsvDataset."""

from __future__ import annotations

import collections.abc
import typing

from graphkiln import _graphkiln
from graphkiln.data import _files


class CsvDataset(_files.MadeDataset):
    """The records of files of fields with a character between them (RFC 4180).

    A record ends with a line; a field in double quotes may hold line ends, and
    quotes that are doubled. Elements are tuples of a scalar for each column.

    Args:
      filenames: a string, or a vector of them.
      record_defaults: for each column its dtype (float32, float64, int32, int64
        or string) or an empty vector of it, if records must have it; or a vector
        of the one value that stands for fields of nothing.
      compression_type: "ZLIB", "GZIP", or "" or None for files that are not
        compressed.
      buffer_size: how many bytes are read at a time; None: as is best.
      header: whether each file has a first record that is none.
      field_delim: the character between fields.
      use_quote_delim: whether fields may be in double quotes.
      na_value: a text that is as good as a field of nothing.
      select_cols: the numbers of the columns to read, rising; None: all.
      exclude_cols: in their place, the numbers of those not to read.

    Raises:
      tf.errors.InvalidArgumentError: arguments do not fit one another.

    Iterating raises tf.errors.InvalidArgumentError, with the name of the file,
    for a record that is none; the record behind it comes next.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), 'a.csv')
    >>> tf.io.write_file(path, 'a,b\\n1,2.5\\n3,\\n')
    >>> d = tf.data.experimental.CsvDataset(path, [tf.int32, [0.5]], header=True)
    >>> [(int(a), float(b)) for a, b in d]
    [(1, 2.5), (3, 0.5)]
    """

    def __init__(
        self,
        filenames: typing.Any,
        record_defaults: collections.abc.Sequence[typing.Any],
        compression_type: typing.Any = None,
        buffer_size: typing.Any = None,
        header: typing.Any = False,
        field_delim: typing.Any = ",",
        use_quote_delim: typing.Any = True,
        na_value: typing.Any = "",
        select_cols: typing.Any = None,
        exclude_cols: typing.Any = None,
    ) -> None:
        super().__init__(
            _graphkiln.data_csv_dataset(
                _files.as_text(filenames),
                record_defaults,
                compression_type,
                buffer_size,
                header,
                field_delim,
                use_quote_delim,
                na_value,
                select_cols,
                exclude_cols,
            )
        )
