"""Messages of every type with extreme values to `planwave serve`, as fast as it takes them: none may end it, keep it waiting or lose a change.

    python3 validation/live/messages.py [build/planwave] [COUNT] [MEMORY]      default: 10000 messages under 500MB

Each message has a number, and its answer must come within two seconds. At the end the scenario that the server tells must be the one in the
file of what is not saved, after a kill that it cannot notice. Prints the counts; status 1 when something did not hold."""
import base64
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

PLANWAVE, COUNT, MEMORY = sys.argv[1:] + ["build/planwave", "10000", "500MB"][len(sys.argv) - 1:]
PLANWAVE = os.path.abspath(PLANWAVE)
PATIENCE, PAUSE = 2.0, 1 / 110  # s: for an answer; between messages, of which it takes 120 a second
ROOM = """plan:
  size: [3 m, 2 m]
  walls: [{from: [1 m, 0 m], to: [1 m, 1.5 m], thickness: 10 cm, material: brick}]
  openings: [{from: [0.9 m, 0.5 m], to: [1.1 m, 1 m]}]
band: {centre: 1.2 GHz, width: 200 MHz}
transmitters: [{name: a, at: [0.3 m, 0.5 m]}]
"""
NUMBERS = [0, -0.0, 1, -1, 0.5, 1.5, 3, 2, 1e-4, 1e-300, 1e300, -1e300, 1e5, 1e6, 1e9, 2.4e9, 6e10, 1e12, 1e15, 1000, 1e7, 2**53, 2**63, 10]
TEXTS = ["a", "b", "ap1", "", "best", "brick", "air", "metal", "wood", "x" * 63, "x" * 64, "\u0000", "../a", "\ud7ff", "room-unsaved.yaml"]
KEYS = {
    "move": ["transmitter", "x", "y", "drag"], "add": ["x", "y", "name", "like"], "remove": ["transmitter"],
    "wall": ["from", "to", "thickness", "material"], "erase": ["x", "y"],
    "material": ["name", "relative_permittivity", "conductivity"], "power": ["transmitter", "power"], "tune": ["transmitter", "number", "width"],
    "rename": ["transmitter", "name"], "band": ["centre", "width"],
    "undo": [], "redo": [], "view": ["quantity", "transmitter", "local_mean"], "channel": ["x", "y", "transmitter"], "mimo": ["x", "y", "transmitter", "antennas", "snr"],
    "wave": ["on", "transmitter", "speed", "paused"], "report": [], "sensitivity": ["x", "y", "transmitter"], "stop": [], "save": ["name", "overwrite"],
}
USUAL = {"transmitter": "a", "name": "brick", "material": "brick", "drag": False, "on": True, "x": 1.0, "y": 0.75, "thickness": 0.1,
         "relative_permittivity": 4, "conductivity": 0.01, "power": 20, "centre": 1.3e9, "speed": 4, "quantity": "sinr", "number": 1,
         "width": 2e8}


def value(key, dice):
    """Mostly what fits, so that messages get far; else anything."""
    if dice.random() < 0.6 and key in USUAL:
        return USUAL[key]
    if key in ("from", "to"):
        return [dice.choice([0, 0.2, 1, 2.9, *NUMBERS]), dice.choice([0, 0.7, 1.9, *NUMBERS])]
    return dice.choice([*NUMBERS, *NUMBERS, *TEXTS, True, False, None, [], {}])


def message(dice):
    """One of any type; now and then one that is none."""
    if dice.random() < 0.02:
        return dice.choice(["[" * 8000, '{"a":' * 2000, "nul", '"\\ud800"', "{}", "[]", "\u0000"])
    kind = dice.choice(list(KEYS))
    said = {"type": kind}
    said.update({key: value(key, dice) for key in KEYS[kind] if dice.random() < 0.9})
    return said


class Line:
    """A WebSocket, without comfort."""

    def __init__(self, address):
        port, token = re.search(r":(\d+)/([^/\s]+)/", address).groups()
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=30)
        self.socket.sendall((f"GET /{token}/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode() +
                             "\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.bytes += self.socket.recv(4096)
        self.bytes = self.bytes.partition(b"\r\n\r\n")[2]

    def send(self, text):
        data = text.encode("utf-8", "surrogatepass")
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + size + bytes(4) + data)

    def take(self, count):
        while len(self.bytes) < count:
            came = self.socket.recv(1 << 20)
            if not came:
                raise EOFError
            self.bytes += came
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def next(self):
        """(opcode, bytes) of the next frame."""
        head = self.take(2)
        size = head[1] & 127
        size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0] if size == 127 else size
        return head[0] & 15, self.take(size)

    def answer(self, number):
        """What comes with this number, or a refusal without one, of what is no JSON."""
        while True:
            opcode, data = self.next()
            if opcode == 1:
                told = json.loads(data)
                if (number is not None and told.get("id") == number) or (told["type"] == "refused" and "id" not in told):
                    return told


def resident(process):
    """Bytes that the server holds."""
    with open(f"/proc/{process.pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def main():
    dice = random.Random(7)
    os.chdir(tempfile.mkdtemp())
    with open("room.yaml", "w", encoding="ascii") as room:
        room.write(ROOM)
    with open("log", "w", encoding="utf-8") as log:
        server = subprocess.Popen([PLANWAVE, "serve", "-q", "--memory", MEMORY, "room.yaml"], stdout=log, stderr=log)
    address = ""
    while not address.startswith("http"):
        time.sleep(0.1)
        with open("log", encoding="utf-8") as log:
            address = log.readline().strip()
    line, counts, slowest, most = Line(address), {}, 0.0, 0
    for n in range(int(COUNT)):
        said = message(dice)
        number = n if isinstance(said, dict) else None
        began = time.monotonic()
        line.send(json.dumps({**said, "id": n}) if number is not None else said)
        told = {"type": "report"} if number is not None and said["type"] in ("report", "sensitivity") else line.answer(number)
        taken = time.monotonic() - began
        if taken > slowest:
            slowest, at = taken, said
        most = max(most, resident(server)) if n % 50 == 0 else most
        counts[told["type"]] = counts.get(told["type"], 0) + 1
        time.sleep(max(0.0, PAUSE - taken))
    with urllib.request.urlopen(address + "scenario.yaml", timeout=10) as page:
        scenario = page.read().decode()
    server.send_signal(signal.SIGKILL)
    server.wait()
    kept = [name for name in os.listdir(".") if re.fullmatch(r"room-unsaved(-\d+)?\.yaml", name)]
    saved = any(open(name, encoding="utf-8").read() == scenario for name in kept)
    print(f"{COUNT} messages under {MEMORY}: {counts}; slowest {slowest:.2f} s ({str(at)[:90]}); at most {most / 1e6:.0f} MB resident; "
          f"the last scenario is {'kept' if saved else 'LOST'}")
    return 0 if saved and slowest < PATIENCE else 1


if __name__ == "__main__":
    sys.exit(main())
