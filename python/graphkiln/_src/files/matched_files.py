"""tf.io.match_filenames_once."""

from __future__ import annotations

import typing

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Variable
from graphkiln._src.session.graph_keys import GraphKeys


def match_filenames_once(pattern: typing.Any, name: str | None = None) -> Variable:
    """A variable with the files that patterns describe when it is initialized.

    Args:
      pattern: a pattern as `tf.io.gfile.glob` takes it, or a vector of them.
      name: the variable's in a graph.

    Returns:
      A vector of strings, a local variable of the graph that is built.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, 'a.txt'), '')
    >>> files = tf.io.match_filenames_once(folder + '/*.txt')
    >>> tf.io.write_file(os.path.join(folder, 'b.txt'), '')
    >>> len(files.numpy())
    1
    """
    with _graphkiln.name_scope(name or "matching_filenames") as scope:
        files = raw_ops.MatchingFiles(pattern=pattern)
    return Variable(
        files,
        trainable=False,
        validate_shape=False,
        name=None if _graphkiln.executing_eagerly() else scope,
        collections=[GraphKeys.LOCAL_VARIABLES],
    )
