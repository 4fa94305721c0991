; Functions and classes wherever they stand; values of the module itself.
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(module (type_alias_statement left: (type (identifier) @name)) @type)
