/* Documents of applications (api/document.h): trees of their own. */
#include "api/document.h"

#include <stdlib.h>

#include "scenario/scenario_read.h"
#include "scenario/scenario_tree.h"

struct pw_document {
    struct tree tree;
};

pw_status pw_document_parse(const char *name, const char *text, size_t length, pw_document **document, pw_error *error)
{
    OWNED_AS(pw_document) *made = allocate(1, sizeof *made, "a document", error);
    *document = NULL;
    TRY_MADE(made);
    TRY(tree_parse(&made->tree, name, text, length, error));
    *document = made;
    made = NULL;
    return PW_OK;
}

pw_status pw_document_read(const char *path, const char *what, pw_document **document, pw_error *error)
{
    OWNED char *text = NULL;
    size_t length = 0;
    *document = NULL;
    TRY(yaml_file_read(path, what, &text, &length, error));
    return pw_document_parse(path, text, length, document, error);
}

const pw_node *pw_document_root(const pw_document *document)
{
    return document->tree.root;
}

void pw_document_free(pw_document *document)
{
    if (document != NULL) {
        tree_free(&document->tree);
        free(document);
    }
}

PW_RELEASES(pw_document, pw_document_free)
