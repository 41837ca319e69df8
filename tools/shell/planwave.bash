# Completion of planwave for bash. What there is to complete comes from the program itself: `planwave --list-commands` and
# `planwave COMMAND --list-options` print its own tables.

_planwave_words() { # WORDS...: those that begin with what stands at the cursor
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current")
}

_planwave_files() { # ENDING: files of that kind, and folders
    mapfile -t COMPREPLY < <(compgen -f -X "!*.$1" -- "$current"; compgen -d -- "$current")
    compopt -o filenames 2> /dev/null
}

_planwave() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} program=${COMP_WORDS[0]}
    local name letter kind values takes='' words='' operand='' given=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _planwave_words "$("$program" --list-commands 2> /dev/null | cut -f 2 | grep -vxE 'scenario|metrics') help --help --version"
        return
    fi
    if [ "$command" = help ]; then
        _planwave_words "$("$program" --list-commands 2> /dev/null | cut -f 2)"
        return
    fi
    while IFS=$'\x1f' read -r name letter kind values; do
        case $name in
        operands) operand=$kind ;;
        *)
            words="$words $name"
            if [ "$kind" = argument ] && { [ "$previous" = "$name" ] || [ "$previous" = "$letter" ]; }; then
                takes=$name given=$values
            fi
            ;;
        esac
    done < <("$program" "$command" --list-options 2> /dev/null | tr '\t' '\037') # a tab would swallow empty fields
    if [ -n "$takes" ]; then
        if [ -n "$given" ]; then
            _planwave_words "$given"
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2> /dev/null
        fi
    elif [[ $current == -* ]]; then
        _planwave_words "$words"
    elif [ "$operand" != none ]; then
        _planwave_files "${operand##*.}"
    fi
}
complete -F _planwave planwave
