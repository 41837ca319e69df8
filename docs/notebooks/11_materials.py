# %% [markdown]
# # Learn what a flat is made of
#
# Are the walls of a flat what the plan says? Four sensors hear the access point. Exact gradients fit permittivity and conductivity of outer
# and inner walls to what the sensors measure, and a fifth sensor, which the fit does not see, tells whether that helped.
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

# %% [markdown]
# ## The flat
#
# The walls of [`flat_geometry.yaml`](../floorplans/README.md), at 500 MHz on cells of 6 cm, so that a step of the fit takes seconds.
# %%
outer = [(1.2, 1.2, 14.16, 1.28), (1.2, 14.08, 14.16, 14.16), (1.2, 1.2, 1.28, 14.16), (14.08, 1.2, 14.16, 14.16)]
inner = [
    *[(1.2, 6.0, 5.2, 6.08), (6.1, 6.0, 10.4, 6.08), (11.3, 6.0, 14.16, 6.08)],
    *[(1.2, 9.2, 3.6, 9.28), (4.5, 9.2, 9.0, 9.28), (9.9, 9.2, 14.16, 9.28)],
    *[(5.6, 1.2, 5.68, 6.0), (10.0, 1.2, 10.08, 6.0), (4.9, 9.28, 4.98, 14.16), (9.3, 9.28, 9.38, 14.16)],
]
sensors = {"north": (7.7, 12.4), "south": (8.1, 3.2), "east": (12.9, 4.1), "west": (2.4, 11.9), "kitchen": (12.3, 11.6)}
names = [f"{wall}:{what}" for wall in ("outer", "inner") for what in ("permittivity", "conductivity")]


def flat(value: np.ndarray) -> pw.Scenario:
    """The flat with walls of (permittivity, conductivity [S/m]), outer and inner."""
    rectangles = [
        {
            "from": wall[:2],
            "to": wall[2:],
            "material": {"name": name, "relative_permittivity": value[first], "conductivity": value[first + 1]},
        }
        for name, walls, first in (("outer", outer, 0), ("inner", inner, 2))
        for wall in walls
    ]
    return pw.Scenario(
        {
            "title": "A flat",
            "plan": {"size": [15.36, 15.36], "rectangles": rectangles},
            "grid": {"scheme": "fd4o", "cell": "6 cm", "courant": 0.4},
            "band": {"centre": "500 MHz", "width": "100 MHz"},
            "transmitters": [{"name": "ap", "at": [7.0, 7.6]}],
            "receivers": [{"name": name, "at": at} for name, at in sensors.items()],
            "spectra": {"count": 17},
            "stop": {"after": "120 ns", "decay": "off"},
        }
    )


def levels(found: pw.Gradients) -> np.ndarray:
    """Power at every sensor and frequency [dB]."""
    return 20 * np.log10(np.abs(found.response[0]))


# %% [markdown]
# ## What was measured
#
# It is made here, from other walls than the plan has and with half a decibel of noise. Of the fifth sensor nothing goes into the fit.
# %%
truth, noise = np.array([5.0, 0.06, 2.5, 0.01]), 0.5
measured = levels(flat(truth).gradients(names))
measured += np.random.default_rng(4).normal(0, noise, measured.shape)
# %% [markdown]
# ## The fit
#
# One run from the access point and one from each sensor give the channels and how they change with all four numbers. Steps are taken in
# logarithms, with what was believed before as a prior: within a factor of 1.4 and of 2.
# %%
believed, spread = np.array([4.0, 0.03, 3.2, 0.02]), np.log([1.4, 2.0, 1.4, 2.0])
value, off = believed, []
for step in range(8):
    found = flat(value).gradients(names)
    rest = measured - levels(found)
    off.append(np.sqrt(np.mean(rest**2, axis=1)))
    print(f"step {step}: {np.round(value, 4)}; fitted sensors {np.sqrt(np.mean(off[-1][:4] ** 2)):.2f} dB off, kitchen {off[-1][4]:.2f} dB")
    change = (found.per_relative[0] / found.response[0][:, None]).real.transpose(0, 2, 1)  # (sensor, frequency, parameter)
    jacobian = 20 / np.log(10) * change[:4].reshape(-1, len(names))
    rows = np.vstack([jacobian / noise, np.diag(1 / spread)])
    aims = np.concatenate([rest[:4].ravel() / noise, np.log(believed / value) / spread])
    by = np.linalg.lstsq(rows, aims, rcond=None)[0]
    if np.max(np.abs(by)) < 0.01:
        break
    value = value * np.exp(np.clip(by, -0.3, 0.3))
sure = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
for name, is_, fitted, error in zip(names, truth, value, sure):
    print(f"{name}: {fitted:.3g} ± {100 * error:.0f} %; it is {is_}")
assert off[-1][4] < 0.5 * off[0][4]
# %%
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
axes[0].plot(np.array(off), "o-", label=list(sensors))
axes[0].set(xlabel="step", ylabel="levels are off by [dB]", yscale="log")
axes[0].legend()
decides = found.map(0, list(sensors).index("kitchen"))
most = np.abs(decides.values).max()
picture = axes[1].pcolormesh(decides.x, decides.y, decides.values, cmap="RdBu_r", vmin=-most / 4, vmax=most / 4)
axes[1].plot(7.0, 7.6, "k^")
axes[1].plot(*sensors["kitchen"], "ko")
axes[1].set(aspect="equal", title="which walls decide for the kitchen", xlabel="x [m]", ylabel="y [m]", xlim=(0, 15.36), ylim=(0, 15.36))
figure.colorbar(picture, ax=axes[1], label="dB per m² and relative change")
plt.show()
# %% [markdown]
# Inside PyTorch or JAX, `pw.torch_response` and `jax_response` make the flat a layer that either library differentiates, so that any
# loss and any optimiser can stand behind it. Measurements over a whole map are fitted by `planwave calibrate --joint`.
