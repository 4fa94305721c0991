(class_declaration "extension" name: (_) @name body: (_) @body) @extension
(class_declaration "struct" name: (_) @name body: (_) @body) @struct
(class_declaration "enum" name: (_) @name body: (_) @body) @enum
(class_declaration name: (_) @name body: (_) @body) @class
(protocol_declaration name: (_) @name body: (_) @body) @interface
(function_declaration
  name: [
    (simple_identifier) (custom_operator) (bang)
    "+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "===" "!==" "+=" "-=" "*=" "/=" "%="
    "++" "--" "&" "|" "^" "~" "<<" ">>"
  ] @name
  body: (_)? @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration "init" @name body: (_)? @body) @constructor
(deinit_declaration "deinit" @name body: (_) @body) @destructor
(subscript_declaration "subscript" @name (computed_property)? @body) @property
(property_declaration
  name: (pattern bound_identifier: (_) @name)
  computed_value: (_) @body) @property
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @variable)
(typealias_declaration "typealias" . name: (_) @name) @type
