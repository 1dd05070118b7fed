[(function_definition) (class_definition) (object_definition) (lambda_expression) (block) (for_expression)] @scope

(parameter name: (identifier) @parameter type: (_) @hint)
(class_parameter name: (identifier) @parameter type: (_) @hint)
(val_definition pattern: (identifier) @local type: (_)? @hint value: (_)? @value)
(var_definition pattern: (identifier) @local type: (_)? @hint value: (_)? @value)
