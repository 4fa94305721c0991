"""The web page: a server on loopback that shows a ledger, and changes nothing."""
