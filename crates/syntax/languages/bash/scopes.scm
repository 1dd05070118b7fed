(function_definition) @scope
(declaration_command "local" (variable_assignment name: (variable_name) @local))
