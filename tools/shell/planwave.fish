# Completion of planwave for fish. What there is to complete comes from the program itself: `planwave --list-commands` and
# `planwave COMMAND --list-options` print its own tables.

function __planwave_commands
    planwave --list-commands 2>/dev/null | while read --delimiter \t kind name text
        printf '%s\t%s\n' $name $text
    end
    printf 'help\tprint the commands, or the options of one\n'
end

# Options of the command; after one that takes an argument its words, or files; else files that the command reads.
function __planwave_arguments
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    if test "$words[2]" = help
        __planwave_commands
        return
    end
    set -l operand none
    for line in (planwave $words[2] --list-options 2>/dev/null)
        set -l fields (string split \t -- $line)
        if test "$fields[1]" = operands
            set operand $fields[2]
        else if test "$fields[3]" = argument; and contains -- "$words[-1]" $fields[1] $fields[2]
            if test -n "$fields[4]"
                string split --no-empty ' ' -- $fields[4]
            else
                __fish_complete_path "$current"
            end
            return
        else if string match --quiet -- '-*' "$current"
            echo $fields[1]
        end
    end
    string match --quiet -- '-*' "$current"; or test "$operand" = none; or __fish_complete_suffix (string replace --regex '.*\.' . -- $operand)
end

complete --command planwave --no-files
complete --command planwave --condition __fish_is_first_token --arguments '(__planwave_commands)'
complete --command planwave --condition 'not __fish_is_first_token' --keep-order --arguments '(__planwave_arguments)'
