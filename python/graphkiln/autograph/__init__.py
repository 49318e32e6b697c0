"""AutoGraph: Python control flow on tensors becomes graph control flow.

Functions are converted when they are traced first; see `conversion`.
"""

_PUBLIC = {
    "to_graph": "api", "to_code": "api", "trace": "api",
    "set_verbosity": "verbosity",
}


def __getattr__(name: str) -> object:
    import importlib

    if name == "experimental" or name in _PUBLIC:
        module = importlib.import_module(
            f"graphkiln.autograph.{_PUBLIC.get(name, name)}"
        )
        value = module if name == "experimental" else getattr(module, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_PUBLIC, "experimental"])
