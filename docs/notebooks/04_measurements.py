# %% [markdown]
# # Calibrate against measurements
#
# A robot drove through a furnished flat and noted the level of a Bluetooth tag at six anchors. How well does a plan with guessed walls
# predict it, and what does a fit of one number change?
#
# The readings are those of M. Kolakowski (Sensors 21, 6270, 2021; doi 10.5281/zenodo.5457591, CC BY 4.0); the plan, what is guessed in it
# and the protocol stand in [Measured buildings](../validation/measured/README.md).
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

MEASURED = "validation/measured/flat/"
table = np.genfromtxt(MEASURED + "rssi.csv", delimiter=",", names=True)
place = (
    np.stack([table["x"], table["y"]], axis=1) + 0.9
)  # the plan's origin is a corner of its outer wall
print(f"{table.size} places")


# %% [markdown]
# Readings scatter by several decibels within a hand's breadth. They are gathered in squares of half a metre; what counts is the mean power of
# at least three readings.
# %%
def gathered(anchor, width=0.5, least=3):
    """Places (cell, 2) and mean powers (cell) [dB] of the readings of one anchor."""
    level = table[f"rssi_{anchor}"]
    there = np.isfinite(level)
    keys, inverse, count = np.unique(
        np.floor(place[there] / width), axis=0, return_inverse=True, return_counts=True
    )
    inverse = inverse.ravel()
    mean = np.bincount(inverse, 10 ** (level[there] / 10)) / count
    where = np.stack(
        [np.bincount(inverse, place[there][:, axis]) / count for axis in (0, 1)], axis=1
    )
    return where[count >= least], 10 * np.log10(mean[count >= least])


# %% [markdown]
# ## Solve
#
# Two anchors, and cells of 2 cm in place of 1.25 cm, so that this takes seconds; the scores of all six with small cells stand on the page
# named above; warnings say what that costs. Transmitters have heights, and the tag was about a metre over the floor, so that the paths are slanted.
# %%
coarse = {
    "grid.cell": "2 cm",
    "spectra": {"count": 9, "spacing": "3 cells", "region": [0.8, 0.8, 10.07, 8.1]},
    "stop": {"after": "120 ns", "decay": "-30 dB"},
    "transmitters": [
        {"name": "1", "at": [6.38, 3.31, 2.08]},
        {"name": "4", "at": [4.69, 7.96, 1.85]},
    ],
}
result = pw.Scenario(MEASURED + "flat.yaml", coarse).run()
figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, anchor in zip(axes, result.transmitters):
    result.map("path-loss", anchor, local_mean="25 cm", receiver_height=1.0).plot(
        ax, title=False, scale=False, minimum=30, maximum=90
    )
    ax.set_title(f"from anchor {anchor}")
plt.show()
# %% [markdown]
# ## Compare
#
# The readings' decibels have no absolute level: an offset for each anchor is always fitted. Every fourth cell is held out of the fit and
# scored with the offset of the others.
# %%
fits = {}
for anchor in result.transmitters:
    where, level = gathered(anchor)
    fit = result.calibrate(where, level, anchor, mean_width="50 cm", receiver_height=1.0)
    fits[anchor] = level, fit
    print(
        f"anchor {anchor}: {level.size} cells, offset {fit.offset:.1f} ± {fit.offset_error:.1f} dB; RMSE {fit.after.rmse:.2f} dB in the fit, "
        f"{fit.held_after.rmse:.2f} dB held out, correlation {fit.held_after.correlation:.2f}"
    )
# %% [markdown]
# A straight line in the logarithm of distance, fitted with two numbers to the same cells, is what a prediction has to beat.
# %%
for anchor, (level, fit) in fits.items():
    where, _ = gathered(anchor)
    station = result.transmitters[anchor]
    apart = np.sqrt(
        (where[:, 0] - station.x) ** 2
        + (where[:, 1] - station.y) ** 2
        + (station.height - 1.0) ** 2
    )
    held = np.arange(level.size) % 4 == 3
    line = np.polyfit(np.log10(apart[~held]), level[~held], 1)
    error = np.polyval(line, np.log10(apart)) - level
    wave = fit.predicted + fit.offset - level
    print(
        f"anchor {anchor}, all cells: log-distance {np.sqrt(np.mean(error**2)):.2f} dB, planwave {np.sqrt(np.mean(wave**2)):.2f} dB"
    )

figure, axes = plt.subplots(
    1, 2, figsize=(9.5, 4.4), layout="constrained", sharex=True, sharey=True
)
for ax, (anchor, (level, fit)) in zip(axes, fits.items()):
    ax.axline((-60, -60), slope=1, color="#999999", linewidth=1)
    ax.plot(fit.predicted + fit.offset, level, ".", markersize=5, color="#0072b2")
    ax.set(
        title=f"anchor {anchor}",
        xlabel="predicted, with offset [dB]",
        ylabel="measured [dB]",
        aspect="equal",
    )
plt.show()
# %% [markdown]
# ## What else can be fitted
#
# `result.calibrate(..., materials=["brick"])` scales permittivity and conductivity of materials and solves the plan again. All anchors
# together, robustly, with intervals, a slope, heights and wall thicknesses, and squares of floor held out in turn, is what
# `planwave calibrate --joint` does; see [its help](../commands/calibrate.md).
