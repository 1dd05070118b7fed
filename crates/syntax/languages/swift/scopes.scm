[(function_declaration) (init_declaration) (lambda_literal) (class_declaration) (for_statement) (if_statement) (guard_statement)] @scope

(parameter name: (simple_identifier) @parameter name: (_) @hint)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @local) value: (_) @value)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @local) (type_annotation (_) @hint))
(for_statement item: (pattern bound_identifier: (simple_identifier) @each) collection: (_) @value)
