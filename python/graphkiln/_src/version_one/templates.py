"""tf.compat.v1.make_template: functions whose calls share their variables."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Variable
from graphkiln._src.checkpoint.trackable import Trackable
from graphkiln._src.function.function import function
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.version_one import kept_names, variable_store
from graphkiln.compat import v1

# The templates whose first call is on its way, the innermost last.
_first_calls: list[Template] = []


def make_template(
    name_: str,
    func_: Callable,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable | None = None,
    **kwargs: Any,
) -> Template:
    """A function whose first call makes variables, which all others use again.

    Args:
      name_: of the scope of its variables, made unique.
      func_: called each time; it takes variables from `get_variable`.
      create_scope_now_: makes the scope unique where the template is made, instead of
        where it is called first.
      unique_name_: of the scope as it is; None: `name_`, made unique. Graphs only.
      custom_getter_: makes variables, as of `variable_scope`.
      **kwargs: further arguments of `func_` for all calls.

    Returns:
      An object that is called as `func_`, a part of checkpoints with its variables.

    Raises:
      ValueError: there is no name, or eagerly a unique one.

    >>> def scaled(x):
    ...     ones = tf.compat.v1.ones_initializer()
    ...     return x * tf.compat.v1.get_variable("scale", [], initializer=ones)
    >>> template = tf.compat.v1.make_template("scaled", scaled)
    >>> template(3.0).numpy().item(), template.variables[0].name
    (3.0, 'scaled/scale:0')
    >>> _ = template.variables[0].assign(2.0)
    >>> template(3.0).numpy().item()
    6.0
    """
    return make_template_internal(
        name_, func_, create_scope_now_, unique_name_, custom_getter_, **kwargs
    )


def make_template_internal(
    name_: str,
    func_: Callable,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable | None = None,
    create_graph_function_: bool = False,
    **kwargs: Any,
) -> Template:
    """The same, of a function that is traced if `create_graph_function_`."""
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    if create_graph_function_:
        func_ = function(func_)
    if unique_name_ is not None and _graphkiln.executing_eagerly():
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    kind = EagerTemplate if _graphkiln.executing_eagerly() else Template
    return kind(name_, func_, create_scope_now_, unique_name_, custom_getter_)


def _others(variables: list, known: list) -> list:
    """Those of the variables that are not known."""
    ids = {id(v) for v in known}
    return [v for v in variables if id(v) not in ids]


class Template(Trackable):
    """A function that is called in a scope of its own, of variables in a graph."""

    def __init__(
        self,
        name: str,
        func: Callable,
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Callable | None = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._stacktrace = traceback.format_stack()[:-3]
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._variable_scope = None
        self._first_call = True
        self._variables_created = False
        if create_scope_now:
            with self._new_scope(auxiliary_name_scope=False) as self._variable_scope:
                pass

    def _new_scope(self, **options: bool) -> Any:
        return v1.variable_scope(
            self._unique_name,
            self._name,
            custom_getter=self._custom_getter,
            **options,
        )

    @contextmanager
    def _known_variables(self) -> Iterator[None]:
        """The `with` statement in which it is called."""
        yield

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._variable_scope is None:
            scope = self._new_scope()
        else:
            scope = v1.variable_scope(self._variable_scope, reuse=self._reuse())
        with scope as self._variable_scope, self._known_variables():
            try:
                return self._called(args, kwargs)
            except Exception as error:
                said = error.args[0] if error.args else ""
                trace = "".join(self._own_frames())
                error.args = (
                    f"{said}\n\noriginally defined at:\n{trace}",
                    *error.args[1:],
                )
                raise

    def _reuse(self) -> Any:
        return not self._first_call

    def _own_frames(self) -> list[str]:
        """Those of where it was made, from where they differ from the call's."""
        frames = traceback.format_stack()[:-2]
        for i, (mine, other) in enumerate(zip(self._stacktrace, frames, strict=False)):
            if mine != other:
                return self._stacktrace[i:]
        return self._stacktrace[-1:]

    def _called(self, args: tuple, kwargs: dict) -> Any:
        if not self._variables_created:
            if not self._first_call:  # called by itself
                return self._func(*args, **kwargs)
            return self._called_first(args, kwargs)
        trainable, variables = self._all_trainable(), self._all_global()
        result = self._func(*args, **kwargs)
        new = _others(self._all_trainable(), trainable)
        if new:
            raise ValueError(
                "Trainable variable created when calling a template after the first "
                "time, perhaps you used tf.Variable when you meant tf.get_variable: "
                f"{new}"
            )
        new = _others(self._all_global(), variables)
        if new:
            v1.logging.info(
                "New variables created when calling a template after the first time, "
                "perhaps you used tf.Variable when you meant tf.get_variable: %s",
                new,
            )
        return result

    def _called_first(self, args: tuple, kwargs: dict) -> Any:
        self._first_call = False
        if _first_calls:
            _first_calls[-1]._track_below(self, self._variable_scope.name)
        _first_calls.append(self)
        try:
            with _graphkiln.variable_creator_scope(self._create):
                result = self._func(*args, **kwargs)
        except Exception:
            self._first_call = True
            raise
        finally:
            _first_calls.remove(self)
        self._variables_created = True
        return result

    def _create(self, next_creator: Callable, **kwargs: Any) -> Any:
        """Variables are parts of the innermost template, by their names in its scope."""
        made = next_creator(**kwargs)
        if _first_calls[-1] is self and kwargs.get("name"):
            self._track_below(made, kwargs["name"])
        return made

    def _track_below(self, part: Any, name: str) -> None:
        prefix = self.variable_scope_name or ""
        if name.startswith(prefix):
            self._track_trackable(part, name[len(prefix) :], overwrite=True)

    def _all_trainable(self) -> list:
        return v1.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def _all_global(self) -> list:
        return v1.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def _of_collection(self, key: str) -> list:
        if not self._variables_created:
            return []
        return v1.get_collection(key, self.variable_scope_name)

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    @property
    def func(self) -> Callable:
        """What is called."""
        return self._func

    @property
    def variable_scope(self) -> Any:
        """Its scope; None as long as there is none."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The scope's name with a "/"; None as long as there is none."""
        if self._variable_scope is None:
            return None
        name = self._variable_scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    @property
    def var_scope(self) -> Any:
        """The old name of `variable_scope`."""
        return self._variable_scope

    @property
    def variables(self) -> list[Variable]:
        """Those that calls share, local ones too."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of them that are trained."""
        return self._of_collection(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The global ones that are not trained."""
        return _others(self.global_variables, self.trainable_variables)

    @property
    def global_variables(self) -> list[Variable]:
        """Those of them that are global."""
        return self._of_collection(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Variable]:
        """Those of them that are local."""
        return self._of_collection(GraphKeys.LOCAL_VARIABLES)

    @property
    def weights(self) -> list[Variable]:
        """The same as `variables`."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Variable]:
        """The same as `trainable_variables`."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The same as `non_trainable_variables`."""
        return self.non_trainable_variables


class EagerTemplate(Template):
    """The same eagerly, where it keeps its variables itself, or with those of the
    template that called it first."""

    _kept: dict[str, Variable] | None = None

    @contextmanager
    def _known_variables(self) -> Iterator[None]:
        if self._kept is None:
            self._kept = kept_names.kept_by_template()
        with kept_names.variables_kept_in(self._kept):
            yield

    def _reuse(self) -> Any:
        return variable_store.AUTO_REUSE

    def _in_scope(self) -> list[Variable]:
        prefix, kept = self.variable_scope_name, self._kept or {}
        return [kept[name] for name in sorted(kept) if name.startswith(prefix)]

    def _all_trainable(self) -> list:
        return [v for v in self._in_scope() if v.trainable]

    def _all_global(self) -> list:
        return self._in_scope()

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of them that are trained."""
        return self._all_trainable() if self._variables_created else []

    @property
    def global_variables(self) -> list[Variable]:
        """All of them."""
        return self._in_scope() if self._variables_created else []

    @property
    def local_variables(self) -> list[Variable]:
        """None."""
        return []
