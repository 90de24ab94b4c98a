"""`voicetui bench`: measure, and print each figure with how it was made and what it has to beat."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from voicetui.engine.bench.suite import BENCHES, measure, named

if TYPE_CHECKING:
    import argparse

    from voicetui.engine.bench import Figure


def run(args: argparse.Namespace) -> int:
    """Run the benches; return 0 whether or not the goals are met: the figures say so."""
    if args.list:
        for name, what in BENCHES.items():
            print(f"{name:<10} {what}")
        return 0
    for figure in measure(named(args.names)):
        print(json.dumps(figure.as_dict()) if args.json else as_text(figure), flush=True)
    return 0


def as_text(figure: Figure) -> str:
    """Return two lines: the figure with what it is held against, and how it was made."""
    shown = figure.as_dict()
    against = "" if figure.anchor is None else f", against {figure.anchor:.4g}"
    goal = "" if figure.goal is None else f", goal at most {figure.goal:g}: {'met' if figure.met else 'missed'}"
    spread = f"p50 {shown['p50']:.4g}, p95 {shown['p95']:.4g}, max {shown['max']:.4g}, n = {shown['n']}"
    return f"{figure.name}: {figure.value:.4g} {figure.unit}{against}{goal}\n    {spread}; {figure.method}"
