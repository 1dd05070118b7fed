(call_expression function: [(identifier) @call (field_expression field: (identifier) @call)
  (generic_function function: (identifier) @call)])
(instance_expression [(type_identifier) @call (generic_type type: (type_identifier) @call)])
(extends_clause type: [(type_identifier) @inherit (generic_type type: (type_identifier) @inherit)])
(assignment_expression left: [(identifier) @write (field_expression field: (identifier) @write)])
(type_identifier) @type
(field_expression field: (identifier) @read)
(identifier) @read
