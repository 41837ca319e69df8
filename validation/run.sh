#!/bin/sh
# run.sh BACKEND CASE QUICK: runs the validation programs (one of them when CASE is given, the subset of continuous integration with
# QUICK) and puts their sections together. The whole suite on the cpu backend writes validation/report.md and validation/plots; other
# backends write their own report without plots; a part of the suite reports into the build folder. Fails when any gate is missed.
backend=$1 only=$2 quick=${3:+quick}
build=${BUILD:-build}/validation
cases="laws cavity dispersion line_source table6 upml slab tilted corner cylinder two_path plan_a plan_a_map walls paper003_rounding paper003_time paper003_delay"
folder=$build/$backend
mkdir -p "$folder/plots"
case " $cases " in *" ${only:-laws} "*) ;; *)
    echo "CASE=$only: allowed are $cases"
    exit 2
    ;;
esac
started=$(date +%s) failed=''
for name in ${only:-$cases}; do
    if [ -x "$build/$name" ]; then
        "$build/$name" "$backend" "$folder" $quick || failed="$failed $name"
    fi
done
report=$folder/report.md
if [ -z "$only$quick" ]; then
    report=validation/report.md
    [ "$backend" = cpu ] || report=validation/report_$backend.md
fi
{
    echo "# Validation report"
    echo
    echo "Made by \`make validate BACKEND=$backend\` at revision $(git describe --always --dirty --abbrev=10 2>/dev/null || echo unknown)," \
         "$(($(date +%s) - started)) s on $(nproc) cores. Missed:${failed:- none}. What each case is for: [README.md](README.md)."
    for name in $cases; do
        [ ! -f "$folder/$name.md" ] || { echo; cat "$folder/$name.md"; }
    done
} > "$folder/all.md"
if [ "$report" = validation/report.md ]; then
    mkdir -p validation/plots && cp "$folder"/plots/*.png validation/plots/
elif [ -z "$only$quick" ]; then
    sed -i '/^!\[/d; /^(no plot/d' "$folder/all.md"
fi
mv "$folder/all.md" "$report"
echo "$report; missed:${failed:- none}"
[ -z "$failed" ]
