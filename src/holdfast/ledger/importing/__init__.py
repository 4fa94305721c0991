"""Taking in what other systems kept. Nothing is left out: what is no entry is kept as it stands."""

from __future__ import annotations

from holdfast.ledger.importing.intake import Imported
from holdfast.ledger.importing.prism import import_prism

__all__ = ["Imported", "import_prism"]
