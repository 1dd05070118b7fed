(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier name: (identifier) @call))
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (generic_function function: [
  (identifier) @call
  (scoped_identifier name: (identifier) @call)
  (field_expression field: (field_identifier) @call)]))
(token_tree (identifier) @call . (token_tree) @beside) @tokens
(token_tree ["default" "union" (primitive_type)] @call . (token_tree) @beside) @tokens
(macro_invocation (token_tree) @expanded)
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])
(struct_expression name: [(type_identifier) @construct (scoped_type_identifier name: (type_identifier) @construct)])
(impl_item trait: [
  (type_identifier) @inherit
  (generic_type type: (type_identifier) @inherit)
  (scoped_type_identifier name: (type_identifier) @inherit)])
(trait_item bounds: (trait_bounds (type_identifier) @inherit))
(assignment_expression left: (identifier) @write)
(assignment_expression left: (field_expression field: (field_identifier) @write))
(compound_assignment_expr left: (identifier) @write)
(compound_assignment_expr left: (field_expression field: (field_identifier) @write))
(type_identifier) @type
(field_expression field: (field_identifier) @read)
(shorthand_field_initializer (identifier) @read)
(identifier) @read
