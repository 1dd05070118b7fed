[(lambda_expression) (class_specifier) (namespace_definition) (for_range_loop)] @scope

(parameter_declaration type: (_) @hint declarator: (reference_declarator (identifier) @parameter))
(declaration type: (_) @hint declarator: (init_declarator declarator: (reference_declarator (identifier) @local) value: (_) @value))
(for_range_loop declarator: (identifier) @each right: (_) @value)
(for_range_loop declarator: (reference_declarator (identifier) @each) right: (_) @value)
