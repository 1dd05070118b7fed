[(method_declaration) (constructor_declaration) (lambda_expression) (local_function_statement) (block) (foreach_statement)] @scope

(parameter type: (_)? @hint name: (identifier) @parameter)
(local_declaration_statement (variable_declaration type: (_) @hint (variable_declarator name: (identifier) @local)))
(foreach_statement left: (identifier) @each right: (_) @value)
(assignment_expression left: (member_access_expression expression: "this" name: (identifier) @field) right: (_) @value)
