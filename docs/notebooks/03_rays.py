# %% [markdown]
# # Full wave against rays
#
# The same two rooms solved by planwave and by rays: where do they agree, and what do rays leave out? The rays are images with Fresnel's
# coefficients of a slab, written out below, and those of Sionna RT where that is installed and works.
# %%
import importlib.util
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import planwave as pw

LIGHT = 299792458.0
FREQUENCY = 2.0e9
THICKNESS, PERMITTIVITY, CONDUCTIVITY = (
    0.12,
    3.91,
    0.0238 * (FREQUENCY * 1e-9) ** 0.16,
)  # brick of ITU-R P.2040-4
OFFSET = 1.0  # m of air around
WALLS = OFFSET + np.array(  # from and to [m]: a room of 8 by 6 m, and a wall with an open end in it
    [[[0, 0], [8, 0]], [[8, 0], [8, 6]], [[8, 6], [0, 6]], [[0, 6], [0, 0]], [[5, 0], [5, 4]]],
    dtype=float,
)
SENDER = OFFSET + np.array([2.0, 2.0])


# %% [markdown]
# ## Full wave
#
# In two dimensions everything is upright and endless, and the antennas are at one height. For rays that is a building without floor and
# ceiling. Their power falls with the square of a path's length, and planwave's step to three dimensions by delay does the same.
# %%
def solved(inner):
    """Path loss over the floor with an inner wall of this material."""
    materials = ["brick"] * 4 + [inner]
    walls = [
        {"from": a, "to": b, "thickness": THICKNESS, "material": material}
        for (a, b), material in zip(WALLS.tolist(), materials)
    ]
    scenario = {
        "plan": {"size": [10, 8], "walls": walls},
        "band": {"centre": FREQUENCY, "width": "80 MHz"},
        "transmitters": [{"name": "ap", "at": SENDER.tolist()}],
        "grid": {"scheme": "fd4o", "cell": "1.6 cm"},  # one lattice for both
    }
    return pw.Scenario(scenario).run().map("path-loss", local_mean="40 cm")


waves = {inner: solved(inner) for inner in ("brick", "metal")}


# %% [markdown]
# ## Rays
#
# A path is an ordered list of walls that it is reflected by, at most three. The image of the transmitter in these walls gives its length
# and, traced back from the receiver, its points; a path counts when these lie on the walls. At each wall it is multiplied by the
# coefficient of a slab at that angle, reflected or passed through, with the field along z. Nothing is bent around the end of the wall: there is no
# diffraction. Powers of the paths are added, which is the mean over a few wavelengths.
# %%
def slab(cosine, metal):
    """Reflected and transmitted amplitude of a slab of brick, field parallel to its faces (ITU-R P.2040-4, 2.2.2.2), or of metal."""
    if metal:
        return -np.ones_like(cosine), np.zeros_like(cosine)
    eta = PERMITTIVITY - 1j * CONDUCTIVITY / (2 * np.pi * FREQUENCY * 8.8541878128e-12)
    inside = np.sqrt(eta - (1 - cosine**2))
    face = (cosine - inside) / (cosine + inside)
    phase = 2 * np.pi * FREQUENCY * THICKNESS / LIGHT * inside
    once = 1 - face**2 * np.exp(-2j * phase)
    return face * (1 - np.exp(-2j * phase)) / once, (1 - face**2) * np.exp(-1j * phase) / once


def crossing(start, end, wall):
    """Where the lines start-end (points, 2) meet a wall: whether within both, the point, and the cosine of the incidence."""
    along, way = wall[1] - wall[0], end - start
    normal = np.array([-along[1], along[0]]) / np.hypot(*along)
    toward = way @ normal
    with np.errstate(divide="ignore", invalid="ignore"):
        part = ((wall[0] - start) @ normal) / toward
        point = start + part[:, np.newaxis] * way
        beside = (point - wall[0]) @ along / (along @ along)
        cosine = np.abs(toward) / np.hypot(*way.T)
    meets = (part > 1e-9) & (part < 1 - 1e-9) & (beside >= 0) & (beside <= 1)
    return meets, point, cosine


def path_power(points, mirrors, metal):
    """Path gain over free space at 1 m of the path by these walls to each point (points, 2); 0 where there is none. The last wall may be metal."""
    images = [SENDER]
    for mirror in mirrors:
        first, last = WALLS[mirror]
        normal = np.array([first[1] - last[1], last[0] - first[0]]) / np.hypot(*(last - first))
        images.append(images[-1] - 2 * ((images[-1] - first) @ normal) * normal)
    power, end = np.ones(len(points)), points
    for number in range(len(mirrors), -1, -1):
        if number:
            meets, point, cosine = crossing(
                np.broadcast_to(images[number], end.shape), end, WALLS[mirrors[number - 1]]
            )
            power = np.where(
                meets,
                power
                * np.abs(slab(np.nan_to_num(cosine), metal and mirrors[number - 1] == 4)[0]) ** 2,
                0.0,
            )
        else:
            point = np.broadcast_to(SENDER, end.shape)
        point = np.where(power[:, np.newaxis] > 0, point, 0.0)
        ends = set(
            mirrors[max(number - 1, 0) : number + 1]
        )  # walls on which this piece begins or ends
        for other in set(range(len(WALLS))) - ends:
            meets, _, cosine = crossing(point, end, WALLS[other])
            power = np.where(
                meets,
                power * np.abs(slab(np.nan_to_num(cosine), metal and other == 4)[1]) ** 2,
                power,
            )
        end = point
    return power / np.sum((points - images[-1]) ** 2, axis=1)


def ray_power(points, reflections, metal):
    """Sum over all paths with at most so many reflections."""
    total = np.zeros(len(points))
    for count in range(reflections + 1):
        for mirrors in itertools.product(range(len(WALLS)), repeat=count):
            if all(a != b for a, b in itertools.pairwise(mirrors)):
                total += path_power(points, mirrors, metal)
    return total


x, y = waves["brick"].x[::2], waves["brick"].y[::2]
points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
free_space = 20 * np.log10(4 * np.pi * FREQUENCY / LIGHT)  # dB at 1 m


def rays(reflections, inner):
    with np.errstate(divide="ignore"):  # where no ray arrives the loss is infinite
        loss = free_space - 10 * np.log10(ray_power(points, reflections, inner == "metal"))
    return loss.reshape(y.size, x.size)


full = {inner: signal.values[::2, ::2] for inner, signal in waves.items()}
loss = {inner: rays(3, inner) for inner in full}


# %% [markdown]
# ## Side by side
#
# Compared is the floor of the rooms, a quarter of a metre away from walls and half a metre from the transmitter.
# %%
def distance(wall):
    along = wall[1] - wall[0]
    part = np.clip((points - wall[0]) @ along / (along @ along), 0, 1)
    return np.hypot(*(points - wall[0] - part[:, np.newaxis] * along).T)


inside = np.all((points > OFFSET) & (points < np.array([8, 6]) + OFFSET), axis=1)
inside &= np.min([distance(wall) for wall in WALLS], axis=0) > 0.25
inside &= np.hypot(*(points - SENDER).T) > 0.5
inside = inside.reshape(y.size, x.size)
shadow = crossing(np.broadcast_to(SENDER, points.shape), points, WALLS[4])[0].reshape(inside.shape)

figure, axes = plt.subplots(2, 3, figsize=(12, 6.8), layout="constrained", sharex=True, sharey=True)
for line, inner in zip(axes, full):
    shown = {
        "full wave": full[inner],
        "rays": loss[inner],
        "rays less full wave": loss[inner] - full[inner],
    }
    for ax, (title, drawn) in zip(line, shown.items()):
        style = (
            {"cmap": "coolwarm", "vmin": -8, "vmax": 8}
            if "less" in title
            else {"cmap": "viridis_r", "vmin": 35, "vmax": 75}
        )
        image = ax.imshow(
            np.where(inside, drawn, np.nan),
            origin="lower",
            extent=(x[0], x[-1], y[0], y[-1]),
            **style,
        )
        for wall in WALLS:
            ax.plot(*wall.T, color="black", linewidth=2)
        ax.plot(*SENDER, "^", color="#d01c1c", markersize=8)
        ax.set(title=f"{title}, inner wall of {inner}", xlim=(0.8, 9.2), ylim=(0.8, 7.2))
        if title != "full wave":
            figure.colorbar(image, ax=ax, label="path loss [dB]" if title == "rays" else "[dB]")
plt.show()


def compare(name, difference, behind):
    for words, where in (("in sight", ~behind), ("behind the wall", behind)):
        wrong = difference[where & np.isfinite(difference)]
        none = 100 * np.mean(np.isinf(difference[where]))
        errors = (
            f"mean {wrong.mean():+4.1f} dB, RMS {np.sqrt(np.mean(wrong**2)):3.1f} dB; "
            if wrong.size
            else ""
        )
        print(f"{name:36} {words:15} {errors}no ray at {none:.0f} %")


for inner in full:
    for reflections in (0, 1, 3):
        predicted = rays(reflections, inner)
        compare(
            f"{inner}, {reflections} reflections, less full wave",
            (predicted - full[inner])[inside],
            shadow[inside],
        )
# %% [markdown]
# With brick the two agree within half a decibel, in sight and behind the wall, once reflections are in: two methods that share nothing but
# the coefficients of brick. Behind metal nothing comes through, and rays arrive only by reflections; what bends around its end is missing.
# %%
row = np.argmin(np.abs(y - (OFFSET + 1.0)))
across = inside[row]
figure, ax = plt.subplots(figsize=(9, 3.6), layout="constrained")
for inner, colour in (("brick", "#0072b2"), ("metal", "#d55e00")):
    ax.plot(
        x, np.where(across, -full[inner][row], np.nan), label=f"full wave, {inner}", color=colour
    )
    ax.plot(
        x, np.where(across, -loss[inner][row], np.nan), "--", label=f"rays, {inner}", color=colour
    )
ax.axvline(OFFSET + 5, color="black", linewidth=2)
ax.set(
    xlabel="x [m]",
    ylabel="path gain [dB]",
    title=f"along y = {y[row]:.1f} m, across the inner wall at x = 6 m",
)
ax.legend()
plt.show()
# %% [markdown]
# ## Sionna RT
#
# The walls of brick as upright rectangles of ITU brick of the same thickness, without floor and ceiling. It runs in a process of its own: on
# processors with AVX-512 it ends with `LLVM ERROR: Cannot select` unless LLVM is new enough (19 works, 14 to 16 do not; `DRJIT_LIBLLVM_PATH`
# names the library). When this was written, with sionna-rt 2.2.0 and LLVM 19, its powers were those of the images above within 0.05 dB, and so
# 0.5 dB (root mean square) from the full wave, in sight and behind the wall.
# %%
SIONNA = """
import sys, numpy as np, sionna.rt as rt
folder, frequency, thickness = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
data = np.load(folder + "/points.npz")
corners = [(x, y, z) for (a, b) in data["walls"] for (x, y), z in ((a, -30), (b, -30), (b, 30), (a, 30))]
faces = [f"3 {n} {n + i} {n + i + 1}" for n in range(0, len(corners), 4) for i in (1, 2)]
with open(folder + "/walls.ply", "w") as ply:
    ply.write(f"ply\\nformat ascii 1.0\\nelement vertex {len(corners)}\\nproperty float x\\nproperty float y\\nproperty float z\\n")
    ply.write(f"element face {len(faces)}\\nproperty list uchar int vertex_indices\\nend_header\\n")
    ply.write("\\n".join([*("%g %g %g" % corner for corner in corners), *faces]) + "\\n")
with open(folder + "/walls.xml", "w") as xml:
    xml.write('<scene version="2.1.0"><shape type="ply" id="walls"><string name="filename" value="walls.ply"/>'
              '<bsdf type="itu-radio-material" id="brick"><string name="type" value="brick"/>'
              f'<float name="thickness" value="{thickness}"/></bsdf></shape></scene>')
scene = rt.load_scene(folder + "/walls.xml")
scene.frequency = frequency
scene.tx_array = scene.rx_array = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")
scene.add(rt.Transmitter("ap", position=[*map(float, data["sender"]), 0.0]))
for n, point in enumerate(data["points"]):
    scene.add(rt.Receiver(f"r{n}", position=[*map(float, point), 0.0]))
paths = rt.PathSolver()(scene, max_depth=4, refraction=True, diffraction=False, samples_per_src=100000)
a, _ = paths.cir(normalize_delays=False, out_type="numpy")
np.save(folder + "/gain.npy", np.sum(np.abs(a[:, 0, 0, 0, :, 0]) ** 2, axis=-1))
"""
rows, columns = np.nonzero(inside)
some = slice(0, None, max(1, rows.size // 400))
rows, columns = rows[some], columns[some]
if importlib.util.find_spec("sionna") is None:
    print("sionna-rt is not installed here: the images above are all the rays there are")
else:
    folder = Path(tempfile.mkdtemp())
    np.savez(
        folder / "points.npz",
        walls=WALLS,
        sender=SENDER,
        points=np.stack([x[columns], y[rows]], axis=1),
    )
    words = [sys.executable, "-c", SIONNA, str(folder), str(FREQUENCY), str(THICKNESS)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=280)
    if done.returncode != 0:
        print(
            "Sionna RT did not run here:",
            next((line for line in done.stderr.splitlines() if "rror" in line), done.returncode),
        )
    else:
        with np.errstate(divide="ignore"):
            sionna = -10 * np.log10(np.load(folder / "gain.npy"))
        compare(
            "Sionna RT less full wave", sionna - full["brick"][rows, columns], shadow[rows, columns]
        )
        compare(
            "Sionna RT less the images above",
            sionna - loss["brick"][rows, columns],
            shadow[rows, columns],
        )
