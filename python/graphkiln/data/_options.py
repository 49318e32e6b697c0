"""tf.data.Options: what a dataset is told about how it should be run."""

import enum


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers.

    >>> tf.data.experimental.AutoShardPolicy.DATA.value
    2
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """How parallelism and buffers are chosen.

    >>> tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB.value
    1
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a dataset that is saved.

    >>> tf.data.experimental.ExternalStatePolicy.FAIL.value
    2
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Option(property):
    """A value of a type; until it is set `default`, or options of their own."""

    def __init__(self, kind: type, doc: str, default=None):
        self._kind, self._default = kind, default
        super().__init__(self._value, self._put, doc=doc)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def _value(self, options):
        if self._name not in options._options:
            own = issubclass(self._kind, _Options)
            default = self._kind() if own else self._default
            options._options[self._name] = default
        return options._options[self._name]

    def _put(self, options, value) -> None:
        if not isinstance(value, self._kind):
            raise TypeError(
                f'Property "{self._name}" must be of type {self._kind}, got: '
                f"{value} (type: {type(value)})"
            )
        options._options[self._name] = value


class _Options:
    """What all of them are: properties that can be set, compared, merged."""

    def __init__(self):
        object.__setattr__(self, "_options", {})
        object.__setattr__(self, "_mutable", True)

    def __setattr__(self, name: str, value: object) -> None:
        if not self._mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by "
                "`tf.data.Dataset.options()` has no effect. Use "
                "`tf.data.Dataset.with_options(options)` to set or update "
                "dataset options."
            )
        if not isinstance(getattr(type(self), name, None), property):
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}."
            )
        object.__setattr__(self, name, value)

    def _told(self) -> dict:
        """What is not as it was."""
        told = {}
        for name, value in self._options.items():
            if isinstance(value, _Options):
                value = value._told() or None
            if value is not None:
                told[name] = value
        return told

    def _freeze(self) -> None:
        for value in self._options.values():
            if isinstance(value, _Options):
                value._freeze()
        object.__setattr__(self, "_mutable", False)

    def _copy(self):
        made = type(self)()
        for name, value in self._options.items():
            made._options[name] = (
                value._copy() if isinstance(value, _Options) else value
            )
        return made

    def _update(self, other) -> None:
        for name, value in other._options.items():
            mine = self._options.get(name)
            if isinstance(value, _Options) and isinstance(mine, _Options):
                mine._update(value)
            elif isinstance(value, _Options):
                self._options[name] = value._copy()
            elif value is not None:
                self._options[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._told() == other._told()

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


class AutotuneOptions(_Options):
    """How parallelism and buffers are tuned; kept, but without effect here.

    >>> options = tf.data.Options()
    >>> options.autotune.enabled = True
    >>> options.autotune.cpu_budget is None
    True
    """

    enabled = _Option(bool, "Whether they are.")
    cpu_budget = _Option(int, "CPUs that may be used.")
    ram_budget = _Option(int, "Bytes that may be used.")
    autotune_algorithm = _Option(AutotuneAlgorithm, "By which algorithm.")
    initial_parallelism = _Option(int, "What it begins with.")
    min_parallelism = _Option(int, "The least there is.")


class DistributeOptions(_Options):
    """How a dataset is divided among workers.

    >>> tf.data.Options().experimental_distribute.auto_shard_policy.name
    'AUTO'
    """

    auto_shard_policy = _Option(
        AutoShardPolicy, "By files or by elements.", AutoShardPolicy.AUTO
    )
    num_devices = _Option(int, "Of each worker.")

    def _told(self) -> dict:
        told = super()._told()
        if told.get("auto_shard_policy") == AutoShardPolicy.AUTO:
            del told["auto_shard_policy"]
        return told


class OptimizationOptions(_Options):
    """Which rewritings of a dataset are wished for. Elements are the same
    with and without.

    >>> options = tf.data.Options()
    >>> options.experimental_optimization.map_fusion = True
    >>> options.experimental_optimization.map_fusion
    True
    """

    apply_default_optimizations = _Option(bool, "Those that need no wish.")
    filter_fusion = _Option(bool, "Filters become one.")
    filter_parallelization = _Option(bool, "Filters work in parallel.")
    inject_prefetch = _Option(bool, "The last step is made in advance.")
    map_and_batch_fusion = _Option(bool, "A map and a batch become one.")
    map_and_filter_fusion = _Option(bool, "A map and a filter become one.")
    map_fusion = _Option(bool, "Maps become one.")
    map_parallelization = _Option(bool, "Maps work in parallel.")
    noop_elimination = _Option(bool, "What changes nothing is left out.")
    parallel_batch = _Option(bool, "Batches are put together in parallel.")
    seq_interleave_prefetch = _Option(
        bool, "What is interleaved is made in advance."
    )
    shuffle_and_repeat_fusion = _Option(
        bool, "A shuffle and a repeat become one."
    )


class ServiceOptions(_Options):
    """For a service that makes elements elsewhere; there is none here.

    >>> tf.data.Options().experimental_service.pinned is None
    True
    """

    pinned = _Option(bool, "Whether memory is pinned.")


class ThreadingOptions(_Options):
    """How many threads there are.

    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    >>> options.threading.private_threadpool_size
    4
    """

    max_intra_op_parallelism = _Option(int, "Inside of an op.")
    private_threadpool_size = _Option(int, "For the dataset alone.")


class Options(_Options):
    """What a dataset is told about how it should be run. None of it changes
    what the elements are.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> dataset = tf.data.Dataset.range(3).with_options(options)
    >>> dataset.options().deterministic
    False
    """

    autotune = _Option(AutotuneOptions, "How it is tuned.")
    dataset_name = _Option(str, "A name for it.")
    framework_type = _Option(list, "Who uses it.")
    deterministic = _Option(bool, "Whether elements must keep their order.")
    experimental_deterministic = _Option(bool, "The older name of that.")
    experimental_distribute = _Option(
        DistributeOptions, "How it is divided among workers."
    )
    experimental_external_state_policy = _Option(
        ExternalStatePolicy, "What happens to state outside when it is saved."
    )
    experimental_optimization = _Option(
        OptimizationOptions, "Which rewritings are wished for."
    )
    experimental_service = _Option(ServiceOptions, "For a service.")
    experimental_slack = _Option(bool, "Whether the last prefetch waits a bit.")
    experimental_symbolic_checkpoint = _Option(bool, "How places are saved.")
    experimental_warm_start = _Option(bool, "Whether work begins at once.")
    threading = _Option(ThreadingOptions, "How many threads there are.")

    @property
    def experimental_threading(self) -> ThreadingOptions:
        """The older name of `threading`."""
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: ThreadingOptions) -> None:
        self.threading = value

    def merge(self, options: "Options") -> "Options":
        """New options: these, with what `options` says.

        >>> a, b = tf.data.Options(), tf.data.Options()
        >>> b.deterministic = True
        >>> a.merge(b).deterministic
        True
        """
        if not isinstance(options, Options):
            raise TypeError(
                f"Expected tf.data.Options, got {options!r} of type "
                f"{type(options)}"
            )
        made = self._copy()
        made._update(options)
        return made
