[(function_item) (closure_expression) (block) (match_arm) (for_expression) (if_expression) (while_expression) (impl_item)] @scope

(parameters (parameter pattern: (identifier) @parameter type: (_) @hint)) @parameters
(parameters (parameter pattern: (mut_pattern (identifier) @parameter) type: (_) @hint)) @parameters
(parameter pattern: (identifier) @parameter type: (_) @hint)
(closure_parameters (identifier) @parameter) @parameters
(call_expression arguments: (arguments
  (closure_expression parameters: (closure_parameters (identifier) @parameter) @parameters)) @arguments) @taker
(let_declaration pattern: (identifier) @local type: (_)? @hint value: (_)? @value)
(let_declaration pattern: (mut_pattern (identifier) @local) type: (_)? @hint value: (_)? @value)
((let_declaration pattern: (tuple_pattern (identifier) @local)) (#match? @local "^[^A-Z]"))
((let_declaration pattern: (tuple_struct_pattern (identifier) @local)) (#match? @local "^[^A-Z]"))
((let_condition pattern: (tuple_struct_pattern (identifier) @local) value: (_) @value) (#match? @local "^[^A-Z]"))
(for_expression pattern: (identifier) @each value: (_) @value)
((match_pattern (identifier) @local) (#match? @local "^[^A-Z]"))
((tuple_struct_pattern (identifier) @local) (#match? @local "^[^A-Z]"))
(field_pattern name: (shorthand_field_identifier) @local)
