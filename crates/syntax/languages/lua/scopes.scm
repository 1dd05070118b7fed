[(function_declaration) (function_definition) (for_statement) (do_statement)] @scope

(parameters name: (identifier) @parameter)
(variable_declaration (assignment_statement (variable_list name: (identifier) @local) (expression_list . value: (_) @value)))
(for_generic_clause (variable_list name: (identifier) @each))
