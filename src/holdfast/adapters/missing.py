"""What is said when a framework is not installed."""

from __future__ import annotations


def missing(framework: str, error: ImportError) -> ImportError:
    """Return the error that says which extra to install."""
    return ImportError(
        f"{framework} cannot be imported: {error}. Nothing was recorded. "
        'Install the extra: `pip install "holdfast[adapters]"`.',
        name=error.name,
    )
