/* pw_report_write: packs surveys of the result and writes the page around it. Numbers travel as 16-bit steps
 * of a stated size, delay profiles as 8-bit steps under the peak of their cell, both deflated and in base64; everything
 * else as JSON. The page asks nothing of a network. When it would be larger than allowed, every second tap goes first,
 * then cells. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { UNDEFINED = 65535, CELL_STEP_LIMIT = 16, STORED_PADDING = 2 };
static const double value_step = 0.01; /* dB, ns, MHz: what the tables of `planwave channel` print */

pw_report_options pw_report_options_default(void)
{
    return (pw_report_options){.channel = pw_channel_options_default(), .maximum_bytes = 20 * 1000 * 1000};
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* Deflated data under the name that the page knows it by. */
struct block {
    char name[32];
    uint8_t *bytes; /* (size), owned */
    size_t size;
};

struct page {
    const pw_result *result;
    const pw_report_options *options;
    struct report_sheets sheets; /* owned */
    struct report_detail detail;
    char *walls; /* owned: members of the JSON, NULL: none */
    char *json;  /* (json_size), owned */
    size_t json_size;
    struct block *blocks; /* (block_count), owned */
    int block_count, block_limit;
};

static void page_free(struct page *page)
{
    for (int b = 0; b < page->block_count; b++) {
        free(page->blocks[b].bytes);
    }
    PW_FREE_ALL(page->blocks, page->json);
    page->blocks = NULL;
    page->json = NULL;
    page->block_count = 0;
}

static pw_status block_add(struct page *page, const char *kind, int index, const uint8_t *raw, size_t size,
                           pw_error *error)
{
    struct block *block = &page->blocks[page->block_count];
    uLongf packed = compressBound(size);
    block->bytes = allocate(packed, 1, "a part of the page", error);
    TRY_MADE(block->bytes);
    page->block_count++;
    snprintf(block->name, sizeof block->name, "%s-%d", kind, index);
    FAIL_IF(compress2(block->bytes, &packed, raw, size, 6) != Z_OK, error, PW_NO_RESOURCE,
            "cannot compress %zu bytes of the page", size);
    block->size = packed;
    return PW_OK;
}

/* In whole steps, so that the page shows the very decimals that the tables print. */
static struct report_quantiser quantiser_fit(const float *value, size_t count)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t n = 0; n < count; n++) {
        if (isfinite(value[n])) {
            least = fmin(least, value[n]);
            most = fmax(most, value[n]);
        }
    }
    struct report_quantiser quantiser = {0.0, value_step};
    if (most >= least) {
        while (most - least > quantiser.step * (UNDEFINED - 2)) {
            quantiser.step *= 10.0;
        }
        quantiser.offset = quantiser.step * floor(least / quantiser.step);
    }
    return quantiser;
}

/* All planes of a site: for each the low bytes of its cells, then the high bytes, which compress better apart. */
static pw_status planes_pack(struct page *page, int index, const pw_survey *site, struct report_quantiser *quantisers,
                             pw_error *error)
{
    size_t count = (size_t)site->rows * (size_t)site->columns, planes = (size_t)site->plane_count;
    PW_OWNED uint8_t *raw = allocate(planes * count, 2, "the maps of the page", error);
    TRY_MADE(raw);
    for (size_t p = 0; p < planes; p++) {
        const float *value = site->planes[p].value;
        uint8_t *low = raw + 2 * p * count, *high = low + count;
        quantisers[p] = quantiser_fit(value, count);
        for (size_t n = 0; n < count; n++) {
            long q = isfinite(value[n]) ? lround((value[n] - quantisers[p].offset) / quantisers[p].step) : UNDEFINED;
            low[n] = (uint8_t)(q & 255);
            high[n] = (uint8_t)(q >> 8);
        }
    }
    return block_add(page, "maps", index, raw, 2 * planes * count, error);
}

/* Differences along the delay, modulo 256. */
static pw_status profiles_pack(struct page *page, int index, pw_survey *site, pw_error *error)
{
    if (site->bin_count == 0) {
        return PW_OK;
    }
    size_t count = (size_t)site->rows * (size_t)site->columns, bins = (size_t)site->bin_count;
    for (size_t n = 0; n < count; n++) {
        uint8_t *profile = site->profiles + n * bins;
        for (size_t b = bins - 1; b > 0; b--) {
            profile[b] = (uint8_t)(profile[b] - profile[b - 1]);
        }
    }
    return block_add(page, "profiles", index, site->profiles, count * bins, error);
}

/* Relative permittivity at every node of the plan, in three dimensions in the plane of the chosen sheet, in steps of
 * 1/REPORT_WALL_STEPS. */
static pw_status walls_pack(struct page *page, int sheet, pw_error *error)
{
    const pw_result *result = page->result;
    int rows, columns;
    TRY(pw_result_plan_permittivity(result, page->sheets.sheet[sheet], &rows, &columns, NULL, error));
    const size_t nodes = (size_t)rows * (size_t)columns;
    OWNED double *permittivity = allocate(nodes, sizeof *permittivity, "the plan", error);
    OWNED uint8_t *raw = allocate(nodes, 1, "the walls of the page", error);
    TRY_MADE(permittivity != NULL && raw != NULL);
    TRY(pw_result_plan_permittivity(result, page->sheets.sheet[sheet], &rows, &columns, permittivity, error));
    for (size_t n = 0; n < nodes; n++) {
        raw[n] = (uint8_t)fmin(255.0, fmax(0.0, round(REPORT_WALL_STEPS * permittivity[n])));
    }
    return block_add(page, "walls", sheet, raw, nodes, error);
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

static pw_status site_add(struct page *page, FILE *json, struct report_site *site, const pw_monitor *monitor,
                          pw_error *error)
{
    struct report_quantiser quantisers[PW_SURVEY_PLANES];
    const pw_survey_options options = {.sheet = site->result_sheet,
                                       .transmitter = site->transmitter,
                                       .channel = page->options->channel,
                                       .cell_step = page->detail.cell_step,
                                       .tap_step = page->detail.tap_step};
    TRY(pw_survey_create(page->result, &options, monitor, &site->survey, error));
    pw_survey *survey = site->survey;
    pw_status status = planes_pack(page, site->index, survey, quantisers, error);
    THEN(status, profiles_pack(page, site->index, survey, error));
    THEN(status,
         block_add(page, "floor", site->index, survey->counted, (size_t)survey->rows * (size_t)survey->columns, error));
    THEN(status, report_json_site(json, page->result, site, &page->options->channel, quantisers, error));
    pw_survey_free(survey);
    return status;
}

/* First and one past the last of the transmitters that the page shows. */
static pw_status transmitters_choose(const struct page *page, int *first, int *end, pw_error *error)
{
    *first = 0;
    *end = pw_result_describe(page->result).transmitter_count;
    if (page->options->transmitter != NULL) {
        TRY(pw_result_find_transmitter(page->result, page->options->transmitter, first, error));
        *end = *first + 1;
    }
    return PW_OK;
}

/* Every transmitter on one sheet, and the walls there. */
static pw_status sheet_add(struct page *page, FILE *json, int sheet, const pw_monitor *monitor, pw_error *error)
{
    int first, end, sites = page->sheets.count;
    TRY(transmitters_choose(page, &first, &end, error));
    sites *= end - first;
    pw_status status = PW_OK;
    for (int t = first; status == PW_OK && t < end; t++) {
        int done = sheet * (end - first) + t - first;
        struct report_site site = {.transmitter = t,
                                   .index = sheet * pw_result_describe(page->result).transmitter_count + t,
                                   .sheet = sheet,
                                   .result_sheet = page->sheets.sheet[sheet]};
        pw_monitor_part part = {monitor, (double)done / sites, (done + 1.0) / sites};
        pw_monitor own = pw_monitor_of_part(&part);
        fputs(done > 0 ? "," : "", json);
        status = site_add(page, json, &site, &own, error);
    }
    return status == PW_OK ? walls_pack(page, sheet, error) : status;
}

static pw_status sites_add(struct page *page, FILE *json, const pw_monitor *monitor, pw_error *error)
{
    page->block_limit = page->sheets.count * (1 + 3 * pw_result_describe(page->result).transmitter_count);
    page->blocks = allocate((size_t)page->block_limit, sizeof *page->blocks, "the parts of the page", error);
    TRY_MADE(page->blocks);
    for (int sheet = 0; sheet < page->sheets.count; sheet++) {
        TRY(sheet_add(page, json, sheet, monitor, error));
    }
    return PW_OK;
}

/* In three dimensions every sheet; else, or without one, the chosen sheet alone. */
static pw_status sheets_choose(struct page *page, pw_error *error)
{
    const pw_result *result = page->result;
    const int count = pw_result_sheet_count(result);
    page->sheets.sheet = allocate((size_t)count + 1, sizeof *page->sheets.sheet, "sheets", error);
    TRY_MADE(page->sheets.sheet);
    for (int s = 0; pw_result_has_sheets(result) && s < count; s++) {
        page->sheets.sheet[page->sheets.count++] = s;
    }
    if (page->sheets.count == 0) {
        page->sheets.sheet[page->sheets.count++] = pw_result_sheet_chosen(result);
    }
    return PW_OK;
}

/* Fills json and blocks. */
static pw_status page_collect(struct page *page, const pw_monitor *monitor, pw_error *error)
{
    FILE *json = open_memstream(&page->json, &page->json_size);
    FAIL_IF(json == NULL, error, PW_NO_RESOURCE, "not enough memory for the page");
    fputc('{', json);
    report_json_head(json, page->result, &page->sheets, &page->options->channel, page->detail);
    fputs(page->walls != NULL ? page->walls : "", json);
    pw_status status = report_json_mimo(json, page->result, page->options, error);
    fputs("\"sites\":[", json);
    THEN(status, sites_add(page, json, monitor, error));
    fputs("]}", json);
    if (!pw_text_close(json, &page->json) && status == PW_OK) {
        status = fail(error, PW_NO_RESOURCE, "not enough memory for the page");
    }
    return status;
}

static uint64_t page_bytes(const struct page *page)
{
    uint64_t bytes = strlen(report_page) + page->json_size;
    for (int b = 0; b < page->block_count; b++) {
        bytes += 4 * ((page->blocks[b].size + 2) / 3) + 80;
    }
    return bytes;
}

/* Taps are thinned to twice the bins that the band has, since |h|^2 has no more to say; then to those bins. */
static int tap_step_first(int padding)
{
    for (int step = 1; step < padding; step++) {
        if (padding % step == 0 && padding / step <= STORED_PADDING) {
            return step;
        }
    }
    return padding;
}

/* Fewer bytes than any page of that detail: profiles deflate to about a fourth, maps to about two thirds, and base64
 * adds a third. */
static double page_bytes_least(const struct page *page)
{
    const pw_result_facts facts = pw_result_describe(page->result);
    double cells = 0.0, taps = (double)page->options->channel.padding * facts.frequency_count / page->detail.tap_step;
    const int wanted = page->options->transmitter == NULL ? facts.transmitter_count : 1;
    for (int s = 0; s < page->sheets.count; s++) {
        pw_sheet sheet = {0};
        (void)pw_result_sheet_describe(page->result, page->sheets.sheet[s], &sheet, NULL); /* without one: no cells */
        cells += (double)wanted * sheet.rows * sheet.columns / (page->detail.cell_step * page->detail.cell_step);
    }
    /* Half of it, to be sure: the absorber's cells are left out. */
    return 0.5 * cells * (0.33 * taps + 1.8 * PW_SURVEY_FIXED_PLANES);
}

/* The most detail that fits. */
static pw_status page_fit(struct page *page, pw_error *error)
{
    uint64_t limit = page->options->maximum_bytes, bytes = 0;
    int padding = page->options->channel.padding, steps[] = {tap_step_first(padding), padding};
    double done = 0.0;
    for (int cells = 1; cells <= CELL_STEP_LIMIT; cells++) {
        for (int n = steps[0] == steps[1]; n < 2; n++) {
            page->detail = (struct report_detail){.cell_step = cells, .tap_step = steps[n]};
            if (page_bytes_least(page) > (double)limit && cells < CELL_STEP_LIMIT) {
                continue;
            }
            /* How many attempts it takes is not known: each is told as half of what is left. */
            pw_monitor_part part = {&page->options->monitor, done, 0.5 * (1.0 + done)};
            pw_monitor monitor = pw_monitor_of_part(&part);
            done = part.to;
            TRY(page_collect(page, &monitor, error));
            bytes = page_bytes(page);
            if (bytes <= limit) {
                return pw_monitor_tell(&page->options->monitor, 1.0, error);
            }
            page_free(page);
        }
    }
    return fail(error, PW_BAD_INPUT,
                "the page would take %.2f MB even with one cell of %d in x and in y; %.2f MB are allowed",
                1e-6 * (double)bytes, CELL_STEP_LIMIT, 1e-6 * (double)limit);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void base64_write(FILE *file, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t n = 0; n < size; n += 3) {
        size_t left = size - n;
        uint32_t word =
            (uint32_t)bytes[n] << 16 | (left > 1 ? (uint32_t)bytes[n + 1] << 8 : 0) | (left > 2 ? bytes[n + 2] : 0);
        fputc(digits[word >> 18], file);
        fputc(digits[word >> 12 & 63], file);
        fputc(left > 1 ? digits[word >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[word & 63] : '=', file);
    }
}

/* Inside a script element no text may look like its end. */
static void json_write(FILE *file, const char *json, size_t size)
{
    for (size_t n = 0; n < size; n++) {
        if (json[n] == '<') {
            fputs("\\u003c", file);
        } else {
            fputc(json[n], file);
        }
    }
}

static void page_print(const struct page *page, FILE *file)
{
    const char *mark = strstr(report_page, REPORT_DATA_MARK);
    fwrite(report_page, 1, (size_t)(mark - report_page), file);
    fputs("<script type=\"application/json\" id=\"data\">", file);
    json_write(file, page->json, page->json_size);
    fputs("</script>\n", file);
    for (int b = 0; b < page->block_count; b++) {
        fprintf(file, "<script type=\"text/plain\" id=\"%s\">", page->blocks[b].name);
        base64_write(file, page->blocks[b].bytes, page->blocks[b].size);
        fputs("</script>\n", file);
    }
    fputs(mark + strlen(REPORT_DATA_MARK), file);
}

static pw_status page_write(const struct page *page, const char *path, pw_error *error)
{
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    page_print(page, file);
    return pw_file_finish(file, path, error);
}

static void page_tell(const struct page *page, const char *path, FILE *stream)
{
    fprintf(stream, "wrote %s (%.1f MB)", path, 1e-6 * (double)page_bytes(page));
    if (page->detail.cell_step > 1) {
        fprintf(stream, "; to stay within %.1f MB it holds one cell of %d in x and in y",
                1e-6 * (double)page->options->maximum_bytes, page->detail.cell_step);
    }
    if (pw_result_describe(page->result).frequency_count < PW_MINIMUM_FREQUENCIES) {
        fprintf(stream, "; without delays, which need %d frequencies", PW_MINIMUM_FREQUENCIES);
    }
    fputc('\n', stream);
}

pw_status pw_report_write(const pw_result *result, const pw_report_options *options, const char *html_path,
                          FILE *report, pw_error *error)
{
    pw_report_options defaults = pw_report_options_default();
    options = options != NULL ? options : &defaults;
    FAIL_IF(result == NULL || html_path == NULL || html_path[0] == '\0', error, PW_USAGE,
            "pw_report_write: no %s given", result == NULL ? "result" : "file name");
    TRY(pw_channel_options_check(&options->channel, error));
    FAIL_IF(options->channel.component != PW_COMPONENT_OWN, error, PW_USAGE,
            "the page shows every component that was kept: none can be asked for");
    struct page page = {.result = result, .options = options};
    pw_status status = sheets_choose(&page, error);
    if (options->sensitivity) {
        THEN(status, report_walls_solve(result, options, &page.walls, error));
    }
    THEN(status, page_fit(&page, error));
    THEN(status, page_write(&page, html_path, error));
    if (status == PW_OK && report != NULL) {
        page_tell(&page, html_path, report);
    }
    page_free(&page);
    PW_FREE_ALL(page.walls, page.sheets.sheet);
    return status;
}
