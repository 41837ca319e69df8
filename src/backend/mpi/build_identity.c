/* See build_identity.h. */
#include "backend/mpi/build_identity.h"

#include "api/base.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ID_BYTES = 20 };

struct found {
    unsigned char bytes[ID_BYTES];
    size_t count;
};

/* The program or the library that holds this function. */
static bool is_own(const struct dl_phdr_info *object)
{
    const ElfW(Addr) here = (ElfW(Addr))(uintptr_t)&build_identity;
    for (int h = 0; h < object->dlpi_phnum; h++) {
        const ElfW(Phdr) *head = &object->dlpi_phdr[h];
        const ElfW(Addr) first = object->dlpi_addr + head->p_vaddr;
        if (head->p_type == PT_LOAD && here >= first && here - first < head->p_memsz) {
            return true;
        }
    }
    return false;
}

static size_t aligned(size_t size)
{
    return (size + 3) / 4 * 4;
}

/* Notes are a head, a name and a description, each at a multiple of four bytes. */
static void read_notes(const char *notes, size_t size, struct found *found)
{
    ElfW(Nhdr) head;
    for (size_t at = 0; at + sizeof head <= size;) {
        memcpy(&head, notes + at, sizeof head);
        const char *name = notes + at + sizeof head, *id = name + aligned(head.n_namesz);
        at += sizeof head + aligned(head.n_namesz) + aligned(head.n_descsz);
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" && memcmp(name, "GNU", sizeof "GNU") == 0) {
            found->count = head.n_descsz < ID_BYTES ? head.n_descsz : ID_BYTES;
            memcpy(found->bytes, id, found->count);
        }
    }
}

static int look_at(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size;
    if (!is_own(object)) {
        return 0;
    }
    for (int h = 0; h < object->dlpi_phnum; h++) {
        const ElfW(Phdr) *head = &object->dlpi_phdr[h];
        if (head->p_type == PT_NOTE) {
            read_notes((const char *)(uintptr_t)(object->dlpi_addr + head->p_vaddr), head->p_memsz, user);
        }
    }
    return 1;
}

void build_identity(char text[BUILD_IDENTITY_SIZE])
{
    struct found found = {.count = 0};
    char id[2 * ID_BYTES + 1] = "";
    dl_iterate_phdr(look_at, &found);
    for (size_t n = 0; n < found.count; n++) {
        snprintf(id + 2 * n, 3, "%02x", found.bytes[n]);
    }
    memset(text, 0, BUILD_IDENTITY_SIZE);
    snprintf(text, BUILD_IDENTITY_SIZE, "%s (%s)%s%s", PW_VERSION, pw_commit(), found.count > 0 ? ", build " : "", id);
}
