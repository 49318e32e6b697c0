"""What is raised in place of errors that cannot be made anew."""


class StagingError(RuntimeError):
    """An error raised while tracing whose class cannot be made from a
    message."""
