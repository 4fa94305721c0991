"""Whether a result says that its call did nothing, in the words of many clients."""

from __future__ import annotations

import pytest

from holdfast.proxy.failures import says_failed

FAILED = [
    "Error: x",
    "ERROR: x",
    "Error editing file",
    "Failed to write file",
    "failed: disk full",
    "Permission denied",
    "User denied the request",
    "Tool call rejected by user",
    "Tool use was rejected",
    "The user denied this operation.",
    "Exit code: 1\nx",
    '{"error":"denied"}',
    '{"success": false}',
    "Cancelled",
    "[Request interrupted by user for tool use]",
    "apply_patch verification failed: x",
    "EACCES: permission denied",
    "An error occurred: x",
    "String not found",
    "Skipped",
    "The user doesn't want to proceed with this tool use. The tool use was rejected",
    "<tool_use_error>String to replace not found in file.</tool_use_error>",
    "The user rejected it",
    "File has not been read yet. Read it first before writing to it.",
    "No match found for old_string",
    "Found 2 matches of the string to replace, but replace_all is false",
    "The tool execution failed with the following error:\nx",
    '{"status":"error"}',
    "❌ could not apply",
    "Tool execution timed out",
    "The edit was not applied: x",
    "Error - x",
    "error",
    "Operation cancelled by user",
    "User cancelled",
    "old_string did not match",
]
DONE = [
    "ok",
    "done",
    "The file shop.py has been updated.",
    "The file a.py has been updated successfully. Here is the result of running cat -n",
    "Wrote 12 lines to shop.py",
    "Successfully wrote 120 bytes to a.py",
    "Edit applied successfully.",
    "File created successfully at: a.py",
    "Success. Updated the following files:\nM a.py",
    "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated:\nM errors.py",
    '{"success": true}',
    '{"output": "x", "metadata": {"exit_code": 0}}',
    '{"error": null, "ok": true}',
    "Updated shop.py\nError: 1 lint warning",
    "The content was successfully saved to a.py.\n\nNew problems after saving:\nError: no x",
    "errors: 0",
    "No errors found",
    "The file error.py has been created",
    "Applied 2 edits to failed_jobs.py",
    "[edit applied]",
    "",
    "1 file changed, 2 insertions(+)",
    "Created rejected.py",
    "Saved.",
    "The file has been written (0 errors)",
    "Replaced 1 occurrence in cancel.py",
    "Modified not_found.py",
    "Here is the diff:\n-Error: x\n+y",
    "Edited error_handler.ts",
    "The file /a/errors/not found.py has been updated",
]


@pytest.mark.lesson("T4")
@pytest.mark.parametrize("text", FAILED)
def test_a_call_that_did_nothing_is_told_by_its_words(text: str) -> None:
    assert says_failed(text)


@pytest.mark.lesson("T4")
@pytest.mark.parametrize("text", DONE)
def test_a_call_that_was_carried_out_is_not_taken_for_a_failure(text: str) -> None:
    assert not says_failed(text)
