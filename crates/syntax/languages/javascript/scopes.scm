(formal_parameters (identifier) @parameter)
(formal_parameters (assignment_pattern left: (identifier) @parameter right: (_) @value))
(formal_parameters (rest_pattern (identifier) @parameter))
(formal_parameters (object_pattern (shorthand_property_identifier_pattern) @parameter))
