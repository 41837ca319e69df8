"""Every public docstring has an example, and every example does what it says."""

from __future__ import annotations

import doctest
import inspect
import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import planwave as pw
import planwave.learning
import pytest
from conftest import room


def _public() -> dict[str, Any]:
    """Functions, classes, and what classes have of their own or of their bases here, by name."""
    found: dict[str, Any] = {}
    for module in (pw, planwave.learning):
        for name in module.__all__:
            one = getattr(module, name)
            if inspect.isfunction(one) or inspect.isclass(one):
                found[name] = one
            if not inspect.isclass(one) or issubclass(one, Exception) or hasattr(one, "__total__"):
                continue
            for inner in dir(one):
                member = inspect.getattr_static(one, inner)
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if not inner.startswith("_") and inspect.isfunction(function):
                    found[f"{name}.{inner}"] = function
    return found


PUBLIC = _public()
EXAMPLES = {f"{one.__module__}.{one.__qualname__}": one for one in PUBLIC.values() if ">>>" in (one.__doc__ or "")}


def test_every_public_docstring_has_an_example() -> None:
    without = [name for name, one in PUBLIC.items() if ">>>" not in (inspect.getdoc(one) or "")]
    assert without == []


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A folder with the files that examples read, and the objects that they begin with."""
    folder, before = tmp_path_factory.mktemp("examples"), Path.cwd()
    os.chdir(folder)
    small = {
        "title": "small",
        "plan": {"size": [2.0, 2.0]},
        "band": {"centre": "1 GHz", "width": "50 MHz"},
        "transmitters": [{"at": [0.8, 1.0]}],
        "grid": {"cell": "4 cm"},
        "stop": {"after": "30 ns"},
        "spectra": {"count": 5},
    }
    (folder / "room.yaml").write_text(json.dumps({**room(), "spectra": {"spacing": "2 cells"}}))
    (folder / "small.yaml").write_text(json.dumps(small))
    (folder / "sweep.yaml").write_text(json.dumps({"scenario": "small.yaml", "grid": {"transmitters[0].power": ["10 dBm", "20 dBm"]}}))
    (folder / "room.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="4000mm" height="3000mm" viewBox="0 0 4000 3000">'
        '<g id="walls"><rect x="0" y="0" width="4000" height="200"/><rect x="0" y="2800" width="4000" height="200"/></g></svg>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.PlanwaveWarning)
        scenario = pw.Scenario("room.yaml")
        setup = scenario.setup()
        simulation = setup.simulation(0, 1)
        simulation.advance(20)
        result = setup.run("room.h5")
        siting = pw.Scenario("small.yaml").siting("1 m", places="50 cm").solve()
        made = {
            "scenario": scenario,
            "setup": setup,
            "simulation": simulation,
            "result": result,
            "channel": result.channel("west", "near"),
            "signal": result.map(local_mean=True),
            "siting": siting,
            "answer": siting.choose(-40, 0.9),
            "sweep": pw.Sweep("sweep.yaml"),
        }
    yield {**made, "pw": pw, "np": np}
    os.chdir(before)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
@pytest.mark.filterwarnings("ignore::planwave.PlanwaveWarning")
def test_an_example_does_what_it_says(name: str, here: dict[str, Any]) -> None:
    from matplotlib import pyplot

    text = inspect.getdoc(EXAMPLES[name]) or ""
    test = doctest.DocTestParser().get_doctest(text, dict(here), name, None, 0)
    told: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    pyplot.close("all")
    assert failed == 0, "".join(told)
