(class name: (_) @name body: (_)? @body) @class
(module name: (_) @name body: (_)? @body) @module
(singleton_class value: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method object: (_) @owner name: (_) @name body: (_)? @body) @method
(program (assignment left: (constant) @name) @variable)
(body_statement (assignment left: (constant) @name) @variable)
