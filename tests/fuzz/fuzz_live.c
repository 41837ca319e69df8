/* Any bytes as messages to the server, a line each: refused with a sentence, or carried out on a document that can be
 * undone to what it was, byte for byte, and whose every version a scenario can say. */
#include <string.h>

#include "serve/document/describe.h"
#include "tests/fuzz/fuzz.h"

static const char SCENARIO[] = "plan:\n"
                               "  size: [4 m, 3 m]\n"
                               "  walls: [{from: [1, 0], to: [1, 2], thickness: 10 cm, material: brick}]\n"
                               "  openings: [{from: [0.9, 0.5], to: [1.1, 1.4]}]\n"
                               "  circles: [{centre: [3, 2], radius: 30 cm, material: {relative_permittivity: 3, "
                               "conductivity: 0.1 S/m}}]\n"
                               "band: 1.2 GHz\n"
                               "transmitters: [{name: ap1, at: [2, 1]}]\n";

static struct document document;

/* Once; the document that every input begins with is that of the file. */
static void document_begin(void)
{
    pw_error error;
    char path[64];
    fuzz_file((const uint8_t *)SCENARIO, sizeof SCENARIO - 1, path);
    FUZZ_MUST(pw_memory_limit("1GB", &error) == PW_OK);
    FUZZ_MUST(document_open(&document, path, NULL, 0, &error) == PW_OK);
    unlink(path);
}

static bool changes(const struct message *message)
{
    return message->kind <= MESSAGE_REDO;
}

static void hear(const char *text, size_t length)
{
    struct message message;
    pw_error error = {""};
    pw_status status = message_parse(text, length, &message, &error);
    fuzz_check(status, &error);
    FUZZ_MUST(message.id >= -1);
    if (status == PW_OK && changes(&message)) {
        error.message[0] = '\0';
        fuzz_check(document_apply(&document, &message, &error), &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (document.file == NULL) {
        document_begin();
    }
    char *first = strdup(document_text(&document));
    const char *text = (const char *)bytes, *end = text + size;
    for (int n = 0; n < 8 && text < end; n++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop != NULL ? stop : end;
        hear(text, (size_t)(stop - text));
        text = stop + 1;
    }
    struct live_state state = {&document, {PW_RECEIVED_POWER, "best", true}, {.speed = 1}, 1};
    char *described = describe_state(&state);
    FUZZ_MUST(described != NULL);
    free(described);
    while (document.version > 0) {
        FUZZ_MUST(document_apply(&document, &(struct message){.kind = MESSAGE_UNDO}, NULL) == PW_OK);
    }
    FUZZ_MUST(strcmp(document_text(&document), first) == 0);
    free(first);
    return 0;
}
