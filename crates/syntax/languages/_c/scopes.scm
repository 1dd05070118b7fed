[(function_definition) (compound_statement) (for_statement)] @scope

(parameter_declaration type: (_) @hint declarator: (identifier) @parameter)
(parameter_declaration type: (_) @hint declarator: (_ declarator: (identifier) @parameter))
(declaration type: (_) @hint declarator: (identifier) @local)
(declaration type: (_) @hint declarator: (pointer_declarator declarator: (identifier) @local))
(declaration type: (_) @hint declarator: (array_declarator declarator: (identifier) @local))
(declaration type: (_) @hint declarator: (init_declarator declarator: (identifier) @local value: (_) @value))
(declaration type: (_) @hint declarator: (init_declarator declarator: (_ declarator: (identifier) @local) value: (_) @value))

(parameter_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @parameter))))
(declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local))))
(declaration declarator: (init_declarator declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local)))))
