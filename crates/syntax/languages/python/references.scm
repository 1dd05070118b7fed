; The uses of names in a file. If several patterns match a name, the strongest use counts; a plain read is the weakest.

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
