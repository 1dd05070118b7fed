(call method: [(identifier) (constant)] @call)
(superclass [(constant) @inherit (scope_resolution name: (constant) @inherit)])
(call method: (identifier) @_include arguments: (argument_list [(constant) @inherit (scope_resolution name: (constant) @inherit)])
  (#any-of? @_include "include" "extend" "prepend"))
(assignment left: [(identifier) (instance_variable) (constant)] @write)
(constant) @type
[(identifier) (instance_variable)] @read
