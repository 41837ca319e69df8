"""Gradients of a channel against differences of whole solves, and in libraries that differentiate."""

import numpy as np
import pytest

import planwave as pw

ROOM = """
plan:
  size: [2 m, 1 m]
  walls: [{from: [1.03 m, 0 m], to: [1.03 m, 0.7 m], thickness: 8 cm, material: brick}]
grid: {scheme: fd4o, cell: 3 cm}
band: {centre: 1 GHz, width: 200 MHz}
transmitters: [{name: a, at: [0.4 m, 0.5 m]}]
receivers: [{name: near, at: [1.6 m, 0.5 m]}, {name: far, at: [1.8 m, 0.2 m]}]
spectra: {count: 5}
stop: {after: 40 ns, decay: off}
"""
PARAMETERS = ["brick:permittivity", "brick:thickness"]


@pytest.fixture(scope="module")
def frozen():
    with pw.Scenario(ROOM).setup() as setup:
        return pw.Scenario(setup.text)


@pytest.fixture(scope="module")
def found(frozen):
    return frozen.gradients(PARAMETERS, precision="double", backend="cpu")


def differences(function, step=1e-3):
    """To fourth order, at factors of 1."""
    rows = []
    for n in range(len(PARAMETERS)):
        at = {k: function(1 + k * step * np.eye(len(PARAMETERS))[n]) for k in (-2, -1, 1, 2)}
        rows.append((8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step))
    return np.array(rows)


def test_shapes_and_levels(found):
    assert found.parameters == PARAMETERS and found.runs == 3
    assert found.values == pytest.approx([found.values[0], 0.08])
    assert found.response.shape == (1, 2, 5) and found.per_relative.shape == (1, 2, 2, 5)
    power = (np.abs(found.response) ** 2).sum(axis=-1)
    change = 2 * (found.response.conj()[:, :, None, :] * found.per_relative).real.sum(axis=-1)
    assert found.level() == pytest.approx(10 / np.log(10) * change / power[:, :, None])
    assert found.level(per_unit=True) == pytest.approx(found.level() / found.values)


def test_map_adds_up(found):
    decides = found.map(0, 1, "brick:permittivity")
    area = (decides.x[1] - decides.x[0]) ** 2
    assert np.asarray(decides).sum() * area == pytest.approx(found.level()[0, 1, 0])
    assert np.all(np.abs(decides.x[np.any(decides.values != 0, axis=0)] - 1.03) < 0.3)


def test_wrong_words(frozen, found):
    with pytest.raises(pw.UsageError, match="give a list"):
        frozen.gradients("brick:permittivity")
    with pytest.raises(pw.BadInput, match="no material 'marble'"):
        frozen.gradients(["marble:permittivity"])
    with pytest.raises(pw.UsageError, match="none of"):
        found.map(parameter="brick:colour")


def test_torch(frozen, found):
    torch = pytest.importorskip("torch")
    respond = pw.torch_response(frozen, PARAMETERS, precision="double", backend="cpu")
    factors = torch.ones(2, dtype=torch.float64, requires_grad=True)
    wanted = torch.from_numpy(found.response) * (0.9 + 0.2j)

    def loss(at):
        return (respond(at) - wanted).abs().square().sum()

    loss(factors).backward()
    right = differences(lambda at: float(loss(torch.from_numpy(at))))
    assert factors.grad.numpy() == pytest.approx(right, rel=1e-5)


def test_jax(frozen, found):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    respond = pw.jax_response(frozen, PARAMETERS, precision="double", backend="cpu")
    wanted = found.response * (0.9 + 0.2j)

    def loss(at):
        return (abs(respond(at) - wanted) ** 2).sum()

    right = differences(lambda at: float(loss(at)))
    assert np.asarray(jax.grad(loss)(np.ones(2))) == pytest.approx(right, rel=1e-5)


def test_walls(found):
    (wall,) = found.walls(0, 1)
    assert wall.material == "brick" and abs(wall.thickness - 0.08) < 1e-9 and wall.line[0] == pytest.approx(1.03)
    assert wall.per_relative == pytest.approx(found.level()[0, 1, 0], rel=1e-6)
    assert wall.per_metre == pytest.approx(found.level(per_unit=True)[0, 1, 1], rel=1e-6)
    with pytest.raises(pw.errors.UsageError):
        found.walls(0, 2)
