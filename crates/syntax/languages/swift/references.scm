(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call)))
(inheritance_specifier inherits_from: (user_type (type_identifier) @inherit))
(assignment target: (directly_assignable_expression (simple_identifier) @write))
(assignment target: (directly_assignable_expression (navigation_expression
  suffix: (navigation_suffix suffix: (simple_identifier) @write))))
(parameter external_name: (simple_identifier) @skip)
(value_argument_label (simple_identifier) @skip)
(type_identifier) @type
(simple_identifier) @read
