"""Walks from Python: what they hand back, and what their files hold."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import planwave as pw

ROOM = """
plan: {size: [2 m, 1.2 m]}
grid: {cell: 2 cm}
band: {centre: 1.5 GHz, width: 100 MHz}
transmitters: [{name: hall, at: [0.3 m, 0.6 m]}]
receivers: [{name: desk, at: [1.7 m, 0.6 m]}, {name: far, at: [1.6 m, 0.9 m]}]
spectra: {count: 5}
stop: {after: 25 ns, decay: off}
"""


def test_files_hold_what_is_handed_back(tmp_path: Path) -> None:
    walk = pw.Scenario(ROOM).walk([[(1, 0.4), (1, 0.8)], (0.7, 0.6)], rate=50, radius=0.1)
    assert walk.transmitters == ["hall"] and walk.receivers == ["desk", "far"]
    assert walk.csi.shape == (17, 5, 2, 1) and walk.csi.dtype == np.complex64
    power, empty = (np.abs(walk.csi) ** 2).mean(axis=1), (np.abs(walk.csi_empty) ** 2).mean(axis=0)
    assert np.allclose(walk.blockage, 10 * np.log10(empty / power), atol=1e-3)
    assert np.allclose(walk.positions[1], (0.7, 0.6)) and np.allclose(walk.positions[0, -1], (1, 0.4 + 16 / 50 * 1.2))
    walk.write(tmp_path / "walk.h5")
    assert np.array_equal(np.load(tmp_path / "walk.npy"), walk.csi)
    with h5py.File(tmp_path / "walk.h5") as file:
        assert np.array_equal(file["csi"][:], walk.csi)
        assert np.array_equal(file["csi_empty"][:], walk.csi_empty)
        assert np.allclose(file["timestamps"][:], walk.timestamps)
        assert list(file["subcarriers"][:]) == [-2, -1, 0, 1, 2]
        assert [name.decode() for name in file["receivers"][:]] == walk.receivers
        assert file["doppler"].shape == (1, 16, 2, 1)
        assert (tmp_path / "walk.png").is_file()


def test_three_dimensions() -> None:
    space = pw.Scenario(
        """
dimensions: 3
plan: {size: [1.2 m, 0.8 m], storey: {height: 20 cm}}
grid: {cell: 15 mm, absorber: {cells: 8}}
band: {centre: 1 GHz, width: 100 MHz}
transmitters: [{name: hall, at: [0.2 m, 0.4 m, 10 cm]}]
receivers: [{name: desk, at: [1 m, 0.4 m, 10 cm]}]
spectra: {count: 3}
stop: {after: 25 ns, decay: off}
"""
    )
    walk = space.walk([(0.6, 0.4)], radius=0.1, height=0.16, method="exact")
    assert walk.csi.shape == (1, 3, 1, 1) and walk.blockage[0, 0, 0] > 1
    person = space.with_circle((0.6, 0.4), "10 cm", "{relative_permittivity: 4}", z=(0, "16 cm"))
    assert person.shapes[0].kind == "circle"
    with pytest.raises(pw.BadInput, match="solves every pose"):
        space.walk([(0.6, 0.4)], radius=0.1, height=0.16)
    with pytest.raises(pw.UsageError, match="storey 'attic'"):
        space.walk([(0.6, 0.4)], radius=0.1, height=0.16, method="exact", storey="attic")


def test_what_is_amiss_is_told() -> None:
    with pytest.warns(pw.PlanwaveWarning, match="the run ended at"):
        pw.Scenario(ROOM, {"stop.after": "4 ns"}).walk([(1, 0.6)], radius=0.1)


def test_what_makes_no_sense_is_refused() -> None:
    room = pw.Scenario(ROOM)
    with pytest.raises(pw.UsageError, match="0 persons"):
        room.walk([])
    with pytest.raises(pw.UsageError, match="give points"):
        room.walk([[1, 2, 3]])
    with pytest.raises(pw.UsageError, match="radius 0 m"):
        room.walk([(1, 0.6)], radius=0)
    with pytest.raises(pw.BadInput, match="stands on 'desk'"):
        room.walk([(1.7, 0.5)], radius=0.1)
