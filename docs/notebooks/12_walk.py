# %% [markdown]
# # A person walks by
#
# Wi-Fi sensing reads people off the channel. planwave makes such channels for a floor plan: blockage, Doppler shifts and the channel
# state of every subcarrier. [What a person is, and how accurate it is](../walk.md).
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

brick = {"thickness": "10 cm", "material": "brick"}
room = pw.Scenario(
    {
        "title": "A room of brick",
        "plan": {
            "size": [3, 2],
            "walls": [
                {"from": [0, 0.1], "to": [3, 0.1], **brick},
                {"from": [0, 1.9], "to": [3, 1.9], **brick},
            ],
        },
        "grid": {"cell": "2 cm"},
        "band": {"centre": "1.5 GHz", "width": "200 MHz"},
        "transmitters": [{"name": "ap", "at": [0.5, 1.0]}],
        "receivers": [{"name": "laptop", "at": [2.5, 1.1]}, {"name": "sensor", "at": [2.5, 0.5]}],
        "spectra": {"count": 9},
        "stop": {"after": "60 ns", "decay": "off"},
    }
)
# %% [markdown]
# ## A walk across the link
#
# The floor is solved once from the access point and once from each receiver. After that every pose takes milliseconds.
# %%
walk = room.walk([[(1.4, 0.45), (1.6, 1.55)]], speed=0.8, rate=60, radius=0.12)
print(f"{walk.runs} runs, {len(walk.timestamps)} poses; csi (time, subcarrier, rx, tx) {walk.csi.shape}")
for n, name in enumerate(walk.receivers):
    print(f"{name}: blocked by {walk.blockage[:, n, 0].max():.1f} dB at most")
# %%
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
axes[0].plot(*walk.positions[0].T, color="#b2182b")
axes[0].plot(0.5, 1.0, "^", color="#2166ac")
axes[0].plot([2.5, 2.5], [1.1, 0.5], "o", color="#2166ac")
axes[0].set(xlim=(0, 3), ylim=(0, 2), aspect="equal", title="the way", xlabel="x [m]", ylabel="y [m]")
axes[1].plot(walk.timestamps, walk.blockage[:, :, 0], label=walk.receivers)
axes[1].set(xlabel="time [s]", ylabel="blockage [dB]")
axes[1].legend()
changed = walk.csi[:, :, 0, 0] - walk.csi_empty[:, 0, 0]
power = np.mean(np.abs(np.fft.fftshift(np.fft.fft(changed * np.hanning(len(changed))[:, None], axis=0), axes=0)) ** 2, axis=1)
shift = np.fft.fftshift(np.fft.fftfreq(len(changed), walk.timestamps[1]))
axes[2].plot(shift, 10 * np.log10(power / power.max()))
axes[2].set(xlabel="Doppler shift [Hz]", ylabel="power [dB]", ylim=(-40, 2), title="what the person sends to the laptop")
plt.show()
most = 2 * 0.8 * walk.frequencies[-1] / 299792458  # a way that becomes shorter at both ends
print(f"largest shift that can be: {most:.1f} Hz; of the power within: {100 * power[np.abs(shift) <= most + 1].sum() / power.sum():.1f} %")
# %% [markdown]
# ## How right is that?
#
# Waves that go back and forth between the person and the walls are left out. `method="walls"` has them too: it solves the empty floor from
# points along the way as well, so it takes more runs, and the poses stay cheap.
# %%
here = [[(1.5, 0.9)]]
quick = room.walk(here, radius=0.12)
walls = room.walk(here, radius=0.12, method="walls")


def off(one: pw.Walk, other: pw.Walk) -> float:
    """How far what the person changes is off, relative to it."""
    change = other.csi[0] - other.csi_empty
    return float(np.linalg.norm(one.csi[0] - other.csi[0]) / np.linalg.norm(change))


print(f"what the person changes: {quick.runs} runs are {100 * off(quick, walls):.1f} % off {walls.runs} runs")
