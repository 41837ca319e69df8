/* The heads of text files about a link (export_text.h). */
#include "channel/export/export_text.h"

#include "base/constants.h"
#include "channel/channel_words.h"
#include "channel/slant/heights.h"

#include <math.h>

/* A user's text on one comment line. */
static void comment_text(FILE *file, const char *mark, const char *label, const char *text)
{
    fprintf(file, "%s %s: ", mark, label);
    for (const char *c = text; *c != '\0'; c++) {
        fputc((unsigned char)*c < ' ' ? ' ' : *c, file);
    }
    fputc('\n', file);
}

/* x and y, and the height where it is known. */
static void coordinates_print(FILE *file, double x, double y, double height)
{
    fprintf(file, "%.6g, %.6g", x, y);
    if (!isnan(height)) {
        fprintf(file, ", %.6g", height);
    }
}

void export_text_head(FILE *file, const char *mark, const struct channel_link *link, const char *what)
{
    const struct result_transmitter *from = link->transmitter;
    fprintf(file, "%s planwave %s: %s\n", mark, PW_VERSION, what);
    if (link->result->title != NULL && link->result->title[0] != '\0') {
        comment_text(file, mark, "title", link->result->title);
    }
    comment_text(file, mark, "result", link->result->path);
    comment_text(file, mark, "transmitter", from->name);
    fprintf(file, "%s     at (", mark);
    coordinates_print(file, from->x, from->y, height_of_transmitter(from, &link->band.options));
    fprintf(file, ") m, EIRP %.6g dBm\n", from->power);
    comment_text(file, mark, "receiver", link->place.name);
    fprintf(file, "%s     at (", mark);
    coordinates_print(file, link->place.x, link->place.y, link->place.height);
    fprintf(file, ") m, gain %.6g dBi, distance %.6g m\n", link->place.gain, link->metrics.distance);
    if (link->result->horizontal && link->place.along[2] != 0.0) {
        fprintf(file, "%s horizontal polarisation: eta0 Hz, as a loop takes it in\n", mark);
    } else if (result_is_vector(link->result)) {
        const double *along = link->place.along;
        fprintf(file, "%s field along (%.6g, %.6g, %.6g)\n", mark, along[0], along[1], along[2]);
    }
    fprintf(file, "%s time dependence exp(+jwt)\n", mark);
}

const char *link_spreading_text(const struct channel_link *link, char text[HEIGHTS_TEXT])
{
    int transmitter = (int)(link->transmitter - link->result->transmitters);
    double height = link->place.height;
    if (isnan(height)) { /* the link is level */
        snprintf(text, HEIGHTS_TEXT, "%s", pw_spreading_text(link->band.dimensions, link->band.options.spreading));
        return text;
    }
    return heights_spreading_text(link->result, transmitter, height, &link->band.options, text);
}

void export_impulse_head(FILE *file, const struct channel_link *link)
{
    char step[HEIGHTS_TEXT];
    const pw_channel_options *options = &link->band.options;
    fprintf(file, "# delay counts from emission: the direct path arrives at distance/c = %.6g s\n",
            link->metrics.distance / SPEED_OF_LIGHT);
    fprintf(file, "# window %s", channel_window_name(options->window));
    if (options->window == PW_WINDOW_KAISER) {
        fprintf(file, ", beta %g", options->kaiser_beta);
    }
    fprintf(file, ", mean amplitude 1: a path of power P peaks at P\n");
    fprintf(file, "# bin 1/B = %.9g s, zero padding factor %d\n", link->band.bin * options->padding, options->padding);
    fprintf(file, "# from 2D to 3D: %s\n", link_spreading_text(link, step));
    result_write_level_interval(link->result, file);
    char note[PW_NOTE_SIZE];
    if (pw_metrics_note(&link->metrics, note, sizeof note) > 0) {
        fprintf(file, "# note: %s\n", note);
    }
}
