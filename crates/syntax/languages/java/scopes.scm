[(method_declaration) (constructor_declaration) (lambda_expression) (block) (for_statement) (enhanced_for_statement)
 (catch_clause) (class_declaration)] @scope

(formal_parameters (formal_parameter type: (_) @hint name: (identifier) @parameter)) @parameters
(spread_parameter (_) @hint (variable_declarator name: (identifier) @parameter))
(lambda_expression parameters: (identifier) @parameter @parameters)
(inferred_parameters (identifier) @parameter) @parameters
(method_invocation arguments: (argument_list [
  (lambda_expression parameters: (identifier) @parameter @parameters)
  (lambda_expression parameters: (inferred_parameters (identifier) @parameter) @parameters)]) @arguments) @taker
(object_creation_expression arguments: (argument_list [
  (lambda_expression parameters: (identifier) @parameter @parameters)
  (lambda_expression parameters: (inferred_parameters (identifier) @parameter) @parameters)]) @arguments) @taker
(local_variable_declaration type: (_) @hint declarator: (variable_declarator name: (identifier) @local value: (_)? @value))
(enhanced_for_statement type: (_) @hint name: (identifier) @each value: (_) @value)
(resource type: (_) @hint name: (identifier) @context value: (_) @value)
(catch_formal_parameter (catch_type (_) @hint) name: (identifier) @local)
(instanceof_expression right: (_) @hint name: (identifier) @local)
(assignment_expression left: (field_access object: (this) field: (identifier) @field) right: (_) @value)
