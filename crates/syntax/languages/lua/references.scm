(function_call name: [(identifier) @call (dot_index_expression field: (identifier) @call)
  (method_index_expression method: (identifier) @call)])
(assignment_statement (variable_list name: [(identifier) @write (dot_index_expression field: (identifier) @write)]))
(field name: (identifier) @skip)
(dot_index_expression field: (identifier) @read)
(identifier) @read
