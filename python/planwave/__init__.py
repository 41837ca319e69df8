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
from .results.agreement import Agreement, agree
from .calibration import Calibration, JointCalibration, Score
from .channel import Angles, Channel, Metrics, channel_formats, metrics_help
from .errors import BadInput, Different, Error, Incomplete, Interrupted, NoResource, Numerical, UsageError
from .facts import (
    Fitted,
    Forecast,
    Medium,
    Plane,
    Port,
    Progress,
    Receiver,
    ResultFacts,
    Series,
    SetupFacts,
    Sheet,
    Spectra,
    Transmitter,
    Walls,
    WifiChannel,
)
from .ifc import ImportedModel, import_ifc
from .maps import QUANTITIES, Floor, Map, Share
from .options import (
    ChannelOptions,
    FitOptions,
    MachineOptions,
    MapOptions,
    RunOptions,
    decibels,
    frequency,
    length,
    power,
    quantity_text,
    time,
)
from .pairs import Channels, subcarriers
from .plans import export_formats, import_drawing
from .previews import Preview, Previews, serve
from .result import Result
from .results.arrays import Arrays, capacity
from .results.comparison import Difference, compare
from .results.distributions import Distribution
from .results.parameters import LargeScale
from .results.surveys import Survey
from .scenario import PathLike, Plan, PlanwaveWarning, Scenario, Size, Waveform
from .scenes.described import FloorPlan, ParameterRange, ScenarioFacts, Shape, Station, Storey
from .scenes.tables import Material, backends, choices, limit_memory, materials, materials_fit, noise_power
from .setups import FramesForecast, Inside, Setup
from .simulation import Bench, BenchRow, Simulation, bench
from .study import (
    Answer,
    ChannelPlan,
    Gradients,
    Siting,
    Spread,
    Sweep,
    Uncertainty,
    Walk,
    choose_levels,
    jax_response,
    torch_response,
)

__all__ = [
    "Agreement",
    "Angles",
    "Answer",
    "Arrays",
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
    "FloorPlan",
    "Forecast",
    "FramesForecast",
    "Gradients",
    "ImportedModel",
    "Incomplete",
    "Inside",
    "Interrupted",
    "JointCalibration",
    "LargeScale",
    "MachineOptions",
    "Map",
    "MapOptions",
    "Material",
    "Medium",
    "Metrics",
    "NoResource",
    "Numerical",
    "ParameterRange",
    "Plan",
    "Plane",
    "PlanwaveWarning",
    "Port",
    "Preview",
    "Previews",
    "Progress",
    "QUANTITIES",
    "Receiver",
    "Result",
    "ResultFacts",
    "RunOptions",
    "Scenario",
    "ScenarioFacts",
    "Score",
    "Series",
    "Setup",
    "SetupFacts",
    "Shape",
    "Share",
    "Sheet",
    "Simulation",
    "Siting",
    "Size",
    "Spectra",
    "Spread",
    "Station",
    "Storey",
    "Survey",
    "Sweep",
    "Transmitter",
    "Uncertainty",
    "UsageError",
    "Walk",
    "Walls",
    "Waveform",
    "WifiChannel",
    "agree",
    "backends",
    "bench",
    "build_facts",
    "capacity",
    "channel_formats",
    "choices",
    "choose_levels",
    "compare",
    "decibels",
    "export_formats",
    "forecast_words",
    "frequency",
    "import_drawing",
    "import_ifc",
    "jax_response",
    "length",
    "limit_memory",
    "materials",
    "materials_fit",
    "metrics_help",
    "noise_power",
    "power",
    "quantity_text",
    "serve",
    "subcarriers",
    "time",
    "torch_response",
]


def build_facts() -> str:
    """The revision of the library and how it was built, a fact a line.

    Examples
    --------
    >>> pw.build_facts().startswith("planwave")
    True
    """
    library, decoded = _library.library, _library.decoded
    return f"planwave {__version__} ({decoded(library.pw_commit())})\n{decoded(library.pw_build_facts())}"


def forecast_words(brief: bool = False) -> str:
    """What the forecast of the error is: the grid's, on the plan as drawn, and what plans were off by in measured buildings.

    ``brief``: in the few words that fit below a title.

    Examples
    --------
    >>> len(pw.forecast_words(brief=True)) > 0
    True
    """
    return _library.decoded(_library.library.pw_forecast_words(brief))


def open(path: PathLike) -> Result:
    """Opens a result file: the same as ``Result.open``.

    Examples
    --------
    >>> pw.open("room.h5").facts.title
    'A small room'
    """
    return Result(path)
