"""What mypy catches, and what it lets through."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

RIGHT = """
import numpy as np
import planwave as pw

result = pw.open("a.h5")
signal: pw.Map = result.map("received-power", local_mean="12 cm", noise_figure="7 dB")
one: float = signal.quantile(0.5)
values = np.asarray(signal)
result.channel("west", at=("2.5 m", 4), window="hann")
result.channel("west", "near", window="kaiser", kaiser_beta=6.0)
result.coverage("-67 dBm", "path-loss", areas={"lab": (0, 0, "3 m", 2)})
result.coverage([-60, "-67 dBm"], progress=True)
result.channels(grid=(0, 0, 8, 6, "50 cm"))
told: str = pw.import_drawing("a.dxf", "a.yaml", unit="1 mm")
scenario: pw.Scenario = pw.import_drawing("a.dxf", transmitter=[(1, 2), {"at": (3, 4)}])
scenario.setup(precision="double").run(backend="cpu", device_memory="2 GB")
"""
WRONG = {
    'result.map("recieved-power")': "QuantityName|received-power|Literal",
    'result.channel(window="han")': "hann|No overload variant",
    'result.map(spreading="distanse")': "spreading|distance",
    'result.map(windwo="hann")': "windwo",
    'result.channel("west", "near", at=(1, 2))': "No overload variant",
    'result.coverage(-67, "k-factor")': "Literal",
    'scenario.setup(precision="half")': "single",
    'scenario.setup().run(backend="cudda")': "cuda",
    "scenario.run(threds=2)": "threds",
    'told: str = pw.import_drawing("a.dxf")': "Incompatible types|No overload variant",
    'pw.import_drawing("a.dxf", untis="1 mm")': "untis|No overload variant",
    'component = result.series("west", component="e")': "component",
}


def checked(tmp_path: Path, text: str) -> str:
    (tmp_path / "user.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout


def test_mypy_tells_right_from_wrong(tmp_path: Path) -> None:
    import re

    assert checked(tmp_path, RIGHT) == ""
    begin = 'import planwave as pw\n\nresult = pw.open("a.h5")\nscenario = pw.Scenario("a.yaml")\n'
    told = checked(tmp_path, begin + "\n".join(WRONG) + "\n")
    for number, (line, words) in enumerate(WRONG.items(), begin.count("\n") + 1):
        here = "\n".join(one for one in told.splitlines() if one.startswith(f"user.py:{number}:"))
        assert "error:" in here and re.search(words, here), f"{line}: {here or 'nothing said'}"
