/* One link in a room: cc link.c -o link $(pkg-config --cflags --libs planwave) && ./link */
#include <planwave.h>

static const char room[] =
    "plan: {size: [6 m, 4 m], rectangles: [{from: [3 m, 0 m], to: [3.1 m, 2.5 m], material: brick}]}\n"
    "band: {centre: 1 GHz, width: 200 MHz}\n"
    "transmitters: [{name: ap, at: [1 m, 1 m], power: 20 dBm}]\n"
    "receivers: [{name: desk, at: [5 m, 1 m]}]\n";

int main(void)
{
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    pw_channel *link = NULL;
    const pw_run_options options = {.force = true};
    if (pw_scenario_parse("room", room, NULL, 0, &scenario, &error) == PW_OK &&
        pw_setup_create(scenario, PW_SINGLE, false, &setup, &error) == PW_OK &&
        pw_run(setup, &options, "room.h5", &error) == PW_OK && pw_result_open("room.h5", &result, &error) == PW_OK &&
        pw_channel_create(result, "ap", "desk", NULL, NULL, &link, &error) == PW_OK) {
        printf("%.3f dBm\n", pw_channel_metrics(link).received_power_dbm);
    }
    fputs(error.message, stderr);
    pw_channel_free(link); /* what was made last goes first; NULL is allowed everywhere */
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return error.message[0] != '\0';
}
