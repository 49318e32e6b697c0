"""What generated code calls: its `ag__`."""

import sys

from graphkiln.autograph import conversion
from graphkiln.autograph.branches import if_exp, if_stmt
from graphkiln.autograph.calls import autograph_artifact, converted_call
from graphkiln.autograph.conversion_options import STD, ConversionOptions
from graphkiln.autograph.feature import Feature
from graphkiln.autograph.function_scope import FunctionScope
from graphkiln.autograph.logic import (
    and_,
    assert_stmt,
    chained,
    in_,
    none_of,
    not_,
    or_,
)
from graphkiln.autograph.loop_statements import for_stmt, while_stmt
from graphkiln.autograph.sequences import each, generator, unpack
from graphkiln.autograph.staged_list import set_element_type
from graphkiln.autograph.symbols import (
    Undefined,
    is_undefined,
    ld,
    ldf,
    ldu,
)
from graphkiln.autograph.undefined_return_value import UndefinedReturnValue


def erase_attribute(owner: object, name: str) -> None:
    """Takes back an attribute that only one branch sets."""
    if hasattr(owner, name):
        delattr(owner, name)


def erase_item(owner: object, key: object) -> None:
    """Takes back an item that only one branch sets."""
    try:
        del owner[key]
    except (KeyError, IndexError):
        pass


conversion.operators_cell.cell_contents = sys.modules[__name__]
