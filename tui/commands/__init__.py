"""The commands: one module each, imported when its command is given; `run(args)` returns the exit code."""
