"""Arrays of antennas: the axes of their channels against the pairs they are made of, and what is read off against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import planwave as pw
import pytest
from conftest import room


@pytest.fixture(scope="module")
def stations(tmp_path_factory: pytest.TempPathFactory):
    tree = room()
    tree["transmitters"] = [
        {"name": "west", "at": [0.8, 1.5], "power": "20 dBm", "antenna": {"array": "ula", "elements": 2, "bearing": "90 deg"}},
        {"name": "east", "at": [2.6, 1.0], "power": "20 dBm", "antenna": {"array": "ula", "elements": 2, "spacing": "3 cm"}},
    ]
    tree["receivers"] = [
        {"name": "near", "at": [1.5, 1.5], "antenna": {"array": "ula", "elements": 3, "bearing": "270 deg"}},
        {"name": "behind", "at": [2.6, 1.8], "antenna": {"array": "ula", "elements": 3}},
    ]
    with pw.Scenario(tree).run(tmp_path_factory.mktemp("arrays") / "arrays.h5") as made:
        yield made


def test_axes_are_those_of_the_pairs(stations: pw.Result, tmp_path: Path) -> None:
    assert list(stations.transmitters) == ["west.1", "west.2", "east.1", "east.2"]
    assert stations.transmitters["east.2"].port == pw.Port("east", 2, (1, 2, 1))
    assert stations.transmitters["west.1"].power == pytest.approx(20 - 10 * np.log10(2))
    many = stations.channels()
    arrays = many.arrays()
    assert arrays.H is not None and arrays.a is not None and many.H is not None and arrays.tau is not None
    assert arrays.H.shape[:4] == (2, 3, 2, 2) and arrays.transmitters == ["west", "east"] and arrays.receivers == ["near", "behind"]
    one = stations.channel("east.1", receiver="behind.3")
    usable = np.isfinite(arrays.H[1, 2, 1, 0])
    assert np.array_equal(arrays.H[1, 2, 1, 0], many.H[5, 0, 2], equal_nan=True)
    assert np.allclose(arrays.H[1, 2, 1, 0][usable], one.response[usable], rtol=1e-9)
    assert arrays.position[1, 2] == pytest.approx((stations.receivers["behind.3"].x, stations.receivers["behind.3"].y))
    a, tau = many.sionna()
    assert a.shape[:4] == (2, 3, 2, 2) and a.shape[5] == 1 and tau.shape == a.shape[:5]
    turned = np.exp(-2j * np.pi * (many.frequency - many.centre)[:, None] * tau[1, 2, 1, 0])
    assert np.allclose((turned @ a[1, 2, 1, 0, :, 0])[usable], arrays.H[1, 2, 1, 0][usable], atol=1e-9)
    chosen = stations.channels(["east"], ["behind"]).arrays()
    assert chosen.H is not None and np.array_equal(chosen.H[0, :, 0], arrays.H[1, :, 1], equal_nan=True)
    network = tmp_path / "west.s5p"
    stations.write_channels(network, transmitters=["west"], receivers=["near"])
    rf = pytest.importorskip("skrf").Network(str(network))
    found = arrays.H[0, :, 0] * (many.centre / many.frequency)
    assert np.allclose(np.moveaxis(rf.s[:, 2:, :2], 0, -1), found[..., np.isfinite(found[0, 0])], rtol=1e-7)
    assert not rf.s[:, :2, :2].any() and np.allclose(rf.s, np.swapaxes(rf.s, 1, 2))
    with pytest.raises(pw.BadInput, match="different numbers"):
        stations.channels(["west.1", "east.1", "east.2"]).arrays()


def test_readings_are_those_of_numpy(stations: pw.Result) -> None:
    arrays = stations.channels().arrays()
    assert arrays.H is not None
    read = arrays.metrics("20 dB")
    values = arrays.singular_values()
    assert values[0, 0, 3] == pytest.approx(np.linalg.svd(arrays.H[0, :, 0, :, 3], compute_uv=False), rel=1e-9)
    usable = np.isfinite(values[0, 0, :, 0])
    h = np.moveaxis(arrays.H[..., usable], (0, 2, 4, 1, 3), (0, 1, 2, 3, 4))
    scale = 100 / np.mean(np.abs(h) ** 2, axis=(2, 3, 4), keepdims=True)
    gram = np.eye(3) + scale / 2 * h @ np.conj(np.swapaxes(h, -1, -2))
    capacity = np.mean(np.log2(np.abs(np.linalg.det(gram))), axis=-1)
    assert read["capacity"] == pytest.approx(capacity, rel=1e-9)
    assert np.nanmean(arrays.capacity("20 dB"), axis=-1) == pytest.approx(capacity, rel=1e-9)
    assert np.nanmean(arrays.capacity("20 dB", water_filling=True), axis=-1) == pytest.approx(read["water_capacity"], rel=1e-9)
    beams = np.sum(np.abs(np.fft.fft(h, axis=-1)) ** 2, axis=(2, 3)).max(axis=-1) / 2
    assert read["transmitter_beam_db"] == pytest.approx(10 * np.log10(beams / (np.sum(np.abs(h) ** 2, axis=(2, 3, 4)) / 2)), abs=1e-9)
    assert np.abs(arrays.correlation()[:, :, 0, 1]) == pytest.approx(read["transmitter_correlation"], abs=1e-9)
    among = np.abs(arrays.correlation("receiver"))
    assert np.mean([among[:, :, 0, 1], among[:, :, 0, 2], among[:, :, 1, 2]], axis=0) == pytest.approx(read["receiver_correlation"], abs=1e-9)
    assert np.isnan(read["cross_polar_db"]).all() and (read["condition_db"] > 0).all()


def test_capacity_of_known_values() -> None:
    assert pw.capacity([[3.0, 1.0], [1.0, 0.0]], 2, "10 dB") == pytest.approx([np.log2(46) + np.log2(6), np.log2(6)])
    assert pw.capacity([3.0, 0.1], 2, 0, water_filling=True) == pytest.approx(np.log2(10))
    with pytest.raises(pw.UsageError, match="0 antennas"):
        pw.capacity([1.0], 0, 10)
