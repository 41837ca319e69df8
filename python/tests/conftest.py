"""Small scenarios, solved once for all tests, in a second or so."""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path

import matplotlib
import planwave as pw
import pytest

matplotlib.use("Agg")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is begun with Ctrl-C ignored
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))  # for bindings.py


def room() -> dict:
    """Three metres square, a wall of brick, two transmitters and two receivers, coarse cells."""
    return {
        "title": "A small room",
        "plan": {
            "size": [3.0, 3.0],
            "walls": [{"from": [2.0, 0.4], "to": [2.0, 2.6], "thickness": "12 cm", "material": "brick"}],
        },
        "band": {"centre": "2.4 GHz", "width": "400 MHz"},
        "transmitters": [
            {"name": "west", "at": [0.8, 1.5], "power": "20 dBm"},
            {"name": "east", "at": [2.6, 1.0], "power": "17 dBm"},
        ],
        "receivers": [{"name": "near", "at": [1.5, 1.5]}, {"name": "behind", "at": [2.6, 1.8]}],
        "grid": {"cell": "2 cm"},
        "spectra": {"spacing": "3 cells"},
    }


def empty() -> dict:
    """Nothing but air."""
    tree = room()
    return {**tree, "title": "Air", "plan": {"size": [3.0, 3.0]}, "transmitters": tree["transmitters"][:1]}


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result file of `room`."""
    target = tmp_path_factory.mktemp("results") / "room.h5"
    pw.Scenario(room()).run(target).close()
    return target


@pytest.fixture
def result(path: Path):
    with pw.open(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def air(tmp_path_factory: pytest.TempPathFactory):
    with pw.Scenario(empty()).run() as opened:
        yield opened


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler to compare with")
    return found
