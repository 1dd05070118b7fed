[(function_declaration) (method_declaration) (func_literal) (block) (for_statement) (if_statement)] @scope

(parameter_declaration name: (identifier) @parameter type: (_) @hint)
(variadic_parameter_declaration name: (identifier) @parameter type: (_) @hint)
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local type: (_)? @hint value: (expression_list . (_) @value)?)
(const_spec name: (identifier) @local type: (_)? @hint value: (expression_list . (_) @value)?)
(range_clause left: (expression_list (identifier) @each) right: (_) @value)
