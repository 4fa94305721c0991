"""What is kept beside the ledger to answer quickly: folds and the search index, all derived."""
