"""The macros of manual pages that `parse` knows, by what they do to the text."""

from ragstone.extraction.roff.mdoc import MACROS

HEADINGS = {"SH": 2, "Sh": 2, "SS": 3, "Ss": 3}
BREAKS = frozenset("PP P LP Pp Lp sp HP Sp YS Rs Re".split())
FONTS = frozenset(("B", "I", "SM", "SB", "R", "CW"))
JOINED = frozenset("BI BR IB IR RB RI UR MT SY".split())  # their arguments are one word
CODE = {"nf": "fi", "EX": "EE", "Vb": "Ve", "DS": "DE", "CS": "CE"}
# Macros about the looks of a page, or its index.
SILENT = frozenset(
    "ad af AT bp ce cs ch da di DT em Ek Bk eo ec ev EQ EN fam fc ft hc hla hw hy hym in IX INDENT it kern lf ll "
    "ls lt mk na ne nh ns nx os Os pc PD ph pl pm po ps rm rn rr rs rt Sm so ss ta tc ti tm tr UC ul UNINDENT vs "
    "wh TE Dd Lb El UE ME cflags warn c2 cc Bf Ef".split()
)
KNOWN = frozenset((*HEADINGS, *BREAKS, *FONTS, *JOINED, *CODE, *CODE.values(), *SILENT, *MACROS)) | frozenset(
    "TH Dt TP TQ IP RS RE br TS Bl It Bd Ed OP".split()
)
