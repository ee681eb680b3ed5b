"""How an answer travels, as data: frames and pace become steps that any driver can carry out."""
