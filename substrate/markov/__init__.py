"""What is needed after what: predictions out of the rows that views keep. Nothing is written here."""
