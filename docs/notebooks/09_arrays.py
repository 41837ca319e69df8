# %% [markdown]
# # Arrays in a room
#
# An access point of four antennas and users of two. Every antenna is solved, or recorded, at its own place, so that the channel knows
# spherical waves: of near walls, and of users who stand close to the array.
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

room = {
    "title": "A room with arrays",
    "plan": {
        "size": [4.0, 3.0],
        "walls": [
            {"from": [2.6, 1.2], "to": [2.6, 3.0], "thickness": "10 cm", "material": "brick"},
            {"from": [0.0, 0.0], "to": [4.0, 0.0], "thickness": "20 cm", "material": "concrete"},
        ],
    },
    "band": {"centre": "2.4 GHz", "width": "200 MHz"},
    "transmitters": [
        {"name": "ap", "at": [0.4, 1.6], "antenna": {"array": "ula", "elements": 4, "bearing": "90 deg"}}
    ],
    "receivers": [
        {
            "name": "user",
            "grid": {"from": [0.8, 0.4], "to": [3.8, 2.8], "spacing": "20 cm"},
            "antenna": {"array": "ula", "elements": 2},
        }
    ],
    "spectra": {"count": 16},
}
result = pw.Scenario(room).run()
arrays = result.channels().arrays()
arrays, arrays.H.shape
# %% [markdown]
# ## A map of capacity
#
# Every link is scaled to an SNR of 20 dB, so that the map shows what the place is worth to two streams, not how near it is. Two antennas
# that take in one plane wave carry 7.7 bit/s/Hz, two equal streams 13.3. Behind the end of the wall, where paths come from two sides, it
# is more than in sight.
# %%
x, y = arrays.position[:, :, 0].mean(axis=1), arrays.position[:, :, 1].mean(axis=1)
columns = np.unique(x.round(3)).size
capacity = np.nanmean(arrays.capacity("20 dB"), axis=-1)[:, 0].reshape(-1, columns)
fig, ax = plt.subplots()
ax.set_aspect("equal")
image = ax.pcolormesh(x.reshape(-1, columns), y.reshape(-1, columns), capacity)
walls = result.walls()
ax.contour(walls.x, walls.y, walls.solid, levels=[0.5], colors="black", linewidths=0.8)
ax.plot([t.x for t in result.transmitters.values()], [t.y for t in result.transmitters.values()], "r.")
fig.colorbar(image, label="bit/s/Hz at an SNR of 20 dB")
ax.set(xlabel="x [m]", ylabel="y [m]")
plt.show()
print(f"capacity: {np.percentile(capacity, [10, 50, 90]).round(1)} bit/s/Hz (10, 50, 90 % of the places)")
# %% [markdown]
# ## Focus against beams
#
# What the best of four plane beams gains over the mean antenna, and what a transmitter gains that knows the channel and focuses on the place.
# Four antennas gain 6 dB at most. Midway between two beams 3.7 dB of it are lost; spherical waves and several paths take a little more.
# %%
values = arrays.singular_values()[:, 0]
power = np.nansum(values[..., 0] ** 2, axis=-1) / np.nansum(np.sum(values**2, axis=-1), axis=-1)
focus = 10 * np.log10(4 * power)
beams = arrays.metrics("20 dB")["transmitter_beam_db"][:, 0]
distance = np.hypot(x - 0.4, y - 1.6)
plt.plot(distance, focus, ".", label="focused on the place, one stream")
plt.plot(distance, beams, ".", label="best of four plane beams")
plt.xlabel("distance [m]")
plt.ylabel("gain over the mean antenna [dB]")
plt.legend()
plt.show()
print(f"plane beams leave {np.mean(focus - beams):.2f} dB in the mean, {np.max(focus - beams):.2f} dB at most")
