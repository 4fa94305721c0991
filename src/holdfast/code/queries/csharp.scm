(namespace_declaration name: (_) @name body: (_) @body) @namespace
(class_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @struct
(interface_declaration name: (_) @name body: (_)? @body) @interface
(enum_declaration name: (_) @name body: (_)? @body) @enum
(record_declaration name: (_) @name body: (_)? @body) @class
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name body: (_)? @body) @method
(constructor_declaration name: (_) @name body: (_)? @body) @constructor
(destructor_declaration "~" name: (_) @name body: (_)? @body) @destructor
(operator_declaration operator: _ @name body: (_)? @body) @operator
(conversion_operator_declaration type: (_) @name body: (_)? @body) @operator
(indexer_declaration "this" @name accessors: (_)? @body) @property
(property_declaration name: (_) @name accessors: (_)? @body) @property
(event_declaration name: (_) @name) @property
(local_function_statement name: (_) @name body: (_)? @body) @function
