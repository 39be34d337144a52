"""The common parts of the Office formats: parts, their XML, properties, charts, drawings, formulas."""
