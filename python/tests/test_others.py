"""xarray, scikit-rf, h5py, matplotlib, and the lines of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import planwave as pw
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_forecast_says_what_it_is() -> None:
    for brief in (False, True):
        words = pw.forecast_words(brief)
        assert "grid's error on the plan as drawn" in words and "validation/measured/README.md" in words


def test_xarray_opens_a_result(path: Path, result: pw.Result) -> None:
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(path, engine="planwave") as dataset:
        assert dataset.spectra.dims == ("transmitter", "frequency", "y", "x") and dataset.spectra.dtype == np.complex128
        assert {"frequency", "x", "y", "transmitter", "receiver", "time", "plan_x", "plan_y"} <= set(dataset.coords)
        whole = result.spectra("east")
        assert np.array_equal(dataset.spectra.sel(transmitter="east").values, whole.values)
        assert dataset.frequency.values == pytest.approx(result.frequency)
        picked = dataset.spectra.isel(transmitter=1, frequency=[4, 2], y=[7, 3, 5], x=slice(20, 4, -3)).values
        assert np.array_equal(picked, whole.values[[4, 2]][:, [7, 3, 5]][:, :, 20:4:-3])
        assert dataset.spectra.isel(frequency=0, x=3, y=4).sel(transmitter="east").item() == whole.values[0, 4, 3]
        assert dataset.field.sel(transmitter="west", receiver="near").values == pytest.approx(result.series("west", "near").values)
        assert dataset.spectra.attrs["units"] == "V/m s"
    with xarray.open_datatree(path, engine="planwave") as tree:
        assert set(tree["spectra"].coords) >= {"frequency", "x", "y", "transmitter", "receiver"}
    with pytest.raises(pw.BadInput, match="no group"):
        xarray.open_dataset(path, engine="planwave", group="nothing")


def test_maps_and_channels_as_xarray(result: pw.Result) -> None:
    pytest.importorskip("xarray")
    signal = result.map("received-power", local_mean=True)
    array = signal.to_xarray()
    assert array.dims == ("y", "x") and array.attrs["units"] == "dBm" and array.name == "received_power"
    assert array.sel(x=1.0, y=1.0, method="nearest").item() in signal.values
    channels = result.channels().to_xarray()
    assert channels.H.dims == ("receiver", "port", "transmitter", "frequency")
    assert channels.rms_delay_spread.attrs["units"] == "s" and channels.path_loss_db.attrs["units"] == "dB"
    assert result.channel().to_xarray().profile.dims == ("delay",)
    assert result.spectra().to_xarray().dims == ("frequency", "y", "x")


def test_a_network_of_scikit_rf(result: pw.Result) -> None:
    pytest.importorskip("skrf")
    channel = result.channel("west", "behind")
    network = channel.to_network()
    usable = np.isfinite(channel.response)
    assert network.nports == 2 and network.f == pytest.approx(channel.frequency[usable])
    assert np.array_equal(network.s[:, 1, 0], channel.response[usable]) and network.is_reciprocal()
    assert not network.s[:, 0, 0].any()


@pytest.mark.parametrize("order", ["import h5py, planwave as pw", "import planwave as pw, h5py"])
def test_h5py_in_the_same_process(path: Path, order: str) -> None:
    pytest.importorskip("h5py")
    code = (
        f"{order}; import numpy as np; r = pw.open({str(path)!r}); f = h5py.File({str(path)!r});"
        "ours, theirs = r.spectra('west').values, f['transmitters/west/spectra/ez'][:];"
        "assert np.array_equal(ours.astype(np.complex64), theirs); print('same')"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "same"


def test_pictures_have_the_range_and_the_walls_of_our_own(result: pw.Result) -> None:
    pytest.importorskip("matplotlib")
    signal = result.map("received-power", "west", local_mean=True)
    ax = signal.plot(threshold=-35.0)
    image, walls = ax.images
    assert image.get_cmap().name == "viridis" and image.origin == "lower"
    assert image.get_clim()[0] % 5 == 0 and image.get_clim()[1] % 5 == 0
    left, right, bottom, top = image.get_extent()
    assert left < 0.05 and right > 2.95 and bottom < 0.05 and top > 2.95
    drawn = walls.get_array()
    assert drawn.shape[2] == 4 and drawn[..., 3].any()
    assert ax.get_xlabel() == "x [m]" and "Received power: A small room" in ax.get_title(loc="left")
    assert {"west", "near", "behind"} <= {text.get_text() for text in ax.texts}
    assert "east" not in {text.get_text() for text in ax.texts}
    for other in (result.map("best-server").plot(), result.map("path-loss").plot(colours="turbo", minimum=30, maximum=80)):
        other.figure.canvas.draw()
    assert other.images[0].get_clim() == (30, 80) and other.images[0].get_cmap().name.endswith("_r")
    assert len(result.channel().plot()) == 2
    from matplotlib import pyplot

    pyplot.close("all")


def test_the_lines_of_the_readme_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = (ROOT / "README.md").read_text()
    found = re.search(r"```python\n(import planwave as pw\n.*?)```", text, re.DOTALL)
    assert found is not None, "README.md has no lines of Python for planwave"
    (tmp_path / "floorplans").symlink_to(ROOT / "floorplans")
    subprocess.run([sys.executable, "-c", found.group(1)], cwd=tmp_path, check=True, env={**os.environ, "MPLBACKEND": "Agg"})
    assert list(tmp_path.glob("*.png"))


def test_the_program_is_installed_beside_python() -> None:
    program = Path(sys.executable).with_name("planwave")
    if not program.exists():
        pytest.skip("the package is not installed into an environment of its own")
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.splitlines()[0] == pw.build_facts().splitlines()[0]
