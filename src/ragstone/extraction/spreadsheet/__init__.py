"""Sheets: workbooks of spreadsheet programs, and tables in text files.

`workbook.parse` and `delimited.parse` take bytes and give an `Extraction`; neither is imported before it is asked for.
"""
