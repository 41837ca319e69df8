/* The document of a session: the scenario as text, its earlier and later versions, and the plan that it draws. Every
 * version is a text that was read again after it was written, so that undoing is going back to another text, and what
 * is saved is what was solved. */
#pragma once

#include "serve/document/edit.h"

enum { VERSIONS_MOST = 200, VERSION_BYTES = 64 << 20 };

struct document {
    char *file, *folder; /* absolute, owned */
    char **versions;     /* (version_count), owned, each text too; oldest first */
    int version_count, version;
    char *saved;            /* owned: the text that a file has; the first one at the beginning */
    uint32_t revision;      /* counts changes, undone ones too */
    uint32_t plan_revision; /* counts plans */
    bool dragging;          /* the current version is one of a drag that goes on */
    pw_scenario *scenario;  /* owned: the current version */
    pw_floorplan *plan;     /* owned: what it draws */
};

/* Reads the scenario `path`. PW_BAD_INPUT as pw_scenario_load has it, and for three dimensions. */
pw_status document_open(struct document *document, const char *path, const char *const *overrides,
                        size_t override_count, pw_error *error);
void document_close(struct document *document);

const char *document_text(const struct document *document);

/* The index of a transmitter by its name; 0 where there is none of that name. */
int document_transmitter(const struct document *document, const char *name);

/* Changes the document as one of MESSAGE_MOVE to MESSAGE_REDO asks; on failure it is as it was. */
pw_status document_apply(struct document *document, const struct message *message, pw_error *error);

bool document_is_saved(const struct document *document);

/* The scenario as a file in the folder of the original has it: with files named from there. The caller frees *text. */
pw_status document_portable_text(struct document *document, char **text, pw_error *error);

/* Whether a scenario may be saved under the name. */
bool document_may_be_called(const char *name);

/* Writes the file `name` in the folder of the original. PW_BAD_INPUT: a name with folders in it, or one that does not
 * end in .yaml or .yml, or a file that is there, unless `overwrite`. */
pw_status document_write(struct document *document, const char *name, bool overwrite, pw_error *error);
/* Removes such a file; "": none. */
void document_remove(const struct document *document, const char *name);
/* Writes it, and what the document is now counts as saved. */
pw_status document_save(struct document *document, const char *name, bool overwrite, pw_error *error);
