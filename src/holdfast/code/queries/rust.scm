(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name body: (_)? @body) @struct
(union_item name: (_) @name body: (_) @body) @union
(enum_item name: (_) @name body: (_) @body) @enum
(trait_item name: (_) @name body: (_) @body) @trait
(impl_item trait: (_) @owner type: (_) @name body: (_)? @body) @impl
(impl_item !trait type: (_) @name body: (_)? @body) @impl
(mod_item name: (_) @name body: (_)? @body) @module
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(macro_definition name: (_) @name) @macro
(source_file (const_item name: (_) @name) @variable)
(source_file (static_item name: (_) @name) @variable)
(declaration_list (const_item name: (_) @name) @variable)
(declaration_list (static_item name: (_) @name) @variable)
