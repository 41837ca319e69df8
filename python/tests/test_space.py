"""Three dimensions and horizontal polarisation: sheets, cuts, components, and everything that goes by them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import planwave as pw

LIGHT = 299792458.0


@pytest.fixture(scope="module")
def box():
    """A box of air of 1.6 x 1.4 x 1.2 m with a table of wood, at 900 MHz."""
    tree = {
        "title": "A box",
        "dimensions": 3,
        "plan": {
            "size": [1.6, 1.4],
            "storey": {"height": 1.2},
            "boxes": [{"from": [1.1, 0.2, 0.3], "to": [1.4, 0.5, 0.4], "material": "wood"}],
        },
        "band": {"centre": "900 MHz", "width": "300 MHz"},
        "transmitters": [{"name": "ap", "at": [0.4, 0.7, 0.6], "polarisation": "vertical"}],
        "receivers": [{"name": "probe", "at": [1.3, 0.7, 0.6]}],
        "spectra": {"heights": [0.6, 0.9], "components": ["ez", "ex", "ey"], "cuts": [{"from": [0, 0.7], "to": [1.6, 0.7]}]},
        "grid": {"cell": "4 cm"},
        "stop": {"after": "20 ns"},
    }
    with pw.Scenario(tree).run() as result:
        yield result


def test_sheets_are_planes_and_cuts_of_components(box: pw.Result) -> None:
    assert box.facts.dimensions == 3 and box.facts.nz > 20
    found = {(sheet.normal, sheet.asked, sheet.component) for sheet in box.sheets}
    assert {(2, 0.6, "ez"), (2, 0.9, "ex"), (1, 0.7, "ey")} <= found


def test_maps_by_height_cut_and_component(box: pw.Result) -> None:
    low, high, cut = box.map("path-gain"), box.map("path-gain", height=0.9), box.map("path-gain", cut=1)
    assert low.sheet.asked == 0.6 and high.sheet.asked == 0.9 and cut.sheet.normal == 1
    assert low.values.shape == high.values.shape != cut.values.shape
    assert cut.y.max() > 1.0 and cut.x.max() > 1.4
    again = box.map("path-gain")
    assert np.array_equal(again.values, low.values, equal_nan=True), "the height of one call counted in the next"
    total = box.map("path-gain", component="total")
    columns = min(total.x.size, low.x.size)
    assert total.x[:columns] == pytest.approx(low.x[:columns])
    assert (total.values[:, :columns] >= low.values[:, :columns]).all()
    assert np.nanmedian(box.map("path-gain", component="ex").values) < np.nanmedian(low.values)
    with pytest.raises(pw.BadInput):
        box.map(height=5.0)
    with pytest.raises(pw.UsageError, match="spreads|spreading"):
        box.map(spreading="delay")


def test_the_channel_is_that_of_a_dipole(box: pw.Result) -> None:
    """Broadside, 0.9 m: Friis between isotropic antennas with the gain of one Hertzian dipole for EIRP, so 0 dB, within the table's echo."""
    metrics = box.channel(receiver="probe").metrics
    friis = 20 * math.log10(4 * math.pi * metrics.distance * 900e6 / LIGHT)
    assert metrics.path_loss_db == pytest.approx(friis, abs=1.5)
    assert metrics.cross_polar_db < -10.0
    at = box.channel(at=(1.3, 0.7), height=0.6).metrics
    assert at.path_loss_db == pytest.approx(metrics.path_loss_db, abs=0.5) and at.height == pytest.approx(0.6, abs=0.03)


def test_pairs_have_a_port_for_each_component(box: pw.Result) -> None:
    channels = box.channels(at=[(1.0, 0.7, 0.6), (1.0, 0.7, 0.9)])
    assert channels.ports == ["ex", "ey", "ez"] and channels.a.shape[:3] == (2, 3, 1)
    assert channels.height == pytest.approx([0.6, 0.9], abs=0.03)
    assert channels.sionna()[0].shape == (2, 3, 1, 1, channels.tau.shape[2], 1)
    power = np.nanmean(abs(channels.H[0, :, 0]) ** 2, axis=-1)
    assert power[2] > 10 * power[0] and power[2] > 10 * power[1]


def test_walls_and_pictures_of_planes_and_cuts(box: pw.Result) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    assert not box.walls(height=0.9).solid.any()
    table = box.walls(cut=1)
    assert table.y.size != box.walls().y.size
    assert "z = 0.9" in " ".join(text.get_text() for text in box.map(height=0.9).plot().texts)
    ax = box.map(cut=1).plot()
    assert ax.get_ylabel() == "z [m]" and "y = 0.68 m" in " ".join(text.get_text() for text in ax.texts)
    pyplot.close("all")


def test_xarray_has_a_group_for_each_sheet(box: pw.Result) -> None:
    xarray = pytest.importorskip("xarray")
    names = [sheet.name for sheet in box.sheets]
    with xarray.open_datatree(box.path, engine="planwave") as tree:
        assert set(tree.children) == set(names)
        cut = next(name for name, sheet in zip(names, box.sheets) if sheet.normal == 1)
        assert tree[cut].spectra.dims == ("transmitter", "frequency", "z", "x")
        assert {"x", "z", "frequency", "transmitter", "receiver"} <= set(tree[cut].coords)
    group = names[-1]
    with xarray.open_dataset(box.path, engine="planwave", group=group) as dataset:
        sheet = box.sheets[names.index(group)]
        assert dataset.spectra.shape == (1, box.frequency.size, sheet.rows, sheet.columns)
        assert dataset.spectra.attrs["component"] == sheet.component


def test_the_medium_and_series_of_three_dimensions(box: pw.Result) -> None:
    parts = [box.series(component=component).values for component in ("ex", "ey", "ez")]
    assert np.array_equal(parts[2], box.series().values) and abs(parts[2]).max() > abs(parts[0]).max()
    with pw.Scenario(box_text(box)).setup() as setup:
        medium = setup.medium()
    assert medium.relative_permittivity.shape == (medium.z.size, medium.y.size, medium.x.size)
    inside = (abs(medium.z - 0.6) < 0.5)[:, np.newaxis, np.newaxis]  # floor and roof are left out
    z, y, x = np.nonzero(inside & (medium.relative_permittivity > 1.3))
    assert medium.z[z].mean() == pytest.approx(0.35, abs=0.03) and medium.x[x].mean() == pytest.approx(1.25, abs=0.03)
    assert medium.y[y].mean() == pytest.approx(0.35, abs=0.03)


def test_fields_are_kept_in_16_bits_by_a_key_of_the_scenario() -> None:
    text = {"dimensions": 3, "plan": {"size": [1, 1], "storey": {"height": 1}}, "band": "1 GHz", "transmitters": [{"at": [0.5, 0.5, 0.5]}]}
    with pytest.warns(pw.PlanwaveWarning, match="half adds noise.*dB of the mean power"):
        setup = pw.Scenario(text, {"grid.storage": "half"}).setup()
    assert "storage: half" in setup.text and "storage: half" not in pw.Scenario(text).setup().text


def box_text(result: pw.Result) -> str:
    h5py = pytest.importorskip("h5py")
    with h5py.File(result.path) as file:
        text = file.attrs["scenario"]
    return text.decode() if isinstance(text, bytes) else str(text)


def test_horizontal_polarisation_has_components_in_two_dimensions() -> None:
    tree = {
        "polarisation": "horizontal",
        "plan": {"size": [2.0, 1.6]},
        "band": {"centre": "900 MHz", "width": "200 MHz"},
        "transmitters": [{"name": "loop", "at": [0.5, 0.8]}],
        "spectra": {"components": ["ex", "ey", "hz"]},
        "grid": {"cell": "3 cm"},
        "stop": {"after": "20 ns"},
    }
    with pw.Scenario(tree).run() as result:
        assert result.facts.horizontal and {sheet.component for sheet in result.sheets} == {"ex", "ey", "hz"}
        metrics = result.channel(at=(1.5, 0.8)).metrics
        assert metrics.path_loss_db == pytest.approx(20 * math.log10(4 * math.pi * metrics.distance * 900e6 / LIGHT), abs=0.7)
        spectra = {component: result.spectra(component=component).values for component in ("ex", "ey", "hz")}
        middle = spectra["ey"].shape[1] // 2
        assert abs(spectra["ey"][:, middle, -3:]).mean() > 5 * abs(spectra["ex"][:, middle, -3:]).mean(), "E of a loop is across its way"
        assert result.channels(at=[(1.5, 0.8)]).ports == ["ex", "ey", "hz"]


@pytest.mark.parametrize("asked", [{"polarisation": "horizontal"}, {"dimensions": 3}])
def test_receivers_need_no_spectra(asked: dict[str, object]) -> None:
    """A link between two points in air is Friis's, whether or not planes were kept."""
    wide = asked.get("dimensions") == 3
    tree = {
        "plan": {"size": [1.6, 1.2], **({"storey": {"height": 1.0}} if wide else {})},
        "band": {"centre": "900 MHz", "width": "200 MHz"},
        "transmitters": [{"name": "from", "at": [0.4, 0.6, 0.5] if wide else [0.4, 0.6]}],
        "receivers": [{"name": "to", "at": [1.2, 0.6, 0.5] if wide else [1.2, 0.6]}],
        "spectra": "off",
        "grid": {"cell": "4 cm"},
        **asked,
    }
    with pw.Scenario(tree).run() as result:
        assert not result.sheets
        metrics = result.channel(receiver="to").metrics
        assert metrics.path_loss_db == pytest.approx(20 * math.log10(4 * math.pi * 0.8 * 900e6 / LIGHT), abs=0.5)
        assert result.channels(coefficients=False, response=False).metrics["path_loss_db"][0, 0] == metrics.path_loss_db


def test_planes_lie_along_the_coordinate_height(box: pw.Result) -> None:
    pytest.importorskip("xarray")
    whole = box.to_xarray()
    assert whole.spectra.dims == ("transmitter", "frequency", "height", "y", "x")
    assert whole.height.values == pytest.approx([sheet.position for sheet in box.sheets if sheet.normal == 2 and sheet.component == "ez"])
    for level, height in enumerate(whole.height.values):
        plane = box.spectra(height=float(height), component="ez").values
        assert np.array_equal(whole.spectra.isel(height=level, transmitter=0).values, plane)
    signal = box.map(height=float(whole.height[0])).to_xarray()
    assert float(signal.height) == pytest.approx(float(whole.height[0])) and signal.dims == ("y", "x")
    assert box.map(cut=1).to_xarray().dims == ("z", "x")
