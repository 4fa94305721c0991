"""Keep secrets out of the ledger: replace them by a keyed marker before an entry is sealed.

`[REDACTED:kind:fingerprint]` stands where a secret stood. The fingerprint is the beginning of an
HMAC under the ledger's own key: equal secrets match, none can be guessed.

This is pattern matching, and so best effort: a secret of no known format under a harmless name is
not seen. Deliberately not in it: secrets split across list elements (`["--password", "…"]`) or
across fields (`{"name": "PASSWORD", "value": "…"}`), cookies, encrypted tokens (JWE), text that
was encoded or compressed (but for PEM in base64), numbers, and entropy without a telling name:
digests, UUIDs and images look as random as keys. Files and code are never altered; for them
`Redactor.finds_secret` answers whether a certain secret is inside.
"""

from __future__ import annotations

from holdfast.ledger.redaction.redactor import Redactor

__all__ = ["Redactor"]
