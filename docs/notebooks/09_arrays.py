# %% [markdown]
# # Arrays in a room
#
# An access point of four antennas and users of four in an office at 5.5 GHz, then an array at 28 GHz that focuses on a place in front of
# it. Every antenna is solved, or recorded, at its own place, so that the channel knows spherical waves: of near walls, and of users who
# stand close to the array.
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

office = {
    "title": "An office with arrays",
    "plan": {
        "size": [3.6, 2.8],
        "walls": [
            {"from": [2.2, 1.2], "to": [2.2, 2.8], "thickness": "10 cm", "material": "brick"},
            {"from": [0.0, 0.0], "to": [3.6, 0.0], "thickness": "20 cm", "material": "concrete"},
        ],
    },
    "band": {"centre": "5.5 GHz", "width": "160 MHz"},
    "transmitters": [{"name": "ap", "at": [0.4, 1.6], "antenna": {"array": "ula", "elements": 4, "bearing": "90 deg"}}],
    "receivers": [
        {
            "name": "user",
            "grid": {"from": [0.8, 0.4], "to": [3.4, 2.6], "spacing": "20 cm"},
            "antenna": {"array": "ula", "elements": 4},
        }
    ],
    "spectra": {"count": 8},
}
result = pw.Scenario(office).run()
arrays = result.channels().arrays()
arrays, arrays.H.shape
# %% [markdown]
# ## A map of capacity
#
# Every link is scaled to an SNR of 20 dB, so that the map shows what the place is worth to two streams, not how near it is. Four antennas
# that take in one plane wave carry 8.6 bit/s/Hz, four equal streams 26.6. Behind the end of the wall, where paths come from two sides, it
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
# %% [markdown]
# ## Focus in the near field at 28 GHz
#
# Twelve antennas, a wavelength apart, 12 cm in all. Plane waves hold from twice the square of that over the wavelength on: 2.6 m. The desk
# in front of it is nearer. The weights of a beam turn every antenna as a plane wave from the middle would need it; those of a focus
# are the conjugate of the channel to one place, which the solved fields give with the wall's echo in it.
# The lobes along the array come from its spacing of a whole wavelength.
# %%
light, carrier, middle = 299792458.0, 28e9, np.array([0.06, 0.3])
wavelength = light / carrier
desk = {
    "title": "A desk at 28 GHz",
    "plan": {
        "size": [0.6, 0.5],
        "walls": [{"from": [0.0, 0.02], "to": [0.6, 0.02], "thickness": "4 cm", "material": "plasterboard"}],
    },
    "band": {"centre": "28 GHz", "width": "1 GHz"},
    "transmitters": [
        {
            "name": "panel",
            "at": middle.tolist(),
            "antenna": {"array": "ula", "elements": 12, "spacing": "1 wavelength", "bearing": "90 deg"},
        }
    ],
    "spectra": {"count": 3},
}
result = pw.Scenario(desk).run()
fields = [result.spectra(name) for name in result.transmitters]
x, y = fields[0].axes
field = np.stack([one.values[1] for one in fields])  # (antenna, y, x) at the carrier
places = np.array([[one.x, one.y] for one in result.transmitters.values()])
focus = np.array([0.3, 0.3])
column, row = np.abs(x - focus[0]).argmin(), np.abs(y - focus[1]).argmin()
ahead = (focus - middle) / np.hypot(*(focus - middle))
weights = {
    "plane beam": np.exp(-2j * np.pi / wavelength * (places - middle) @ ahead),
    "focus": field[:, row, column].conj(),
}
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
gain = {}
alone = np.mean(np.abs(field) ** 2, axis=0)
for ax, (name, weight) in zip(axes, weights.items()):
    sent = np.abs(np.tensordot(weight / np.linalg.norm(weight), field, 1)) ** 2
    gain[name] = 10 * np.log10(sent[row, column] / alone[row, column])
    image = ax.pcolormesh(x, y, 10 * np.log10(sent / alone[row, column]), vmin=-15, vmax=12)
    ax.plot(places[:, 0], places[:, 1], "r.", markersize=3)
    ax.plot(*focus, "w+")
    ax.set(title=f"{name}: {gain[name]:.1f} dB at the cross", xlabel="x [m]", aspect="equal")
axes[0].set_ylabel("y [m]")
fig.colorbar(image, ax=axes, label="over one antenna at the cross [dB]")
plt.show()
most = 10 * np.log10(len(fields))
print(f"the focus gains {gain['focus']:.1f} dB, the beam {gain['plane beam']:.1f} dB; twelve antennas gain {most:.1f} dB at most")
