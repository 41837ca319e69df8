#!/bin/sh
# Arrays on the command line: one run, its table and picture, the files of channels between arrays, and what is refused.
. tests/support/script.sh

cat > arrays.yaml << 'END'
title: Two arrays
plan: {size: [3 m, 2 m], walls: [{from: [1.6, 0], to: [1.6, 1.2], thickness: 10 cm, material: brick}]}
grid: {scheme: fd4o, cell: 2 cm}
band: {centre: 1.2 GHz, width: 200 MHz}
transmitters:
  - {name: ap, at: [0.5 m, 1 m], antenna: {array: ula, elements: 3, bearing: 90 deg}, power: 20 dBm}
receivers:
  - {name: user, at: [2.5 m, 1 m], antenna: {array: ula, elements: 2, spacing: 2 cm, bearing: 250 deg}}
  - {name: other, at: [1 m, 1.5 m], antenna: {array: ula, elements: 2, spacing: 8 cm}}
  - {name: single, at: [1 m, 0.5 m]}
spectra: {count: 9, spacing: 4 cells}
stop: {after: 40 ns, decay: off}
END
good "the scenario says what becomes of the arrays" 'name: .?ap\.3' run arrays.yaml --dry-run -v
good "a run" 'wrote arrays.h5' run arrays.yaml --backend cpu -o arrays.h5
good "info tells the antennas" 'ap\.2' info arrays.h5
good "what two links carry" 'ap +other +2 x 3 +20\.0 dB' mimo arrays.h5 --rx user --rx other --snr 20dB -o mimo.csv --plot mimo.png --map map.png
python3 - << 'END' 2> law.err
import csv, re
rows = list(csv.DictReader(line for line in open("mimo.csv") if not line.startswith("#")))
assert [row["receiver"] for row in rows] == ["user", "other"] and all(row["tx_antennas"] == "3" for row in rows)
for row in rows:
    assert float(row["water_filling_bit_s_Hz"]) >= float(row["capacity_bit_s_Hz"]) > 6
    assert float(row["singular_2_under_1_dB"]) < 0 and float(row["snr_dB"]) == 20
    assert 0 <= float(row["tx_beam_dB"]) <= 4.78 and 0 <= float(row["rx_correlation"]) <= 1
assert float(rows[0]["rx_correlation"]) > float(rows[1]["rx_correlation"])  # 2 cm and 8 cm apart
END
verdict "the table has what links of 2 x 3 have" "$([ $? -eq 0 ] || tail -n 1 law.err)"
for picture in mimo map; do
    verdict "and the picture $picture is one" "$([ "$(head -c 4 $picture.png | tail -c 3)" = PNG ] || echo 'no PNG')"
done
good "of one link singular values over frequency" 'wrote values.png' mimo arrays.h5 --rx user --plot values.png
# The page of a result whose receivers are all alike has what the table has.
good "a run of receivers alike" 'wrote alike.h5' run arrays.yaml --backend cpu -o alike.h5 --set 'receivers=[{name: user, at: [2.5 m, 1 m],
    antenna: {array: ula, elements: 2, spacing: 8 cm}}, {name: other, at: [1 m, 1.5 m], antenna: {array: ula, elements: 2, spacing: 8 cm}}]'
good "its page" 'wrote alike.html' report alike.h5 -o alike.html
good "its table" 'wrote alike.csv' mimo alike.h5 -o alike.csv
python3 - << 'END' 2> law.err
import csv, json, re
rows = list(csv.DictReader(line for line in open("alike.csv") if not line.startswith("#")))
page = open("alike.html").read()
mimo = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])["mimo"]
assert [link["receiver"] for link in mimo["links"]] == [row["receiver"] for row in rows] == ["user", "other"]
for link, row in zip(mimo["links"], rows):
    for key, column in (("capacity", "capacity_bit_s_Hz"), ("water", "water_filling_bit_s_Hz"), ("rank", "rank"), ("snr", "snr_dB")):
        assert abs(link[key] - float(row[column])) <= 1e-5 * abs(link[key]), (key, link[key], row[column])
    assert [len(curve) for curve in link["curves"]] == [9, 9] and all(a >= b for a, b in zip(*link["curves"]))
END
verdict "the page tells what the table tells" "$([ $? -eq 0 ] || tail -n 1 law.err)"
good "arrays of several sizes have no such part" 'wrote none.html' report arrays.h5 -o none.html
verdict "and none is there" "$(grep -q '"mimo":' none.html && echo 'a part of arrays')"
good "by the powers of the result" 'ap +single +1 x 3' mimo arrays.h5 --rx single
good "a multiport" 'wrote user.s5p' channel arrays.h5 --tx ap --rx user -o user.s5p
python3 - << 'END' 2> law.err
text = open("user.s5p").read()
head = [line for line in text.splitlines() if line[0] in "!#"]
assert any("50 ohm" in line for line in head) and any("coupling" in line for line in head)
assert any("port 4: receiver user.1" in line for line in head)
numbers = [float(word) for line in text.splitlines() if line[0] not in "!#" for word in line.split()]
assert len(numbers) % 51 == 0 and len(numbers) > 51
for first in range(0, len(numbers), 51):
    s = [complex(*numbers[first + n : first + n + 2]) for n in range(1, 51, 2)]
    assert all(s[5 * i + j] == s[5 * j + i] for i in range(5) for j in range(5))
    assert all(s[5 * i + j] == 0 for i in range(3) for j in range(3)) and s[18] == s[19] == 0
    assert all(0 < abs(s[5 * i + j]) < 0.1 for i in range(3) for j in (3, 4))
    assert s[3] != s[4]
END
verdict "has transmission alone, both ways alike" "$([ $? -eq 0 ] || tail -n 1 law.err)"
good "pairs of stations in one file" 'wrote pairs.h5' channel arrays.h5 --rx user --rx other -o pairs.h5
bad "whose name has another number of ports" 3 'ends in \.s5p' channel arrays.h5 --tx ap --rx user -o user.s4p
bad "arrays of two sizes in one table" 3 'receivers have different numbers of antennas' mimo arrays.h5
bad "all beside a name is all" 3 'receivers have different numbers of antennas' mimo arrays.h5 --rx user --rx all
bad "an SNR that is none" 2 "allowed are -100 to 200 dB" mimo arrays.h5 --rx user --snr 500dB
bad "a station that is not there" 3 'nobody' mimo arrays.h5 --rx nobody
finish
