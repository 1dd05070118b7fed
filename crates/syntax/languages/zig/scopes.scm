[(function_declaration) (block) (struct_declaration)] @scope

(parameter name: (identifier) @parameter type: (_) @hint)
(variable_declaration . (identifier) @local type: (_)? @hint)
