"""How long `planwave serve` takes from a move of the first transmitter to the whole frame of its map, over the WebSocket and without a browser: medians and
95th percentiles of the preview (moves of a drag, one after the other) and of the full map (moves that are let go).

    python3 validation/live/live_latency.py build/planwave [--backend cpu] [--threads 2] [--moves 50] [--full 5] [--seconds 60] SCENARIO.yaml...

One line per scenario. A move is sent when the map of the one before has come; what counts is the time from the message to the last byte of the first map of that
revision. Needs Python and served.py beside it: the WebSocket is spoken here (RFC 6455)."""
import argparse
import json
import math
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time

import served

MAP = 1


class Line:
    """A WebSocket to the server; texts and frames come as they were sent."""

    def __init__(self, address):
        host, port, token = re.fullmatch(r"http://([^:]+):(\d+)/(\S+)/", address).groups()
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""  # that have come and were not taken yet
        self.number = 0
        self.socket.sendall(f"GET /{token}/live HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more(time.monotonic() + 10)
        self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]

    def more(self, until):
        """Waits for further bytes; TimeoutError leaves those that there are."""
        self.socket.settimeout(max(0.01, until - time.monotonic()))
        more = self.socket.recv(1 << 20)
        if not more:
            raise SystemExit("the server closed the line")
        self.bytes += more

    def send(self, message):
        text = json.dumps(message).encode()
        head = struct.pack("!BB", 0x81, 0x80 | len(text)) if len(text) < 126 else struct.pack("!BBH", 0x81, 0xfe, len(text))
        self.socket.sendall(head + bytes(4) + text)

    def receive(self, until):
        """The next text as an object, or the next frame as bytes; pings are passed over (the server only closes who is silent for long)."""
        while True:
            while True:
                first, length = (self.bytes + b"\0\0")[:2]
                head = 2 + {126: 2, 127: 8}.get(length, 0)
                whole = head + (int.from_bytes(self.bytes[2:head], "big") if head > 2 else length)
                if len(self.bytes) >= max(2, head) and len(self.bytes) >= whole:
                    break
                self.more(until)
            body, self.bytes = self.bytes[head:whole], self.bytes[whole:]
            if first & 15 == 9:
                self.socket.sendall(struct.pack("!BB", 0x8a, 0x80 | len(body)) + bytes(4) + body)
            elif first & 15 == 8:
                raise SystemExit("the server closed the line")
            elif first & 15 in (1, 2):
                return json.loads(body) if first & 15 == 1 else body

    def await_map(self, revision, full, until):
        """The header of the first map of the revision or a later one."""
        while True:
            got = self.receive(until)
            if isinstance(got, bytes) and got[4] == MAP and (got[6] == 1 or not full) and struct.unpack_from("<I", got, 8)[0] >= revision:
                return got
            if isinstance(got, dict) and got["type"] == "failed":
                raise SystemExit(f"failed: {got['text']}")

    def ask(self, message, until):
        self.number += 1
        self.send({**message, "id": self.number})
        while True:
            got = self.receive(until)
            if isinstance(got, dict) and got.get("id") == self.number:
                if got["type"] != "done":
                    raise SystemExit(f"refused: {got}")
                return got["revision"]


def serve(program, scenario, options, folder):
    log = open(os.path.join(folder, "serve.log"), "w+", encoding="utf-8")
    process = subprocess.Popen([program, "serve", scenario, *options], stdout=log, stderr=subprocess.STDOUT)
    for _ in range(600):
        with open(log.name, encoding="utf-8") as text:
            said = text.read()
        found = re.search(r"http://127\.0\.0\.1:\d+/\S+/", said)
        if found or process.poll() is not None:
            return process, found[0] if found else None, said
        time.sleep(0.05)
    raise SystemExit("planwave serve printed no address")


def spread(values):
    values = sorted(values)
    return f"{1e3 * values[len(values) // 2]:7.1f} {1e3 * values[math.ceil(0.95 * len(values)) - 1]:7.1f}" if values else "      -       -"


def moves(line, name, at, count, dragged, until):
    """Seconds from message to map, and that the solve took, of each move on a circle about `at`; those that there was time for."""
    taken, solved, header = [], [], None
    for n in range(count):
        if time.monotonic() > until:
            break
        x, y = at[0] + 0.3 * math.sin(0.7 * n + 0.1), at[1] + 0.3 * math.cos(0.7 * n + 0.1)
        began = time.monotonic()
        try:
            revision = line.ask({"type": "move", "transmitter": name, "x": round(x, 2), "y": round(y, 2), "drag": dragged}, until)
            header = line.await_map(revision, not dragged, until)
        except (TimeoutError, socket.timeout):
            break
        taken.append(time.monotonic() - began)
        solved.append(struct.unpack_from("<d", header, 72)[0])
    return taken, solved, header


def measure(options, scenario):
    with tempfile.TemporaryDirectory() as folder:
        beside = os.path.dirname(os.path.abspath(scenario))
        for entry in os.scandir(beside):
            if entry.is_file():
                shutil.copy(entry.path, folder)
        more = ["--backend", options.backend] if options.backend else []
        more += ["--threads", str(options.threads)] if options.threads else []
        process, address, said = serve(os.path.abspath(options.planwave), os.path.join(folder, os.path.basename(scenario)), more, folder)
        if address is None:
            return said.strip().replace("\n", " ")
        try:
            return measure_line(options, Line(address))
        finally:
            served.end(process)


def measure_line(options, line):
    until = time.monotonic() + options.seconds
    state = None
    while state is None:
        got = line.receive(until)
        state = got if isinstance(got, dict) and got["type"] == "state" else None
    first = state["transmitters"][0]
    began = time.monotonic()
    try:
        line.await_map(0, True, until)
    except (TimeoutError, socket.timeout):
        return f"no full map in {options.seconds:.0f} s"
    opened = time.monotonic() - began
    at = (first["x"], first["y"])
    moves(line, first["name"], at, 2, True, until)  # what previews keep from one to the next is made by the first
    drag, solve, header = moves(line, first["name"], at, options.moves, True, until)
    full, whole, _ = moves(line, first["name"], at, options.full, False, until)
    size = f"{struct.unpack_from('<I', header, 16)[0]} x {struct.unpack_from('<I', header, 12)[0]}, ± {struct.unpack_from('<d', header, 80)[0]:.1f} dB" if header else ""
    return (f"{len(state['transmitters'])} transmitters; preview {spread(drag)} ms (solve {spread(solve)}) of {len(drag)}, {size}; "
            f"full {spread(full)} ms (solve {spread(whole)}) of {len(full)}; first full {opened:.2f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planwave")
    parser.add_argument("scenarios", nargs="+")
    parser.add_argument("--backend")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--moves", type=int, default=50)
    parser.add_argument("--full", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    print("medians and 95th percentiles, from the message to the whole frame")
    for scenario in options.scenarios:
        print(f"{os.path.basename(scenario):22s} {measure(options, scenario)}", flush=True)


main()
