# %% [markdown]
# # What is that wall made of?
#
# Ten receivers behind a wall, and exact gradients: the wall's permittivity and conductivity in a few Gauss–Newton steps.
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

# %% [markdown]
# ## What was measured
#
# A wall of 20 cm across a room. What it is made of, the fit is not told. Each of ten receivers behind it reads the power at nine
# frequencies, with half a decibel of noise.
# %%
wall = {"from": [2, 0], "to": [2, 3], "thickness": "20 cm"}
places = [[2.5 + 0.2 * (n % 5), 0.7 + 0.3 * n % 1.7] for n in range(10)]


def room(permittivity: float, conductivity: float) -> pw.Scenario:
    material = {"name": "wall", "relative_permittivity": permittivity, "conductivity": conductivity}
    return pw.Scenario(
        {
            "title": "A wall between",
            "plan": {"size": [4, 3], "walls": [{**wall, "material": material}]},
            "grid": {"scheme": "fd4o", "cell": "2 cm", "courant": 0.4},
            "band": {"centre": "1 GHz", "width": "400 MHz"},
            "transmitters": [{"name": "ap", "at": [0.8, 1.4]}],
            "receivers": [{"name": f"r{n}", "at": at} for n, at in enumerate(places)],
            "spectra": {"count": 9},
            "stop": {"after": "40 ns", "decay": "off"},
        }
    )


names = ["wall:permittivity", "wall:conductivity"]


def levels(found: pw.Gradients) -> np.ndarray:
    """Power of every receiver and frequency [dB]."""
    return 20 * np.log10(np.abs(found.response[0])).ravel()


def jacobian(found: pw.Gradients) -> np.ndarray:
    """How they change with the logarithm of each parameter [dB]."""
    change = found.per_relative[0] / found.response[0][:, None]  # (receiver, parameter, frequency)
    return 20 / np.log(10) * change.real.transpose(0, 2, 1).reshape(-1, len(names))


truth, noise = np.array([4.8, 0.05]), 0.5
drawn = np.random.default_rng(1).normal(0, noise, 9 * len(places))
measured = levels(room(*truth).gradients(names)) + drawn
# %% [markdown]
# ## The fit
#
# `gradients` solves one run from the transmitter and one from each receiver. It returns the responses and, exactly, how they change with
# every parameter. A step of Gauss–Newton is then a small least-squares problem, in logarithms, so that nothing becomes negative. What is
# believed before, brick to within 30 % and its loss to within a factor of e, enters as two more rows: the prior.
# %%
guess, believed = np.array([4.0, 0.025]), np.array([0.3, 1.0])
value, history = guess, [guess]
for step in range(6):
    found = room(*value).gradients(names)
    rest = measured - levels(found)
    rows = np.vstack([jacobian(found) / noise, np.diag(1 / believed)])
    aims = np.concatenate([rest / noise, np.log(guess / value) / believed])
    change = np.linalg.lstsq(rows, aims, rcond=None)[0]
    print(f"step {step}: {value[0]:.3f}, {value[1]:.4f} S/m; levels off by {np.sqrt(np.mean(rest**2)):.2f} dB")
    if np.max(np.abs(change)) < 0.003:
        break
    value = value * np.exp(np.clip(change, -0.3, 0.3))
    history.append(value)
error = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))  # of the logarithms
for name, is_, found_value, off in zip(names, truth, value, error):
    print(f"{name}: {found_value:.4g} +- {100 * off:.1f} %; it is {is_}")
assert np.all(np.abs(np.log(value / truth)) < 4 * error)
# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
axes[0].plot(*np.array(history).T, "o-", color="#2166ac", label="steps")
axes[0].plot(*truth, "*", color="#b2182b", markersize=14, label="what it is")
axes[0].set(xlabel="permittivity", ylabel="conductivity [S/m]")
axes[0].legend()
axes[1].plot(levels(found), measured, ".", color="#2166ac")
axes[1].axline((measured.min(), measured.min()), slope=1, color="#999999")
axes[1].set(xlabel="fitted [dB]", ylabel="measured [dB]")
plt.show()
# %% [markdown]
# With few parameters and a whole map of measurements the other way is cheaper: `Result.calibrate_joint` and
# `scenario.uncertainty(..., method="first-order")` change one parameter a run, and see every place at once.
