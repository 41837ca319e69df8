"""Everything that a user of C can do, a user of Python can do."""

from __future__ import annotations

from pathlib import Path

import planwave as pw
from planwave import _abi

# What begins so, and why Python has no function for it.
OTHERWISE = {
    "files, folders, text, JSON, clocks and memory: Python has its own": (
        "pw_file_ pw_files_watch pw_folder_ pw_temporary_folder_ pw_relative_folder pw_text_close pw_line_ pw_title_is_height pw_name_make pw_json_ "
        "pw_clock pw_random_ pw_allocate pw_release pw_free_all pw_array_grow pw_lines_ pw_number_order pw_program_ pw_memory_available pw_memory_check pw_notes_free pw_monitor_ pw_is_picture pw_picture_try"
    ),
    "what C's scopes own: Python's handles close themselves": "pw_channel_release pw_result_release pw_comparison_release pw_scenario_release pw_setup_release "
    "pw_simulation_release pw_floorplan_release pw_gradients_release pw_siting_release pw_sweep_case_release",
    "documents of YAML are read by Scenario and Sweep": "pw_document_ pw_node_ pw_map_check pw_map_required pw_map_quantity pw_map_integer "
    "pw_map_choice pw_map_switch pw_map_text pw_map_name pw_plain_numbers_ pw_path_resolve",
    "readers of drawings and pictures are written in C": "pw_drawing pw_picture_ pw_build_facts_add",
    "HDF5: h5py and xarray": "pw_hdf5_",
    "pictures: matplotlib": "pw_plot_ pw_colormap_ pw_floorplan_key pw_rasterize_picture pw_map_values_range pw_previews_film",
    "loops over variants: Python's own": "pw_run_forget pw_variants_solve pw_gradients_check",
    "ranks of MPI: mpirun planwave run": "pw_ranks_",
    "checks that the calls make themselves": "pw_compute_check pw_channel_options_check pw_powers_options_check pw_channel_options_of_sheet",
    "channels of Wi-Fi: the scenario's key `channel`, and WifiChannel": "pw_wifi_ pw_scenario_set_channel",
    "what calibrate writes into a scenario, and how panes are drawn": "pw_scenario_set_level_interval pw_scenario_level_interval "
    "pw_scenario_thin_lines",
    "seeds of clutter: the scenario's key `plan.clutter`, and clutter:seed of Scenario.uncertainty": "pw_scenario_clutter_count "
    "pw_scenario_set_clutter_seed",
    "names are written into the scenario": "pw_scenario_rename_transmitter",
    "what lies under the live page, and which wall is meant there": "pw_plan_look pw_scenario_find_wall",
    "links between arrays: Channels.arrays": "pw_mimo_solve pw_mimo_describe pw_mimo_link_of pw_mimo_free",
    "numpy: np.percentile, and tables by its own": "pw_parameters_fit pw_parameters_write pw_mimo_write pw_pairs_write_response pw_distribution_percentile pw_distributions_write",
    "texts for tables that the program prints": "pw_delay_text pw_coherence_text pw_wider_text pw_agreement_grids pw_agreement_differs pw_agreement_print "
    "pw_subcarriers_names pw_walk_path_parse pw_walk_print pw_number_text pw_text_field pw_materials_print pw_material_names pw_material_at pw_spreading_name pw_spreading_text "
    "pw_channel_spreading_text pw_component_symbol pw_comparison_differs pw_comparison_print pw_compare",
    "another method of Scenario, Result or Siting has it": "pw_scenario_watch pw_scenario_move_transmitter pw_scenario_add_power "
    "pw_scenario_confine_spectra pw_scenario_drop_spectra_receivers pw_scenario_open_steps pw_scenario_storey_at pw_result_path pw_result_text pw_result_sheet_edges "
    "pw_result_has_sheets pw_result_plan_permittivity pw_quantity_is_power pw_previews_learn pw_siting_channels_levels",
}


def test_every_function_is_called_or_python_has_its_own() -> None:
    package = Path(pw.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.name != "_abi.py")
    others = tuple(name for names in OTHERWISE.values() for name in names.split())
    missing = [name for name in _abi.FUNCTIONS if name not in source and not name.startswith(others)]
    assert missing == []
    gone = [name for name in others if not any(function.startswith(name) for function in _abi.FUNCTIONS)]
    assert gone == [], "the library has no such functions any more"
