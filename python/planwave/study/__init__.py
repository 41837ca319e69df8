"""Many runs of one scenario: where access points go, how sure a map is, sweeps of its keys."""

from .answer import Answer, ChannelPlan, NeedOptions, SitingFacts, choose_levels
from .siting import Siting
from .sweep import Axis, Case, Collected, Sweep
from .uncertainty import Sensitivity, Spread, UncertainShare, Uncertainty

__all__ = [
    "Answer",
    "Axis",
    "Case",
    "ChannelPlan",
    "Collected",
    "NeedOptions",
    "Sensitivity",
    "Siting",
    "SitingFacts",
    "Spread",
    "Sweep",
    "Uncertainty",
    "UncertainShare",
    "choose_levels",
]
