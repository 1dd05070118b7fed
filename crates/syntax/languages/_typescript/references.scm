(extends_clause value: [(identifier) @inherit (member_expression property: (property_identifier) @inherit)])
(implements_clause [(type_identifier) @inherit (generic_type name: (type_identifier) @inherit)])
(extends_type_clause type: [(type_identifier) @inherit (generic_type name: (type_identifier) @inherit)])
(type_identifier) @type
