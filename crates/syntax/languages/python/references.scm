; What a file uses by name; the first of these that fits a name is meant, except that a plain read gives way to all others.

(keyword_argument name: (identifier) @skip)
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(class_definition superclasses: (argument_list [
  (identifier) @inherit
  (attribute attribute: (identifier) @inherit)
  (subscript value: (identifier) @inherit)
  (subscript value: (attribute attribute: (identifier) @inherit))]))
(type [
  (identifier) @type
  (attribute attribute: (identifier) @type)
  (generic_type (identifier) @type)
  (subscript value: (identifier) @type)
  (binary_operator (identifier) @type)])
(assignment left: [(identifier) @write (attribute attribute: (identifier) @write)])
(augmented_assignment left: [(identifier) @write (attribute attribute: (identifier) @write)])
(identifier) @read
