"""The conversation engine: the loop, its parts and its measures. It never imports the screen."""

__all__: list[str] = []
