// The link of link.c in C++: c++ link.cc -o link $(pkg-config --cflags --libs planwave) && ./link
#include <planwave.h>

#include <iostream>
#include <stdexcept>

static const char *room = "plan: {size: [6 m, 4 m], rectangles: [{from: [3 m, 0 m], to: [3.1 m, 2.5 m], material: brick}]}\n"
                          "band: {centre: 1 GHz, width: 200 MHz}\n"
                          "transmitters: [{name: ap, at: [1 m, 1 m], power: 20 dBm}]\n"
                          "receivers: [{name: desk, at: [5 m, 1 m]}]\n";

// Calls a function whose last argument is a pw_error; what fails throws its sentence.
template <class Function, class... Given> void call(Function function, Given... given)
{
    pw_error error{};
    if (function(given..., &error) != PW_OK) {
        throw std::runtime_error(error.message);
    }
}

int main()
{
    pw_scenario *scenario = nullptr;
    pw_setup *setup = nullptr;
    pw_result *result = nullptr;
    pw_channel *link = nullptr;
    pw_run_options options{};
    options.force = true;
    call(pw_scenario_parse, "room", room, nullptr, std::size_t{0}, &scenario);
    call(pw_setup_create, scenario, PW_SINGLE, false, &setup);
    call(pw_run, setup, &options, "room.h5");
    call(pw_result_open, "room.h5", &result);
    call(pw_channel_create, result, "ap", "desk", nullptr, nullptr, &link);
    std::cout.precision(3);
    std::cout << std::fixed << pw_channel_metrics(link).received_power_dbm << " dBm\n";
    pw_channel_free(link);
    pw_result_close(result);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
}
