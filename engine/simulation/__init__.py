"""Thousands of random conversations on the virtual clock, checked against the invariants of the loop.

Everything is drawn from a seed: what the user does, how model and voice work or fail, the policy, and what happens at
random moments. `python -m voicetui.engine.simulation --help` runs them and replays one.
"""

from __future__ import annotations

from voicetui.engine.simulation.converse import converse
from voicetui.engine.simulation.course import Act, Disturbance
from voicetui.engine.simulation.invariants import broken
from voicetui.engine.simulation.seen import Seen

__all__ = ["Act", "Disturbance", "Seen", "broken", "converse"]
