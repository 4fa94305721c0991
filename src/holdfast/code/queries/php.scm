(namespace_definition name: (_) @name body: (_) @body) @namespace
(function_definition name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(trait_declaration name: (_) @name body: (_) @body) @trait
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (_)? @body) @method
(program (const_declaration (const_element . (name) @name) @variable))
(program (expression_statement (assignment_expression
  left: (variable_name) @name
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])) @function)
