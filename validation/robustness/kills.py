"""Commands that are killed at moments that nobody chose: run, sweep, uncertainty, place and calibrate, over backends and dimensions.

    python3 validation/robustness/kills.py [build/planwave] [KILLS] [SEED]      default: 1000 kills, seed 1

A command gets SIGKILL, SIGINT, SIGTERM or SIGHUP at a random time, is started again in the same folder, perhaps killed again, and then left alone.
What it then wrote must have the bits of a command that was never disturbed, and nothing else may lie in its folders. After a signal that it can
notice no temporary file may lie there either. Prints a line for each kind; status 1 when something did not hold."""
import collections
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PLANWAVE, KILLS, SEED = sys.argv[1:] + ["build/planwave", "1000", "1"][len(sys.argv) - 1:]
PLANWAVE = os.path.abspath(PLANWAVE)
PATIENCE = 900  # s: a command that takes so long hangs
QUICK_END = 2.0  # s of the processor, since others may use the machine: from a signal to the end
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

FLAT = """title: A job to be killed
{kind}
plan: {{size: [3 m, 2 m], {storey}rectangles: [{{from: [1 m, 0 m], to: [1.1 m, 1.5 m], material: brick}}]}}
grid: {{scheme: {scheme}, cell: {cell}, absorber: {{cells: 6}}}}
band: {{centre: {centre}, width: 400 MHz}}
transmitters:
  - {{name: west, at: [0.3 m, 0.5 m{z}]}}
  - {{name: east, at: [2.3 m, 0.5 m{z}]}}
receivers: [{{name: near, at: [0.3 m, 0.9 m{z}]}}]
spectra: {spectra}
stop: {{after: {after}, decay: off}}
"""
STUDY = {"scheme": "dd4", "cell": "4 cm", "centre": "1 GHz", "z": "", "storey": "", "spectra": "{count: 9, spacing: 2 cells}", "after": "20 ns"}


def flat(kind, **changed):
    return FLAT.format(kind=kind, **{**STUDY, **changed})


DEEP = {"scheme": "yee", "cell": "8 cm", "centre": "500 MHz", "z": ", 1 m", "storey": "storey: {height: 2 m}, ",
        "spectra": "{count: 9, spacing: 2 cells, heights: [1 m]}"}
VERTICAL = flat("dimensions: 2", cell="2.5 cm", centre="1.2 GHz", after="100 ns")
HORIZONTAL = flat("dimensions: 2\npolarisation: horizontal", scheme="yee", cell="2.5 cm", after="80 ns")
SPACE = flat("dimensions: 3", after="30 ns", **DEEP)
SWEEP = "scenario: job.yaml\noutput: out\ngrid:\n  plan.rectangles.0.material: [brick, concrete, glass]\n"
THICK = flat("").replace("[1.1 m, 1.5 m]", "[1.4 m, 2 m]")
READINGS = "x,y,transmitter,power\n" + "".join(f"{0.5 + 0.02 * n + 1.4 * (n % 2):.2f},{0.3 + 0.37 * n % 1.4:.2f},west,{-30 - n - 10 * (n % 2)}\n" for n in range(20))

QUICK = ["--threads", "1", "--backend"]
RUN = ["--progress", "none", "--checkpoint", "0.01s", "--resume", "-o", "out.h5", *QUICK]
MADE = ["--vary", "brick:conductivity=50%", "--samples", "8", "--local-mean", "--whole-plan", "-o", "out.png"]
PLACED = ["--candidates", "0.5,0.5;0.5,1.5;2.5,0.5;2.5,1.5", "--demand", "grid:0.5m", "--area", "all=0,0,3,2", "--best", "2", "-o", "out.yaml", "--levels", "out.csv"]
FITTED = ["--measured", "walk.csv", "--fit", "brick:conductivity", "--rounds", "2", "-o", "out.yaml", "--residuals", "out.csv"]
Study = collections.namedtuple("Study", "name files command")
STUDIES = [
    Study("run, 2D, cpu", {"job.yaml": VERTICAL}, ["run", "job.yaml", *RUN, "cpu"]),
    Study("run, 2D, cpu, double", {"job.yaml": VERTICAL}, ["run", "job.yaml", *RUN, "cpu", "--precision", "double"]),
    Study("run, 2D, reference", {"job.yaml": VERTICAL.replace("100 ns", "30 ns")}, ["run", "job.yaml", *RUN, "reference"]),
    Study("run, 2D horizontal, cpu", {"job.yaml": HORIZONTAL}, ["run", "job.yaml", *RUN, "cpu"]),
    Study("run, 3D, cpu", {"job.yaml": SPACE}, ["run", "job.yaml", *RUN, "cpu"]),
    Study("run, 3D, reference", {"job.yaml": SPACE.replace("30 ns", "15 ns")}, ["run", "job.yaml", *RUN, "reference"]),
    Study("sweep", {"job.yaml": flat(""), "sweep.yaml": SWEEP}, ["sweep", "run", "sweep.yaml", "--checkpoint", "0.01s", *QUICK, "cpu"]),
    Study("uncertainty", {"job.yaml": flat("")}, ["uncertainty", "job.yaml", *MADE, "-f", *QUICK, "cpu"]),
    Study("place", {"job.yaml": flat("")}, ["place", "job.yaml", *PLACED, "-f", *QUICK, "cpu"]),
    Study("calibrate", {"job.yaml": THICK, "walk.csv": READINGS}, ["calibrate", "measured.h5", *FITTED, "-f", *QUICK[2:], "cpu"]),
]


def start(study, folder):
    log = open(folder / "log", "ab")
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([PLANWAVE, *study.command], cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)


def processor_seconds(process):
    """So far; of a process that has ended, all of it; nan: it is gone."""
    try:
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return math.nan
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def prepare(study, folder, given):
    (folder / "tmp").mkdir(parents=True)
    for name, text in study.files.items():
        (folder / name).write_text(text)
    if study.name == "calibrate":
        shutil.copy(given, folder / "measured.h5")


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.name not in ("log", "tmp"))


def same(one, other):
    """Results by the program itself, since a file of HDF5 may say when it was made; all else by its bytes."""
    if one.is_dir():
        return other.is_dir()
    if one.suffix == ".h5":
        return subprocess.run([PLANWAVE, "compare", one, other, "--max-error", "0"], capture_output=True).returncode == 0
    return one.read_bytes() == other.read_bytes()


def undisturbed(study, folder, given):
    prepare(study, folder, given)
    begin = time.monotonic()
    status = start(study, folder).wait(PATIENCE)
    took = time.monotonic() - begin
    if status != 0:
        sys.exit(f"{study.name}: status {status} when left alone\n{(folder / 'log').read_text()}")
    return took


def ended(process):
    """Without taking its end away, so that its processor seconds can still be read."""
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:  # it ended before the signal, which noticed
        return True


class Trial:
    """One folder, in which a command is killed until it is left alone."""

    def __init__(self, study, whole, folder, took, dice):
        self.study, self.whole, self.folder, self.took, self.dice = study, whole, folder, took, dice
        self.kills, self.faults = collections.Counter(), []

    def say(self, what):
        self.faults.append(f"{self.study.name}: {what} ({self.folder})")

    def disturb(self):
        """A signal at a random time; False when the command was over before."""
        before = listing(self.folder)
        process, which = start(self.study, self.folder), self.dice.choice(SIGNALS)
        time.sleep(self.dice.uniform(0.0, 1.05 * self.took))
        alive = process.poll() is None
        if alive:
            spent = processor_seconds(process)
            process.send_signal(which)
            patience = time.monotonic() + PATIENCE
            while not ended(process) and time.monotonic() < patience:
                time.sleep(0.01)
            spent = processor_seconds(process) - spent
            if spent > QUICK_END or time.monotonic() > patience:
                self.say(f"took {spent:.1f} s of the processor after {which.name}")
            process.kill()
        status = process.wait()
        self.kills[which.name] += alive and status != 0
        if status not in (0, 1 if self.study.name == "place" else 0, 6, -which, 128 + which):
            self.say(f"status {status} after {which.name}")
        left = [name for name in listing(self.folder) if ".partial-" in name and name not in before]
        if which != signal.SIGKILL and left:
            self.say(f"{which.name} left {left}")
        return status != 0

    def finish(self):
        for left in (self.folder / "tmp").iterdir():
            os.utime(left, (0, time.time() - 61))  # the next command removes what a killed one left a minute ago
        over = (self.folder / "out.h5").exists()  # the signal came after the end
        status = 0 if over else start(self.study, self.folder).wait(PATIENCE)
        if status != 0:
            self.say(f"status {status} when it was left alone")
        there, wanted = listing(self.folder), listing(self.whole)
        if there != wanted:
            self.say(f"holds {there} and not {wanted}")
        for name in set(there) & set(wanted) - set(self.study.files) - {"measured.h5"}:
            if not same(self.whole / name, self.folder / name):
                self.say(f"{name} has other bits")
        if os.listdir(self.folder / "tmp"):
            self.say(f"temporary: {os.listdir(self.folder / 'tmp')}")
        if not self.faults:
            shutil.rmtree(self.folder)


def main():
    dice, root, begin = random.Random(int(SEED)), pathlib.Path(tempfile.mkdtemp(prefix="kills-")), time.monotonic()
    given = root / "measured.h5"
    (root / "job.yaml").write_text(THICK)
    subprocess.run([PLANWAVE, "run", "job.yaml", "-q", "--threads", "1", "--backend", "cpu", "-o", given], cwd=root, check=True, capture_output=True)
    took = {}
    for study in STUDIES:
        undisturbed(study, root / f"first {study.name}", given)  # warm
        took[study.name] = undisturbed(study, root / f"whole {study.name}", given)
    counts, trials, faults = {study.name: collections.Counter() for study in STUDIES}, collections.Counter(), []
    while sum(sum(count.values()) for count in counts.values()) < int(KILLS):
        study = min(STUDIES, key=lambda one: (0.2 + took[one.name]) * sum(counts[one.name].values()))  # so that all take about as long
        trial = Trial(study, root / f"whole {study.name}", root / f"{study.name} {trials[study.name]}", took[study.name], dice)
        prepare(study, trial.folder, given)
        again = dice.choice([1, 2, 3, 4])
        while again > 0 and trial.disturb():
            again -= 1
        trial.finish()
        counts[study.name] += trial.kills
        trials[study.name] += 1
        faults += trial.faults
        for fault in trial.faults:
            print(fault, flush=True)
    for study in STUDIES:
        count = counts[study.name]
        print(f"{study.name:26s} {sum(count.values()):5d} kills in {trials[study.name]:4d} commands: "
              + ", ".join(f"{number} {name}" for name, number in sorted(count.items())))
    print(f"{sum(sum(count.values()) for count in counts.values())} kills in {time.monotonic() - begin:.0f} s, seed {SEED}: {len(faults)} faults")
    if not faults:
        shutil.rmtree(root)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
