"""Exceptions of failed operations: `tf.errors`."""

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation that needs the value of a symbolic tensor."""


class InaccessibleTensorError(ValueError):
    """A tensor of a graph that is out of scope."""


class OpError(Exception):
    """An operation failed: the base of all errors with an error code."""

    def __init__(self, node_def, op, message, error_code=UNKNOWN, *args):
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads = {}

    def __reduce__(self):
        if type(self) is OpError:
            return OpError, (None, None, self._message, self._error_code)
        return type(self), (None, None, self._message)

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self):
        """The operation that failed, if it is known."""
        return self._op

    @property
    def node_def(self):
        """The NodeDef of the operation, if it is known."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of the error's class."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict:
        """Further facts by type."""
        return self._experimental_payloads

    def __str__(self) -> str:
        return str(self._message)


def _define(name: str, code: int, doc: str) -> type[OpError]:
    def init(self, node_def, op, message, *args):
        OpError.__init__(self, node_def, op, message, code, *args)

    return type(
        name,
        (OpError,),
        {"__init__": init, "__doc__": doc, "__module__": __name__},
    )


CancelledError = _define("CancelledError", CANCELLED, "It was cancelled.")
UnknownError = _define("UnknownError", UNKNOWN, "An unknown error.")
InvalidArgumentError = _define(
    "InvalidArgumentError", INVALID_ARGUMENT, "An argument is not valid."
)
DeadlineExceededError = _define(
    "DeadlineExceededError", DEADLINE_EXCEEDED, "It took too long."
)
NotFoundError = _define("NotFoundError", NOT_FOUND, "Something is missing.")
AlreadyExistsError = _define(
    "AlreadyExistsError", ALREADY_EXISTS, "Something exists already."
)
PermissionDeniedError = _define(
    "PermissionDeniedError", PERMISSION_DENIED, "It is not permitted."
)
ResourceExhaustedError = _define(
    "ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory has run out."
)
FailedPreconditionError = _define(
    "FailedPreconditionError",
    FAILED_PRECONDITION,
    "The system is not in the state that the operation needs.",
)
AbortedError = _define("AbortedError", ABORTED, "It was aborted.")
OutOfRangeError = _define(
    "OutOfRangeError", OUT_OF_RANGE, "Past the end of the input."
)
UnimplementedError = _define(
    "UnimplementedError", UNIMPLEMENTED, "It is not implemented."
)
InternalError = _define("InternalError", INTERNAL, "An invariant is broken.")
UnavailableError = _define(
    "UnavailableError", UNAVAILABLE, "The runtime is unavailable."
)
DataLossError = _define("DataLossError", DATA_LOSS, "Data is lost or corrupt.")
UnauthenticatedError = _define(
    "UnauthenticatedError", UNAUTHENTICATED, "No valid credentials."
)

_BY_CODE: dict[int, type[OpError]] = {
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
    UNAUTHENTICATED: UnauthenticatedError,
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors with this code."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type) -> int | None:
    """The code of a class of errors."""
    for code, known in _BY_CODE.items():
        if known is cls:
            return code
    return None


def _make(code: int, message: str) -> OpError:
    return _BY_CODE.get(code, UnknownError)(None, None, message)
