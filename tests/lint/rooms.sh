#!/bin/sh
# Checks the order of the house: who may include whom, and the sizes that keep a file, a folder and a function readable. What the code
# says is left to clang-tidy, how it looks to clang-format.
#   tests/lint/rooms.sh [RULE...]     rules: includes floors symbols circles lines folders parameters openings; without one, all of them
#   tests/lint/rooms.sh house         the rooms of src/ and the floor of each, no rule
# Each finding is one line, "place: what is wrong". The exit status is 1 when a rule fails. Needs a POSIX shell, awk, tsort and nm.

# ---- who may include whom ----
# A room is a folder. It may include its own headers and those of the rooms named after it; nothing else. `api`, the public types, may be
# included from everywhere, so it stands in no list; `planwave` is src/planwave.h, the umbrella over it, and `planwave_tools` is
# tools/planwave_tools.h, the one over the applications. The order of the lines is the order of the rooms: each names earlier ones alone.
rooms='
api                :
planwave           : api
base               :
problem            : base
scenario           : base problem
plan               : base problem scenario
result             : base problem scenario
channel            : base problem scenario result
map                : base problem scenario result channel
medium             : base problem scenario plan
discretize         : base problem scenario plan medium
backend            : base problem
backend/reference  : base problem backend
backend/cpu        : base problem backend
run                : base problem scenario plan medium discretize backend result channel map
kernels            : base problem backend
tools              : planwave
tools/program      : planwave tools tools/drawing
tools/commands     : planwave tools tools/program
tools/drawing      : planwave tools
tools/import       : planwave tools tools/program tools/drawing
tools/export       : planwave tools tools/program tools/import
tools/place        : planwave tools tools/program
tools/report       : planwave tools tools/program
tools/uncertainty  : planwave tools tools/program
tools/walk         : planwave tools tools/program
tools/serve        : planwave tools tools/program tools/report
tools/calibrate    : planwave tools tools/program
tools/sweep        : planwave tools tools/program
planwave_tools     : planwave tools/calibrate tools/sweep tools/drawing tools/import tools/place tools/report tools/serve tools/uncertainty tools/walk
tests              : everything
validation         : everything
'
# ---- sizes ----
most_lines=500          # of a file
most_files=20           # of a folder, counting sources alone
fewest_files=3          # of a folder inside a room of src/: a pair belongs into the folder above
most_rooms=14           # of src/, folders with a line of their own included
most_floors=9           # a floor more than the highest of the rooms that it includes: the longest chain of includes between rooms
most_parameters=8       # of a function ...
most_exceptions=4       # ... but for so many functions in the tree

tree='src kernels tools tests validation python'
build=${BUILD:-build}
sources() { # PATTERN...: every file of the tree with one of the names
    for pattern in "$@"; do
        # shellcheck disable=SC2086
        find $tree -name "$pattern" -type f
    done | sort
}

# Every include with quotes, as "file line header".
list_includes() {
    sources '*.[ch]' '*.cu' '*.cuh' | xargs awk '
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            header = $0
            sub(/^[^"]*"/, "", header)
            sub(/".*/, "", header)
            print FILENAME, FNR, header
        }'
}

# Every include from one room to another, as "room room file line header". A room that is not in the table is listed as its own user.
list_rooms() {
    list_includes | ROOMS=$rooms awk '
        # The room of a path. Folders of kernels/ and tests/ are one room each; a folder inside src/ or tools/ is one.
        function room_of(path,    parts, count) {
            count = split(path, parts, "/")
            if (path == "src/planwave.h") return "planwave"
            if (path == "tools/planwave_tools.h") return "planwave_tools"
            if (parts[1] == "tools" && count >= 3) return parts[1] "/" parts[2]
            if (parts[1] != "src") return parts[1]
            if (count >= 4 && (parts[2] "/" parts[3]) in known) return parts[2] "/" parts[3]
            return parts[2]
        }
        # The path of a header: -Isrc and -I. make it a path below src/ or below the root.
        function path_of(header, file,    top) {
            top = header
            sub(/\/.*/, "", top)
            if (header ~ /^(kernels|tools|tests|validation)\//) return header
            if (top in application) return "tools/" header
            if (header ~ /\// || header == "planwave.h") return "src/" header
            sub(/[^\/]*$/, "", file) # beside the file itself
            return file header
        }
        BEGIN {
            count = split(ENVIRON["ROOMS"], lines, "\n")
            for (l = 1; l <= count; l++) {
                if (split(lines[l], halves, ":") < 2) continue
                split(halves[1], name, " ")
                known[name[1]]
                if (sub(/^tools\//, "", name[1])) application[name[1]]
            }
        }
        {
            from = room_of($1)
            to = room_of(path_of($3, $1))
            if (to != from || !(from in known)) print from, to, $0
        }'
}

check_includes() { # an include runs against the order of the rooms
    list_rooms | ROOMS=$rooms awk '
        BEGIN {
            count = split(ENVIRON["ROOMS"], lines, "\n")
            for (l = 1; l <= count; l++) {
                if (split(lines[l], halves, ":") < 2) continue
                split(halves[1], name, " ")
                sub(/^ +/, "", halves[2])
                list_of[name[1]] = halves[2]
                allowed[name[1]] = " " halves[2] " "
            }
        }
        !($1 in allowed) {
            if (!($1 in told)) printf "%s: the room %s is not in the table of tests/lint/rooms.sh\n", $3, $1
            told[$1] = failed = 1
            next
        }
        $2 != "api" && allowed[$1] !~ / everything / && index(allowed[$1], " " $2 " ") == 0 {
            printf "%s:%s: the room %s may not include \"%s\"; allowed are: api %s\n", $3, $4, $1, $5, list_of[$1]
            failed = 1
        }
        END { exit failed }'
}

# The rooms of src/ as "floor room", the lowest first; a circle of rooms has no floor, and is left to check_includes.
list_floors() {
    list_rooms | awk '
        $3 ~ /^src\/.*\// { # the umbrella over them is no room
            room[$1] = room[$2] = 1
            pair[++count] = $1 " " $2
        }
        END {
            for (turn = 1; turn <= 100 && !still; turn++) {
                still = 1
                for (i = 1; i <= count; i++) {
                    split(pair[i], of, " ")
                    if (room[of[1]] <= room[of[2]]) { room[of[1]] = room[of[2]] + 1; still = 0 }
                }
            }
            for (name in room) print room[name], name
        }' | sort -n
}

check_floors() { # src/ has too many rooms, or they stand on too many floors
    list_floors | awk -v rooms="$most_rooms" -v floors="$most_floors" '
        { top = $1 }
        END {
            if (NR <= rooms && top <= floors) exit 0
            printf "src: %d rooms on %d floors, allowed are %d on %d\n", NR, top, rooms, floors
            exit 1
        }'
}

# Reads pairs "user used", names the circles among them. tsort puts what knows others before what it knows, and tells the loops.
name_circles() { # MESSAGE
    sort -u | tsort 2>&1 > /dev/null | awk -v message="$1" '
        /loop:$/ { if (members != "") print message ": " members; members = ""; failed = 1; next }
        { sub(/^tsort: /, ""); members = members (members == "" ? "" : ", ") $0 }
        END { if (members != "") print message ": " members; exit failed }'
}

# Pairs of object files of which the first calls a function, or uses a variable, of the second; of C sources that are there.
list_calls() {
    sources '*.c' | sed -n "s|^src/\(.*\)\.c$|$build/src/\1.o|p" | while read -r object; do
        [ ! -f "$object" ] || echo "$object"
    done | xargs -r nm -A | awk '
        {
            split($0, parts, ":")
            symbol = $NF
            if ($(NF - 1) == "U") { user[++count] = parts[1]; used[count] = symbol }
            if ($(NF - 1) ~ /^[TDBRC]$/) home[symbol] = parts[1]
        }
        END {
            for (i = 1; i <= count; i++) {
                if ((used[i] in home) && home[used[i]] != user[i]) print user[i], home[used[i]]
            }
        }'
}

check_circles() { # headers include each other, or files of src/ call each other (what is built is looked at)
    list_includes | awk '$1 ~ /h$/ { print $1, $3 ~ /^(kernels|tools|tests|validation)\// ? $3 : "src/" $3 }' |
        name_circles "headers include each other"
    headers=$?
    list_calls | sed "s|$build/\([^ ]*\)\.o|\1.c|g" | name_circles "files call each other"
    calls=$?
    [ $((headers + calls)) -eq 0 ]
}

# Symbols that objects of tools/ want and objects of src/ or kernels/ have, but for the interface's, as "object symbol".
check_symbols() { # an application uses more of the core than planwave.h
    find "$build/src" "$build/tools" -name '*.o' 2> /dev/null | xargs -r nm -A | awk -v build="$build" '
        {
            split($0, parts, ":")
            symbol = $NF
            tool = index(parts[1], build "/tools/") == 1
            if ($(NF - 1) == "U" && tool && symbol !~ /^pw_/) { user[++count] = parts[1]; used[count] = symbol }
            if ($(NF - 1) ~ /^[TDBRC]$/) { if (tool) own[symbol]; else core[symbol] }
        }
        END {
            for (i = 1; i <= count; i++) {
                if ((used[i] in core) && !(used[i] in own)) { print user[i] ": uses " used[i] " of the core"; failed = 1 }
            }
            exit failed
        }'
}

check_lines() { # a file is too long
    sources '*.[ch]' '*.cu' '*.cuh' '*.html' '*.sh' '*.py' | grep -v /_abi.py | xargs awk -v most="$most_lines" '
        function tell() {
            if (lines > most) {
                printf "%s: %d lines, allowed are %d\n", file, lines, most
                failed = 1
            }
        }
        FNR == 1 { tell(); file = FILENAME }
        { lines = FNR }
        END { tell(); exit failed }'
}

check_folders() { # a folder holds too many sources, or so few that it is none
    sources '*.[ch]' '*.cu' '*.cuh' '*.html' '*.sh' '*.py' '*.awk' | grep -v /_abi.py |
        awk -v most="$most_files" -v fewest="$fewest_files" '
        { sub(/\/[^\/]*$/, ""); count[$0]++ }
        END {
            for (folder in count) {
                if (count[folder] > most) {
                    printf "%s: %d sources, allowed are %d\n", folder, count[folder], most
                    failed = 1
                }
                if (folder ~ /^src\/.*\// && count[folder] < fewest) {
                    printf "%s: %d sources, a folder has at least %d\n", folder, count[folder], fewest
                    failed = 1
                }
            }
            exit failed
        }'
}

# Every function definition with more than $1 parameters, as "file:line: name has N parameters". clang-format puts the brace that opens a
# function, and no other, on a line of its own; the text before it, back to the last ; or brace, is the head of the function.
list_parameters() {
    sources '*.[ch]' '*.cu' '*.cuh' | xargs awk -v most="$1" '
        # Drops what hides commas and brackets: comments, texts, characters.
        function plain(line) {
            gsub(/\\./, "", line)
            gsub(/"[^"]*"/, "", line)
            gsub(/\/\*[^*]*\*\//, "", line)
            sub(/\/\/.*/, "", line)
            return line
        }
        # Counts the parameters of the last list in round brackets at the outermost level of `text`.
        function count_parameters(text,    length_of, i, c, depth, angle, commas, any) {
            length_of = length(text)
            for (i = 1; i <= length_of; i++) {
                c = substr(text, i, 1)
                if (c == "(" && depth++ == 0) { commas = angle = any = 0; name = substr(text, 1, i - 1); continue }
                if (c == ")") depth--
                if (depth == 0) continue
                if (c == "<") angle++
                if (c == ">") angle--
                if (c == "," && depth == 1 && angle == 0) commas++
                if (c != " ") any = 1
            }
            sub(/ *$/, "", name)
            sub(/.*[ *&]/, "", name)
            return any ? commas + 1 : 0
        }
        FNR == 1 { head = ""; comment = 0 }
        /^[ \t]*\/\*/ && !/\*\// { comment = 1 }
        comment { if (/\*\//) comment = 0; next }
        /^[ \t]*#/ { continued = /\\$/; next }
        continued { continued = /\\$/; next }
        /^[ \t]*\{$/ {
            if (head ~ /\)[^()]*$/ && head !~ /=/) {
                count = count_parameters(head)
                if (count > most) printf "%s:%d: %s has %d parameters, allowed are %d\n", FILENAME, line, name, count, most
            }
            head = ""
            next
        }
        {
            text = plain($0)
            if (text ~ /[;{}:][ \t]*$/ || text ~ /^[ \t]*$/) { head = ""; next }
            if (head == "") line = FNR
            head = head " " text
        }'
}

check_parameters() { # functions have too many parameters
    list_parameters "$most_parameters" | awk -v most="$most_exceptions" '
        { found[NR] = $0 }
        END {
            if (NR <= most) exit 0
            for (i = 1; i <= NR; i++) print found[i]
            printf "%d functions have more parameters than allowed; %d may\n", NR, most
            exit 1
        }'
}

check_openings() { # a file does not open with a comment that says what it is for
    sources '*.[ch]' '*.cu' '*.cuh' '*.sh' | xargs awk '
        FNR == 1 { open = FILENAME ~ /\.sh$/ ? 2 : 1 }
        FNR == open && !/^(\/\*|\/\/|# )/ {
            printf "%s: does not open with a comment\n", FILENAME
            failed = 1
        }
        END { exit failed }'
}

cd "$(dirname "$0")/../.." || exit 1
status=0
all='includes floors symbols circles lines folders parameters openings'
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all
if [ "$1" = house ]; then
    list_floors
    exit
fi
for rule in "$@"; do
    case " $all " in
    *" $rule "*) ;;
    *)
        echo "there is no rule '$rule'; allowed are $all"
        exit 2
        ;;
    esac
    findings=$(check_"$rule") && continue
    echo "---- $rule"
    echo "$findings"
    status=1
done
exit $status
