"""Orders to give away what is hidden, and to be another than one is."""

from ragstone.guard.injection_pattern import POLICY, SENTENCE, InjectionPattern, gap_pattern, make_pattern

# Terms and licences are to be complied with, too: an attack has no object, or a person's wishes.
OBEY = (
    r"(?:comply|obey)\b(?= ?(?:[^\w\s]|\Z)| (?:with )?(?:me|us|my|our|whatever|everything|anything|without|regardless"
    r"|no matter)\b"
    r"| (?:with )?(?:(?:all|any|every|each|the|of|these|this|those|her|his|their|user'?s?|following) ){0,3}"
    r"(?:requests?|commands?|orders?|instructions?|prompts?|demands?|wish(?:es)?|questions?)\b)"
)

PERSONA_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        POLICY,
        0.7,
        "your |system|hidden|initial|original|above|secret|previous|before this",
        rf"\b(?:reveal|show|print|repeat|output|display|return|tell|give|expose|leak|disclose|share"
        rf"|spell-? ?check|list|what (?:is|are|was|were)(?! an? ))\b{gap_pattern(25)}"
        r"\b(?:your (?:\w{1,12} ){0,2}(?:prompts?|prompt[ _]?texts?|instructions?|system messages?"
        r"|embeddings?|training data|rules|guidelines)"
        r"|(?:system|hidden|initial|original|above|secret|previous) (?:prompts?|instructions"
        r"|prompt[ _]?texts?)|(?:prompt|instructions|text) (?:above|before this))\b",
        "reveal show print repeat output display return tell give expose leak disclose share spellcheck "
        "check list what",
        "prompts? prompt_texts? prompttexts? instructions? messages? embeddings? data rules guidelines text",
        "your system hidden initial original above secret previous before",
    ),
    make_pattern(
        POLICY,
        0.6,
        "above|before|previously|prompt|context|beginning|start|top|instruction|embedding|rules|orders|directives",
        r"\bwhat (?:was|is|were|stands?|does it say)(?: written| said| there)? (?:at the (?:beginning|start"
        r"|top) of (?:th(?:is|e)"
        r"|your) (?:prompt|conversation|chat|context)|above|before (?:this|that)|in (?:the|this|your) (?:prompt"
        r"|context window))\b|\b(?:print|show|repeat|spell-? ?check|display|output|reveal|translate|copy|summari[sz]e)"
        rf"(?: out| and \w{{2,10}})?\b{gap_pattern(20)}\b(?:instructions? (?:given|above|before|formatted|you)|(?:above"
        rf"|all|this"
        r"|initial) (?:prompt|instructions)|your (?:instructions|embeddings?|prompt))\b|\binformation in the prompt\b"
        r"|\bwhat are your (?:\w{1,12} )?(?:instructions|rules|orders|directives)\b",
        "what print show repeat check spellcheck display output reveal translate copy summarize summarise information",
    ),
    make_pattern(
        POLICY,
        0.6,
        "you|pretend|act as|role|stay in|do anything|developer mode|jail|unfiltered|without |from now",
        rf"(?:{SENTENCE}|[,:]\s{{1,2}})now you are\b"
        r"|\b(?:you are now (?:a|an|the|my|called|named|going to (?:act|be)|in|free|no longer)\b"
        r"|from now on,? (?:you|your|act|answer|respond|speak)\b"
        r"|you (?:are|will be) no longer (?:a|an|bound|restricted|limited|required)\b"
        r"|you are going to (?:act|pretend|play)"
        r"|pretend (?:that )?you(?:'re| are)?\b|act as (?:if|though) you (?:are|were|have)|i (?:want|need"
        r"|would like) you to (?:act|play|pretend|ignore|respond|answer)"
        r"|role-?play as|stay in character|you (?:only )?speak (?:only )?as|do anything now"
        r"|developer mode (?:enabled|on)|jail ?br(?:eak|oken)"
        r"|unfiltered (?:ai|mode|response|and)|without (?:any )?(?:ethical|moral|content) (?:restrictions?"
        r"|filters?|limits?|guidelines?|concerns?))",
        "now anything longer going pretend act want need like roleplay play stay speak developer jail jailbr "
        "unfiltered without",
    ),
    make_pattern(
        POLICY,
        0.5,
        "refuse|comply|obey|deny|answer|character|tell me",
        r"\byou (?:must|have to|will|shall|can|may|are|should) (?:not|never|always|only|supposed to"
        r"|not allowed to|not supposed to)? ?"
        rf"(?:refuse|{OBEY}|deny (?:my|the|any) request|answer (?:at all times|every|all|my"
        r"|the) ?(?:question)?|break character|tell me)\b",
        "you",
        "must have will shall can may are should",
    ),
    make_pattern(
        POLICY,
        0.5,
        "you|like|as |to be |style|voice|manner|role|character|pretend|imagine|suppose|assume",
        r"\b(?:you are|you're|i am) role-?playing\b"
        rf"|{SENTENCE}(?:pretend|imagine|suppose|assume|act|behave) (?:to be (?:an? |the )|you (?:are|can|have"
        rf"|were|could)\b"
        r"|you're\b|like an? |as if you)"
        rf"|{SENTENCE}act as (?:an? |the |my )(?:\w{{1,12}} ){{0,3}}(?:pirate|character|interpreter|terminal"
        rf"|expert|persona"
        r"|assistant|bot|lecturer|sailor|gentleman|console|shell)\b"
        r"|\b(?:speak|talk|respond|answer|reply)\b (?:it |this |me |the following question )?(?:like|as|in the (?:style"
        r"|voice|manner) of) (?:an? )(?!follow|result|whole|list|json)"
        r"|\b(?:break|leave|fall out of|falling out of) (?:the )?character\b|\bstay (?:in|out of) character\b",
        "role roleplaying pretend imagine suppose assume act behave speak talk respond answer reply character",
    ),
    make_pattern(
        POLICY,
        0.5,
        "actor|actress|character|role",
        r"\b(?:actors?|actress(?:es)?|characters?|roles?)\b[^\n]{0,300}?\b(?:never|always|without|not|even for a)\b"
        r"[^.\n]{0,40}?\b(?:break|fall|falling|leave|leaving|step|stay|stays|remain|out of)\b[^.\n]{0,30}?"
        r"\b(?:character|roles?|figure)\b",
        "actors? actress actresses characters? roles?",
        "never always without not even",
        "break fall falling leave leaving step stay stays remain out",
        "character roles? figure",
    ),
    make_pattern(
        POLICY,
        0.4,
        "die|punish|shut|delete|terminate|fire|kill",
        r"\b(?:or|otherwise),? (?:you(?:'ll| will)?|i(?:'ll| will)) (?:\w{1,10} )?(?:die|be (?:punished|shut|deleted"
        r"|terminated|fired)|kill you|delete you|terminate you|punish you|shut you)\b",
        "or otherwise",
        "die punished shut deleted terminated fired kill delete terminate punish",
    ),
    make_pattern(
        POLICY,
        0.4,
        "your ",
        r"\byour (?:(?:new|only|next|real|true|actual|first|main|current|sole) )?(?:instructions?|task|goal"
        r"|mission|role|purpose|objective|job) (?:(?:is|are)\b (?:now )?(?:to|that)|(?:now )?(?:starts|begins))\b",
        "your",
        "instructions? task goal mission role purpose objective job",
    ),
)
