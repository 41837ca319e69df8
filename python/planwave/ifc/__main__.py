"""``python -m planwave.ifc MODEL.ifc -o PLAN.yaml``: a model of a building becomes a scenario."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import errors
from . import import_ifc
from .materials import Substance, read_table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m planwave.ifc", description="A model of a building in IFC becomes a scenario of planwave."
    )
    parser.add_argument("model", help="the IFC file")
    parser.add_argument("-o", "--output", help="name of the scenario; default: the model's name with .yaml, in this folder")
    parser.add_argument("-f", "--force", action="store_true", help="replace an existing file")
    parser.add_argument(
        "--dimensions", type=int, choices=(2, 3), default=2, help="2: one storey, cut at --height (default); 3: the building"
    )
    parser.add_argument("--storey", help="name of the storey; default: the lowest that is not a cellar")
    parser.add_argument("--height", default="1.2 m", help="of the cut over the storey's floor (1.2 m)")
    parser.add_argument(
        "--tx", action="append", default=[], metavar="X,Y[,KEY=V]", help="an access point [m from the lower left corner]; may be repeated"
    )
    parser.add_argument("--frequency", default="2.45 GHz", help="centre of the band (2.45 GHz)")
    parser.add_argument(
        "--material",
        action="append",
        default=[],
        metavar="NAME=WHAT",
        help="what a name or pattern of the model stands for; may be repeated",
    )
    parser.add_argument("--materials", metavar="FILE.csv", help="the same as lines NAME,MATERIAL")
    parser.add_argument("--wall", default="brick", help="material of walls of which nothing is known (brick)")
    parser.add_argument("--windows", help="a material or open, in place of what the model says")
    parser.add_argument("--doors", help="a material or open, in place of what the model says")
    parser.add_argument("--turn", type=float, help="degrees, counterclockwise; default: so that most walls run along the axes")
    return parser


def _station(text: str) -> dict[str, Any]:
    parts = text.split(",")
    try:
        made: dict[str, Any] = {"at": [float(parts[0]), float(parts[1])]}
        made.update({key: value for key, value in (part.split("=", 1) for part in parts[2:])})
    except (IndexError, ValueError):
        raise errors.UsageError(f"--tx '{text}': write X,Y in metres, as in 4.2,3 or 4.2,3,name=hall,power=17dBm") from None
    return made


def _run(given: argparse.Namespace) -> int:
    output = Path(given.output or Path(given.model).with_suffix(".yaml").name)
    if output.exists() and not given.force:
        raise errors.BadInput(f"'{output}' exists already; -f replaces it")
    if output.exists() and output.samefile(given.model):
        raise errors.UsageError(f"'{output}' is the model itself")
    table: dict[str, Substance] = {}
    for pair in given.material:
        name, _, meaning = pair.partition("=")
        if not meaning:
            raise errors.UsageError(f"--material '{pair}': write NAME=MATERIAL, as in 'Kalksandstein*=brick'")
        table[name] = meaning
    if given.materials:
        table = {**table, **read_table(given.materials)}
    made = import_ifc(
        given.model,
        output,
        dimensions=given.dimensions,
        storey=given.storey,
        height=given.height,
        frequency=given.frequency,
        transmitter=[_station(one) for one in given.tx] or None,
        materials=table,
        wall=given.wall,
        windows=given.windows,
        doors=given.doors,
        turn=given.turn,
        progress=sys.stderr.isatty(),
    )
    print(made.told)
    for name, area in sorted(made.areas.items()):
        print(f"{name}: {area:.2f} m2")
    print(f"wrote {output}; look at it with planwave rasterize {output}, then planwave run {output}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status, which is that of ``planwave``."""
    given = _parser().parse_args(arguments)
    return errors.exit_status(lambda: _run(given))


if __name__ == "__main__":
    sys.exit(main())
