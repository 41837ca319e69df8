/* Documents of applications (api/document.h): trees of their own, and what a value of one is. */
#include "api/document.h"

#include <stdlib.h>

#include "scenario/scenario_tree.h"

struct pw_document {
    struct tree tree;
};

pw_status pw_document_parse(const char *name, const char *text, size_t length, pw_document **document, pw_error *error)
{
    pw_document *made = allocate(1, sizeof *made, "a document", error);
    *document = NULL;
    if (made == NULL) {
        return PW_NO_RESOURCE;
    }
    pw_status status = tree_parse(&made->tree, name, text, length, error);
    if (status != PW_OK) {
        pw_document_free(made);
        return status;
    }
    *document = made;
    return PW_OK;
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

_Static_assert((int)PW_NODE_MAP == (int)NODE_MAP && (int)PW_NODE_LIST == (int)NODE_LIST, "kinds of values");

pw_node_facts pw_node_describe(const pw_node *node)
{
    return (pw_node_facts){.kind = (pw_node_kind)node->kind,
                           .line = node->line,
                           .index = node->index,
                           .count = node->count,
                           .key = node->key,
                           .text = node->text,
                           .first = node->first,
                           .next = node->next};
}
