"""Many runs of one scenario, and plans for other programs: against the program's own files, exhaustive search and closed forms."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import h5py
import numpy as np
import planwave as pw
import pytest
from conftest import ROOT, room


def program(*words: object, **more: object) -> str:
    beside = Path(sys.executable).with_name("planwave")
    found = beside if beside.exists() else shutil.which("planwave", path=f"{ROOT / 'build'}:{os.environ['PATH']}")
    return subprocess.run([str(found), *map(str, words)], check=True, capture_output=True, text=True, **more).stdout


def short() -> dict:
    """`room` with coarse cells and few frequencies."""
    band = {"centre": "1.2 GHz", "width": "60 MHz"}
    return {**room(), "band": band, "grid": {"cell": "4 cm"}, "stop": {"after": "25 ns"}, "spectra": {"count": 6, "spacing": "2 cells"}}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "room.yaml"
    path.write_text(json.dumps(short()))
    return path


# ---- where access points go ----


def test_the_choice_is_that_of_an_exhaustive_search() -> None:
    random = np.random.default_rng(3)
    levels, weights = random.uniform(-90, -50, (9, 40)), random.uniform(0.5, 2.0, 40)
    answer = pw.choose_levels(levels, weights, level=-67, share=0.9)

    def share(sites: tuple[int, ...]) -> float:
        return float(weights[(levels[list(sites)] >= -67).any(axis=0)].sum() / weights.sum())

    fewest = next(n for n in range(1, 10) if any(share(sites) >= 0.9 for sites in itertools.combinations(range(9), n)))
    assert answer.met and answer.exact and answer.sites.size == fewest == answer.least_count
    assert answer.share == pytest.approx(share(tuple(answer.sites)), abs=1e-12)
    best = pw.choose_levels(levels, weights, level=-67, best=2)
    assert best.share == pytest.approx(max(share(sites) for sites in itertools.combinations(range(9), 2)), abs=1e-12)
    assert best.share <= best.share_bound + 1e-12


def test_a_siting_is_that_of_the_program(tree: Path, tmp_path: Path) -> None:
    words = ["--candidates", "0.6,0.6;2.4,2.4;1.2,2;2.4,0.8", "--demand", "grid:40cm", "--need", "-27dBm:90%", "--second", "-40"]
    files = ["--json", tmp_path / "answer.json", "--levels", tmp_path / "levels.csv", "-o", tmp_path / "answer.yaml"]
    words[-1] = "-40dBm"
    table = program("place", tree, *words, "--channels", "1,6", *files)
    points = [[0.6, 0.6], [2.4, 2.4], [1.2, 2.0], [2.4, 0.8]]
    shares: list[float] = []
    with pw.Scenario(tree).siting(points, places="40 cm") as siting:
        assert siting.facts.candidate_count == 4 and siting.facts.runs in (4, siting.facts.place_count)
        assert np.array_equal(siting.candidates[:, :2], points) and siting.weights.sum() == siting.facts.total_weight
        assert siting.forecast() > 0.0 and not siting.solved
        with pytest.raises(pw.UsageError, match="not known yet"):
            _ = siting.levels
        answer = siting.choose(-27, 0.9, second=-40, progress=shares.append)
        assert shares[0] == 0.0 and max(shares) == 1.0
        plan = siting.assign_channels(answer, ["1", "6"])
        assert siting.report(answer, plan).strip() in table
        siting.write(answer, plan, scenario=tmp_path / "mine.yaml", json=tmp_path / "mine.json")
        siting.write_levels(tmp_path / "mine.csv")
        levels = siting.levels
        assert levels.shape == (4, siting.facts.place_count) and np.isfinite(levels).all()
        with pw.Scenario(tree).siting(points, places="40 cm").read_levels(tmp_path / "levels.csv") as read:
            assert np.allclose(read.levels, levels, atol=0.006)  # two digits in the file
    for mine, its in (("mine.json", "answer.json"), ("mine.csv", "levels.csv")):
        assert (tmp_path / mine).read_text() == (tmp_path / its).read_text(), mine
    assert pw.Scenario(tmp_path / "mine.yaml").text == pw.Scenario(tmp_path / "answer.yaml").text
    told = json.loads((tmp_path / "answer.json").read_text())
    assert len(told["access_points"]) == answer.sites.size and set(plan.channels) <= {"1", "6"}


def test_access_points_slide_to_where_they_do_no_less(tree: Path) -> None:
    with pw.Scenario(tree).siting([[0.6, 0.6], [2.4, 2.4]], places="1 m") as siting:
        before = siting.choose(-27, 0.9, best=1)
        after = siting.choose(-27, 0.9, best=1, slide=True)
        moved = np.hypot(*(after.positions[0, :2] - before.positions[0, :2]))
        assert moved <= 1.0 and after.share >= before.share
        assert after.share > before.share or after.mean_level >= before.mean_level


def test_walls_have_names_of_their_own(tree: Path) -> None:
    scenario = pw.Scenario(tree)
    assert scenario.walls() == ["walls[0]"] == scenario.walls("thickness")
    changed = scenario.with_factor("walls[0]:conductivity", 2.0)
    assert changed.parameter("brick:conductivity").low == pytest.approx(2 * scenario.parameter("brick:conductivity").low)


def test_a_siting_stops_and_says_what_is_wrong(tree: Path) -> None:
    scenario = pw.Scenario(tree)
    siting = scenario.siting([[0.6, 0.6], [2.4, 2.4]], places="1 m", names=["a", "b"])

    def interrupt(done: float) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        siting.solve(interrupt)
    with pytest.raises(pw.Interrupted):
        siting.solve(lambda done: False)
    assert not siting.solved and siting.candidate_names == ["a", "b"]
    for wrong in ({"candidates": np.nan}, {"candidates": -1.0}, {"candidates": [[1.0]]}, {"candidates": [[0.6, np.inf]]}, {"box": (1, 2)}):
        with pytest.raises(pw.UsageError):
            scenario.siting(**wrong)
    for wrong in ({"candidates": [[50.0, 50.0]]}, {"transmitter": "nobody"}, {"candidates": Path("nowhere.csv")}):
        with pytest.raises(pw.BadInput):
            scenario.siting(**wrong)
    for wrong in ({"share": 2.0}, {"best": 99}, {"best": -1}, {"level": np.nan}, {"best": 2**40}):
        with pytest.raises(pw.UsageError):
            pw.choose_levels(np.zeros((3, 4)), **wrong)
    siting.close()
    with pytest.raises(pw.UsageError, match="closed"):
        siting.solve()


# ---- how sure ----


def test_an_uncertainty_is_that_of_the_program(tree: Path, tmp_path: Path) -> None:
    tree.write_text(json.dumps({**short(), "transmitters": short()["transmitters"][:1], "stop": {"after": "15 ns"}}))
    vary = ["--vary", "brick:permittivity=20%", "--vary", "west:position=5cm,uniform", "--samples", "8", "--seed", "3"]
    program("uncertainty", tree, *vary, "--tx", "west", "--threshold", "-30dBm", "--local-mean", "-q", "-o", tmp_path / "its.png")
    known = {"brick:permittivity": "20 %", "west:position": pw.Spread("5 cm", uniform=True)}
    options = {"samples": 8, "seed": 3, "transmitter": "west", "thresholds": [-30], "local_mean": True}
    sure = pw.Scenario(tree).uncertainty(known, path=tmp_path / "mine.png", **options)
    for name in ("p10", "p50", "p90", "reading_p10", "reading_p90"):
        its = np.load(tmp_path / f"its-{name.replace('_', '-')}.npy")
        assert np.array_equal(getattr(sure, name).astype(np.float32), its, equal_nan=True)
    assert (tmp_path / "mine.csv").read_text().splitlines()[-1] == (tmp_path / "its.csv").read_text().splitlines()[-1]
    with pw.Scenario(tree).run() as result:
        plain = result.map(transmitter="west", local_mean=True)
        counted = plain.floor.counted
    assert np.nanmax(np.abs(sure.nominal - plain.values)) < 1e-3 and sure.unit == "dBm"
    assert np.array_equal(sure.x, plain.x) and np.array_equal(sure.floor.counted, counted)
    inside = sure.floor.counted & np.isfinite(sure.p90)
    assert (sure.p10[inside] <= sure.p90[inside]).all() and (sure.deviation[inside] > 0.0).all()
    assert list(sure.sensitivity) == list(known) and sure.dimensions == 3 and sure.samples == 8
    share = sure.shares[0]
    assert share.threshold == -30 and share.nominal == pytest.approx((plain.values[inside] >= -30).mean(), abs=0.01)
    assert sure.scatter == 3.0 and "38.901" in sure.scatter_source and 0.0 < share.readings < 1.0
    assert (sure.reading_p10[inside] < sure.p10[inside]).all() and (sure.p90[inside] < sure.reading_p90[inside]).all()
    assert "brick:permittivity" in sure.report and "dB for a new reading" in sure.report
    by_lines = {"method": "first-order", "transmitter": "west", "local_mean": True}
    bent = pw.Scenario(tree).uncertainty({"brick:permittivity": "5 %"}, **by_lines)
    straight = pw.Scenario(tree).uncertainty({"brick:permittivity": "0.5 %"}, **by_lines)
    assert straight.samples == 2 and straight.degree == 1 and not straight.from_chaos
    assert 0.0 < straight.quantile_error < 0.1 * bent.quantile_error  # what bends goes with the square of the step
    bare = pw.Scenario(tree).uncertainty({"brick:permittivity": "0.5 %"}, scatter="0 dB", **by_lines)
    assert bare.scatter == 0.0 and np.array_equal(bare.reading_p90[inside], straight.p90[inside])
    assert np.array_equal(straight.mean[inside], straight.nominal[inside]) and (straight.p10[inside] <= straight.p90[inside]).all()


def test_an_uncertainty_refuses_what_makes_no_sense(tree: Path) -> None:
    scenario = pw.Scenario(tree)
    for wrong in ({}, {"brick:permittivity": "a lot"}, {"brick:permittivity": "10 cm"}, {"brick:permittivity": -0.1}, {"brick:colour": 0.1}):
        with pytest.raises(pw.Error):
            scenario.uncertainty(wrong, samples=8)
    with pytest.raises(pw.UsageError):
        scenario.uncertainty({"brick:permittivity": 0.1}, samples=2)
    with pytest.raises(pw.UsageError, match="scatter"):
        scenario.uncertainty({"brick:permittivity": 0.1}, samples=8, scatter=-1.0)
    with pytest.raises(pw.BadInput, match="granite|material"):
        scenario.uncertainty({"granite:permittivity": 0.1}, samples=8)
    with pytest.raises(pw.Interrupted):
        scenario.uncertainty({"brick:permittivity": 0.1}, samples=8, progress=lambda done: False)


# ---- sweeps ----


@pytest.fixture
def sweep(tree: Path) -> Path:
    axes = {"place": {"key": "transmitters.west.at", "values": [["0.8 m", "1.5 m"], ["1 m", "2 m"]]}, "wide": {"key": "band.width", "values": []}}
    axes["wide"] = {"key": "transmitters.west.power", "values": ["20 dBm", "10 dBm", "0 dBm"]}
    path = tree.with_name("powers.yaml")
    path.write_text(json.dumps({"scenario": tree.name, "grid": axes}))
    return path


def test_a_sweep_is_solved_and_collected(sweep: Path, tmp_path: Path) -> None:
    with pw.Sweep(sweep) as cases:
        assert len(cases) == 6 and cases.design == "grid" and [axis.name for axis in cases.axes] == ["place", "wide"]
        powers = cases.axes[1]
        assert powers.units == "dBm" and powers.numbers is not None and powers.numbers.tolist() == [20.0, 10.0, 0.0]
        assert powers.keys == ["transmitters.west.power"] and [case.index for case in cases] == list(range(6))
        assert cases[-1].changes["transmitters.west.power"] == "0 dBm" and cases.state(0) == ("missing", "")
        with pytest.raises(IndexError):
            _ = cases[6]
        with pytest.raises(pw.BadInput, match="missing"):
            cases.open(0)

        def interrupt(progress: pw.Progress) -> None:
            os.kill(os.getpid(), signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            cases.run(0, progress=interrupt)
        assert cases.state(0)[0] == "started"
        told: list[tuple[str, bool]] = []
        assert cases.run(0) == 1 and cases.run(done=lambda case, skipped: told.append((case.name, skipped))) == 5
        assert [skipped for _, skipped in told] == [True] + 5 * [False] and cases.run() == 0
        with cases.open(5) as one, pw.Scenario(tmp_path / "room.yaml", cases[5].changes).run() as again:
            assert np.array_equal(one.spectra().values, again.spectra().values)
        assert cases.collect(tmp_path / "all.h5").present == 6
        with pytest.raises(pw.Error):
            cases.collect(tmp_path / "all.h5")
        cases[2].output.unlink()
        with pytest.warns(pw.PlanwaveWarning):
            found = cases.collect(tmp_path / "all.h5", force=True)
        assert (found.present, found.missing) == (5, 1)
        cases[3].output.write_bytes(b"no result")
        assert cases.state(3)[0] == "damaged" and cases.state(3)[1]
        with pytest.raises(pw.BadInput):
            cases.run(3)
        assert cases.run(3, force=True) == 1
    with h5py.File(tmp_path / "all.h5") as file:
        shapes: list[tuple[int, ...]] = []
        file.visititems(lambda name, item: shapes.append(item.shape) if isinstance(item, h5py.Dataset) and item.ndim > 3 else None)
    assert shapes and all(shape[:2] == (2, 3) for shape in shapes)


def test_a_sweep_says_what_is_wrong(sweep: Path) -> None:
    with pytest.raises(pw.BadInput, match="nowhere"):
        pw.Sweep("nowhere.yaml")
    sweep.write_text(sweep.read_text().replace("transmitters.west.power", "transmitters.west.colour"))
    with pw.Sweep(sweep) as cases, pytest.raises(pw.BadInput, match="colour"):
        cases.run()


# ---- plans for other programs, and how fast ----


def test_an_exported_plan_is_the_one_that_is_imported(tree: Path, tmp_path: Path) -> None:
    before = pw.Scenario(tree)
    assert before.export(tmp_path / "room.geojson") == "" or (tmp_path / "room.geojson").exists()
    assert json.loads((tmp_path / "room.geojson").read_text())["type"] == "FeatureCollection"
    assert ".geojson" in pw.export_formats()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pw.import_drawing(tmp_path / "room.geojson", tmp_path / "back.yaml", frequency="1.2 GHz", transmitter=(0.8, 1.5))
        after = pw.Scenario(tmp_path / "back.yaml")
    told = before.difference(after, tmp_path / "difference.png")
    assert "m2" in told and (tmp_path / "difference.png").read_bytes()[:4] == b"\x89PNG"
    assert before.difference(pw.Scenario(tree)).startswith("nothing differs")
    with pytest.raises(pw.BadInput):
        before.export(tmp_path / "room.dwg")
    with pytest.raises(pw.BadInput):
        before.export(tmp_path / "room.svg", storey="attic")
    array = pw.Scenario({key: value for key, value in room().items() if key != "plan"}, plan=pw.Plan(np.ones((30, 30)), 0.1))
    for attempt in (lambda: array.export(tmp_path / "x.svg"), lambda: array.siting(), lambda: array.uncertainty({"a:position": 1.0})):
        with pytest.raises(pw.UsageError, match="arrays"):
            attempt()


def test_the_bench_is_that_of_the_program() -> None:
    shares: list[float] = []
    found = pw.bench(size=128, steps=20, batches=3, backend="cpu", progress=shares.append)
    (row,) = found.rows
    assert row.scheme == "yee" and row.batches == 3 and row.size == 128 and found.copy_bytes_per_second > 0.0
    assert row.cells_per_second == pytest.approx(128**2 * row.steps_per_batch / row.seconds_median, rel=1e-3)
    assert shares == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])
    told = json.loads(program("bench", "--size", "128", "--steps", "20", "--batches", "3", "--backend", "cpu", "--json"))
    assert set(told["rows"][0]) == set(vars(row)) and told["included"] == found.included
    with pytest.raises(pw.Interrupted):
        pw.bench(size=128, steps=20, progress=lambda done: False)
    for wrong in ({"size": -1}, {"size": 2**40}, {"batches": 2.5}, {"scheme": "best"}, {"precision": "half"}, {"dimensions": 4}):
        with pytest.raises(pw.UsageError):
            pw.bench(**wrong)


def test_rubbish_is_an_exception_and_never_a_crash(tree: Path, tmp_path: Path) -> None:
    scenario = pw.Scenario(tree)
    for wrong in (None, "", 3, 1.5, b"x.svg", object(), "a\0b"):  # without a path the library was once called with NULL
        with pytest.raises(pw.UsageError):
            scenario.export(wrong)
        for call in (pw.Sweep, pw.open):
            with pytest.raises(pw.UsageError):
                call(wrong)
    for wrong in (np.nan, None, [], "5 parsecs", object(), 1j):
        with pytest.raises(pw.Error):
            pw.length(wrong)
    with scenario.setup() as setup, pytest.raises(pw.UsageError, match="nan"):
        setup.run(tmp_path / "x.h5", time_limit=np.nan)
    with pytest.raises(pw.UsageError, match="there is no option 'colour' of maps"):
        with scenario.run() as result:
            result.map(colour="red")


def test_refuses_needs_that_are_none() -> None:
    levels = np.array([[-50.0, -70.0], [-70.0, -50.0]])
    for options in ({"best": -1}, {"most": 1.5}, {"search_time": -1}, {"search_time": np.inf}, {"second": np.nan}, {"level": np.nan}):
        with pytest.raises(pw.UsageError, match="give"):
            pw.choose_levels(levels, **options)
    with pytest.raises(pw.UsageError, match="there are second, best, most, search_time, progress"):
        pw.choose_levels(levels, worst=1)


def test_channels_of_wifi(tmp_path: Path) -> None:
    text = """plan: {size: [1.2 m, 0.8 m]}
grid: {scheme: fd4o, cell: 1.5 cm}
band: {centre: 2.45 GHz, width: 100 MHz}
transmitters: [{name: ap, at: [0.4 m, 0.4 m], channel: 11}, {name: other, at: [0.8 m, 0.4 m]}]
spectra: {count: 8, spacing: 2 cells}
stop: {after: 20 ns, decay: off}
"""
    result = pw.Scenario(text).run()
    assert result.transmitters["ap"].channel == pw.WifiChannel(11, 2.4e9, 2.462e9, 20e6)
    assert result.transmitters["other"].channel is None
    with pw.Scenario(text).siting([(0.3, 0.4), (0.9, 0.4)], places="40 cm") as siting:
        answer = siting.choose(best=2)
        assert sorted(siting.assign_channels(answer, 2).channels) == ["1", "6"]
        with pytest.raises(pw.UsageError, match="overlap"):
            siting.assign_channels(answer, ["1", "3"])
        with pytest.raises(pw.UsageError, match="4 of 20 MHz"):
            siting.assign_channels(answer, 5)
        plan = siting.assign_channels(answer, ["3", "11"])
        siting.write(answer, plan, scenario=tmp_path / "mine.yaml")
    assert "channel: {band: 2.4 GHz, number: 11, width: 20 MHz}" in (tmp_path / "mine.yaml").read_text()
