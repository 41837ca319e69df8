"""The commands: ``python -m planwave.learning --help``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from .. import errors
from ..result import Result
from ..scenario import Scenario
from .deepmimo import with_probes, write_deepmimo
from .map_sets import RadioMaps, radio_maps


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m planwave.learning", description="Data sets for machine learning.")
    commands = parser.add_subparsers(dest="command", required=True)
    maps = commands.add_parser("maps", help="radio maps of a scenario from many places of its transmitter")
    maps.add_argument("scenario")
    maps.add_argument("-n", "--count", type=int, default=1000, help="of maps (1000)")
    maps.add_argument("-o", "--output", required=True, help="name of the .npz")
    maps.add_argument("--seed", type=int, default=0, help="of the places (0)")
    maps.add_argument("--quantity", default="path-gain", help="path-gain (default), received-power, rms-delay-spread, ...")
    maps.add_argument("--clearance", default="20 cm", help="least distance from walls (20 cm)")
    maps.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the scenario; may be repeated")
    maps.add_argument("--backend", default="auto", help="auto (default), cpu, cuda, reference")
    maps.add_argument("-f", "--force", action="store_true", help="replace an existing file, and begin anew where a run was stopped")
    probes = commands.add_parser(
        "probes", help="a scenario with two transmitters beside each, from which deepmimo knows angles of departure"
    )
    probes.add_argument("scenario")
    probes.add_argument("-o", "--output", required=True, help="the scenario that is written; must not exist")
    deepmimo = commands.add_parser(
        "deepmimo",
        help="channels of a result in the layout of DeepMIMO v4",
        description="Channels of a result in the layout of DeepMIMO v4. "
        "Without `probes` angles of departure are not known, and a base station of several elements has channels of rank 1. "
        "Arrays of the scenario are exact: channel_*.npz are (n_ue, n_rx_ant, n_tx_ant, n_subcarriers).",
    )
    deepmimo.add_argument("result")
    deepmimo.add_argument("-o", "--output", required=True, help="folder of the scenario; must not exist")
    deepmimo.add_argument("--grid", type=_numbers, help="x0,y0,x1,y1,step [m]; default: the receivers of the scenario")
    deepmimo.add_argument("--frequencies", help="of channel_*.npz: 64x312.5kHz, wifi-20, ...; default: those of the spectra")
    return parser


def _maps(given: argparse.Namespace) -> int:
    target = Path(given.output)
    parts = target.with_name(target.name + ".parts")
    parent = target.resolve().parent
    if not (parent.is_dir() and os.access(parent, os.W_OK)):  # known before hours of solving
        raise errors.NoResource(f"{given.output} cannot be written: {parent} is no folder that may be written to")
    changes = dict(pair.split("=", 1) for pair in given.set if "=" in pair)
    if len(changes) != len(given.set):
        raise errors.UsageError("--set wants KEY=VALUE, and each key once")
    if given.force:
        shutil.rmtree(parts, ignore_errors=True)
    there = RadioMaps.load(target) if target.exists() and not given.force else None
    begun: list[int] = []

    def told(done: int, count: int) -> None:
        if not begun and 0 < done:
            print(f"{given.output}: {done} of {count} maps are there" + ("; going on" if done < count else ""), file=sys.stderr)
        begun.append(done)
        if sys.stderr.isatty():
            print(f"\r{done} of {count} maps", end="" if done < count else "\n", file=sys.stderr, flush=True)

    try:
        made = radio_maps(
            given.scenario,
            given.count,
            seed=given.seed,
            set=changes,
            quantity=given.quantity,
            clearance=given.clearance,
            backend=given.backend,
            begin=there,
            folder=parts,
            progress=told,
        )
    except KeyboardInterrupt:
        raise errors.Interrupted("stopped" + (f"; the same command goes on with what {parts} has" if parts.exists() else "")) from None
    if there is None or len(made.maps) > len(there.maps):
        made.save(target)
    shutil.rmtree(parts, ignore_errors=True)
    size = f"{target.stat().st_size / 1e6:.1f} MB"
    print(f"{given.output}: {len(made.maps)} maps of {made.maps.shape[1]} x {made.maps.shape[2]} cells, {size}")
    return 0


def _run(given: argparse.Namespace) -> int:
    if given.command == "maps":
        return _maps(given)
    if given.command == "probes":
        if Path(given.output).exists():
            raise errors.BadInput(f"'{given.output}' exists: remove it, or give another name")
        with_probes(Scenario(given.scenario)).write(given.output)
        print(f"wrote {given.output}; run it, then: python -m planwave.learning deepmimo RESULT.h5 -o FOLDER")
        return 0
    with Result(given.result) as result:
        share = write_deepmimo(result, given.output, grid=given.grid, frequencies=given.frequencies)
    print(
        f"{given.output}: antennas of {share.shape[0]} receivers and {share.shape[1]} transmitters; paths carry {100 * share.min():.1f} % of the energy or more"
    )
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The commands; returns the exit status, which is that of ``planwave``."""
    given = _parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    return errors.exit_status(lambda: _run(given))


if __name__ == "__main__":
    sys.exit(main())
