# The link of link.c in Python: python3 link.py
import planwave as pw

room = """
plan: {size: [6 m, 4 m], rectangles: [{from: [3 m, 0 m], to: [3.1 m, 2.5 m], material: brick}]}
band: {centre: 1 GHz, width: 200 MHz}
transmitters: [{name: ap, at: [1 m, 1 m], power: 20 dBm}]
receivers: [{name: desk, at: [5 m, 1 m]}]
"""

result = pw.Scenario(room).run()
print(f"{result.channel('ap', 'desk').metrics.received_power_dbm:.3f} dBm")
