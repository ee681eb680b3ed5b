"""What a person wants to see of one request and of all: writes, reasons, copies, pictures."""
