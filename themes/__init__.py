"""The colour themes, as TOML files."""
