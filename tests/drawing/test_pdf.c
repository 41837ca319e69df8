/* PDF files, written here object by object: lines and areas with their colours come back on their pages, letters are
 * counted, scans are refused. Without the program pdftocairo that alone is tested which does not need it. */
#include "tests/drawing/vector_check.h"

static const char NAME[] = "plan.pdf";

/* A PDF with a page for each of these contents, 400 x 300 points. */
static void pdf_write(const char *const *contents, int pages, char path[256])
{
    char *text = NULL;
    size_t size = 0, places[64];
    FILE *out = open_memstream(&text, &size);
    int objects = 3 + 2 * pages;
    fprintf(out, "%%PDF-1.4\n");
    for (int n = 1; n <= objects; n++) {
        fflush(out);
        places[n] = size;
        fprintf(out, "%d 0 obj\n", n);
        if (n == 1) {
            fprintf(out, "<< /Type /Catalog /Pages 2 0 R >>\n");
        } else if (n == 2) {
            fprintf(out, "<< /Type /Pages /Count %d /Kids [", pages);
            for (int p = 0; p < pages; p++) {
                fprintf(out, "%d 0 R ", 4 + 2 * p);
            }
            fprintf(out, "] >>\n");
        } else if (n == 3) {
            fprintf(out, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\n");
        } else if (n % 2 == 0) {
            fprintf(
                out,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents %d 0 R /Resources << /Font << /F 3 0 R "
                ">> >> >>\n",
                n + 1);
        } else {
            const char *content = contents[(n - 5) / 2];
            fprintf(out, "<< /Length %zu >>\nstream\n%s\nendstream\n", strlen(content), content);
        }
        fprintf(out, "endobj\n");
    }
    fflush(out);
    size_t table = size;
    fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", objects + 1);
    for (int n = 1; n <= objects; n++) {
        fprintf(out, "%010zu 00000 n \n", places[n]);
    }
    fprintf(out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", objects + 1, table);
    fclose(out);
    drawing_file_write(NAME, text, size, path);
    free(text);
}

static bool poppler_is_there(void)
{
    if (system("pdftocairo -v > /dev/null 2>&1") == 0 && system("pdfinfo -v > /dev/null 2>&1") == 0) {
        return true;
    }
    print_message("pdftocairo is not installed (Debian: poppler-utils): reading PDF is not tested\n");
    return false;
}

static void test_pages(void **state)
{
    (void)state;
    const char *const pages[] = {
        "2 w 1 0 0 RG 10 20 m 110 20 l S 0 0 1 rg 50 50 100 20 re f BT /F 12 Tf 20 200 Td (Hall) Tj "
        "ET q 2 0 0 2 0 0 cm 3 w 0 G 10 10 m 20 30 l S Q",
        "0.5 g 0 0 10 10 re f"};
    if (!poppler_is_there()) {
        return;
    }
    char path[256];
    pdf_write(pages, 2, path);
    struct drawing drawing = drawing_taken(path);
    assert_int_equal(drawing.page_count, 2);
    assert_string_equal(drawing.pages[1].name, "2");
    assert_int_equal(drawing.element_count, 4);
    box_check(&drawing, element_of(&drawing, "stroke #ff0000 width 2", 0), (double[]){10, 20, 110, 20});
    box_check(&drawing, element_of(&drawing, "fill #0000ff", 0), (double[]){50, 50, 150, 70});
    const struct drawing_element *wide = element_of(&drawing, "stroke #000000 width 6", 0);
    box_check(&drawing, wide, (double[]){20, 20, 40, 60});
    assert_near(wide->width, 6, 1e-6);
    assert_int_equal(omissions_of(&drawing, "letter"), 4);
    assert_int_equal(drawing.elements[3].page, 1);
    assert_true(drawing.unit == 0);
    drawing_free(&drawing);
    pdf_write(pages + 1, 1, path);
    drawing = drawing_taken(path);
    assert_string_equal(drawing.pages[0].name, "");
    drawing_free(&drawing);
}

static void test_refused(void **state)
{
    (void)state;
    if (!poppler_is_there()) {
        return;
    }
    const char *const scan[] = {"1 g 0 0 400 300 re f q 100 0 0 100 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q"};
    char path[256];
    pdf_write(scan, 1, path);
    drawing_not_taken(path, "pdftoppm");
    drawing_refused("-f.pdf", "%PDF-1.4\nnonsense\n", "cannot be read as PDF");
}

static void test_missing_program(void **state)
{
    (void)state;
    const char *const pages[] = {"0.5 g 0 0 10 10 re f"};
    char path[256], *before = strdup(getenv("PATH") != NULL ? getenv("PATH") : "");
    pdf_write(pages, 1, path);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    struct drawing drawing = {0};
    pw_error error = {""};
    assert_int_equal(drawing_read(path, &(struct picture_options){0}, &drawing, &error), PW_NO_RESOURCE);
    assert_non_null(strstr(error.message, "poppler-utils"));
    drawing_free(&drawing);
    setenv("PATH", before, 1);
    free(before);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_missing_program),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
