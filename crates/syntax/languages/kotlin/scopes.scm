[(function_declaration) (class_declaration) (lambda_literal) (block) (for_statement)] @scope

(parameter . (identifier) @parameter . (_) @hint)
(class_parameter (identifier) @parameter . (_) @hint)
(property_declaration (variable_declaration . (identifier) @local (user_type)? @hint))
(for_statement (variable_declaration . (identifier) @each) . (_) @value)
