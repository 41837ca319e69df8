#!/bin/sh
# run.sh BACKEND CASE QUICK: runs the validation programs (one of them when CASE is given, the subset of continuous integration with
# QUICK) and puts their sections together. The whole suite on the cpu backend writes validation/report.md and validation/plots; other
# backends write their own report without plots; a part of the suite reports into the build folder. CASE=report runs nothing and writes
# the whole report from the sections that are there. Fails when any gate is missed.
backend=$1 only=$2 quick=${3:+quick}
build=${BUILD:-build}/validation
cases="laws cavity dispersion line_source table6 upml absorber_kinds absorber_late strip slab coated_panes dispersive_slab wall_band tilted corner cylinder two_path narrow_bands pattern arrays delay_guard spreads plan_a plan_a_map walls dipole plates volume_absorber volume_slab dispersive_volume volume_tilted stack storey sphere te_line te_slab te_cylinder te_edge room_b volume_forecast peers drawings place measured_flat measured_office measured_lab measured_uwb calibrate_trials paper003_rounding paper003_time paper003_delay"
# What is asked for and not met yet, or takes long: run by name, CASE=metal_gates, with their gates as they are (validation/metal.md).
ahead="metal_gates metal_moves hard_plans lossy_walls"
folder=$build/$backend
mkdir -p "$folder/plots"
case " $cases $ahead report " in *" ${only:-laws} "*) ;; *)
    echo "CASE=$only: allowed are $cases $ahead report"
    exit 2
    ;;
esac
failed=''
if [ "$only" = report ]; then
    only=''
else
    for name in ${only:-$cases}; do
        found=''
        for program in "$build"/*/"$name"; do # one that an older tree left in another folder has no source any more
            if [ -x "$program" ] && [ -f "validation${program#"$build"}.c" ]; then
                found=yes
                "$program" "$backend" "$folder" $quick || failed="$failed $name"
            fi
        done
        [ -n "$found" ] || failed="$failed $name(not built)"
    done
fi
report=$folder/report.md
if [ -z "$only$quick" ]; then
    report=validation/report.md
    [ "$backend" = cpu ] || report=validation/report_$backend.md
fi
for name in $cases; do
    [ ! -f "$folder/$name.md" ] || { echo; cat "$folder/$name.md"; }
done > "$folder/sections.md"
missed=$(grep -c '\*\*FAIL\*\* |$' "$folder/sections.md")
others=''
if [ "$report" = validation/report.md ]; then
    mkdir -p validation/plots && cp "$folder"/plots/*.png validation/plots/
    others=$(ls validation/report_*.md 2>/dev/null)
elif [ -z "$only$quick" ]; then
    sed -i '/^!\[/d; /^(no plot/d' "$folder/sections.md"
fi
{
    echo "# Validation report"
    echo
    echo "Made by \`make validate BACKEND=$backend\`; gates missed: $missed. What each case is for: [README.md](README.md)."
    echo "Per case the gates that held, seconds, and beside the first backend by how much a gated figure differs from it at most, in"
    echo "hundredths of its gate:"
    echo
    # shellcheck disable=SC2086
    awk -f validation/support/tables/summary.awk "$folder/sections.md" $others
    cat "$folder/sections.md"
} > "$folder/all.md"
mv "$folder/all.md" "$report"
echo "$report; missed:${failed:- none}, $missed gates"
[ -z "$failed" ] && [ "$missed" -eq 0 ]
