/* The arithmetic of Mur's absorbing boundary (mur.h), beside that of the other nodes (problem/cell.h), whose REAL, FMA,
 * CELL and CELL_FUNCTION it takes: every fused multiply-add is written out, so that all backends give the same bits. No
 * include guard: once per precision.
 *
 * All of it is in increments v = Ez[n+1] - Ez[n]. `edge` and `next` are Ez[n] at an outermost node and at the node
 * inward of it; next_v is the increment of that node over the same step; fade = (k-1)/(k+1) and grow = 1 + fade =
 * 2k/(k+1) with k = c dt/cell. */

/* The first order, and the second with what it remembers. */
CELL_FUNCTION REAL CELL(cell_mur)(REAL edge, REAL next, REAL next_v, REAL fade, REAL grow, REAL memory)
{
    return FMA(grow, next - edge, FMA(fade, next_v, memory));
}

/* What the second order remembers: the sum over time of the second difference along the edge, at the outermost node and
 * at the one inward of it; turn = k^2/(2(k+1)). */
CELL_FUNCTION REAL CELL(cell_mur_memory)(REAL memory, REAL edge, REAL edge_low, REAL edge_high, REAL next,
                                         REAL next_low, REAL next_high, REAL turn)
{
    REAL bend = FMA((REAL)-2, edge, edge_low + edge_high) + FMA((REAL)-2, next, next_low + next_high);
    return FMA(turn, bend, memory);
}
