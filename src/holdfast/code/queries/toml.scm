(table . [(bare_key) (quoted_key) (dotted_key)] @name) @table
(table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name) @table
(document (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @key)
(table (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @key)
(table_array_element (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @key)
