(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(call_expression function: (parenthesized_expression (identifier) @call))
(composite_literal type: [(type_identifier) @construct (qualified_type name: (type_identifier) @construct)])
(field_declaration !name type: [
  (type_identifier) @inherit
  (qualified_type name: (type_identifier) @inherit)])
(interface_type (type_elem [(type_identifier) @inherit (qualified_type name: (type_identifier) @inherit)]))
(assignment_statement left: (expression_list [
  (identifier) @write
  (selector_expression field: (field_identifier) @write)]))
(inc_statement (identifier) @write)
(keyed_element key: (literal_element (identifier) @skip))
(type_identifier) @type
(selector_expression field: (field_identifier) @read)
(identifier) @read
