"""tf.autograph.experimental."""

from graphkiln.autograph.api import (
    do_not_convert, set_element_type, set_loop_options, set_strict,
)
from graphkiln.autograph.scopes import Feature
