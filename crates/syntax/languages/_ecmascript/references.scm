(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))
(assignment_expression left: (identifier) @write)
(assignment_expression left: (member_expression property: [(property_identifier) (private_property_identifier)] @write))
(augmented_assignment_expression left: (identifier) @write)
(update_expression argument: (identifier) @write)
(member_expression property: [(property_identifier) (private_property_identifier)] @read)
(shorthand_property_identifier) @read
(identifier) @read
