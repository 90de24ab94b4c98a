"""The widgets of the talk screen: each draws rows from the view, and nothing where nothing has changed."""
