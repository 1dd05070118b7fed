(call_expression . (identifier) @call)
(call_expression . (navigation_expression (identifier) @call .))
(delegation_specifier [(user_type (identifier) @inherit) (constructor_invocation (user_type (identifier) @inherit))])
(assignment left: [(identifier) @write (navigation_expression (identifier) @write .)])
(user_type (identifier) @type)
(navigation_expression (_) (identifier) @read .)
(identifier) @read
