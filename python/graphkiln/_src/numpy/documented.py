"""What functions that are NumPy's say of themselves."""

from collections.abc import Callable


def like_numpy(call: str, result: str, plain: bool = False) -> Callable:
    """Documents a function by an example: `call`, "add(1, 2)", shows the values
    `result`; `plain`: as Python shows it."""
    shown = f"tnp.{call}" if plain else f"tnp.{call}.numpy().tolist()"
    example = f">>> tnp = tf.experimental.numpy\n>>> {shown}\n{result}"

    def document(function: Callable) -> Callable:
        about = f"NumPy's `{function.__name__}`, of tensors and what becomes one."
        said = (function.__doc__ or "").strip()
        parts = (about, said, example)
        function.__doc__ = "\n\n".join(part for part in parts if part)
        return function

    return document
