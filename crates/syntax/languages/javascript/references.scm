(class_heritage [(identifier) @inherit (member_expression property: (property_identifier) @inherit)])
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
