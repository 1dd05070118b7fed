(formal_parameters (identifier) @parameter) @parameters
(formal_parameters (assignment_pattern left: (identifier) @parameter right: (_) @value)) @parameters
(call_expression arguments: (arguments [
  (arrow_function parameters: (formal_parameters (identifier) @parameter) @parameters)
  (function_expression parameters: (formal_parameters (identifier) @parameter) @parameters)]) @arguments) @taker
(new_expression arguments: (arguments [
  (arrow_function parameters: (formal_parameters (identifier) @parameter) @parameters)
  (function_expression parameters: (formal_parameters (identifier) @parameter) @parameters)]) @arguments) @taker
(formal_parameters (rest_pattern (identifier) @parameter))
(formal_parameters (object_pattern (shorthand_property_identifier_pattern) @parameter))
