(call_expression function: [(identifier) @call (field_expression member: (identifier) @call)])
(struct_initializer (identifier) @call)
(assignment_expression left: [(identifier) @write (field_expression member: (identifier) @write)])
(parameter type: (identifier) @type)
(container_field type: (identifier) @type)
(function_declaration type: (identifier) @type)
(field_expression member: (identifier) @read)
(identifier) @read
