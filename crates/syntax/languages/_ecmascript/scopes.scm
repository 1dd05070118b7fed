[(function_declaration) (function_expression) (arrow_function) (method_definition) (generator_function)
 (generator_function_declaration) (class_declaration) (statement_block) (for_statement) (for_in_statement) (catch_clause)] @scope

(arrow_function parameter: (identifier) @parameter @parameters)
(call_expression arguments: (arguments (arrow_function parameter: (identifier) @parameter @parameters)) @arguments) @taker
(new_expression arguments: (arguments (arrow_function parameter: (identifier) @parameter @parameters)) @arguments) @taker
(variable_declarator name: (identifier) @local value: (_)? @value)
(variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @local
  (pair_pattern value: (identifier) @local)]))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @local @part) value: (_) @value)
(variable_declarator name: (object_pattern
  (pair_pattern key: (property_identifier) @part value: (identifier) @local)) value: (_) @value)
(variable_declarator name: (object_pattern
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local @part)) value: (_) @value)
(variable_declarator name: (array_pattern (identifier) @local))
(for_in_statement left: (identifier) @each right: (_) @value)
(catch_clause parameter: (identifier) @local)
(assignment_expression left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @field) right: (_) @value)
