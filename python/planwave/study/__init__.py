"""Many runs of one scenario: where access points go, how sure a map is, sweeps of its keys."""

from .answer import Answer, ChannelPlan, NeedOptions, SitingFacts, choose_levels
from .gradients import DecidingWall, Gradients, WallMap, jax_response, torch_response
from .siting import Siting
from .sweep import Axis, Case, Collected, Sweep
from .uncertainty import Sensitivity, Spread, UncertainShare, Uncertainty
from .walk import Walk, WalkCheck

__all__ = [
    "Answer",
    "Axis",
    "Case",
    "ChannelPlan",
    "Collected",
    "DecidingWall",
    "Gradients",
    "NeedOptions",
    "Sensitivity",
    "Siting",
    "SitingFacts",
    "Spread",
    "Sweep",
    "UncertainShare",
    "Uncertainty",
    "Walk",
    "WalkCheck",
    "WallMap",
    "choose_levels",
    "jax_response",
    "torch_response",
]
