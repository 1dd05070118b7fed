[(function_declaration) (method_declaration) (func_literal) (block) (for_statement) (if_statement)] @scope
[(expression_switch_statement) (type_switch_statement) (select_statement)] @scope
[(expression_case) (type_case) (communication_case) (default_case)] @scope

(parameter_declaration name: (identifier) @parameter type: (_) @hint)
(variadic_parameter_declaration name: (identifier) @parameter type: (_) @hint)
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local type: (_)? @hint value: (expression_list . (_) @value)?)
(const_spec name: (identifier) @local type: (_)? @hint value: (expression_list . (_) @value)?)
(receive_statement left: (expression_list . (identifier) @local) right: (_) @value)
(receive_statement left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @each) right: (_) @value)

; The variable of a type switch has the type of the case, or else the type of the value.
(type_switch_statement alias: (expression_list (identifier) @local) value: (_) @value)
((type_switch_statement alias: (expression_list (identifier) @local)
  (type_case . "case" . type: (_) @hint . ":") @inside) (#not-eq? @hint "nil"))
