(create_table [(keyword_table) (keyword_exists)] . (object_reference) @name) @table
(create_view [(keyword_view) (keyword_exists)] . (object_reference) @name (create_query) @body) @view
(create_materialized_view [(keyword_view) (keyword_exists)] . (object_reference) @name (create_query) @body) @view
(create_function (keyword_function) . (object_reference) @name (function_body) @body) @function
(create_trigger [(keyword_trigger) (keyword_exists)] . (object_reference) @name) @trigger
(create_index [(keyword_index) (keyword_exists)] . column: (_) @name) @index
(create_type (keyword_type) . (object_reference) @name) @type
(create_schema [(keyword_schema) (keyword_exists)] . (identifier) @name) @schema
(create_sequence [(keyword_sequence) (keyword_exists)] . (object_reference) @name) @sequence
