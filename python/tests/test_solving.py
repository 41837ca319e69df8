"""Scenarios from everywhere, set-ups, runs, interruptions, fields in memory."""

from __future__ import annotations

import gc
import math
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import planwave as pw
import pytest
from conftest import empty, room
from planwave._library import library


def test_a_dictionary_a_text_and_a_file_are_the_same_scenario(tmp_path: Path) -> None:
    text = pw.Scenario(room()).text
    (tmp_path / "room.yaml").write_text(text)
    assert pw.Scenario(text).text == text
    assert pw.Scenario(tmp_path / "room.yaml").text == text
    assert pw.Scenario(str(tmp_path / "room.yaml")).text == text


def test_changes_by_dotted_key() -> None:
    setup = pw.Scenario(room(), {"grid.cell": "2.5 cm", "stop.after": 20e-9}).setup()
    assert setup.facts.cell == pytest.approx(0.025)
    assert setup.facts.steps * setup.facts.time_step == pytest.approx(20e-9, rel=0.01)


def test_facts_choices_and_text_of_a_setup() -> None:
    with pw.Scenario(room()).setup() as setup:
        facts = setup.facts
        assert (facts.dimensions, facts.transmitter_count, facts.receiver_count) == (2, 2, 2)
        assert facts.title == "A small room"
        assert facts.courant < facts.courant_limit
        assert len(setup.choices) > 0 and all(isinstance(choice, str) for choice in setup.choices)
        assert pw.Scenario(setup.text).setup().facts == facts
        assert setup.forecast(backend="cpu").cells_per_second > 0


def test_the_medium_of_arrays_is_that_of_shapes() -> None:
    with pw.Scenario(room(), {"grid.averaging": "point"}).setup() as setup:
        shapes = setup.medium()
    assert shapes.relative_permittivity.shape == (setup_rows(shapes), shapes.x.size)
    brick = shapes.relative_permittivity.max()
    # The same wall as pixels of 2 cm: 1.94 to 2.06 m by 0.4 to 2.6 m.
    centres = 0.01 + 0.02 * np.arange(150)
    wall = (abs(centres - 2.0) < 0.06)[np.newaxis, :] & (abs(centres - 1.5) < 1.1)[:, np.newaxis]
    conductivity = shapes.conductivity.max()
    tree = {key: value for key, value in room().items() if key != "plan"}
    plan = pw.Plan(np.where(wall, brick, 1.0), "2 cm", conductivity=np.where(wall, conductivity, 0.0))
    with pw.Scenario(tree, {"grid.averaging": "point"}, plan=plan).setup() as setup:
        arrays = setup.medium()
    assert np.array_equal(arrays.relative_permittivity > 1.5, shapes.relative_permittivity > 1.5)
    assert arrays.relative_permittivity.max() == pytest.approx(brick)
    inside = (abs(shapes.x - 2.0) < 0.04)[np.newaxis, :] & (abs(shapes.y - 1.5) < 1.0)[:, np.newaxis]
    assert (shapes.relative_permittivity[inside] == brick).all()


def setup_rows(medium: pw.Medium) -> int:
    return medium.y.size


def test_perfect_conductors_of_arrays() -> None:
    metal = np.zeros((30, 30), dtype=bool)
    metal[10:20, 20] = True
    tree = {key: value for key, value in empty().items() if key != "plan"}
    with pw.Scenario(tree, plan=pw.Plan(np.ones((30, 30)), 0.1, perfect_conductor=metal)).setup() as setup:
        medium = setup.medium()
    rows, columns = np.nonzero(medium.perfect_conductor)
    assert medium.perfect_conductor.dtype == np.bool_
    assert medium.y[rows].min() == pytest.approx(1.0, abs=0.03) and medium.y[rows].max() == pytest.approx(2.0, abs=0.03)
    assert medium.x[columns].min() == pytest.approx(2.0, abs=0.03) and medium.x[columns].max() == pytest.approx(2.1, abs=0.03)


def test_a_run_in_memory_removes_its_file() -> None:
    result = pw.Scenario(empty(), {"stop.after": "5 ns"}).run()
    folder = result.path.parent
    assert result.path.exists()
    result.close()
    assert not folder.exists()
    result = pw.Scenario(empty(), {"stop.after": "5 ns"}).run()
    folder = result.path.parent
    del result
    gc.collect()
    assert not folder.exists()


def test_progress_is_told_and_can_stop_a_run(tmp_path: Path) -> None:
    told: list[pw.Progress] = []

    def stop(progress: pw.Progress) -> bool:
        told.append(progress)
        return False

    with pytest.raises(pw.Interrupted):
        pw.Scenario(room()).run(tmp_path / "stopped.h5", progress=stop)
    assert len(told) == 1 and told[0].steps > 0 and told[0].transmitter_count == 2
    assert not (tmp_path / "stopped.h5").exists()


def test_an_exception_in_progress_arrives(tmp_path: Path) -> None:
    def fail(progress: pw.Progress) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        pw.Scenario(room()).run(tmp_path / "failed.h5", progress=fail)


def test_control_c_keeps_a_checkpoint_and_resume_ends_with_the_same_bits(tmp_path: Path, path: Path) -> None:
    target = tmp_path / "again.h5"

    def interrupt(progress: pw.Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        pw.Scenario(room()).run(target, progress=interrupt)
    assert not target.exists()
    assert list(tmp_path.glob("again.h5.*"))
    pw.Scenario(room()).run(target, resume=True).close()
    assert not any(difference.different for difference in pw.compare(path, target))


def test_control_c_from_outside_is_never_lost(tmp_path: Path) -> None:
    """Python notices it at the first instruction of the function that the library calls: once it was dropped there."""
    long = pw.Scenario(room(), {"grid.cell": "1 cm", "stop": {"after": "100 us", "decay": "off"}})
    for number in range(4):
        later = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        later.start()
        begin = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            long.run(tmp_path / f"{number}.h5", progress=None if number % 2 else lambda _: None)
        assert time.perf_counter() - begin < 10.0
        later.join()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_existing_file_is_kept_without_force(path: Path) -> None:
    before = path.stat().st_mtime_ns
    with pytest.raises(pw.Error):
        pw.Scenario(room()).run(path)
    assert path.stat().st_mtime_ns == before


def test_the_gil_is_released_while_solving() -> None:
    done = threading.Event()
    setup = pw.Scenario(empty(), {"grid.cell": "1 cm"}).setup()
    simulation = setup.simulation(threads=1)

    def solve() -> None:
        simulation.advance(256)
        done.set()

    start = time.perf_counter()
    simulation.advance(256)
    alone = time.perf_counter() - start
    thread = threading.Thread(target=solve)
    thread.start()
    counted, pauses, last = 0, 0.0, time.perf_counter()
    while not done.is_set():
        counted += 1
        now = time.perf_counter()
        pauses, last = max(pauses, now - last), now
    thread.join()
    assert counted > 100, "nothing of Python ran while the library solved"
    assert pauses < max(0.6 * alone, 0.05), "Python stood still while the library solved"


def test_a_simulation_gives_what_a_run_writes(result: pw.Result) -> None:
    with pw.Scenario(room()).setup() as setup, setup.simulation() as simulation:
        simulation.run()
        stored = result.spectra("west").values
        assert simulation.spectra(0) == pytest.approx(stored, rel=2e-6, abs=1e-6 * abs(stored).max())
        assert simulation.source_spectrum(1) == pytest.approx(result.source_spectrum("east"))
        series = result.series("west", "behind").values
        assert simulation.receivers(0)[1] == pytest.approx(series, abs=1e-6 * abs(series).max())
        assert simulation.field().shape == (setup.facts.ny, setup.facts.nx)


def test_steps_by_hand() -> None:
    with pw.Scenario(empty()).setup() as setup, setup.simulation() as one, setup.simulation() as many:
        one.advance(300)
        for _ in range(3):
            many.advance(100)
        assert one.step == many.step == 300
        assert np.array_equal(one.field(), many.field())
        assert one.field().any()


def test_what_is_closed_cannot_be_used() -> None:
    scenario = pw.Scenario(empty())
    setup = scenario.setup()
    simulation = setup.simulation()
    scenario.close()
    assert setup.closed and simulation.closed
    for use in (lambda: setup.facts, simulation.field, scenario.setup):
        with pytest.raises(pw.UsageError, match="closed"):
            use()
    scenario.close()


def test_handles_are_freed_in_any_order() -> None:
    for _ in range(20):
        simulation = pw.Scenario(empty()).setup().simulation()
        simulation.circle = simulation  # the garbage collector must find the order
        simulation._setup.circle = simulation
    del simulation
    gc.collect()


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: pw.Scenario("missing.yaml"), pw.BadInput, "missing.yaml"),
        (lambda: pw.Scenario({}), pw.BadInput, "key"),
        (lambda: pw.Scenario({**empty(), "colour": "red"}), pw.BadInput, "colour"),
        (lambda: pw.Scenario({**empty(), "band": float("nan")}), pw.BadInput, "finite"),
        (lambda: pw.Scenario({**empty(), "band": object()}), pw.UsageError, "cannot hold"),
        (lambda: pw.Scenario("a: 1\nb: ["), pw.BadInput, ""),
        (lambda: pw.Scenario("null\0.yaml"), pw.UsageError, "null character"),
        (lambda: pw.Scenario(empty(), {"grid.cell": "1 parsec"}), pw.BadInput, "parsec"),
        (lambda: pw.Scenario(empty()).setup(precision="half"), pw.UsageError, "single"),
        (lambda: pw.Scenario(empty()).setup().simulation(backend="abacus"), pw.NoResource, "abacus"),
        (lambda: pw.Scenario(empty()).setup().simulation(3), pw.UsageError, ""),
        (lambda: pw.Scenario(empty(), plan=pw.Plan(np.ones((3, 4)), 1.0)).setup(), pw.BadInput, ""),
        (lambda: pw.Scenario({}, plan=pw.Plan(np.ones(3), 1.0)), pw.UsageError, "shape"),
        (lambda: pw.Scenario(empty()).run("/nowhere/at/all.h5"), pw.NoResource, "/nowhere"),
        (lambda: pw.Scenario(empty()).run(resume=True), pw.UsageError, "resume"),
        (lambda: pw.length("3 parsec"), pw.BadInput, "parsec"),
        (lambda: pw.choices("colours"), pw.UsageError, "colours"),
    ],
)
def test_what_is_wrong_raises_the_exception_of_its_status(make, kind: type[pw.Error], words: str) -> None:
    with pytest.raises(kind) as caught:
        make()
    assert words in str(caught.value)
    assert caught.value.status == kind.status


def test_the_message_is_the_one_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("band: 2.4 GHz\nplan: {size: [1 m, 1 m]}\ntransmitters: [{at: [0.5, 0.5], power: 3}]\n")
    with pytest.raises(pw.BadInput, match=r"bad\.yaml:3: .*power"):
        pw.Scenario(tmp_path / "bad.yaml")


def test_warnings_of_the_library_are_warnings_of_python() -> None:
    tree = empty()
    tree["plan"]["walls"] = room()["plan"]["walls"]
    tree["receivers"] = [{"name": "inside", "at": [2.0, 1.0]}]
    with pytest.warns(pw.PlanwaveWarning, match="inside a wall"):
        setup = pw.Scenario(tree).setup()
    assert any("inside a wall" in warning for warning in setup.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pw.PlanwaveWarning)
        with pytest.raises(pw.PlanwaveWarning):
            pw.Scenario(tree).setup()


def test_materials_are_those_of_the_recommendation() -> None:
    """P.2040-4 table 3: concrete 5.24 and 0.0462 f^0.7822, glass 6.31 and 0.0036 f^1.3394, with f in GHz."""
    at = pw.materials("2.4 GHz")
    assert at["concrete"].relative_permittivity == pytest.approx(5.24)
    assert at["concrete"].conductivity == pytest.approx(0.0462 * 2.4**0.7822)
    assert at["glass"].conductivity == pytest.approx(0.0036 * 2.4**1.3394) and at["glass"].covers
    assert pw.materials(300e9)["glass"].relative_permittivity == pytest.approx(5.79)
    assert at["metal"].perfect_conductor and not at["floorboard"].covers
    with pytest.raises(pw.UsageError):
        pw.materials(-1.0)


def test_a_drawing_becomes_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "room.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="4000mm" height="3000mm" viewBox="0 0 4000 3000">'
        '<g id="walls"><rect x="0" y="0" width="4000" height="200"/><rect x="0" y="2800" width="4000" height="200"/></g></svg>'
    )
    told = pw.import_drawing(
        tmp_path / "room.svg",
        tmp_path / "room.yaml",
        frequency="868 MHz",
        transmitter=(2.0, 1.5),
        unit="1 mm",
        classes={"*": "concrete"},
    )
    assert "concrete" in told
    with pw.Scenario(tmp_path / "room.yaml").setup() as setup:
        medium = setup.medium()
    concrete = medium.relative_permittivity > 4.0
    rows = medium.y[concrete.any(axis=1)]
    lower, upper = rows[rows < rows.mean()], rows[rows > rows.mean()]  # the import leaves air around what was drawn
    assert upper.mean() - lower.mean() == pytest.approx(2.8, abs=setup_cell(medium))
    assert np.ptp(lower) < 0.2 and np.ptp(upper) < 0.2
    both = [(1.0, 1.5), {"at": (3.0, 1.5), "name": "east", "power": "17 dBm"}]
    pw.import_drawing(tmp_path / "room.svg", tmp_path / "two.yaml", transmitter=both, unit="1 mm", doors="wood", windows="double glazing")
    assert "{name: tx1, at: [1 m, 1.5 m]}" in (tmp_path / "two.yaml").read_text()
    assert "{name: east, at: [3 m, 1.5 m], power: 17 dBm}" in (tmp_path / "two.yaml").read_text()
    with pytest.raises(pw.BadInput):
        pw.import_drawing(__file__, tmp_path / "other.yaml")
    with pytest.raises(pw.UsageError, match="region"):
        pw.import_drawing(tmp_path / "room.svg", tmp_path / "other.yaml", region=(1, 2))
    assert not (tmp_path / "other.yaml").exists()


def setup_cell(medium: pw.Medium) -> float:
    return float(medium.y[1] - medium.y[0])


def test_units_and_words() -> None:
    assert pw.frequency("2.4 GHz") == 2.4e9 and pw.length("7 cm") == pytest.approx(0.07) and pw.time("10 min") == 600.0
    assert pw.length(0.07) == 0.07
    assert {"dd4", "yee"} <= set(pw.choices("schemes"))
    assert pw.backends()["reference"][0] and pw.backends()["cpu"][0]
    assert pw.build_facts().startswith(f"planwave {pw.__version__} (")


@pytest.mark.parametrize(
    "options",
    [
        {"threads": -1},
        {"threads": 2.5},
        {"threads": math.nan},
        {"threads": True},
        {"threads": 10**9},
        {"time_limit": -1},
        {"time_limit": math.inf},
        {"time_limit": math.nan},
        {"time_limit": "-3 s"},
        {"checkpoint_every": -math.inf},
        {"frames_every": -2},
    ],
)
def test_refuses_numbers_that_are_none(options: dict) -> None:
    with pw.Scenario(empty()).setup() as setup, pytest.raises(pw.UsageError, match="give"):
        setup.run(**options)


def test_refuses_options_of_maps_and_channels_that_are_none(result: pw.Result) -> None:
    for options in ({"noise_figure": math.nan}, {"receiver_gain": math.inf}, {"threshold_db": math.nan}, {"padding": 0}, {"padding": 1.5}):
        with pytest.raises(pw.UsageError, match="give"):
            result.map("snr", **options)
    with pytest.raises(pw.UsageError, match="finite"):
        result.map("snr", noise_bandwidth=math.inf)


def test_what_a_call_computes_on_is_its_own(tmp_path: Path) -> None:
    """Simulations at the same time on other backends and numbers of threads; and devices that a call has no use for."""
    setup = pw.Scenario(empty(), {"stop": {"steps": 150}}).setup()

    def solve(machine: dict[str, Any]) -> np.ndarray[Any, Any]:
        with setup.simulation(**machine) as simulation:
            simulation.run()
            return simulation.receivers()

    machines: list[dict[str, Any]] = [{"backend": "cpu", "threads": 1}, {"backend": "cpu", "threads": 2}, {"backend": "reference"}]
    alone = [solve(machine) for machine in machines]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(solve, machines))
    for values in [*alone, *together]:
        assert np.array_equal(values, alone[0])
    for unused in ({"devices": [0]}, {"device_memory": 10**9}):
        with pytest.raises(pw.UsageError, match="'cpu'"):
            setup.simulation(backend="cpu", **unused)
    for wrong in ("some", 2, [-1], [0.5]):
        with pytest.raises(pw.UsageError, match="devices"):
            setup.run(tmp_path / "none.h5", devices=wrong)  # type: ignore[arg-type]
    with pytest.raises(pw.NoResource):
        setup.forecast(backend="cuda", devices=[998])


def test_the_cpu_in_place_of_a_gpu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build with kernels for GPUs, where the library finds none: once for what is left to it, and never for what was asked for."""

    def without_driver(asked: Any, reason: Any) -> bool:
        reason._obj.message = b"no NVIDIA driver was found: install one"
        return bool(asked._obj.backend == b"auto")

    setup = pw.Scenario(room()).setup()
    with warnings.catch_warnings():
        warnings.simplefilter("error", pw.PlanwaveWarning)
        setup.forecast(backend="cpu")
        monkeypatch.setattr(library, "pw_compute_falls_back", without_driver)
        setup.forecast(backend="cpu")
    with pytest.warns(pw.PlanwaveWarning, match="^computing on the CPU, because no NVIDIA driver was found: install one$") as told:
        assert setup.forecast().backend == "cpu"
    assert [warning.filename for warning in told] == [__file__]
