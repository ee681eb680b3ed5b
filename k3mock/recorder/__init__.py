"""Turns live answers of an upstream into recordings; the only code that may reach one."""
