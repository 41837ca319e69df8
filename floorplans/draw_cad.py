#!/usr/bin/env python3
"""Writes flat.dxf and flat.svg, the flat of flat.yaml as an architect and an illustrator would draw it: python3 draw_cad.py.

Both are made for this project, to be imported. Walls are drawn by their faces, doors with leaf and swing; furniture, texts and
dimensions are there to be left out. Lengths are metres here, the origin is at the lower left and y grows upwards; the DXF is in
millimetres, the SVG in centimetres downwards. Standard library only.
"""
import math
import os

WALLS = (
    (1.2, 1.2, 14.16, 1.28), (1.2, 14.08, 14.16, 14.16), (1.2, 1.2, 1.28, 14.16), (14.08, 1.2, 14.16, 14.16),
    (1.2, 6.0, 5.2, 6.08), (6.1, 6.0, 10.4, 6.08), (11.3, 6.0, 14.16, 6.08),
    (1.2, 9.2, 3.6, 9.28), (4.5, 9.2, 9.0, 9.28), (9.9, 9.2, 14.16, 9.28),
    (5.6, 1.2, 5.66, 6.0), (10.0, 1.2, 10.06, 6.0), (4.9, 9.28, 4.96, 14.16), (9.3, 9.28, 9.36, 14.16),
)
OPENINGS = ((7.2, 1.2, 8.1, 1.28), (1.2, 7.3, 1.28, 8.2))
# hinge, angle of the shut leaf, which way it swings open (1: anticlockwise)
DOORS = (
    ((5.2, 6.08), 0, 1), ((11.3, 6.08), 180, -1), ((3.6, 9.2), 0, -1), ((9.9, 9.2), 180, 1), ((7.2, 1.28), 0, 1),
)
ROOMS = (
    ("BEDROOM", 3.4, 3.4), ("LIVING ROOM", 7.8, 3.4), ("STUDY", 12.1, 3.4), ("HALL", 7.7, 7.7),
    ("BATH", 3.0, 11.8), ("KITCHEN", 7.1, 11.8), ("DINING ROOM", 11.7, 11.8),
)
# A block is a list of lines and circles in metres about its own origin.
BLOCKS = {
    "BED": [("box", 0, 0, 1.6, 2.0), ("box", 0.1, 1.5, 0.75, 1.9), ("box", 0.85, 1.5, 1.5, 1.9)],
    "SOFA": [("box", 0, 0, 2.2, 0.9), ("box", 0.2, 0, 2.0, 0.65), ("line", 1.1, 0, 1.1, 0.65)],
    "TABLE": [("box", -0.9, -0.45, 0.9, 0.45)],
    "CHAIR": [("box", -0.22, -0.22, 0.22, 0.22), ("line", -0.22, 0.18, 0.22, 0.18)],
    "DESK": [("box", 0, 0, 1.6, 0.8), ("circle", 0.8, -0.3, 0.25)],
    "WARDROBE": [("box", 0, 0, 2.0, 0.6), ("line", 0, 0, 2.0, 0.6), ("line", 0, 0.6, 2.0, 0)],
    "BATHTUB": [("box", 0, 0, 1.7, 0.75), ("box", 0.08, 0.08, 1.62, 0.67), ("circle", 0.3, 0.375, 0.03)],
    "SINK": [("box", -0.3, -0.22, 0.3, 0.22), ("circle", 0, 0, 0.16)],
    "COUNTER": [("box", 0, 0, 3.0, 0.6), ("circle", 0.4, 0.3, 0.1), ("circle", 0.8, 0.3, 0.1), ("box", 1.6, 0.1, 2.2, 0.5)],
}
FURNITURE = (
    ("BED", 1.6, 1.6, 0), ("WARDROBE", 1.5, 5.2, 0), ("SOFA", 6.3, 4.9, 0), ("TABLE", 7.4, 4.0, 0), ("DESK", 13.2, 3.6, -90),
    ("WARDROBE", 11.9, 5.2, 0), ("BATHTUB", 1.5, 13.1, 0), ("SINK", 4.4, 13.5, 0), ("COUNTER", 5.2, 13.3, 0),
    ("TABLE", 11.8, 12.8, 0), ("CHAIR", 11.2, 12.1, 180), ("CHAIR", 12.4, 12.1, 180), ("CHAIR", 11.2, 13.5, 0), ("CHAIR", 12.4, 13.5, 0),
)


def outlines():
    """The outlines of the walls less the openings, closed chains of points with the wall on their left."""
    xs = sorted({x for box in WALLS + OPENINGS for x in (box[0], box[2])})
    ys = sorted({y for box in WALLS + OPENINGS for y in (box[1], box[3])})

    def solid(c, r):
        if not (0 <= c < len(xs) - 1 and 0 <= r < len(ys) - 1):
            return False
        x, y = (xs[c] + xs[c + 1]) / 2, (ys[r] + ys[r + 1]) / 2
        inside = [any(b[0] < x < b[2] and b[1] < y < b[3] for b in boxes) for boxes in (WALLS, OPENINGS)]
        return inside[0] and not inside[1]

    edges = {}
    for c in range(-1, len(xs)):
        for r in range(-1, len(ys)):
            if not solid(c, r):
                continue
            around = (((c, r), (c + 1, r), (c, r - 1)), ((c + 1, r), (c + 1, r + 1), (c + 1, r)),
                      ((c + 1, r + 1), (c, r + 1), (c, r + 1)), ((c, r + 1), (c, r), (c - 1, r)))
            for begin, end, beside in around:
                if not solid(*beside):
                    edges.setdefault(begin, []).append(end)
    loops = []
    while edges:
        start = min(edges)
        loop, at = [], start
        while True:
            loop.append(at)
            following = edges[at].pop()
            if not edges[at]:
                del edges[at]
            at = following
            if at == start:
                break
        corners = [p for a, p, b in zip(loop[-1:] + loop[:-1], loop, loop[1:] + loop[:1])
                   if (a[0] == p[0]) != (p[0] == b[0])]
        loops.append([(xs[c], ys[r]) for c, r in corners])
    return loops


def leaf(door):
    """A door's hinge, the tip of its open leaf, and the angles between which it swings, anticlockwise."""
    (x, y), shut, way = door
    opened = shut + 90 * way
    tip = (x + 0.9 * math.cos(math.radians(opened)), y + 0.9 * math.sin(math.radians(opened)))
    return (x, y), tip, (min(shut, opened), max(shut, opened))


class Dxf:
    """DXF of release 12, which every program reads, in millimetres."""

    def __init__(self):
        self.groups = []

    def add(self, *pairs):
        for code, value in zip(pairs[::2], pairs[1::2]):
            self.groups.append("%3d\n%s\n" % (code, ("%.4f" % value).rstrip("0").rstrip(".") if isinstance(value, float) else value))

    def line(self, layer, x0, y0, x1, y1):
        self.add(0, "LINE", 8, layer, 10, x0 * 1e3, 20, y0 * 1e3, 11, x1 * 1e3, 21, y1 * 1e3)

    def text(self, layer, x, y, height, words, angle=0):
        self.add(0, "TEXT", 8, layer, 10, x * 1e3, 20, y * 1e3, 40, height * 1e3, 1, words, 50, float(angle))

    def part(self, layer, part):
        kind, x, y, *rest = part
        if kind == "circle":
            self.add(0, "CIRCLE", 8, layer, 10, x * 1e3, 20, y * 1e3, 40, rest[0] * 1e3)
        elif kind == "line":
            self.line(layer, x, y, *rest)
        else:
            self.add(0, "POLYLINE", 8, layer, 66, 1, 70, 1)
            for px, py in ((x, y), (rest[0], y), (rest[0], rest[1]), (x, rest[1])):
                self.add(0, "VERTEX", 8, layer, 10, px * 1e3, 20, py * 1e3)
            self.add(0, "SEQEND", 8, layer)


def dxf_tables(dxf):
    dxf.add(999, "The flat of flat.yaml, drawn for this project by draw_cad.py")
    dxf.add(0, "SECTION", 2, "HEADER", 9, "$ACADVER", 1, "AC1009", 9, "$INSUNITS", 70, 4, 0, "ENDSEC")
    layers = (("0", 7), ("A-WALL", 7), ("A-DOOR", 30), ("A-GLAZ", 4), ("A-FURN", 8), ("A-ANNO-TEXT", 3), ("A-ANNO-DIMS", 1))
    dxf.add(0, "SECTION", 2, "TABLES", 0, "TABLE", 2, "LTYPE", 70, 1)
    dxf.add(0, "LTYPE", 2, "CONTINUOUS", 70, 0, 3, "Solid line", 72, 65, 73, 0, 40, 0.0, 0, "ENDTAB")
    dxf.add(0, "TABLE", 2, "LAYER", 70, len(layers))
    for name, colour in layers:
        dxf.add(0, "LAYER", 2, name, 70, 0, 62, colour, 6, "CONTINUOUS")
    dxf.add(0, "ENDTAB", 0, "ENDSEC", 0, "SECTION", 2, "BLOCKS")
    for name, parts in BLOCKS.items():
        dxf.add(0, "BLOCK", 8, "0", 2, name, 70, 0, 10, 0.0, 20, 0.0, 3, name)
        for part in parts:
            dxf.part("0", part)
        dxf.add(0, "ENDBLK", 8, "0")
    dxf.add(0, "ENDSEC")


def dxf_entities(dxf):
    dxf.add(0, "SECTION", 2, "ENTITIES")
    for loop in outlines():
        for (x0, y0), (x1, y1) in zip(loop, loop[1:] + loop[:1]):
            dxf.line("A-WALL", x0, y0, x1, y1)
    for door in DOORS:
        (x, y), tip, (begin, end) = leaf(door)
        dxf.line("A-DOOR", x, y, *tip)
        dxf.add(0, "ARC", 8, "A-DOOR", 10, x * 1e3, 20, y * 1e3, 40, 900.0, 50, float(begin % 360), 51, float(end % 360))
    dxf.line("A-GLAZ", 1.23, 7.3, 1.23, 8.2)
    dxf.line("A-GLAZ", 1.25, 7.3, 1.25, 8.2)
    for name, x, y, angle in FURNITURE:
        dxf.add(0, "INSERT", 8, "A-FURN", 2, name, 10, x * 1e3, 20, y * 1e3, 50, float(angle))
    for words, x, y in ROOMS:
        dxf.text("A-ANNO-TEXT", x - 0.1 * len(words), y, 0.2, words)
    for x0, x1 in ((1.2, 5.63), (5.63, 10.03), (10.03, 14.16)):
        dxf.line("A-ANNO-DIMS", x0, 0.6, x1, 0.6)
        for x in (x0, x1):
            dxf.line("A-ANNO-DIMS", x, 0.4, x, 1.0)
            dxf.line("A-ANNO-DIMS", x - 0.08, 0.52, x + 0.08, 0.68)
        dxf.text("A-ANNO-DIMS", (x0 + x1) / 2 - 0.3, 0.68, 0.18, "%.2f" % (x1 - x0))
    dxf.add(0, "ENDSEC", 0, "EOF")


def number(value):
    return ("%.2f" % value).rstrip("0").rstrip(".")


def point(x, y):
    return "%s,%s" % (number(100 * x), number(1536 - 100 * y))


def svg_part(part):
    kind, x, y, *rest = part
    if kind == "circle":
        return '<circle cx="%s" cy="%s" r="%s"/>' % (number(100 * x), number(-100 * y), number(100 * rest[0]))
    if kind == "line":
        return '<path d="M %s,%s L %s,%s"/>' % tuple(number(100 * v) for v in (x, -y, rest[0], -rest[1]))
    return '<rect x="%s" y="%s" width="%s" height="%s"/>' % tuple(
        number(100 * v) for v in (x, -rest[1], rest[0] - x, rest[1] - y))


def svg_layer(name, number_of, style, inside):
    return ('  <g inkscape:groupmode="layer" id="layer%d" inkscape:label="%s" style="%s">\n' % (number_of, name, style)
            + "".join("    %s\n" % line for line in inside) + "  </g>\n")


def svg():
    walls = " ".join("M " + " L ".join(point(*p) for p in loop) + " Z" for loop in outlines())
    doors = []
    for door in DOORS:
        (x, y), tip, _ = leaf(door)
        shut = (x + 0.9 * math.cos(math.radians(door[1])), y + 0.9 * math.sin(math.radians(door[1])))
        doors.append('<path d="M %s L %s A 90 90 0 0 %d %s"/>' % (point(x, y), point(*tip), 1 if door[2] > 0 else 0, point(*shut)))
    furniture = []
    for name, x, y, angle in FURNITURE:
        furniture.append('<use xlink:href="#%s" transform="translate(%s) rotate(%d)"/>' % (name.lower(), point(x, y), -angle))
    texts = ['<text x="%s" y="%s">%s</text>' % (number(100 * x), number(1536 - 100 * y), words.capitalize()) for words, x, y in ROOMS]
    defs = "".join('    <g id="%s">%s</g>\n' % (name.lower(), "".join(svg_part(part) for part in parts))
                   for name, parts in BLOCKS.items())
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            "<!-- The flat of flat.yaml, drawn for this project by draw_cad.py; a unit of the drawing is a centimetre. -->\n"
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"\n'
            '     xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" width="210mm" height="210mm" viewBox="0 0 1536 1536">\n'
            "  <defs>\n" + defs + "  </defs>\n"
            + svg_layer("Furniture", 1, "fill:#f2e6d8;stroke:#8a7a68;stroke-width:1.5", furniture)
            + svg_layer("Walls", 2, "fill:#303030;fill-rule:evenodd;stroke:none", ['<path d="%s"/>' % walls])
            + svg_layer("Doors", 3, "fill:none;stroke:#a0522d;stroke-width:2", doors)
            + svg_layer("Windows", 4, "fill:#9fd3f0;stroke:none", ['<rect x="123" y="716" width="2" height="90"/>'])
            + svg_layer("Labels", 5, "font-family:sans-serif;font-size:28px;text-anchor:middle;fill:#404040", texts)
            + "</svg>\n")


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    drawing = Dxf()
    dxf_tables(drawing)
    dxf_entities(drawing)
    with open(os.path.join(here, "flat.dxf"), "w", newline="\r\n") as file:
        file.write("".join(drawing.groups))
    with open(os.path.join(here, "flat.svg"), "w") as file:
        file.write(svg())
