/* Dividing an axis among the blocks of a lattice. Leaves out: which way is best (wide_partition.cu,
 * streamed_partition.cu). */
#include "kernels/wide/axis_partition.h"

#include <algorithm>

namespace
{

bool are_alike(const wide_axis &a, const wide_axis &b)
{
    bool alike = a.size == b.size && a.low == b.low && a.high == b.high && a.count == b.count;
    for (int s = 0; s < a.count && alike; s++) {
        alike = a.segment[s].begin == b.segment[s].begin && a.segment[s].end == b.segment[s].end &&
                a.segment[s].kind == b.segment[s].kind;
    }
    return alike;
}

} // namespace

std::vector<axis_partition> axis_partitions(const struct problem *p, int n, int unit, int most, int least, int border,
                                            int parts)
{
    std::vector<axis_partition> ways;
    int region = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    for (int count = 1; count <= std::max(1, std::min(parts, n / least)); count++) {
        for (int edge = count > 2 ? (border + unit - 1) / unit * unit : 0; edge <= (count > 2 ? most : 0);
             edge += unit) {
            axis_partition way = {{0}, {}};
            for (int k = 1; k < count; k++) {
                int64_t inner = n - 2 * edge, at = count == 2 ? n / 2 : edge + inner * (k - 1) / (count - 2);
                way.ends.push_back((int)((at + unit - 1) / unit * unit));
            }
            way.ends.push_back(n);
            bool suits = true;
            for (int k = 0; k < count; k++) {
                int size = way.ends[k + 1] - way.ends[k];
                suits = suits && size <= most && (count == 1 || size >= least) &&
                        (count == 1 || (k > 0 && k + 1 < count) || size >= border);
            }
            for (int k = 0; suits && k < count; k++) {
                const wide_axis part = make_axis(way.ends[k], way.ends[k + 1], n, unit, region, p->reach);
                if (std::none_of(way.kinds.begin(), way.kinds.end(),
                                 [&](const wide_axis &kind) { return are_alike(kind, part); })) {
                    way.kinds.push_back(part);
                }
            }
            if (suits) {
                ways.push_back(way);
            }
        }
    }
    return ways;
}

bool lattice_question::operator==(const lattice_question &other) const
{
    return columns == other.columns && rows == other.rows && region == other.region && reach == other.reach &&
           taps == other.taps && processors == other.processors && shared_limit == other.shared_limit;
}

lattice_question lattice_asked(const box_request &request, int processors)
{
    const struct problem *p = request.problem;
    const int region = problem_layer(p) > 0 ? problem_layer(p) + p->reach : 0;
    return {p->axis[0].count, p->axis[1].count, region, p->reach, p->laplacian_taps, processors, request.shared_limit};
}

void place_lattice(const struct problem *p, const axis_partition &x, const axis_partition &y, box_set *set)
{
    *set = {};
    set->columns = x.count();
    set->rows = y.count();
    for (int n = 0; n < set->columns * set->rows; n++) {
        box b = {};
        b.x0 = x.ends[n % set->columns];
        b.x1 = x.ends[n % set->columns + 1];
        b.y0 = y.ends[n / set->columns];
        b.y1 = y.ends[n / set->columns + 1];
        set->boxes.push_back(b);
    }
    place_probes(p, set);
}
