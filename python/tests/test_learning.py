"""Data sets: maps from many places, and DeepMIMO's layout, against geometry, the channels themselves and DeepMIMO's own reader."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import planwave as pw
import pytest
from planwave import learning
from planwave.learning import map_sets, places
from planwave.learning.__main__ import main as command_main

from conftest import empty, room

GRID = (0.6, 0.6, 2.4, 2.4, 0.3)


def matrix(folder: Path, key: str, transmitter: int = 0) -> np.ndarray:
    return np.load(folder / f"{key}_t000_tx{transmitter:03d}_r001.npz")[key]


@pytest.fixture(scope="module")
def fine_air():
    tree = {**room(), "plan": {"size": [3.0, 3.0]}, "spectra": {"spacing": "2 cells", "count": 60}}
    with pw.Scenario({**tree, "transmitters": tree["transmitters"][:1]}).run() as opened:
        yield opened


def test_waves_come_from_the_transmitter_in_free_space(fine_air, tmp_path):
    learning.write_deepmimo(fine_air, tmp_path / "air", grid=GRID)
    sender = fine_air.transmitters["west"]
    apart = np.array([sender.x, sender.y]) - matrix(tmp_path / "air", "rx_pos")[:, :2]
    far = np.hypot(*apart.T) > 0.4
    wrong = (matrix(tmp_path / "air", "aoa_az")[:, 0] - np.degrees(np.arctan2(apart[:, 1], apart[:, 0])) + 180.0) % 360.0 - 180.0
    assert np.abs(wrong[far]).max() < 3.0
    assert np.nanmax(np.abs(matrix(tmp_path / "air", "inter")[:, 0])) == 0.0  # nothing stands in the way
    delay = matrix(tmp_path / "air", "delay")[:, 0]
    assert np.abs(delay - np.hypot(*apart.T) / 299792458.0).max() < 1.0 / 400e6


def test_paths_add_up_to_the_response(fine_air, tmp_path):
    share = learning.write_deepmimo(fine_air, tmp_path / "air", grid=GRID, most_paths=1000, depth=300.0)
    assert share.min() == pytest.approx(1.0, abs=1e-9)
    many = fine_air.channels(grid=GRID)
    gain = 10.0 ** (matrix(tmp_path / "air", "power") / 20.0) * np.exp(1j * np.radians(matrix(tmp_path / "air", "phase")))
    turning = np.exp(-2j * np.pi * np.multiply.outer(many.frequency - many.centre, matrix(tmp_path / "air", "delay")))
    made = np.nansum(gain * turning, axis=-1).T
    assert np.abs(made - many.H[:, 0, 0]).max() < 1e-3 * np.abs(many.H).max()


def test_a_wall_makes_the_direct_path_one_that_goes_through_it(result, tmp_path):
    with pytest.raises(pw.BadInput, match="spectra.spacing"):
        learning.write_deepmimo(result, tmp_path / "coarse", grid=(0.5, 1.0, 1.0, 2.0, 0.5))  # 6 cm apart at 2.6 GHz
    with pw.Scenario(room(), {"spectra.spacing": "2 cells"}).run() as finer:
        learning.write_deepmimo(finer, tmp_path / "room")
    assert matrix(tmp_path / "room", "inter")[:, 0].tolist() == [0.0, 4.0]  # near, behind
    assert matrix(tmp_path / "room", "inter", 1)[:, 0].tolist() == [4.0, 0.0]
    parameters = json.loads((tmp_path / "room/params.json").read_text())
    assert [parameters["txrx_sets"][f"txrx_set_{n}"]["num_points"] for n in (0, 1)] == [2, 2]


def test_a_folder_that_exists_is_left_alone(fine_air, tmp_path):
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(pw.BadInput, match="exists"):
        learning.write_deepmimo(fine_air, tmp_path / "kept", grid=GRID)
    with pytest.raises(pw.BadInput):
        learning.write_deepmimo(fine_air, tmp_path / "new", at=[[9.0, 9.0]])
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_deepmimo_reads_it(fine_air, tmp_path, monkeypatch):
    deepmimo = pytest.importorskip("deepmimo")
    monkeypatch.chdir(tmp_path)
    learning.write_deepmimo(fine_air, "deepmimo_scenarios/air", grid=GRID)
    loaded = deepmimo.load("air")
    assert loaded.los.min() == 1
    assert loaded.power.shape[0] == 49


def small(folder: Path) -> Path:
    tree = folder / "room.yaml"
    band = {"centre": "1.2 GHz", "width": "60 MHz"}
    tree.write_text(json.dumps({**room(), "band": band, "grid": {"cell": "4 cm"}, "stop": {"after": "20 ns"}, "spectra": {"count": 5}}))
    return tree


def test_maps_are_those_of_single_runs(tmp_path):
    tree = small(tmp_path)
    made = learning.radio_maps(tree, 3, seed=7)
    again = learning.radio_maps(tree, 3, seed=7)
    assert np.array_equal(made.transmitter, again.transmitter) and np.array_equal(made.maps, again.maps, equal_nan=True)
    assert not np.array_equal(made.transmitter, learning.radio_maps(tree, 3, seed=8).transmitter)
    station = {"name": "one", "at": made.transmitter[2].tolist(), "power": "0 dBm"}
    with pw.Scenario(made.scenario, {"transmitters": [station]}).run() as single:
        alone = single.map("path-gain", local_mean=True)
    assert np.nanmax(np.abs(made.maps[2] - alone.values)) < 1e-4
    assert np.hypot(*(made.transmitter[0] - made.transmitter[1])) > 0.0
    strongest = [np.unravel_index(np.nanargmax(drawn), drawn.shape) for drawn in made.maps]
    found = np.array([[made.x[column], made.y[row]] for row, column in strongest])
    assert np.abs(found - made.transmitter).max() < 0.25  # a wavelength: the mean is over a square of that side
    assert (made.relative_permittivity > 1.0).any() and made.unit == alone.unit
    target = tmp_path / "maps.npz"
    made.save(target)
    with np.load(target) as read:
        assert read["maps"].shape == (3, made.y.size, made.x.size)


def test_transmitters_keep_away_from_walls_thinner_than_a_cell_of_the_maps():
    wall = {"from": [2.0, 0.0], "to": [2.0, 3.0], "thickness": "4 cm", "material": "brick"}
    tree = {**room(), "plan": {"size": [3.0, 3.0], "walls": [wall]}, "receivers": []}
    for spacing in ("2 cells", "6 cells", "7 cells"):
        drawn = places.draw_places(places.layout_of(tree, {"spectra.spacing": spacing}, 0.2), 500, 1)
        assert np.abs(drawn[:, 0] - 2.0).min() >= 0.22, spacing
        assert (drawn[:, 0] < 2.0).any() and (drawn[:, 0] > 2.0).any()
    with pw.Scenario(tree, {"stop": {"after": "0.1 ns"}, "spectra.spacing": "6 cells"}).run() as result:
        layout = result.map("path-gain")
        permittivity = places.permittivity(result.walls(), layout.x, layout.y)
    inside = permittivity[2:-2] > 1.05
    assert inside.any(axis=1).all() and inside.sum(axis=1).max() <= 2  # the wall runs through every row
    assert permittivity[2:-2].mean() - 1.0 == pytest.approx((3.91 - 1.0) * 0.04 / 3.0, rel=0.05)  # brick


def test_more_places_begin_with_the_same_ones_and_all_are_on_the_plan(tmp_path):
    layout = places.layout_of(small(tmp_path), {}, 0.2)
    many = places.draw_places(layout, 20000, 4)
    assert many.min() >= 0.0 and many.max() <= 3.0 and many.min() < 0.15 and many.max() > 2.85
    assert np.array_equal(places.draw_places(layout, 1000, 3)[:17], places.draw_places(layout, 17, 3))


def test_several_batches_at_once_are_the_same_maps(tmp_path, monkeypatch):
    tree = small(tmp_path)
    one = learning.radio_maps(tree, 7, seed=2)
    monkeypatch.setattr(map_sets, "BATCH", (2, 2))
    monkeypatch.setattr(map_sets, "_processors", lambda: 6)
    told = []
    several = learning.radio_maps(tree, 7, seed=2, progress=lambda done, count: told.append(done))
    assert told == [0, 2, 4, 6, 7] and np.array_equal(one.transmitter, several.transmitter)
    assert np.nanmax(np.abs(one.maps - several.maps)) < 1e-4

    def interrupt(done, count):
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        learning.radio_maps(tree, 50, seed=2, progress=interrupt)
    assert np.array_equal(stopped.value.maps.maps, several.maps[:2], equal_nan=True)


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch, capfd):
    tree, target = small(tmp_path), tmp_path / "maps.npz"
    monkeypatch.setattr(map_sets, "BATCH", (2, 2))
    whole = learning.radio_maps(tree, 7, seed=5)
    code = (
        "import os, sys; from planwave.learning import map_sets, __main__\n"
        "map_sets.BATCH = 2, 2; save = map_sets._Kept.add\n"
        "def add(self, maps):\n    save(self, maps)\n    len(self) < 4 or os.kill(os.getpid(), 9)\n"
        "map_sets._Kept.add = add; sys.exit(__main__.main(sys.argv[1:]))"
    )
    command = ["maps", str(tree), "-n", "7", "--seed", "5", "-o", str(target)]
    assert subprocess.run([sys.executable, "-c", code, *command]).returncode == -9
    parts = tmp_path / "maps.npz.parts"
    assert not target.exists() and sorted(path.name for path in parts.iterdir()) == ["maps-000000.npy", "maps-000002.npy", "shared.npz"]
    (parts / "maps-000004.npy.partial").write_text("half")
    assert command_main([*command[:5], "6", *command[6:]]) == 3  # another seed
    assert "another seed, 5 there and 6 now" in capfd.readouterr().err
    assert command_main(command) == 0
    assert "4 of 7 maps are there; going on" in capfd.readouterr().err
    made = learning.RadioMaps.load(target)
    assert np.array_equal(made.maps, whole.maps, equal_nan=True) and np.array_equal(made.transmitter, whole.transmitter)
    assert not parts.exists()


def test_a_second_run_says_what_is_there_and_adds_to_it(tmp_path, monkeypatch, capfd):
    tree, target = small(tmp_path), tmp_path / "maps.npz"
    monkeypatch.setattr(map_sets, "BATCH", (2, 2))
    command = ["maps", str(tree), "-o", str(target), "-n"]
    assert command_main([*command, "3"]) == 0
    before, capture = target.stat().st_mtime_ns, capfd.readouterr()
    assert "3 maps of" in capture.out
    assert command_main([*command, "3"]) == 0
    assert target.stat().st_mtime_ns == before and "3 of 3 maps are there" in capfd.readouterr().err
    assert command_main([*command, "5"]) == 0
    assert "3 of 5 maps are there; going on" in capfd.readouterr().err
    assert np.array_equal(learning.RadioMaps.load(target).maps, learning.radio_maps(tree, 5).maps, equal_nan=True)
    tree.write_text(tree.read_text().replace('"12 cm"', '"14 cm"'))
    assert command_main([*command, "5"]) == 3  # the plan has changed
    assert command_main([*command, "1", "--force"]) == 0
    assert len(learning.RadioMaps.load(target).maps) == 1


def test_quantities_of_several_transmitters_are_refused(tmp_path):
    for quantity in ("sinr", "best-server", "beauty"):  # they would depend on who shares a batch
        with pytest.raises(pw.UsageError, match="one transmitter"):
            learning.radio_maps(small(tmp_path), 2, quantity=quantity)


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    taken = tmp_path / "taken.npz"
    taken.write_text("mine")
    assert command_main(["maps", "nowhere.yaml", "-o", str(taken)]) == 3
    assert command_main(["maps", "nowhere.yaml", "-n", "2", "-o", str(tmp_path / "new.npz")]) == 3
    assert command_main(["maps", "nowhere.yaml", "-n", "0", "-o", str(tmp_path / "new.npz")]) == 2
    assert command_main(["maps", "nowhere.yaml", "--set", "no value", "-o", str(tmp_path / "new.npz")]) == 2
    assert command_main(["maps", "nowhere.yaml", "-o", str(tmp_path / "no folder" / "new.npz")]) == 4
    assert "nowhere.yaml" in capsys.readouterr().err
    assert taken.read_text() == "mine" and not (tmp_path / "new.npz").exists()


def test_angles_of_departure_by_probes(tmp_path):
    """In air they are those of the straight line; without probes the file and a warning say that arrays have rank 1."""
    with pytest.warns(pw.PlanwaveWarning, match="rank 1"), pw.Scenario(empty(), {"spectra.spacing": "2 cells"}).run() as alone:
        learning.write_deepmimo(alone, tmp_path / "alone", grid=GRID)
    assert not matrix(tmp_path / "alone", "aod_az")[:, 0].any()
    assert "rank 1" in json.loads((tmp_path / "alone/params.json").read_text())["rt_params"]["raw_params"]["angles_of_departure"]
    with learning.with_probes(pw.Scenario(empty(), {"spectra.spacing": "2 cells"})).run() as probed:
        share = learning.write_deepmimo(probed, tmp_path / "probed", grid=GRID)
    assert share.shape[1] == 1, "probes are no transmitters of their own"
    sender = probed.transmitters["west"]
    apart = matrix(tmp_path / "probed", "rx_pos")[:, :2] - np.array([sender.x, sender.y])
    far = np.hypot(*apart.T) > 0.4
    wrong = (matrix(tmp_path / "probed", "aod_az")[:, 0] - np.degrees(np.arctan2(apart[:, 1], apart[:, 0])) + 180.0) % 360.0 - 180.0
    assert np.abs(wrong[far]).max() < 3.0


def test_an_array_of_two_elements_has_the_response_of_its_second(tmp_path):
    """In air the phases of plane waves make the second element's channel, as it is solved by itself, from those of the first."""
    half = 0.5 * 299792458.0 / 2.4e9
    scenario = learning.with_probes(pw.Scenario(empty(), {"spectra.spacing": "2 cells"})).with_transmitter("second", (0.8, 1.5 + half))
    with scenario.run() as probed:
        learning.write_deepmimo(probed, tmp_path / "array", grid=(1.8, 0.5, 2.8, 2.5, 0.25), transmitters=["west"])
        true = probed.channels(["west", "second"], grid=(1.8, 0.5, 2.8, 2.5, 0.25)).H[:, 0]
    phase = np.exp(1j * np.pi * np.sin(np.radians(matrix(tmp_path / "array", "aod_az")[:, 0])))
    centre = true.shape[-1] // 2
    ratio = true[:, 1, centre] / true[:, 0, centre]
    assert np.abs(np.angle(ratio / phase)).max() < math.radians(15.0)
    assert np.abs(np.angle(ratio)).max() > math.radians(60.0), "the first element's channel would have done as well"


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    """Stations of 2 and of 4 antennas and one of 1, receivers of 3, and of 1."""
    tree = {**room(), "spectra": {"spacing": "2 cells", "count": 60}}
    tree["transmitters"] = [
        {"name": "west", "at": [0.8, 1.5], "antenna": {"array": "ula", "elements": 2, "bearing": "90 deg"}},
        {"name": "south", "at": [1.5, 0.6], "antenna": {"array": "ula", "elements": 4}},
        {"name": "alone", "at": [2.5, 2.4]},
    ]
    receiver = {"array": "ula", "elements": 3, "bearing": "270 deg"}
    tree["receivers"] = [
        {"name": "near", "at": [1.5, 1.5], "antenna": receiver},
        {"name": "behind", "at": [2.6, 1.8], "antenna": receiver},
        {"name": "watch", "at": [1.2, 2.2]},
    ]
    with pw.Scenario(tree).run(tmp_path_factory.mktemp("stations") / "stations.h5") as made:
        yield made


def channel(folder: Path, sender: int, taker: int) -> tuple[np.ndarray, np.ndarray]:
    with np.load(folder / f"channel_t{sender:03d}_tx000_r{taker:03d}.npz") as read:
        return read["channel"], read["frequency"]


def test_arrays_are_exact_in_the_published_shape(arrays, tmp_path):
    """channel is (n_ue, n_rx_ant, n_tx_ant, n_subcarriers), and each antenna a point of its set, as DeepMIMO has it of ray tracers."""
    folder = tmp_path / "stations"
    learning.write_deepmimo(arrays, folder)
    parameters = json.loads((folder / "params.json").read_text())
    sets = [parameters["txrx_sets"][f"txrx_set_{n}"] for n in range(len(parameters["txrx_sets"]))]
    assert [one["name"] for one in sets] == ["west", "south", "alone", "near, behind", "watch"]
    assert [(one["num_points"], one["num_ant"], one["is_tx"]) for one in sets] == [(2, 2, True), (4, 4, True), (1, 1, True), (6, 3, False), (1, 1, False)]
    assert "rt_params" in parameters and not parameters["rt_params"]["synthetic_array"]
    for sender, (station, antennas) in enumerate((("west", 2), ("south", 4), ("alone", 1))):
        for taker, (receivers, elements) in enumerate(((["near", "behind"], 3), (["watch"], 1)), start=3):
            made, frequency = channel(folder, sender, taker)
            true = arrays.channels([station], receivers)
            usable = np.isfinite(true.H).all(axis=(0, 1, 2))
            assert made.shape == (len(receivers), elements, antennas, usable.sum()) and np.array_equal(frequency, true.frequency[usable])
            expected = true.arrays().H[:, :, 0][..., usable]
            assert np.abs(made - expected).max() < 1e-6 * np.abs(expected).max()
    offsets = np.array(sets[1]["ant_rel_positions"])
    stands = np.array([[arrays.transmitters[f"south.{n}"].x, arrays.transmitters[f"south.{n}"].y] for n in (1, 2, 3, 4)])
    assert offsets[:, :2] == pytest.approx(stands - stands.mean(axis=0), abs=1e-6) and np.ptp(offsets, axis=0).max() > 0.15
    on_request = tmp_path / "subcarriers"
    learning.write_deepmimo(arrays, on_request, transmitters=["south"], frequencies="16x1MHz")
    made, frequency = channel(on_request, 0, 1)
    assert made.shape == (2, 3, 4, 16) and np.diff(frequency) == pytest.approx(1e6)


def test_deepmimo_makes_the_same_channels_from_the_paths_of_each_antenna(arrays, tmp_path, monkeypatch):
    """DeepMIMO's own reader and generator against what was written for arrays: two ways to the same numbers."""
    deepmimo = pytest.importorskip("deepmimo")
    monkeypatch.chdir(tmp_path)
    middle, count, spacing = 2.4e9, 32, 2e6
    wanted = middle + spacing * np.arange(count)
    learning.write_deepmimo(arrays, "deepmimo_scenarios/stations", most_paths=1000, depth=300.0, frequencies=wanted)
    single = {"shape": np.array([1, 1])}
    for sender, antennas in ((0, 2), (1, 4)):
        loaded = deepmimo.load("stations", max_paths=1000, tx_sets=[sender], rx_sets=[3])
        loaded = loaded.datasets if hasattr(loaded, "datasets") else [loaded]
        assert len(loaded) == antennas
        ofdm = {"subcarriers": count, "selected_subcarriers": np.arange(count), "bandwidth": count * spacing}
        given = deepmimo.ChannelParameters(bs_antenna=single, ue_antenna=single, num_paths=1000, ofdm=ofdm)
        found = np.concatenate([one.compute_channels(given) for one in loaded], axis=2).reshape(2, 3, antennas, count) * math.sqrt(count)
        true, frequency = channel(Path("deepmimo_scenarios/stations"), sender, 3)
        assert np.allclose(frequency, wanted) and true.shape == found.shape
        assert np.abs(found - true).max() < 1e-2 * np.abs(true).max()
        loaded[0]["channel"] = true
        assert loaded[0].channel.shape == (2, 3, antennas, count)


def test_components_of_the_field_are_antennas_of_the_receiver_in_three_dimensions(tmp_path):
    tree = {
        "dimensions": 3,
        "plan": {"size": [1.6, 1.4], "storey": {"height": 1.2}},
        "band": {"centre": "900 MHz", "width": "300 MHz"},
        "transmitters": [{"name": "ap", "at": [0.4, 0.7, 0.6], "polarisation": "vertical"}],
        "receivers": [{"name": "probe", "at": [1.3, 0.7, 0.6]}],
        "spectra": {"heights": [0.6], "components": ["ez", "ex", "ey"], "spacing": "2 cells"},
        "grid": {"cell": "4 cm"},
        "stop": {"after": "20 ns"},
    }
    with pytest.warns(pw.PlanwaveWarning, match="rank 1"), pw.Scenario(tree).run() as box:
        learning.write_deepmimo(box, tmp_path / "box")
        ports = box.channels().ports
    made, _ = channel(tmp_path / "box", 0, 1)
    parameters = json.loads((tmp_path / "box/params.json").read_text())
    assert parameters["rt_params"]["raw_params"]["antennas"]["components"] == ports == ["ex", "ey", "ez"]
    assert made.shape[:3] == (1, 3, 1) and parameters["txrx_sets"]["txrx_set_1"]["num_ant"] == 3
    power = np.nan_to_num(matrix(tmp_path / "box", "power")[:, 0], nan=-np.inf)
    assert power.argmax() == 2, "a vertical antenna is heard vertically"
