"""Finding again what was recorded."""
