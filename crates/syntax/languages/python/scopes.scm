[(function_definition) (class_definition) (lambda)
 (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope

(parameters (identifier) @parameter) @parameters
(parameters (typed_parameter . (identifier) @parameter type: (_) @hint)) @parameters
(parameters (default_parameter name: (identifier) @parameter value: (_) @value)) @parameters
(parameters (typed_default_parameter name: (identifier) @parameter type: (_) @hint value: (_) @value)) @parameters
(parameters [(list_splat_pattern (identifier) @parameter) (dictionary_splat_pattern (identifier) @parameter)])
(lambda_parameters (identifier) @parameter) @parameters
(call arguments: (argument_list (lambda parameters: (lambda_parameters (identifier) @parameter) @parameters)) @arguments) @taker

(assignment left: (identifier) @local type: (_)? @hint right: (_)? @value)
(assignment left: [(pattern_list (identifier) @local) (tuple_pattern (identifier) @local) (list_pattern (identifier) @local)])
(named_expression name: (identifier) @local value: (_) @value)
(for_statement left: (identifier) @each right: (_) @value)
(for_statement left: [(pattern_list (identifier) @each) (tuple_pattern (identifier) @each)])
(for_in_clause left: (identifier) @each right: (_) @value)
(for_in_clause left: [(pattern_list (identifier) @each) (tuple_pattern (identifier) @each)])
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @context)))
(except_clause (as_pattern (_) @hint alias: (as_pattern_target (identifier) @local)))

(assignment left: (attribute object: (identifier) @_own attribute: (identifier) @field)
  type: (_)? @hint right: (_)? @value (#eq? @_own "self"))
