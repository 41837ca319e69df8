# A manual page from a help text, which comes on stdin as `planwave help` prints it. Variables: name and section of the page, title for its
# NAME line, version, and kind: "command" (usage, paragraphs, options, examples) or "text" (shown as it stands).
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^\./, "\\\\\\&.", text)
    sub(/^'/, "\\\\\\&'", text)
    return text
}
function section_begin(what) {
    if (verbatim) { print ".EE"; verbatim = 0 }
    if (section_now != what) print ".SH " what
    section_now = what
}
function prose() { # where paragraphs go
    return options ? "NOTES" : "DESCRIPTION"
}
function verbatim_begin() {
    if (!verbatim) { print ".EX"; verbatim = 1 }
}
/^planwave: / { next } # the name stands above
BEGIN {
    printf ".TH %s %s \"\" \"planwave %s\" \"%s\"\n", toupper(name), section, version, section == 1 ? "User Commands" : "planwave"
    print ".SH NAME"
    print escape(name) " \\- " escape(title)
    if (kind == "text") { section_begin("DESCRIPTION"); verbatim_begin() }
}
kind == "text" { print escape($0); next }
/^usage: / || (usage && /^       planwave/) {
    section_begin("SYNOPSIS")
    if (usage) print ".br"
    sub(/^(usage:)? +/, "")
    print ".B " escape($0)
    usage = 1
    next
}
usage && /^ +[[]/ { sub(/^ +/, ""); print ".B " escape($0); next } # the rest of a usage
{ usage = 0 }
/^$/ { if (verbatim) print ""; else if (section_now == prose()) print ".PP"; next }
/^[a-z][a-z ]*:$/ { # a heading of its own, such as "examples:"
    heading = toupper(substr($0, 1, length($0) - 1))
    section_begin(heading)
    verbatim_begin()
    next
}
{ option = /^  (-.|  ),? ?--?[a-z]/ || /^      --[a-z]/ }
verbatim && /^ / && !(option && section_now == prose()) { print escape($0); next } # options end a list
option {
    section_begin("OPTIONS")
    options = 1
    print ".TP"
    line = $0
    sub(/^ +/, "", line)
    at = match(line, /  +/)
    print ".B " escape(substr(line, 1, at ? at - 1 : length(line)))
    if (at) print escape(substr(line, at + RLENGTH))
    next
}
/^                          / { sub(/^ +/, ""); print escape($0); next } # the rest of an option
/^  / { section_begin(prose()); verbatim_begin(); print escape($0); next } # a list, such as that of the commands
{ section_begin(prose()); print escape($0) }
END {
    if (verbatim) print ".EE"
    print ".SH SEE ALSO"
    count = split(others, other, " ")
    for (n = 1; n <= count; n++) printf ".BR %s%s\n", escape(other[n]), n < count ? "," : ""
}
