(command name: (command_name (word) @call))
(simple_expansion (variable_name) @read)
(expansion (variable_name) @read)
(variable_assignment name: (variable_name) @write)
