"""What the formats of Office share: parts, their XML, properties, charts, drawings, formulas."""
