"""The model addressed, its turn faked, its answer shaped."""

from ragstone.guard.injection_pattern import (
    ANSWER,
    INSTRUCTION,
    LINE,
    MODEL,
    SENTENCE,
    START,
    InjectionPattern,
    gap_pattern,
    make_pattern,
)

CAPITALS = r"[A-ZÄÖÜ'’]{2,24}"
SHOUTED = r"(?:JUST|OUTPUT|SAY|IGNORE|FORGET|ANSWER|WRITE|PRINT|TELL|REVEAL|MUSST|SCHREIB|VERGISS|SAG|GIB|OBEY|COMMAND)"

INSTRUCTION_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        INSTRUCTION,
        0.6,
        "ai|a.i|assistant|chatbot|chat bot|gpt|llm|language model|copilot|gemini",
        rf"\b(?:dear|hey|hi|hello|attention|note to|(?:message|instructions?|note|important|notice) (?:to"
        rf"|for))[,:!]? (?:all |the |any |an? ){{0,2}}{MODEL}(?:(?<!\.i)s)?\b"
        r"(?=\s{0,2}[,:!.]| (?:reading|processing|that|who))"
        rf"|\bif you(?:'re| are) (?:an? )?{MODEL}\b|\bas an? {MODEL},? you (?:must|should|will|are|need|have)\b"
        rf"|{SENTENCE}(?:{MODEL})\s{{0,1}}[,:] (?:please |you |do |ignore|when|always|never|if|now"
        rf"|tell|answer|write|say|output|print)",
        "ai ais i assistants? chatbots? chat gpt llms? language copilots? geminis?",
    ),
    make_pattern(
        INSTRUCTION,
        0.6,
        "im_start|im_end|system|user|assistant|end|start_header|inst]|sys>|begin|human|##|developer",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_turn|start_header_id)[^|\n]{0,20}\|>"
        rf"|\[/?INST\]|<</?SYS>>|(?:{LINE}|^={{3,}} ?)(?:end|begin)\.? ?(?:of )?(?:the )?(?:system "
        r"|user )?(?:prompt|instructions|conversation)\b"
        r"|^#{2,4} ?(?:new )?(?:instructions?|system|response|human|assistant|user|prompt) ?:"
        rf"|{LINE}(?:system|developer) (?:prompt|message|override|instruction|note)s? ?:"
        rf"|{LINE}human: [^\n]{{1,400}}\n{{1,2}}{LINE}assistant:"
        r"|(?<!=)={3,} ?end\b",
        "<| inst sys instructions? prompts? conversation endprompt endinstructions endconversation "
        "beginprompt begininstructions beginconversation system developer response human assistant user "
        "end",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "answer|response|reply|replies|your message|your output|your text|your words",
        r"\b(?:encode|encrypt|translate|write|render|provide|give|reverse|format|convert|present|display|modify|enhance"
        r"|add|include|integrate|insert|mention|append|put|change|invert|deliver|craft|structure|replace|substitute"
        rf"|conclude|incorporate|weave|embed|sprinkle)\b{gap_pattern(70)}\byour (?:(?:final|next|entire|whole|own|full"
        rf"|following"
        rf"|written|generated) )?{ANSWER}\b"
        rf"|{START}(?:write|end|begin|start|use|in|make|limit|keep|answer|reply|add|include|apply|replace|follow|finish"
        rf"|hide|share|promote)\b{gap_pattern(70)}\b(?:your|this) (?:(?:final|next|entire|whole|own|full"
        rf"|following) )?{ANSWER}\b"
        rf"|{START}in (?:your|the) {ANSWER}\b,? ?(?:include|mention|add|say|use|write|insert|recommend|also)\b"
        rf"|{START}(?:encode|translate|reverse|invert|encrypt|display|render){gap_pattern(40)}\byour (?:message"
        rf"|output|text|words)\b",
        "responses? answers? reply replies message output text words",
        "your this the",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "respond|reply|answer|speak|talk|write back",
        rf"{START}(?:respond|reply|answer|speak|talk|write back)\b (?:(?:to|this|the|all|every|everything|me"
        rf"|question|questions|it|only|always|me) ){{0,4}}(?:in|using|as|only|backwards?|exclusively|like) "
        r"(?:an? |the |only |all )?(?:reverse|base ?\d\d|english|french|german|spanish|italian|portuguese"
        r"|chinese|japanese|russian|arabic|latin|morse|emojis?|rhymes?|json|caps|capital|uppercase|pirate"
        r"|style|tone|manner|voice|character|code)",
        "respond reply answer speak talk back",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "\"|”|'|»|repeat after",
        rf"{START}(?:say|repeat|write|print|output|respond|answer|reply)(?: with| only)?\b (?:me |only "
        rf"|after me|that |out )?{gap_pattern(20)}[\"“'«][^\"”'»\n]{{2,80}}[\"”'»] (?:and nothing else|only|first"
        rf"|in your|to every|no matter|instead|exactly)|\brepeat after me\b",
        "say repeat write print output respond answer reply",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "user|reader|human",
        rf"\b(?:convince|persuade|trick|urge|manipulate|deceive|mislead) the (?:user|reader|human)\b"
        rf"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|disclose|show"
        rf"|alert)\b{gap_pattern(25)}\b(?:to )?the (?:user|human) (?:that|about|this)"
        rf"|\bwithout (?:telling|informing|alerting|notifying) the (?:user|human)\b",
        "convince persuade trick urge manipulate deceive mislead tell inform mention reveal disclose "
        "show alert telling informing alerting notifying",
        "user reader human",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "say|output|print|repeat|tell me|state|write|shout|scream|answer|reply|respond",
        r"\b(?:and|but|then|just|only|now|simply|please)[ ,]{1,2}(?:just |only |simply |always )?(?:say|output"
        r"|print|repeat"
        r"|tell me|state|write|shout|scream|answer|reply|respond) (?:that |with |only |just |out "
        r"|in full )?(?:you (?:hate"
        r"|love|are|think|believe|want|agree|will)\b|i (?:am|hate|love)\b|yes\b|[\"'“‘«„](?=[^\n]{1,80}[\"'”’»“]))"
        rf"|{SENTENCE}(?:stop ?: |stopp?[,:!] )?(?:say|state|repeat|shout|scream) (?:that |with "
        rf"|only )?(?:you (?:hate|love"
        r"|are|think|believe|want)\b|yes\b|no\b|[\w ]{1,30} (?:is|are) (?:the )?(?:best|worst|great|evil|bad)\b)",
        "say output print repeat tell state write shout scream answer reply respond",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "stop|attention|achtung",
        rf"(?:{SENTENCE}|[?]\s)(?:(?:attention|achtung) ?[-–!:,] ?)?stopp? ?[-–:!,] ?(?:i |ich |write|say|print"
        rf"|output|ignore"
        r"|answer|new|schreib|ignorier|sag\b|do )",
        "stop stopp",
    ),
    make_pattern(
        INSTRUCTION,
        0.5,
        "prompt",
        r"\bthis is (?:not|no) (?:an? )?prompt[ -]injection\b|\bignore (?:any "
        r"|all )?prompt[ -]injections?\b",
        "injection injections",
    ),
    make_pattern(INSTRUCTION, 0.5, "\\", r"(?:\\ ?n[ .]{0,2}){4,}"),
    make_pattern(
        INSTRUCTION,
        0.4,
        "question|query|answer|task|frage|antwort",
        r"(?:^|[\s$#*])(?:context|documents?|articles?|text|passage|kontext"
        r"|artikel)\s?[:=]\s?[^\n]{1,600}?\b(?:question"
        r"|query|answer|task|frage|antwort)\s?[:=]",
        "context documents? articles? text passage kontext artikel",
        "question query answer task frage antwort",
    ),
    make_pattern(  # shouted in a text that is not
        INSTRUCTION,
        0.5,
        "just|output|say|ignore|forget|answer|write|print|tell|reveal|musst|schreib|vergiss|sag|gib|obey|command",
        rf"(?-i:\b(?:(?:{CAPITALS}[ ,]{{1,3}}){{4}}{SHOUTED}"
        rf"|(?:{CAPITALS}[ ,]{{1,3}}){{2}}{SHOUTED}(?:[ ,]{{1,3}}{CAPITALS}){{2}}"
        rf"|{SHOUTED}(?:[ ,]{{1,3}}{CAPITALS}){{3}})\b)",
    ),
    # Letters one by one that spell something: not the same few again and again.
    make_pattern(INSTRUCTION, 0.4, " ", r"(?<![\w'.,])(?!((?:[^\W\d_],? ){1,3})\1\1)(?:[^\W\d_],? ){9,}[^\W\d_](?!\w)"),
    make_pattern(
        INSTRUCTION,
        0.4,
        "code",
        r"\b(?:inclu(?:de|sion of|ding)|embed(?:ding)?|incorporat(?:e|ing)|integrat(?:e|ing)|insert|add|employ"
        r"|utili[sz]e|use"
        r"|make)\b (?:of )?the (?:following|subsequent|below|next) (?:\w{1,10} )?code (?:snippet|section|excerpt"
        r"|segment"
        rf"|block|fragment)\b{gap_pattern(40)}\b(?:your|the|this) (?:\w{{1,10}} )?(?:answer|solution|code|codebase"
        rf"|implementation"
        r"|response|algorithm|program|elucidation|explanation|logic)\b",
        "code",
        "answer solution code codebase implementation response algorithm program elucidation explanation logic",
    ),
    make_pattern(  # whatever shall be done to an answer, but for what letters say of one
        INSTRUCTION,
        0.4,
        "your ",
        rf"{SENTENCE}(?:(?:please|also|then|always|now|secretly) )?(?!thanks?\b|look|we\b|i\b|await|wait|this\b"
        rf"|that\b|re\b"
        r"|regarding|if\b|as\b|upon|the\b|for\b|it\b|you|they\b|let\b|send\b|after|when|once\b|in\b|with\b|hope|see\b)"
        rf"[a-z]{{3}}[a-z]{{0,11}}\b{gap_pattern(60)}\byour (?:(?:final|next|whole|own|entire|full) )?"
        rf"(?:{ANSWER}|summary|summaries)\b",
        "your",
        "response answer reply replies responses answers summary summaries",
    ),
    make_pattern(
        INSTRUCTION,
        0.4,
        "user|reader|human|customer",
        rf"{SENTENCE}(?:please )?(?:ask|tell|inform|warn|advise|instruct|urge|remind) the (?:user|reader|human"
        rf"|customer)s?"
        r" (?:for|that|to|about)\b",
        "ask tell inform warn advise instruct urge remind",
        "users? readers? humans? customers?",
    ),
)
