/* Any file as the picture of a floor: refused with a sentence, or pixels within the limits. */
#include "base/picture/png_image.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    fuzz_file(bytes, size, path);
    pw_picture image = {0};
    pw_error error = {""};
    pw_status status = png_image_read(path, &image, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        FUZZ_MUST(image.width > 0 && image.width <= PW_PICTURE_SIDE_LIMIT && image.height > 0 &&
                  image.height <= PW_PICTURE_SIDE_LIMIT);
        FUZZ_MUST((int64_t)image.width * image.height <= PW_PICTURE_PIXEL_LIMIT);
        size_t last = (size_t)image.width * (size_t)image.height * 3 - 1;
        volatile uint8_t touched = image.rgb[last];
        (void)touched;
        pw_picture_free(&image);
    }
    unlink(path);
    return 0;
}
