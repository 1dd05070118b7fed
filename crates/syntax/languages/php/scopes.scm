[(function_definition) (method_declaration) (anonymous_function) (arrow_function) (class_declaration)] @scope

(simple_parameter type: (_)? @hint name: (variable_name) @parameter)
(variadic_parameter type: (_)? @hint name: (variable_name) @parameter)
(property_promotion_parameter type: (_)? @hint name: (variable_name) @parameter)
(assignment_expression left: (variable_name) @local right: (_) @value)
(foreach_statement (_) @value [(variable_name) @each (pair (variable_name) @each .)])
