[(function_definition) (compound_statement) (for_statement)] @scope

(parameter_declaration type: (_) @hint declarator: (identifier) @parameter)
(parameter_declaration type: (_) @hint declarator: (_ declarator: (identifier) @parameter))
(declaration type: (_) @hint declarator: (identifier) @local)
(declaration type: (_) @hint declarator: (pointer_declarator declarator: (identifier) @local))
(declaration type: (_) @hint declarator: (array_declarator declarator: (identifier) @local))
(declaration type: (_) @hint declarator: (init_declarator declarator: (identifier) @local value: (_) @value))
(declaration type: (_) @hint declarator: (init_declarator declarator: (_ declarator: (identifier) @local) value: (_) @value))
