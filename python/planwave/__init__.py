"""planwave: full-wave radio channels from a floor plan.

    import planwave as pw

    result = pw.Scenario("floorplans/empty_room.yaml").run()
    signal = result.map("received-power", local_mean=True)
    print(signal.quantile([0.1, 0.5, 0.9]), result.coverage(-40))
    channel = result.channel(receiver="middle")
    print(channel.metrics)
    signal.plot().figure.savefig("signal.png")

Units are SI throughout, levels in dB where the name says so, and quantities may be texts with their unit ("2.4 GHz"). The time
dependence is exp(+jwt). Arrays over the floor have row 0 at the bottom (y grows upwards); positions are in metres from the lower
left corner of the plan. What goes wrong raises an exception of `planwave.errors` with the sentence that the program would print.
"""

from . import _library
from ._abi import VERSION as __version__  # type: ignore[attr-defined,unused-ignore]
from .agreement import Agreement, agree
from .calibration import Calibration, Difference, Fitted, JointCalibration, Score, compare
from .channel import Angles, Channel, Metrics, metrics_help
from .errors import BadInput, Different, Error, Incomplete, Interrupted, NoResource, Numerical, UsageError
from .facts import (
    Forecast,
    Material,
    Medium,
    Progress,
    Receiver,
    ResultFacts,
    Series,
    SetupFacts,
    Sheet,
    Spectra,
    Transmitter,
    Walls,
    backends,
    choices,
    materials,
)
from .maps import QUANTITIES, Distribution, Floor, Map, Share
from .options import ChannelOptions, FitOptions, MapOptions, frequency, length, time
from .pairs import Channels
from .result import Result
from .plans import export_formats, import_drawing
from .scenario import PathLike, Plan, PlanwaveWarning, Scenario, Setup
from .simulation import Bench, BenchRow, Simulation, bench
from .study import (
    Answer,
    ChannelPlan,
    Siting,
    Spread,
    Sweep,
    Uncertainty,
    choose_levels,
)

__all__ = [
    "Agreement",
    "Angles",
    "Answer",
    "BadInput",
    "Bench",
    "BenchRow",
    "Calibration",
    "Channel",
    "ChannelOptions",
    "ChannelPlan",
    "Channels",
    "Difference",
    "Different",
    "Distribution",
    "Error",
    "FitOptions",
    "Fitted",
    "Floor",
    "Forecast",
    "Incomplete",
    "Interrupted",
    "JointCalibration",
    "Map",
    "MapOptions",
    "Material",
    "Medium",
    "Metrics",
    "NoResource",
    "Numerical",
    "Plan",
    "PlanwaveWarning",
    "Progress",
    "QUANTITIES",
    "Receiver",
    "Result",
    "ResultFacts",
    "Scenario",
    "Score",
    "Series",
    "Setup",
    "SetupFacts",
    "Share",
    "Sheet",
    "Simulation",
    "Siting",
    "Spectra",
    "Spread",
    "Sweep",
    "Transmitter",
    "Uncertainty",
    "UsageError",
    "Walls",
    "agree",
    "backends",
    "bench",
    "build_facts",
    "choices",
    "choose_levels",
    "compare",
    "export_formats",
    "frequency",
    "forecast_words",
    "import_drawing",
    "length",
    "materials",
    "metrics_help",
    "time",
]


def build_facts() -> str:
    """The revision of the library and how it was built, a fact a line."""
    library, decoded = _library.library, _library.decoded
    return f"planwave {__version__} ({decoded(library.pw_commit())})\n{decoded(library.pw_build_facts())}"


def forecast_words(brief: bool = False) -> str:
    """What the forecast of the error is: the grid's, on the plan as drawn, and what plans were off by in measured buildings.

    ``brief``: in the few words that fit below a title.
    """
    return _library.decoded(_library.library.pw_forecast_words(brief))


def open(path: PathLike) -> Result:
    """Opens a result file: the same as ``Result.open``."""
    return Result(path)
