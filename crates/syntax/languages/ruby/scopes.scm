[(method) (singleton_method) (class) (module) (block) (do_block) (lambda)] @scope

(method_parameters [(identifier) @parameter (optional_parameter name: (identifier) @parameter)
  (keyword_parameter name: (identifier) @parameter) (splat_parameter name: (identifier) @parameter)])
(block_parameters (identifier) @parameter)
(assignment left: (identifier) @local right: (_) @value)
(assignment left: (instance_variable) @field right: (_) @value)
