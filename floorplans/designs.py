#!/usr/bin/env python3
"""Writes the flat as planning programs keep it: python3 designs.py makes flat.esx (Ekahau) and flat.openintent.json. Standard library
only.

Walls are those of flat_geometry.yaml as centre lines, cut where its openings lie, of three types: outside, along the corridor, and
between rooms. Two access points. Losses are what such programs' own lists have for walls of this kind, at 2.4, 5 and 6 GHz.
"""
import json
import re
import zipfile

SIDE = 15.36     # m, of the plan
PIXEL = 0.01     # m, of the picture that an esx is drawn over
TYPES = {        # name: key, colour, thickness [m], loss [dB]
    "Wall, Brick": ("Brick", "#B5523B", 0.08, 10.0),
    "Wall, Plasterboard": ("DryWall", "#C9B79C", 0.08, 3.0),
    "Wall, Thin Plasterboard": ("ThinDryWall", "#E3D8C8", 0.06, 2.0),
}
ACCESS_POINTS = [("ap1", 7.68, 7.68, 2.4, 20.0, 1, 36), ("ap2", 12.0, 11.0, 2.4, 17.0, 6, 52)]
HEIGHT = 2.5     # m, clear


def boxes(text, key):
    """The rectangles (x0, y0, x1, y1) of a list of the plan; the next list, or the band, ends it."""
    part = re.split(r"\n(?:  )?[a-z]+:", text.split(f"\n  {key}:")[1])[0]
    number = r"([0-9.]+) m"
    pattern = rf"from: \[{number}, {number}\], to: \[{number}, {number}\]"
    return [tuple(float(value) for value in match) for match in re.findall(pattern, part)]


def walls():
    """(type, x0, y0, x1, y1) of every centre line."""
    with open("flat_geometry.yaml", encoding="utf-8") as file:
        text = file.read()
    openings = boxes(text, "openings")
    found = []
    for x0, y0, x1, y1 in boxes(text, "rectangles"):
        along = x1 - x0 > y1 - y0
        thickness = round(min(x1 - x0, y1 - y0), 3)
        outside = min(x0, y0) < 1.25 and (y1 < 1.3 or x1 < 1.3) or max(x0, y0) > 14
        kind = "Wall, Brick" if outside else "Wall, Plasterboard" if thickness > 0.07 else "Wall, Thin Plasterboard"
        middle = (y0 + y1) / 2 if along else (x0 + x1) / 2
        cuts = [x0 if along else y0]
        for a0, b0, a1, b1 in openings:
            across = (b0, b1) if along else (a0, a1)
            if across[0] <= middle <= across[1] and (a0 < x1 and a1 > x0 if along else b0 < y1 and b1 > y0):
                cuts += [a0, a1] if along else [b0, b1]
        cuts.append(x1 if along else y1)
        for begin, end in zip(cuts[::2], cuts[1::2]):
            ends = (begin, middle, end, middle) if along else (middle, begin, middle, end)
            found.append((kind, *(round(value, 4) for value in ends)))
    return found


def identity(number):
    """An id as these programs write them, the same at every run."""
    return f"00000000-0000-4000-8000-{number:012d}"


def esx(name):
    floor, building = identity(1), identity(2)
    types = {kind: identity(10 + number) for number, kind in enumerate(TYPES)}
    points, segments = {}, []

    def point(x, y):
        """y runs downwards."""
        at = (round(x / PIXEL, 6), round((SIDE - y) / PIXEL, 6))
        if at not in points:
            points[at] = identity(1000 + len(points))
        return points[at]

    for kind, x0, y0, x1, y1 in walls():
        segments.append({"wallPoints": [point(x0, y0), point(x1, y1)], "wallTypeId": types[kind], "originType": "WALL_TOOL",
                         "id": identity(2000 + len(segments)), "status": "CREATED"})
    place = lambda x, y: {"floorPlanId": floor, "coord": {"x": x, "y": y}}
    access = [{"name": ap, "mine": True, "vendor": "Generic", "location": place(round(x / PIXEL, 6), round((SIDE - y) / PIXEL, 6)),
               "id": identity(3000 + number), "status": "CREATED"} for number, (ap, x, y, *_) in enumerate(ACCESS_POINTS)]
    radios = [{"accessPointId": identity(3000 + number), "accessPointIndex": index, "transmitPower": power, "channel": [channel],
               "antennaHeight": height, "antennaMounting": "CEILING", "radioTechnology": "IEEE802_11", "enabled": True,
               "id": identity(4000 + 10 * number + index), "status": "CREATED"}
              for number, (_, _, _, height, power, *channels) in enumerate(ACCESS_POINTS) for index, channel in enumerate(channels)]
    tables = {
        "project": {"name": "Flat", "schemaVersion": "1.8.0", "id": identity(3)},
        "floorPlans": [{"name": "Flat", "width": SIDE / PIXEL, "height": SIDE / PIXEL, "metersPerUnit": PIXEL, "id": floor,
                        "status": "CREATED"}],
        "buildings": [{"name": "Building 1", "id": building}],
        "buildingFloors": [{"floorPlanId": floor, "buildingId": building, "floorNumber": 1, "height": HEIGHT, "thickness": 0.3,
                            "id": identity(4)}],
        "wallTypes": [{"name": kind, "key": key, "color": colour, "thickness": thickness, "lowerEdge": 0.0, "id": types[kind],
                       "propagationProperties": [{"band": band, "attenuationFactor": round(loss / thickness, 6),
                                                  "reflectionCoefficient": 0.25, "diffractionCoefficient": 11.0}
                                                 for band in ("TWO", "FIVE", "SIX")]}
                      for kind, (key, colour, thickness, loss) in TYPES.items()],
        "wallPoints": [{"location": place(*at), "id": own, "status": "CREATED"} for at, own in points.items()],
        "wallSegments": segments,
        "accessPoints": access,
        "simulatedRadios": radios,
    }
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for table, rows in tables.items():
            entry = zipfile.ZipInfo(table + ".json", (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, json.dumps({table: rows}, indent=1))


def openintent(name):
    radio = lambda number, band, channel, power: {"id": number, "radio_function": "CLIENT_ACCESS", "band": band, "channel": channel,
                                                  "channel_width": "20_MHz", "transmit_eirp": power}
    document = {
        "openintent_version": "2.0.0", "floorplan_version": "2.0.0", "accesspoint_version": "2.0.0",
        "floorplans": [{"name": "Flat", "floor_id": "1", "project_name": "Flat",
                        "dimensions": [{"width": SIDE, "length": SIDE, "height": HEIGHT, "unit": "meters"}],
                        "wall_segments": [{"wall_type": kind, "start_point": {"x": x0, "y": y0}, "end_point": {"x": x1, "y": y1}}
                                          for kind, x0, y0, x1, y1 in walls()]}],
        "wall_materials": [{"name": kind, "rf_properties": {"attenuation_flat": loss}, "thickness_m": thickness, "bottom_height": 0,
                            "top_height": HEIGHT, "display_color": colour}
                           for kind, (_, colour, thickness, loss) in TYPES.items()],
        "accesspoints": [{"name": ap, "floorplan_name": "Flat",
                          "dot11_radios": [radio(0, "FREQ_2.4GHZ", two, power), radio(1, "FREQ_5GHZ", five, power)],
                          "coordinates": [{"coordinate_xyz": {"x": x, "y": y, "z": height, "unit": "meters"}}]}
                         for ap, x, y, height, power, two, five in ACCESS_POINTS],
    }
    with open(name, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    esx("flat.esx")
    openintent("flat.openintent.json")
