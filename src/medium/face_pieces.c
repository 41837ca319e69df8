/* See face_pieces.h. */
#include "medium/face_pieces.h"

#include <math.h>
#include <string.h>

/* A piece is the face if it is larger than the others by more than the rounding of marks. */
static const double TIE = 0.04;

static bool is_metal(const struct metal_marks *marks, int a, int b)
{
    return is_blocked(marks->line[0][b + 1], place_of(a) - 1, place_of(a) + 1) &&
           is_blocked(marks->line[1][a + 1], place_of(b) - 1, place_of(b) + 1);
}

/* Labels all points that are joined to a point by lines without metal. */
static void flood(const struct metal_marks *marks, int start, uint8_t label, uint8_t *labels)
{
    int stack[POINTS], depth = 0;
    stack[depth++] = start;
    labels[start] = label;
    while (depth > 0) {
        const int p = stack[--depth];
        for (int s = 0; s < 4; s++) {
            const int along = s / 2, step = s % 2 == 0 ? 1 : -1;
            int at[2] = {p % PIECE_LINES, p / PIECE_LINES}, to[2] = {at[0], at[1]};
            to[along] += step;
            if (to[along] < 0 || to[along] >= PIECE_LINES) {
                continue;
            }
            const int low = at[along] < to[along] ? at[along] : to[along], next = to[1] * PIECE_LINES + to[0];
            const uint64_t line = marks->line[along][at[1 - along] + 1];
            if (labels[next] == NO_PIECE && !is_metal(marks, to[0], to[1]) &&
                !is_blocked(line, place_of(low), place_of(low + 1))) {
                labels[next] = label;
                stack[depth++] = next;
            }
        }
    }
}

/* How often metal begins or ends along the lines of a direction. */
static int crossings(const struct metal_marks *marks, int along)
{
    int count = 0;
    for (int l = 1; l <= PIECE_LINES; l++) {
        const uint64_t line = marks->line[along][l];
        count += __builtin_popcountll((line ^ (line >> 1)) & (~UINT64_C(0) >> 1));
    }
    return count;
}

/* Areas by the lines that metal crosses more often: a run of a line without metal counts to the piece of its points. */
static void measure(const struct metal_marks *marks, double area, struct face_pieces *face)
{
    const int along = crossings(marks, 0) > crossings(marks, 1) ? 0 : 1;
    double sum = 0;
    for (int l = 0; l < PIECE_LINES; l++) {
        const uint64_t line = marks->line[along][l + 1];
        for (int p = 0; p < MARKS;) {
            int end = p, label = NO_PIECE;
            while (end < MARKS && !(line >> end & 1)) {
                const int point = end / STEP;
                if (end % STEP == STEP / 2) {
                    label = face->label[along == 0 ? l * PIECE_LINES + point : point * PIECE_LINES + l];
                }
                end++;
            }
            if (label != NO_PIECE) {
                const double length = (double)(end - p), middle = 0.5 * (p + end) / MARKS,
                             across = (l + 0.5) / PIECE_LINES;
                face->area[label] += length;
                face->x[label] += length * (along == 0 ? middle : across);
                face->y[label] += length * (along == 0 ? across : middle);
                sum += length;
            }
            p = end + 1;
        }
    }
    for (int n = 0; n < face->count; n++) {
        face->x[n] /= fmax(face->area[n], 1);
        face->y[n] /= fmax(face->area[n], 1);
        face->area[n] *= sum > 0 ? area / sum : 0;
    }
}

void face_pieces_read(const struct metal_marks *marks, double area, int64_t own, struct face_pieces *face)
{
    memset(face->label, NO_PIECE, sizeof face->label);
    for (int p = 0; p < POINTS; p++) {
        if (face->label[p] == NO_PIECE && !is_metal(marks, p % PIECE_LINES, p / PIECE_LINES) && face->count < PIECES) {
            flood(marks, p, (uint8_t)face->count++, face->label);
        }
    }
    face->thin = marks->thin || face->count > 1;
    if (face->count == 0 || !face->thin) {
        memset(face->label, 0, sizeof face->label);
        face->count = 1;
        face->area[0] = area;
        face->owner[0] = own;
        return;
    }
    measure(marks, area, face);
    int best = -1;
    for (int n = 0; n < face->count; n++) {
        face->owner[n] = -1;
        const double more = best < 0 ? 1 : face->area[n] - face->area[best];
        const bool first = best >= 0 && face->x[n] + 2 * face->y[n] < face->x[best] + 2 * face->y[best];
        best = more > TIE || (more > -TIE && first) ? n : best;
    }
    if (best >= 0) {
        face->owner[best] = own;
    }
}
