[(function_type) (constructor_type) (function_signature) (method_signature) (abstract_method_signature)
 (call_signature) (construct_signature)] @scope

(formal_parameters (required_parameter pattern: [(identifier) (this)] @parameter
  type: (type_annotation (_) @hint)? value: (_)? @value)) @parameters
(formal_parameters (optional_parameter pattern: (identifier) @parameter type: (type_annotation (_) @hint)?)) @parameters
(call_expression arguments: (arguments [
  (arrow_function parameters: (formal_parameters (_ pattern: (identifier) @parameter)) @parameters)
  (function_expression parameters: (formal_parameters (_ pattern: (identifier) @parameter)) @parameters)]) @arguments) @taker
(new_expression arguments: (arguments [
  (arrow_function parameters: (formal_parameters (_ pattern: (identifier) @parameter)) @parameters)
  (function_expression parameters: (formal_parameters (_ pattern: (identifier) @parameter)) @parameters)]) @arguments) @taker
(required_parameter pattern: (rest_pattern (identifier) @parameter))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @parameter))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @hint)?)
(variable_declarator name: (identifier) @local type: (type_annotation (_) @hint))
