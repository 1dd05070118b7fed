(method_invocation name: (identifier) @call)
(object_creation_expression type: [
  (type_identifier) @call
  (generic_type (type_identifier) @call)
  (scoped_type_identifier (type_identifier) @call .)])
(method_reference (_) (identifier) @call .)
(superclass [(type_identifier) @inherit (generic_type (type_identifier) @inherit)])
(super_interfaces (type_list [(type_identifier) @inherit (generic_type (type_identifier) @inherit)]))
(extends_interfaces (type_list [(type_identifier) @inherit (generic_type (type_identifier) @inherit)]))
(assignment_expression left: [(identifier) @write (field_access field: (identifier) @write)])
(update_expression (identifier) @write)
(type_identifier) @type
(identifier) @read
