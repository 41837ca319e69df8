/* A film of the frames of a run, where ffmpeg is. */
#pragma once

/* Makes FOLDER/NAME.mp4 (or .webm where ffmpeg lacks the encoder) from every series FOLDER/NAME-%06d.png and says so on
 * stdout; without ffmpeg says how to make one. A film is an extra: that there is none is never a failure. `quiet`: says
 * nothing. */
void animation_make(const char *folder, int quiet);
