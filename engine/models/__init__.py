"""Models: the catalogue, where each comes from, and how it gets onto this machine."""
