"""Commands that have their names and flags, and nothing behind them yet."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Say so."""
    sys.stderr.write(f"voicetui: {args.name} is not part of this version yet\n")
    return 1
