"""The screens, each in a module of its own with its style sheet beside it; imported when first opened."""
