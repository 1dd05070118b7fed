(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(assignment_expression left: [(identifier) @write (field_expression field: (field_identifier) @write)])
(update_expression argument: (identifier) @write)
(type_identifier) @type
(field_expression field: (field_identifier) @read)
(identifier) @read
