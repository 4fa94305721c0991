"""holdfast beside its peers: `python -m bench`, or `make bench`."""
