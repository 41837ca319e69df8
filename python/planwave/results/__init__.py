"""Result files: what is in them, surveys of them, and how two compare."""
