# %% [markdown]
# # A coating that takes the echo away
#
# A concrete wall reflects. Which foam in front of it takes the echo away? With exact gradients the best permittivity, loss and thickness of
# the foam are found in a few steps.
# %%
import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

receivers = [{"name": f"r{n}", "at": [1.0 + 0.3 * n, 0.5 + 0.4 * n]} for n in range(3)]


def hall(foam: np.ndarray, wall: object = "concrete") -> pw.Scenario:
    """A wall of 20 cm whose face is at x = 2.1 m; on it foam of (permittivity, conductivity [S/m], thickness [m])."""
    material = {"name": "foam", "relative_permittivity": foam[0], "conductivity": foam[1]}
    middle = 2.1 - foam[2] / 2
    return pw.Scenario(
        {
            "title": "A wall with a coating",
            "plan": {
                "size": [2.4, 2],
                "walls": [
                    {"from": [2.2, 0], "to": [2.2, 2], "thickness": 0.2, "material": wall},
                    {"from": [middle, 0], "to": [middle, 2], "thickness": foam[2], "material": material},
                ],
            },
            "grid": {"scheme": "fd4o", "cell": "2 cm", "courant": 0.4},
            "band": {"centre": "1 GHz", "width": "200 MHz"},
            "transmitters": [{"name": "ap", "at": [0.4, 1.0]}],
            "receivers": receivers,
            "spectra": {"count": 5},
            "stop": {"after": "40 ns", "decay": "off"},
        }
    )


# %% [markdown]
# The echo is the field less what it would be without a wall, where wall and foam are air. It is told at three receivers and five
# frequencies.
# %%
names = ["foam:permittivity", "foam:conductivity", "foam:thickness"]
air = {"name": "nothing", "relative_permittivity": 1}
free = hall(np.array([1.0, 0.0, 0.1]), air).gradients(["nothing:permittivity"]).response[0].ravel()


def echo(foam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The echo over the free field, and how it changes with the logarithm of each parameter, (value, parameter)."""
    found = hall(foam).gradients(names)
    change = found.per_relative[0].transpose(0, 2, 1).reshape(-1, len(names))
    return (found.response[0].ravel() - free) / np.linalg.norm(free), change / np.linalg.norm(free)


# %% [markdown]
# ## The fit
#
# The echo is a vector of complex numbers that should be zero, so a step of Gauss–Newton is a small least-squares problem. A step may
# change a parameter by a third at most. The foam may be 2 to 20 cm thick and lose up to 0.1 S/m.
# %%
least, most = np.array([1.05, 0.001, 0.02]), np.array([6.0, 0.1, 0.2])
foam, history = np.array([2.0, 0.005, 0.06]), []
for step in range(9):
    rest, change = echo(foam)
    history.append((*foam, 20 * np.log10(np.linalg.norm(rest))))
    print(f"step {step}: {foam[0]:.2f}, {1e3 * foam[1]:.1f} mS/m, {100 * foam[2]:.1f} cm; echo {history[-1][3]:.1f} dB")
    if step > 1 and history[-2][3] - history[-1][3] < 0.1:
        break
    rows = np.vstack([change.real, change.imag, 0.02 * np.eye(3)])  # the last: a step no longer than it has to be
    by = np.linalg.lstsq(rows, -np.concatenate([rest.real, rest.imag, np.zeros(3)]), rcond=None)[0]
    foam = np.clip(foam * np.exp(np.clip(by, -0.3, 0.3)), least, most)
# %% [markdown]
# The bare wall, the foam that the fit began with, and the best one:
# %%
best = np.array(min(history, key=lambda one: one[3])[:3])
bare = hall(np.array([1.0, 0.0, 0.06])).gradients(["concrete:permittivity"])
shown = {
    "bare wall": bare.response[0].ravel() / np.linalg.norm(free) - free / np.linalg.norm(free),
    "first foam": echo(np.array(history[0][:3]))[0],
    "best foam": echo(best)[0],
}
decibels = {name: 20 * np.log10(np.linalg.norm(rest)) for name, rest in shown.items()}
print(", ".join(f"{name} {level:.1f} dB" for name, level in decibels.items()))
assert decibels["best foam"] < decibels["bare wall"] - 12
figure, ax = plt.subplots(figsize=(6.8, 3.6), layout="constrained")
for (name, rest), colour in zip(shown.items(), ["#999999", "#4393c3", "#b2182b"]):
    power = np.sum(np.abs(rest.reshape(len(receivers), -1)) ** 2, axis=0)
    power /= np.sum(np.abs(free.reshape(len(receivers), -1)) ** 2, axis=0) / np.linalg.norm(free) ** 2
    ax.plot(bare.frequencies / 1e6, 10 * np.log10(power), "o-", color=colour, label=name)
ax.set(xlabel="frequency [MHz]", ylabel="echo over the free field [dB]")
ax.legend()
plt.show()
# %% [markdown]
# Films without thickness, such as the metal on coated panes, are a parameter too where the nodes follow their resistance smoothly
# (`coating:resistance`); where they do not, `gradients` says so instead of giving a number.
