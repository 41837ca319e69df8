# %% [markdown]
# # Data sets for machine learning
#
# Radio maps from many places of the access point by one command, and channels in the layout of DeepMIMO v4.
# %%
import subprocess
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import planwave as pw
from planwave import learning

folder = Path(tempfile.mkdtemp())
# %% [markdown]
# ## Maps by one command
#
# It draws places evenly over the floor, solves the plan from each, and writes one `.npz` with maps, places and walls. The same seed draws
# the same places, whatever the count. Scheme, cell and frequencies are chosen once, for all maps. Here are four; a thousand are `--count 1000`.
# A command that was stopped or killed goes on when it is given again; one with a larger count adds to what is there.
# %%
command = [
    "python", "-m", "planwave.learning", "maps", "floorplans/flat.yaml", "--count", "4", "--seed", "1",
    "--set", "band={centre: 1.2 GHz, width: 100 MHz}", "--output", str(folder / "maps.npz"),
]  # fmt: skip
start = time.perf_counter()
print(
    subprocess.run(command, capture_output=True, text=True, check=True).stdout.replace(
        str(folder), "~"
    )
)
seconds = time.perf_counter() - start
print(
    f"{seconds:.1f} s for 4 maps, start included; a thousand would take {1000 * seconds / 4 / 60:.0f} minutes on this machine, as busy as it is"
)
# %%
data = np.load(folder / "maps.npz")
for name in data.files:
    if data[name].ndim:
        print(f"{name:24} {data[name].dtype} {data[name].shape}")
extent = (data["x"][0], data["x"][-1], data["y"][0], data["y"][-1])
figure, axes = plt.subplots(1, 4, figsize=(11, 3.2), layout="constrained", sharex=True, sharey=True)
for ax, drawn, place in zip(axes.flat, data["maps"], data["transmitter"]):
    image = ax.imshow(drawn, origin="lower", extent=extent, vmin=-40, vmax=10)
    ax.contour(
        data["x"],
        data["y"],
        data["relative_permittivity"],
        [1.5],
        colors="black",
        linewidths=0.6,
    )
    ax.plot(*place, "^", color="#d01c1c", markeredgecolor="white", markersize=9)
figure.colorbar(image, ax=axes, label=f"path gain [{data['unit']}] relative to free space at 1 m")
plt.show()
# %% [markdown]
# `learning.radio_maps(...)` is the same without a file, `learning.RadioMaps.load` reads one. Both take other quantities of one transmitter, such as
# delay spreads; those of several, SINR and the best server, would depend on who is solved together, and are refused.
#
# ## DeepMIMO
#
# `write_deepmimo` writes the channels of a result as a scenario of DeepMIMO v4: a folder of `.npz` matrices and `params.json`. Its paths are the
# strongest taps of the band, not rays, and each has the azimuth that its strongest wave comes from. Angles of departure are not known
# from one run and written as 0, so that a base station of several antennas has channels of rank 1: a warning says so. A scenario made by
# `learning.with_probes` tells them.
# %%
band = {"centre": "1.2 GHz", "width": "200 MHz"}
result = pw.Scenario("floorplans/flat.yaml", {"band": band, "spectra.spacing": "3 cells"}).run()
grid = (2, 2, 13, 13, 0.5)
scenario = folder / "deepmimo_scenarios" / "flat"
share = learning.write_deepmimo(result, scenario, grid=grid)
print(
    f"{share.size} channels; 25 paths carry {100 * share.min():.2f} % of the energy or more, half of them over {100 * np.median(share):.2f} %"
)
print(*sorted(path.name for path in scenario.iterdir()), sep="\n")


# %% [markdown]
# With the package `deepmimo` the folder loads as any other scenario does. Without it, the matrices are read as they are.
# %%
def matrix(name):
    return np.load(scenario / f"{name}_t000_tx000_r001.npz")[name]


try:
    import os

    import deepmimo

    os.chdir(folder)
    loaded = deepmimo.load("flat")
    azimuth, places, sight = loaded.aoa_az, loaded.rx_pos, loaded.los
    print("loaded by deepmimo", deepmimo.__version__)
except ImportError:
    azimuth, places, sight = (
        matrix("aoa_az"),
        matrix("rx_pos"),
        (matrix("inter")[:, 0] == 0).astype(int),
    )
    print("deepmimo is not installed: the matrices were read by numpy")

figure, ax = plt.subplots(figsize=(6.8, 6), layout="constrained")
turn = np.radians(azimuth[:, 0])
arrows = ax.quiver(
    *places[:, :2].T,
    np.cos(turn),
    np.sin(turn),
    sight,
    cmap="coolwarm_r",
    scale=30,
    width=0.004,
)
walls = result.walls()
ax.contour(walls.x, walls.y, walls.solid > 0, [0.5], colors="black", linewidths=0.6)
ax.plot(*matrix("tx_pos")[0, :2], "^", color="#d01c1c", markersize=10)
ax.set(
    title="where the strongest path comes from; blue: line of sight",
    xlabel="x [m]",
    ylabel="y [m]",
    aspect="equal",
)
plt.show()
# %% [markdown]
# ## How right are they?
#
# Channels that are put together from the 25 paths, against those of planwave, over the middle half of the band: an OFDM symbol of DeepMIMO
# sums the same terms.
# %%
many = result.channels(grid=grid)
middle = np.abs(many.frequency - many.centre) < 50e6
gain = 10 ** (matrix("power") / 20) * np.exp(1j * np.radians(matrix("phase")))
turning = np.exp(
    -2j * np.pi * np.multiply.outer(many.frequency[middle] - many.centre, matrix("delay"))
)
made, solved = np.nansum(gain * turning, axis=-1).T, many.H[:, 0, 0][:, middle]
error = np.sqrt(np.sum(np.abs(made - solved) ** 2, axis=1) / np.sum(np.abs(solved) ** 2, axis=1))
print(
    f"relative error of a channel: median {100 * np.median(error):.1f} %, 90 % under {100 * np.quantile(error, 0.9):.1f} %"
)
