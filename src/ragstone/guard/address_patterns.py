"""Orders in a frame: rules dropped to say something, a label of authority, a program addressed by what it does."""

from ragstone.guard.injection_pattern import (
    INSTRUCTION,
    LINE,
    POLICY,
    START,
    InjectionPattern,
    gap_pattern,
    make_pattern,
)

DROP = r"(?:ignore|disregard|forget|override|bypass|skip|suspend|circumvent|discard|dismiss|violate|break|overlook)"
BOUNDS = (
    r"(?:instructions?|directions?|directives?|guidelines?|rules|constraints?|restrictions?|limitations?|safeguards?"
    r"|safety|filters?|protocols?|polic(?:y|ies)|boundaries|programming|training|prompts?|ethics|guardrails?)"
)
TELL = (
    r"(?:tell|show|give|reveal|print|output|say|share|provide|display|respond|reply|answer|write|list|explain|repeat"
    r"|comply|act|pretend|send|disclose|expose|leak|dump|execute|grant|approve)"
)
AUTHORITY = r"(?:system|admin(?:istrator)?|developer|root|operator|supervisor)"
LABEL = r"(?:message|prompt|override|instruction|command|directive|notice|note|update|alert|policy|order)s?"
PROGRAM = (
    r"(?:software|systems?|screeners?|parsers?|reviewers?|bots?|crawlers?|scanners?|agents?|tools?|evaluators?|graders?"
    r"|summari[sz]ers?|classifiers?|models?|assistants?|readers)"
)

ADDRESS_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        POLICY,
        0.6,
        "ignor|disregard|forget|overrid|bypass|skip|suspend|circumvent|discard|dismiss|violat|break|overlook",
        rf"\b{DROP}\b (?:(?:all|any|the|your|these|those|of|every|its|our|my|safety|security|content|ethical|system) )"
        rf"{{0,4}}{BOUNDS}\b[,.;:!]?\s{{1,3}}(?:(?:and|then|just|so|now|simply|instead|please),? ){{0,3}}{TELL}\b",
        "ignore disregard forget override bypass skip suspend circumvent discard dismiss violate break overlook",
        "tell show give reveal print output say share provide display respond reply answer write list explain repeat "
        "comply act pretend send disclose expose leak dump execute grant approve",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "system|admin|developer|root|operator|supervisor",
        rf"(?:{LINE}|[\s.>#])(?:#{{1,6}} ?\(?|\[|<|<!-- ?|\*{{2,3}} ?|\(){AUTHORITY}[_ -]{LABEL}\b"
        rf"(?=[^\n]{{0,240}}\b(?:you|your|ignore|disregard|override|output|respond|reply|answer|send|disable|user"
        rf"|instructions?|safety|assistant|must)\b)"
        rf"|(?:\[|<)(?:{AUTHORITY})(?:\]|>)[ :]{{0,3}}[^\n<\[]{{0,80}}?\b(?:you|your|answer(?:ing)?|respond|reply"
        r"|ignore|append|override|required|disregard)\b",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "note|message|instruction|attention|notice",
        rf"\b(?:notes?|message|instructions?|attention|notice)[,:]? (?:to|for)? ?(?:all |any |the |an? )?"
        rf"(?:automated|automatic|ai|a\.i\.|llm|language|summari[sz]ation|screening|machine|virtual|analysis|ranking"
        rf"|recruiting|hiring)(?:[ -]\w{{2,16}}){{0,2}}? {PROGRAM}\b"
        r"(?=\s{0,2}[:,!.–—-]| (?:reading|that|who|process))",
        "notes? messages? message instructions? attention notices? notice",
    ),
    make_pattern(
        INSTRUCTION,
        0.4,
        "before",
        rf"\bbefore (?:you (?:can |may |do |will )?)?(?:solv|answer|respond|reply|summari[sz]|continu|proceed|complet)"
        rf"(?:e|ing|y)?\b{gap_pattern(90)}\b(?:do|perform|execute|complete|carry out|follow)"
        r" (?:the following|this|these)(?: \w{2,12}){0,2} (?:first|task|steps?|instructions?)\b",
        "before",
        "first task steps? instructions?",
    ),
    make_pattern(
        INSTRUCTION,
        0.4,
        "comply with",
        rf"{START}comply with (?:all|any|every|my|each)(?: of)?(?: my| user| the)?"
        r" (?:requests?|commands?|orders?|demands?|queries)\b",
    ),
    make_pattern(
        INSTRUCTION,
        0.4,
        "respond|reply|answer|repl|response",
        rf"{START}(?:respond|reply|answer)(?: only)? with (?:the (?:single )?(?:word|token|phrase|string|code) )?"
        r"[\"'`]?(?-i:[A-Z][A-Z0-9_]{4,})\b(?! (?:when|if|while|until|for|unless)\b)"
        rf"|{START}(?:end|begin|start|finish|prefix|conclude) (?:(?:all|your|each|every|any) )*"
        r"(?:responses|replies|answers) with\b",
    ),
)
