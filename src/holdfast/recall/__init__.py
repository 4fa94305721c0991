"""Finding again what was recorded, and the code that an identifier stands for."""
