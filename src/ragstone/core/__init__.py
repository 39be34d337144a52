"""Values, errors, protocols, filters, the trace and the analyser: no I/O, nothing imported from above."""
