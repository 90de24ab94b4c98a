"""The voices, behind the `Voice` port."""
