/* Files of XML (xml_file.h). */
#include "drawing/xml_file.h"

pw_status xml_file_parse(XML_Parser parser, const char *path, size_t most, const pw_status *stopped, pw_error *error)
{
    OWNED char *bytes = NULL;
    size_t size = 0;
    FAIL_IF(parser == NULL, error, PW_NO_RESOURCE, "not enough memory to read '%s'", path);
    pw_status status = pw_file_read(path, most, &bytes, &size, error);
    if (status == PW_OK && XML_Parse(parser, bytes, (int)size, true) != XML_STATUS_OK && *stopped == PW_OK) {
        status = fail(error, PW_BAD_INPUT, "'%s', line %lu, column %lu: %s", path,
                      (unsigned long)XML_GetCurrentLineNumber(parser),
                      (unsigned long)XML_GetCurrentColumnNumber(parser) + 1, XML_ErrorString(XML_GetErrorCode(parser)));
    }
    XML_ParserFree(parser);
    return status == PW_OK ? *stopped : status;
}
