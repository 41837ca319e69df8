# %% [markdown]
# # Delay profiles at 500 points
#
# Impulse responses, power-delay profiles and delay spreads at five hundred places of a flat, computed at once and handed over as arrays.
# %%
import time

import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

band = {"centre": "1.5 GHz", "width": "500 MHz"}
result = pw.Scenario("floorplans/flat.yaml", {"band": band}).run()
result
# %% [markdown]
# ## One channel
#
# Response over frequency and power-delay profile of one link, with its metrics; `pw.metrics_help()` defines every number.
# %%
channel = result.channel("ap1", "north")
channel.plot()
plt.show()
metrics = channel.metrics
print(
    f"path loss {metrics.path_loss_db:.1f} dB, RMS delay spread {metrics.rms_delay_spread * 1e9:.1f} ns, "
    f"Rician K {metrics.rician_k_db:.1f} dB"
)
# %% [markdown]
# ## Five hundred
#
# Points at random on the floor of the flat, those in walls left out. `channels` takes them all at once; the library's threads share
# the work and write into numpy's arrays.
# %%
signal, walls = (
    result.map("received-power"),
    result.walls(),
)  # walls are finer than the lattice of the map
nearest = [
    np.abs(fine[:, np.newaxis] - coarse).argmin(axis=0)
    for fine, coarse in ((walls.y, signal.y), (walls.x, signal.x))
]
row, column = np.nonzero(signal.floor.counted & (walls.solid[np.ix_(*nearest)] == 0))
chosen = np.random.default_rng(1).choice(row.size, 500, replace=False)
points = np.stack([signal.x[column[chosen]], signal.y[row[chosen]]], axis=1)

start = time.perf_counter()
many = result.channels(at=points)
print(
    f"{len(many)} channels in {time.perf_counter() - start:.2f} s; a {many.a.shape}, tau {many.tau.shape}, H {many.H.shape}"
)
# %% [markdown]
# Power-delay profiles, one line of pixels a point, those nearest to the access point at the top. The edge on the left is the direct
# path: it arrives at the distance over the speed of light. These are taps of the band, 1/B apart, without a window: what stands before the
# edge are the side lobes of the band, 20 dB and more under the direct path.
# %%
distance = many.metrics["distance"][:, 0]
order = np.argsort(distance)
delay = many.tau[0, 0] * 1e9
profile = 10 * np.log10(np.maximum(np.abs(many.a[order, 0, 0]) ** 2, 1e-30))
figure, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
image = ax.imshow(
    profile,
    aspect="auto",
    extent=(delay[0], delay[-1], 500, 0),
    vmin=-120,
    vmax=-40,
    interpolation="nearest",
)
ax.plot(
    distance[order] / 0.299792458,
    np.arange(500),
    color="white",
    linewidth=1,
    linestyle="--",
    label="distance / c",
)
ax.set(xlabel="delay [ns]", ylabel="points, by distance", xlim=(0, 120))
ax.legend(loc="lower right")
figure.colorbar(image, label="path gain of a tap [dB]")
plt.show()
# %% [markdown]
# Delay spread against path loss. Where the run was too short or the frequencies too few for a delay, `delay_cause` says so, and such
# points are left out here.
# %%
sound = many.metrics["delay_cause"][:, 0] == 0
spread, loss = many.metrics["rms_delay_spread"][:, 0] * 1e9, many.metrics["path_loss_db"][:, 0]
figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
dots = ax.scatter(loss[sound], spread[sound], c=distance[sound], s=14)
ax.set(xlabel="path loss [dB]", ylabel="RMS delay spread [ns]", ylim=(0, None))
figure.colorbar(dots, label="distance [m]")
plt.show()
print(
    f"{sound.sum()} of {sound.size} delays are sound; median spread {np.median(spread[sound]):.1f} ns, 90 % under {np.quantile(spread[sound], 0.9):.1f} ns"
)
# %% [markdown]
# ## Further
#
# - `many.sionna()` gives `(a, tau)` in the shapes of Sionna RT; `many.to_xarray()` a dataset.
# - `channel.to_network()` is a two-port of scikit-rf, and `channel.export("touchstone", "link.s2p")` its file.
# - `channel.angles()` tells where the waves come from.
