(rule_set (selectors) @name (block) @body) @rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @keyframes
; These are called by all that stands before their body.
(media_statement (block) @body) @name @at_rule
(supports_statement (block) @body) @name @at_rule
(at_rule (block) @body) @name @at_rule
