"""Results: channels, maps, coverage, calibration, comparison, against laws and against each other."""

from __future__ import annotations

import math
import re
import resource
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import planwave as pw
import pytest
from conftest import room

LIGHT = 299792458.0


def test_what_a_result_is_about(result: pw.Result) -> None:
    facts = result.facts
    assert (facts.title, facts.dimensions, facts.transmitter_count) == ("A small room", 2, 2)
    assert facts.band_centre == 2.4e9 and facts.frequency_count == result.frequency.size
    assert list(result.transmitters) == ["west", "east"] and list(result.receivers) == ["near", "behind"]
    west = result.transmitters["west"]
    assert (west.x, west.y, west.power) == (0.8, 1.5, 20.0) and math.isnan(west.height)
    assert result.info["version"] == pw.__version__
    assert "planwave.Result" in repr(result)


def test_path_loss_in_air_is_that_of_friis(air: pw.Result) -> None:
    for at in ((1.8, 1.5), (2.3, 2.4), (0.9, 0.4)):
        channel = air.channel(at=at)
        x, y, _ = channel.position
        distance = math.hypot(x - 0.8, y - 1.5)
        metrics = channel.metrics
        assert metrics.distance == pytest.approx(distance)
        assert metrics.path_loss_db == pytest.approx(20 * math.log10(4 * math.pi * distance * 2.4e9 / LIGHT), abs=0.3)
        assert metrics.received_power_dbm == pytest.approx(20.0 - metrics.path_loss_db)
        delay, power = channel.delay, channel.profile
        assert delay[np.argmax(power)] == pytest.approx(distance / LIGHT, abs=metrics.delay_resolution / 2)


def test_the_response_has_the_phase_of_the_distance(air: pw.Result) -> None:
    channel = air.channel(receiver="near")
    usable = np.isfinite(channel.response)
    slope = np.polyfit(channel.frequency[usable], np.unwrap(np.angle(channel.response[usable])), 1)[0]
    assert -slope / (2 * math.pi) == pytest.approx(0.7 / LIGHT, rel=0.02)


def test_coefficients_sum_to_the_response(result: pw.Result) -> None:
    channels = result.channels()
    assert channels.a.shape == (2, 1, 2, channels.tau.shape[2]) and channels.H.shape == (2, 1, 2, result.frequency.size)
    phase = np.exp(-2j * np.pi * (channels.frequency - channels.centre)[:, np.newaxis] * channels.tau[:, :, np.newaxis, :])
    total = np.einsum("rpts,rtfs->rptf", channels.a, phase)
    usable = np.isfinite(channels.H)
    assert total[usable] == pytest.approx(channels.H[usable], abs=1e-9)
    for r, receiver in enumerate(channels.receivers):
        for t, transmitter in enumerate(channels.transmitters):
            one = result.channel(transmitter, receiver)
            assert channels.metrics["path_loss_db"][r, t] == pytest.approx(one.metrics.path_loss_db)
            assert channels.metrics["rms_delay_spread"][r, t] == pytest.approx(one.metrics.rms_delay_spread)


def test_frequencies_and_profiles_as_asked(result: pw.Result) -> None:
    own = result.channels()
    with pytest.warns(pw.PlanwaveWarning, match="spectra.spacing: 1 cells"):  # 6 cm apart, half a wavelength
        asked = result.channels(frequencies=result.frequency, profiles=True, at=[(1.21, 1.13), (1.22, 1.13)])
    assert asked.H[0] == pytest.approx(result.channels(at=[(1.21, 1.13)]).H[0], nan_ok=True)
    one = result.channel("west", at=(1.21, 1.13))
    assert asked.profile[0, 0] == pytest.approx(one.profile) and asked.profile_delay[0, 0] == pytest.approx(one.delay)
    grid = result.channels(frequencies="64x312.5kHz", coefficients=False)
    assert grid.frequency == pytest.approx(own.centre + 312.5e3 * np.arange(-32, 32)) and grid.H.shape == (2, 1, 2, 64)
    assert np.all(grid.error < 0.01) and "profile" in asked.to_xarray()
    with pytest.raises(pw.BadInput, match="outside the frequencies that were solved"):
        result.channels(frequencies=["3 GHz"])
    with pytest.raises(pw.UsageError, match="wifi6-20"):
        result.channels(frequencies="wifi-30")


def test_a_spread_below_the_resolution_is_told_so(result: pw.Result) -> None:
    channel = result.channel("west", "near")
    below = channel.metrics.rms_delay_spread < channel.metrics.delay_resolution
    assert ("RMS delay spread < " in repr(channel)) == below and ("&lt; " in channel._repr_html_() or not below)


def test_metrics_are_printed_as_people_write_them(result: pw.Result) -> None:
    metrics = result.channel("west", "near").metrics
    lines = dict(line.split("  ", 1) for line in str(metrics).splitlines())
    assert lines["distance"].strip() == f"{metrics.distance:.2f} m"
    assert lines["received power"].strip() == f"{metrics.received_power_dbm:.2f} dBm"
    assert all(re.fullmatch(r"([<>] )?-?[\d.]+ (m|dB|dBm|ns|MHz)", text.strip()) for text in lines.values()), lines


def test_slanted_coefficients_sum_to_the_response_too(tmp_path: Path) -> None:
    tree = room()
    tree["transmitters"] = [{**tree["transmitters"][0], "height": 2.6}]
    with pw.Scenario(tree).run() as high:
        channels = high.channels(at=[(1.2, 1.0), (2.5, 2.4)], receiver_height=1.0)
        level = high.channels(at=[(1.2, 1.0), (2.5, 2.4)])
    phase = np.exp(-2j * np.pi * (channels.frequency - channels.centre)[:, np.newaxis] * channels.tau[:, :, np.newaxis, :])
    total = np.einsum("rpts,rtfs->rptf", channels.a, phase)
    usable = np.isfinite(channels.H)
    assert usable.any() and total[usable] == pytest.approx(channels.H[usable], abs=1e-9)
    flat = np.hypot(channels.position[:, 0] - 0.8, channels.position[:, 1] - 1.5)
    assert channels.metrics["distance"][:, 0] == pytest.approx(np.hypot(flat, 1.6))
    assert (channels.metrics["path_loss_db"] > level.metrics["path_loss_db"]).all()


def test_metrics_do_not_depend_on_what_else_is_wanted(result: pw.Result) -> None:
    wanted = [{}, {"coefficients": False}, {"response": False}, {"coefficients": False, "response": False}]
    everything, *others = (result.channels(grid=(0.3, 0.3, 2.7, 2.7, 0.4), **which) for which in wanted)
    for other in others:
        for name in everything.metrics.dtype.names:
            assert np.array_equal(other.metrics[name], everything.metrics[name], equal_nan=True)
        assert other.H is None or np.array_equal(other.H, everything.H, equal_nan=True)
        assert other.a is None or np.array_equal(other.a, everything.a)


def test_sionna_shapes_are_views(result: pw.Result) -> None:
    channels = result.channels(["east"], ["near", "behind"])
    a, tau = channels.sionna()
    taps = channels.tau.shape[2]
    assert a.shape == (2, 1, 1, 1, taps, 1) and tau.shape == (2, 1, taps)
    assert np.shares_memory(a, channels.a) and np.shares_memory(tau, channels.tau)
    a, tau = channels.sionna(batch=True)
    assert a.shape == (1, 2, 1, 1, 1, taps, 1) and tau.shape == (1, 2, 1, taps)


def test_channels_at_points_and_on_a_grid(result: pw.Result) -> None:
    grid = result.channels(["west"], grid=(0.3, 0.3, 1.5, 0.9, 0.3), coefficients=False)
    assert grid.grid == (3, 5) and len(grid) == 15 and grid.a is None
    points = result.channels(["west"], at=[(0.3, 0.3), (1.5, 0.9)], response=False)
    assert points.H is None and points.position.shape == (2, 2)
    assert points.metrics["path_loss_db"][:, 0] == pytest.approx(grid.metrics["path_loss_db"][[0, 14], 0])
    one = result.channel("west", at=(1.5, 0.9))
    assert points.position[1] == pytest.approx(one.position[:2])
    with pytest.raises(pw.UsageError):
        points.sionna() if points.a is None else grid.sionna()


def test_a_map_has_the_channels_of_its_cells(result: pw.Result) -> None:
    loss, spread = result.map("path-loss", "west"), result.map("rms delay spread", "west")
    assert (loss.unit, spread.unit, loss.falls) == ("dB", "ns", True)
    for row, column in ((5, 7), (20, 31), (40, 12)):
        metrics = result.channel("west", at=(loss.x[column], loss.y[row])).metrics
        assert loss.values[row, column] == pytest.approx(metrics.path_loss_db, abs=1e-6)
        assert (spread.values[row, column] == pytest.approx(1e9 * metrics.rms_delay_spread, abs=1e-6)) or metrics.note


@pytest.mark.parametrize("quantity", pw.QUANTITIES)
def test_every_quantity(result: pw.Result, quantity: str) -> None:
    signal = result.map(quantity)
    assert signal.values.shape == (signal.y.size, signal.x.size) and signal.values.dtype == np.float64
    assert signal.unit and signal.name
    assert np.isfinite(signal.values).any() or quantity == "coherence-50", "the small room has no value below 0.5"
    assert (signal.power is not None) == (quantity == "best-server")


def test_the_strongest_is_the_best_of_both(result: pw.Result) -> None:
    west, east, best = (result.map("received-power", who).values for who in ("west", "east", None))
    assert best == pytest.approx(np.fmax(west, east), nan_ok=True)
    server = result.map("best-server")
    assert np.array_equal(server.values == 0, west >= east) and server.power == pytest.approx(best)
    assert result.map("received-power", "best").transmitter is None


def test_a_local_mean_is_smoother(result: pw.Result) -> None:
    raw, mean, wide = (result.map(transmitter="west", local_mean=value) for value in (False, True, "50 cm"))
    assert raw.mean_width == 0.0 and mean.mean_width == pytest.approx(LIGHT / 2.4e9) and wide.mean_width == 0.5
    roughness = [np.nanmean(np.diff(signal.values, axis=1) ** 2) for signal in (raw, mean, wide)]
    assert roughness[0] > roughness[1] > roughness[2]


def test_coverage_counts_the_cells_of_the_map(result: pw.Result) -> None:
    shares = result.coverage([-30.0, -40.0], local_mean=True, areas={"corner": (0, 0, 1, 1)})
    assert [(share.area, share.threshold, share.transmitter) for share in shares[:3]] == [
        (None, -30.0, "west"),
        (None, -30.0, "east"),
        (None, -30.0, None),
    ]
    assert len(shares) == 2 * 2 * 3 and shares[-1].area == "corner"
    for who in ("west", "east", None):
        signal = result.map(transmitter=who, local_mean=True)
        inside = signal.floor.counted
        expected = np.count_nonzero(signal.values[inside] >= -40.0) / np.count_nonzero(inside)
        share = next(share for share in shares if (share.area, share.threshold, share.transmitter) == (None, -40.0, who))
        assert share.fraction == pytest.approx(expected)
        assert share.over == round(expected * share.cells)


def test_distributions_are_the_map_in_order(result: pw.Result) -> None:
    floor = result.map(transmitter="east")
    inside = np.sort(floor.values[floor.floor.counted])
    by_name = {(one.area, one.transmitter): one for one in result.distributions(areas={"corner": (0, 0, 1, 1)})}
    assert set(by_name) == {(area, who) for area in (None, "corner") for who in ("west", "east", None)}
    one = by_name[None, "east"]
    assert one.cells == inside.size and one.values == pytest.approx(inside[np.isfinite(inside)])
    assert one.percentile(50) == pytest.approx(np.nanmedian(inside))
    receivers = result.distributions("path-loss", "west", receivers=True)
    name = next(iter(result.receivers))
    assert len(receivers) == 1 and result.channel("west", name).metrics.path_loss_db in receivers[0].values
    with pytest.raises(pw.UsageError):
        one.percentile(101)
    with pytest.raises(pw.UsageError):
        result.distributions("best-server")


def test_walls_are_where_the_plan_has_them(result: pw.Result) -> None:
    walls = result.walls()
    solid = walls.solid > 0
    assert solid.shape == (walls.y.size, walls.x.size)
    assert walls.x[solid.any(axis=0)].mean() == pytest.approx(2.0, abs=0.02)
    assert np.ptp(walls.y[solid.any(axis=1)]) == pytest.approx(2.2, abs=0.06)
    assert walls.relative_permittivity[solid].mean() > 2.0


def test_spectra_by_blocks_and_into_an_array(result: pw.Result) -> None:
    whole = result.spectra("east")
    part = result.spectra("east", rows=slice(3, 9), columns=slice(10, 11))
    assert np.array_equal(part.values, whole.values[:, 3:9, 10:11])
    assert part.x == pytest.approx(whole.x[10:11]) and part.y == pytest.approx(whole.y[3:9])
    out = np.empty_like(whole.values)
    assert result.spectra("east", out=out).values is out and np.array_equal(out, whole.values)
    for wrong in (out.astype(np.complex64), out[:, ::2], out.T, np.empty(3, complex)):
        with pytest.raises(pw.UsageError, match="C-contiguous"):
            result.spectra("east", out=wrong)
    with pytest.raises(pw.UsageError):
        result.spectra(rows=slice(0, 10, 2))


def test_spectra_are_not_copied(result: pw.Result) -> None:
    result.spectra(rows=slice(0, 1))
    size = result.spectra().values.nbytes
    tracemalloc.start()
    values = result.spectra().values
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values.nbytes == size and values.base is None
    assert peak < 1.1 * size + 100_000, "Python holds a second copy"


def test_the_library_needs_no_copy_either(tmp_path: Path) -> None:
    """A spectrum of 60 MB: the peak of the process grows by little more."""
    tree = room()
    tree["transmitters"], tree["spectra"] = tree["transmitters"][:1], {"spacing": "1 cell", "count": 160}
    with pw.Scenario(tree, {"stop.after": "3 ns"}).run() as large:
        large.spectra(rows=slice(0, 8))
        facts = large.transmitters["west"]
        shape = (large.facts.frequency_count, facts.spectra_rows, facts.spectra_columns)
        out = np.zeros(shape, dtype=np.complex128)
        out += 1.0  # every page is there before the measurement
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        large.spectra(out=out)
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert out.nbytes > 50e6
    assert grown < 0.3 * out.nbytes, f"reading {out.nbytes} bytes took {grown} more"


def test_angles_of_arrival_point_to_the_transmitter(air: pw.Result) -> None:
    angles = air.channel(receiver="behind").angles()
    direction = math.degrees(math.atan2(1.5 - 1.8, 0.8 - 2.6)) % 360.0
    assert angles.peak_azimuth[0] == pytest.approx(direction, abs=angles.beam_width / 4)
    assert angles.power.shape == (360,)


def test_a_series_begins_when_the_wave_arrives(air: pw.Result) -> None:
    series = air.series(receiver="behind")
    assert series.values.shape == series.time.shape
    first = series.time[np.argmax(abs(series.values) > 1e-3 * abs(series.values).max())]
    assert first >= 0.95 * math.hypot(1.8, 0.3) / LIGHT


def test_a_known_offset_is_found(result: pw.Result) -> None:
    points = np.random.default_rng(1).uniform((0.3, 0.3), (1.7, 2.7), (24, 2))
    power = [result.map(transmitter="west", local_mean=True)]
    none = result.calibrate(points, np.zeros(24), "west", hold_out=0)
    assert result.powers(points, "west") == pytest.approx(none.predicted, abs=1e-12)
    found = result.calibrate(points, none.predicted + 4.25, "west", hold_out=2)
    assert found.offset == pytest.approx(4.25) and found.after.rmse == pytest.approx(0.0, abs=1e-9)
    places = [tuple(place) for place in np.floor(points / 1.5).astype(int).tolist()]
    held = list(dict.fromkeys(places))[1::2]  # a place is a square of 1.5 m
    assert found.held_after.count == sum(place in held for place in places) and found.runs == 0
    assert none.predicted.max() <= np.nanmax(power[0].values) + 1e-6
    with pytest.raises(pw.UsageError):
        result.calibrate(points, [1.0])
    with pytest.raises(pw.BadInput):
        result.calibrate(points + 100.0, np.zeros(24))


def test_offsets_of_all_transmitters_are_found_together(result: pw.Result) -> None:
    points = np.random.default_rng(2).uniform((0.2, 0.2), (1.7, 2.8), (40, 2))
    predicted = [result.calibrate(points, np.zeros(40), name, hold_out=0).predicted for name in ("west", "east")]
    names = ["west"] * 40 + ["east"] * 40
    readings = np.concatenate([predicted[0] + 3.0, predicted[1] - 2.0])
    found = result.calibrate_joint(np.concatenate([points, points]), readings, names, held=np.arange(80) % 5 == 0, blocks=0.7)
    assert found.offsets == pytest.approx({"west": 3.0, "east": -2.0}, abs=1e-6)
    assert found.fitted.rmse == pytest.approx(0.0, abs=1e-6) and found.held.count == 16 and found.runs == 0
    assert found.calibrated == pytest.approx(readings, abs=1e-6) and found.parameters == {}
    with pytest.raises(pw.UsageError, match="names of transmitters"):
        result.calibrate_joint(points, np.zeros(40), names)
    with pytest.raises(pw.Error, match="glue"):
        result.calibrate_joint(points, np.zeros(40), parameters=["glue:permittivity"])


def test_what_is_not_received_is_below(result: pw.Result) -> None:
    points = np.random.default_rng(4).uniform(0.3, 1.7, (120, 2))
    levels = result.powers(points, "west")
    limit, phone = float(np.quantile(levels, 0.4)), np.arange(120) % 2 == 1
    readings = np.maximum(levels - 3.0, limit - 3.0) + np.where(phone, 1.5, 0.0)
    names = ["phone" if own else "tablet" for own in phone]
    found = result.calibrate_joint(points, readings, "west", below=levels < limit, handsets=names, blocks=0.5)
    assert found.offsets["west"] == pytest.approx(-3.0, abs=0.05)
    assert found.device_offsets == pytest.approx({"tablet": 0.0, "phone": 1.5}, abs=0.05)
    assert found.below_crossed[0] == 48 and found.interval == pytest.approx(1.96 * found.crossed.rmse)
    again = result.calibrate_joint(points, levels, "west", sensitivity=limit - 1e-6, blocks=0.5)
    assert again.below_crossed[0] == 48
    with pytest.raises(pw.UsageError, match="120 readings and 1 handsets"):
        result.calibrate_joint(points, levels, "west", handsets=["one"])


def test_comparison_tells_what_differs(path: Path, tmp_path: Path) -> None:
    assert not any(difference.different for difference in pw.compare(path, path))
    other = tmp_path / "other.h5"
    pw.Scenario(room(), {"plan.walls": []}).run(other).close()
    different = {difference.path for difference in pw.compare(path, other) if difference.different}
    assert any(name.endswith("/ez") for name in different)
    with pytest.raises(pw.BadInput):
        pw.compare(path, tmp_path / "missing.h5")
    picture = tmp_path / "agreement.png"
    rows = pw.agree(path, path, plot=picture)
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert {row.what for row in rows} >= {"transfer function", "power-delay profile", "path loss", "map of received power"}
    assert not any(row.different for row in rows) and all(row.error == 0 for row in rows if row.values)
    with pytest.raises(pw.Error):
        pw.agree(path, path, max_error=-1.0)
    assert all(row.median == row.rms == row.p90 == 0 for row in pw.agree(path, path, max_db=0.0) if row.values)


def test_many_threads_may_read_one_result(result: pw.Result) -> None:
    expected, wrong = result.map(transmitter="west").values, []

    def read() -> None:
        for _ in range(3):
            if not np.array_equal(result.map(transmitter="west").values, expected, equal_nan=True):
                wrong.append("a map")
            if not np.array_equal(result.spectra("west", rows=slice(0, 8)).values, first):
                wrong.append("spectra")

    first = result.spectra("west", rows=slice(0, 8)).values
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_work_on_results_is_told_and_can_be_stopped(result: pw.Result) -> None:
    told: list[float] = []
    result.map("rms-delay-spread", progress=told.append)
    assert told[0] == 0.0 and told[-1] == 1.0 and told == sorted(told)
    with pytest.raises(pw.Interrupted):
        result.channels(grid=(0.3, 0.3, 2.7, 2.7, 0.1), progress=lambda done: False)


def test_channels_are_closed_with_their_result(path: Path) -> None:
    result = pw.open(path)
    channel = result.channel()
    result.close()
    assert channel.closed
    for use in (lambda: channel.metrics, lambda: channel.response, lambda: channel.angles(), lambda: result.facts, result.map):
        with pytest.raises(pw.UsageError, match="closed"):
            use()


@pytest.mark.parametrize(
    ("use", "kind", "words"),
    [
        (lambda r: r.map("colour"), pw.UsageError, "received-power"),
        (lambda r: r.map(transmitter="nobody"), pw.BadInput, "west, east"),
        (lambda r: r.map(windows="hann"), pw.UsageError, "no option"),
        (lambda r: r.map(window="boxcar"), pw.UsageError, "kaiser"),
        (lambda r: r.map(height=1.0), pw.UsageError, "two dimensions"),
        (lambda r: r.map(local_mean=-1.0), pw.UsageError, "local_mean"),
        (lambda r: r.map("rms-delay-spread", local_mean=True), pw.UsageError, ""),
        (lambda r: r.channel("west", "nobody"), pw.BadInput, "near, behind"),
        (lambda r: r.channel(at=(50, 50)), pw.BadInput, "outside"),
        (lambda r: r.channel(at=(math.nan, 1)), pw.UsageError, "metres"),
        (lambda r: r.channel(at=(1, 2, 3)), pw.UsageError, "metres"),
        (lambda r: r.channel(receiver="near", at=(1, 1)), pw.UsageError, "one of them"),
        (lambda r: r.channel(padding=0), pw.UsageError, ""),
        (lambda r: r.channel().export("punched cards", "x"), pw.UsageError, "touchstone"),
        (lambda r: r.channels(at=[[1, 2, 3, 4]]), pw.UsageError, "(count, 2)"),
        (lambda r: r.channels(grid=(0, 0, 1, 1, 0)), pw.UsageError, "step"),
        (lambda r: r.channels(receivers=[]), pw.UsageError, "empty"),
        (lambda r: r.channels(["west"], ["near"], at=[(1, 1)]), pw.UsageError, "one of them"),
        (lambda r: r.coverage(quantity="k-factor"), pw.UsageError, ""),
        (lambda r: r.coverage(math.nan), pw.UsageError, ""),
        (lambda r: r.coverage(-40, areas={"a": (1, 2, 3)}), pw.UsageError, "corners"),
        (lambda r: r.series("west", "nobody"), pw.BadInput, "near"),
        (lambda r: pw.open(__file__), pw.BadInput, "HDF5"),
        (lambda r: pw.open("missing.h5"), pw.BadInput, "missing.h5"),
    ],
)
def test_wrong_calls(result: pw.Result, use, kind: type[pw.Error], words: str) -> None:
    with pytest.raises(kind) as caught:
        use(result)
    assert words in str(caught.value)


def test_parameters(air: pw.Result) -> None:
    """Free space has the exponent 2, and no place without sight."""
    floor, shadow = air.parameters(least_distance=0.3, angle_places=0, draws=0)
    assert floor.area is None and floor.sight and not shadow.sight and shadow.samples == 0
    assert floor.samples < 20 or abs(floor.estimates["close_in_exponent"][0] - 2) < 0.3
    with pytest.raises(pw.UsageError):
        air.parameters(least_distance=0)
