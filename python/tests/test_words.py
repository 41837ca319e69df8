"""Messages in Python's words, one class of error that says what was wrong, and texts with units wherever numbers with units go."""

from __future__ import annotations

import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import planwave as pw
import pytest
from conftest import ROOT, empty, room
from planwave._words import in_python

# Options of other programs, and of messages that only the program's own commands print.
OTHERS = {"--mpi", "--default-settings"}
OPTION = re.compile(r"--[a-z][a-z-]*")


def sentences() -> list[tuple[str, str]]:
    """Every text of the library that names an option: not those of commands, of help and of the page."""
    found = []
    for path in [*(ROOT / "src").rglob("*.c"), *(ROOT / "tools").rglob("*.c")]:
        if path.name.startswith("cmd_") or {"program", "commands", "shell", "serve"} & set(path.parts) or "help" in path.name:
            continue
        source = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        joined = re.sub(r'"\s*\n\s*"', "", source)
        found += [(path.name, text) for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined) if OPTION.search(text) and " " in text]
    return found


def test_no_sentence_of_the_library_keeps_an_option_of_the_program() -> None:
    told = sentences()
    assert len(told) > 20, "the scan finds nothing"
    for name, text in told:
        left = {option for option in OPTION.findall(in_python(text)) if option not in OTHERS}
        assert not left, f"{name}: {text!r} still says {left}"


@pytest.mark.parametrize(
    ("told", "python"),
    [
        ("'a.h5' exists already; --force replaces it", "'a.h5' exists already; force=True replaces it"),
        ("which takes long: --method exact. Or", 'which takes long: method="exact". Or'),
        (
            "Add --unit, e.g. --unit 1cm, or --scale 10,20,410,20=8.4m. More",
            'Add unit, e.g. unit="1cm", or scale=(10, 20, 410, 20, "8.4m"). More',
        ),
        ("--set grid.cell=1 parsec: wrong", 'set={"grid.cell": "1 parsec"}: wrong'),
        ("say which, as in --class A-WALL=brick", 'say which, as in classes={"A-WALL": "brick"}'),
        ("or --backend cpu", 'or backend="cpu"'),
        ("start them by srun --mpi=pmix", "start them by srun --mpi=pmix"),
    ],
)
def test_options_become_keywords(told: str, python: str) -> None:
    assert in_python(told) == python and in_python(python) == python


@pytest.mark.parametrize(
    ("make", "status", "what", "value", "allowed"),
    [
        (lambda: pw.Scenario(empty(), {"grid.scheme": "yeee"}), 3, "grid.scheme", "yeee", "yee"),
        (lambda: pw.Scenario(empty(), {"grid.cell": "1 parsec"}), 3, "grid.cell", "1 parsec", "km, m, cm"),
        (lambda: pw.length("3 parsec"), 3, None, "3 parsec", "km, m"),
        (lambda: pw.Scenario(empty()).setup(precision="half"), 2, "precision", "half", "single"),
        (lambda: pw.Scenario(empty()).setup().run(threads=-1), 2, "threads", -1, "a whole number"),
        (lambda: pw.Scenario(empty()).with_power("nobody", 3), 3, "transmitter", "nobody", "west"),
    ],
)
def test_an_error_says_what_was_wrong(make: Any, status: int, what: str | None, value: Any, allowed: str) -> None:
    with pytest.raises(pw.Error) as caught:
        make()
    error = caught.value
    assert (error.status, error.value) == (status, value) and allowed in (error.allowed or "")
    assert what is None or error.what == what
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.value) == (type(error), str(error), error.value)


def test_texts_with_units_are_what_their_numbers_are(result: pw.Result) -> None:
    assert result.coverage("-40dBm") == result.coverage(-40.0) == result.coverage(["-70 dBW"])
    assert result.coverage("-60 dB", "path-gain") == result.coverage(-60, "path-gain")
    a, b = result.channel("west", at=("1 m", "150 cm")), result.channel("west", at=(1.0, 1.5))
    assert a.position[:2] == b.position[:2] and a.metrics.path_loss_db == b.metrics.path_loss_db
    for wrong in ("-40 dB", "-40", "-40 m"):
        with pytest.raises(pw.BadInput, match="dBm"):
            result.coverage(wrong)
    texts = result.channels(at=[["1 m", "50 cm"], [1.2, "1 m"]], coefficients=False)
    assert np.array_equal(texts.position, result.channels(at=[[1.0, 0.5], [1.2, 1.0]], coefficients=False).position)
    grid = result.channels(grid=("50 cm", 0.5, "1.5 m", 1.5, "50 cm"), coefficients=False)
    assert grid.grid == (3, 3)
    assert result.map("snr", noise_figure="5 dB", noise_bandwidth="10 MHz").values == pytest.approx(
        result.map("snr", noise_figure=5, noise_bandwidth=1e7).values, nan_ok=True
    )
    assert result.powers([("1 m", 1)], receiver_gain="3 dBi") == pytest.approx(result.powers([(1, 1)]) + 3.0)
    chosen = pw.choose_levels([[-50.0, -90.0], [-90.0, -50.0]], level="-60dBm", share="100 %", second=None)
    assert chosen.sites.tolist() == [0, 1]
    with pytest.raises(pw.UsageError, match="did you mean 'window'"):
        result.map(windwo="hann")


def test_a_bar_stands_for_progress(result: pw.Result, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    result.map(progress=True)
    pw.Scenario(room()).run(progress=True).close()
    assert "100%" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # as where it is not installed
    pw.Scenario(room()).run(progress=True).close()
    assert "100 %" in capsys.readouterr().err


def test_what_is_pickled_is_the_same(result: pw.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = pickle.loads(pickle.dumps(result))
    assert again.facts == result.facts and np.array_equal(again.series().values, result.series().values)
    signal = result.map(local_mean=True)
    copy = pickle.loads(pickle.dumps(signal))
    assert np.array_equal(copy, signal, equal_nan=True) and np.array_equal(copy.floor.counted, signal.floor.counted)
    with pw.Scenario(empty(), {"stop.after": "5 ns"}).run() as temporary:
        data = pickle.dumps(temporary)
    restored = pickle.loads(data)  # its file is gone
    assert restored.facts.title == "Air"
    flat = pw.Scenario(ROOT / "floorplans" / "flat.yaml")
    data, areas = pickle.dumps(flat), flat.floor_plan().areas
    monkeypatch.chdir(tmp_path)  # its picture is named from elsewhere
    assert pickle.loads(data).floor_plan().areas == areas
    time = np.linspace(0.0, 5e-9, 200)
    tone = pw.Waveform(time, np.sin(2 * np.pi * 2.4e9 * time) * np.sin(np.pi * time / 5e-9) ** 2)
    tree = empty()
    tree["transmitters"][0]["waveform"] = tone
    data = pickle.dumps(pw.Scenario(tree, {"stop.after": "8 ns"}))  # and its waveform's file is gone
    with pickle.loads(data).run() as solved:
        current = solved.waveform()
    assert np.interp(current.time, time, tone.current, left=0.0, right=0.0) == pytest.approx(current.values, abs=1e-12)
    with pytest.raises(pw.UsageError, match="pickle the Scenario"):
        pickle.dumps(flat.setup())


def test_maps_are_arrays_and_pictures(result: pw.Result) -> None:
    signal = result.map(local_mean=True)
    assert np.array_equal(np.asarray(signal), signal.values, equal_nan=True)
    assert np.nanmax(signal) == np.nanmax(signal.values) and np.array(signal, dtype=np.float32).dtype == np.float32
    assert signal._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
    for shown in (signal, result, pw.Scenario(room()), pw.Scenario(room()).setup(), result.channel()):
        assert shown._repr_html_().startswith("<div><b>") and "<script" not in shown._repr_html_()
    evil = pw.Scenario({**room(), "title": "<script>alert(1)</script>"})
    assert "<script" not in evil._repr_html_()


def test_fields_have_axes_and_a_film(tmp_path: Path) -> None:
    with pw.Scenario(empty()).setup() as setup, setup.simulation() as simulation:
        simulation.advance(60)
        field = simulation.to_xarray()
        peak = np.unravel_index(np.abs(field.values).argmax(), field.shape)
        assert (field.x[peak[1]], field.y[peak[0]]) == (pytest.approx(0.8, abs=0.5), pytest.approx(1.5, abs=0.5))
        assert float(field.time) == pytest.approx(60 * setup.facts.time_step)
        setup.animate(tmp_path / "wave.gif", frames=3, width=2)
        assert (tmp_path / "wave.gif").read_bytes()[:4] == b"GIF8"
        with pytest.raises(pw.Interrupted):
            setup.animate(tmp_path / "stopped.gif", frames=3, progress=lambda done: done < 0.5)
        with pytest.raises(pw.UsageError, match=r"\.gif"):
            setup.animate(tmp_path / "wave.avi")
    assert [path.name for path in tmp_path.iterdir()] == ["wave.gif"]


def test_edits_leave_the_scenario_as_it_was(tmp_path: Path) -> None:
    scenario = pw.Scenario(room())
    before = scenario.text
    changed = (
        scenario.with_wall((1, 1), (1, "2 m"), "10 cm", "glass").with_power("west", "10 dBm").only("west").with_band("5 GHz", "80 MHz")
    )
    assert scenario.text == before and list(changed.transmitters) == ["west"]
    assert changed.floor_plan("1 cm").areas["glass"] == pytest.approx(0.1, rel=0.05)
    changed.write(tmp_path / "changed.yaml")
    assert pw.Scenario(tmp_path / "changed.yaml").text == changed.text
    with pytest.raises(pw.BadInput, match="cheese"):
        scenario.with_wall((1, 1), (1, 2), 0.1, "cheese")
    assert scenario.text == before
    twice = scenario.with_factor("brick:permittivity", 2)
    assert twice.parameter("brick:permittivity").low == pytest.approx(2 * scenario.parameter("brick:permittivity").low)


def test_drawings_need_no_file_and_may_be_geometries(tmp_path: Path) -> None:
    shapely = pytest.importorskip("shapely")
    from shapely.geometry import LineString, Point, Polygon, box

    ring = Polygon(box(0, 0, 5, 4).exterior.coords, [box(0.2, 0.2, 4.8, 3.8).exterior.coords])
    drawn = {"concrete": ring, "glass": [LineString([(2.5, 0.2), (2.5, 3.8)])]}
    scenario = pw.import_drawing(drawn, thickness="10 cm", transmitter=[Point(1, 1), {"at": ("4 m", 2), "name": "east", "power": "17 dBm"}])
    areas = scenario.floor_plan("1 cm").areas
    assert areas["concrete"] == pytest.approx(ring.area, rel=0.01) and areas["glass"] == pytest.approx(0.36, rel=0.05)
    places = {name: (one.x, one.y) for name, one in scenario.transmitters.items()}
    assert list(places.values()) == [(2.0, 2.0), (5.0, 3.0)]  # a metre of air is laid around
    assert "areas" in scenario.told and shapely.area(ring) > 0
    with pytest.raises(pw.UsageError, match="geometries"):
        pw.import_drawing({"brick": "not a geometry"})
    flat = pw.import_drawing(ROOT / "floorplans" / "flat.dxf", transmitter=(7, 7))
    told = pw.import_drawing(ROOT / "floorplans" / "flat.dxf", tmp_path / "flat.yaml", transmitter=(7, 7))
    assert flat.told == told and flat.floor_plan("5 cm").areas == pw.Scenario(tmp_path / "flat.yaml").floor_plan("5 cm").areas
    with pytest.raises(pw.BadInput, match=r'unit, e\.g\. unit="1cm", or two points and their distance, e\.g\. scale=\('):
        pw.import_drawing(ROOT / "floorplans" / "flat_photo.jpg")
    guessed = pw.import_drawing(ROOT / "floorplans" / "flat.dxf")
    assert "transmitter tx1 at" in guessed.told and not any("inside a wall" in one for one in guessed.setup().warnings)
    by_scale = pw.import_drawing(ROOT / "floorplans" / "flat.svg", scale=(0, 0, 100, 0, "1 m"))
    by_unit = pw.import_drawing(ROOT / "floorplans" / "flat.svg", unit="1 cm")
    assert by_scale.floor_plan("5 cm").areas == by_unit.floor_plan("5 cm").areas
