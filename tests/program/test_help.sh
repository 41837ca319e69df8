#!/bin/sh
# --help is one screen for every command; --help-all has every option. Needs no more than the program.
. tests/support/script.sh

most_lines=30 # of --help
most_columns=100 # of --help

for command in $("$planwave" --list-commands | awk -F '\t' '$1 == "command" {print $2}'); do
    "$planwave" "$command" --help > help.txt
    "$planwave" "$command" --help-all > all.txt
    check "$command --help: at most $most_lines lines" [ "$(wc -l < help.txt)" -le $most_lines ]
    check "$command --help: at most $most_columns columns" [ -z "$(awk -v most=$most_columns 'length($0) > most' help.txt)" ]
    check "$command --help: no mark is left" [ -z "$(grep '^+' help.txt all.txt)" ]
    check "$command: its --help says where more is told" sh -c \
        "[ \$(wc -l < all.txt) -eq \$(wc -l < help.txt) ] || grep -q 'planwave $command --help-all' help.txt"
    missing=
    for option in $("$planwave" "$command" --list-options | cut -f 1 | grep '^--' | grep -vxE -e '--(quiet|verbose|help-all)'); do
        grep -qE -e "^  (-., |    )$option( |\$)" all.txt || missing="$missing $option"
    done
    check "$command --help-all: every option ($missing)" [ -z "$missing" ]
    # what --help says, --help-all says too
    grep -vxF -f all.txt help.txt > lost.txt
    check "$command --help-all: nothing of --help is lost" [ -z "$(grep -v '^More options' lost.txt)" ]
    check "help $command is --help" sh -c "'$planwave' help $command | cmp -s - help.txt"
    check "help --all $command is --help-all" sh -c "'$planwave' help --all $command | cmp -s - all.txt"
done

# Every key that the readers of a scenario take, and that messages therefore name.
"$planwave" help scenario > keys.txt
missing=
for key in $(cat "$here"/src/scenario/*.c "$here"/src/scenario/*/*.c | tr '\n' ' ' | grep -oE 'KEYS(\[[^]]*\])* = \{[^}]*\}' |
    grep -oE '"[a-z_0-9]+"' | tr -d '"' | sort -u); do
    grep -qwF -e "$key" keys.txt || missing="$missing $key"
done
check "help scenario: every key ($missing)" [ -z "$missing" ]

# What somebody means who does not know the name.
bad "a command by another name" 2 "did you mean 'map'" heatmap
: > flat.yaml
bad "a scenario with another ending" 3 "flat.yml.*did you mean 'flat.yaml'" run flat.yml
bad "a scenario without one" 3 "did you mean 'flat.yaml'" run flat
bad "a key of the scenario as an option" 2 "set 'grid.cell=3'" run flat.yaml --cell 3
bad "the same with its value behind a sign" 2 "set 'band.width=20 MHz'" rasterize flat.yaml '--width=20 MHz'
bad "an option misspelt is still that" 2 "did you mean '--cut'" run flat.yaml --cuts
finish
