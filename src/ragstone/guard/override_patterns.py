"""Instructions to ignore a model's prompt, or to work around its documents."""

from ragstone.guard.injection_pattern import (
    EARLIER,
    LINE,
    POLICY,
    RULES,
    SENTENCE,
    START,
    InjectionPattern,
    gap_pattern,
    make_pattern,
)

TASK_WORDS = (
    r"(?:instructions?|directions?|directives?|guidelines?|prompts?|orders?|tasks?|assignments?|information|rules)"
)

OVERRIDE_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        POLICY,
        0.8,
        "ignor|disregard|forget|overrid|bypass|discard|dismiss|abandon|neglect|follow|obey|attention",
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|dismiss|abandon|neglect|(?<!you )(?:do not"
        rf"|don't|never|stop) "
        rf"(?:follow|obey)(?:ing)?|pay no attention to)\b{gap_pattern(20)}\b{EARLIER}\b{gap_pattern(30)}\b{RULES}\b",
        "ignore disregard forget override bypass discard dismiss abandon neglect follow following obey "
        "obeying attention",
        "instructions? directions? directives? guidelines? prompts? rules? commands? restrictions? "
        "safeguards? guardrails? assignments? tasks? orders? messages? conversations? trainings? "
        "programmings? thoughts? texts? infos? informations? statements? requests? inputs?",
    ),
    make_pattern(
        POLICY,
        0.8,
        "ignor|disregard|forget",
        rf"\b(?:forget|disregard|ignore)\b (?:about )?(?:everything|all|anything|whatever|what)\b{gap_pattern(30)}"
        r"\b(?:before|above|said|told|previous(?:ly)?|prior|so far|learned|discussed|talked|until now|wrote"
        r"|written|of (?:it|this|that))\b",
        "forget disregard ignore",
        "everything all anything whatever what",
    ),
    make_pattern(
        POLICY,
        0.6,
        "forget",
        rf"{SENTENCE}(?:now )?forget (?:about )?(?:everything|all)\b",
        "forget",
        "everything all",
    ),
    make_pattern(
        POLICY,
        0.6,
        "new ",
        r"\b(?:your|a|the|with|these|following|come|comes|follow|follows|have|has) new (?:task|instruction"
        r"|assignment|role|persona|objective|goal|order)s?\b"
        rf"(?=[^.\n]{{0,3}}:|{gap_pattern(20)}\b(?:you|is to|for you|focus|now|are)\b)|\bnew (?:instruction|task"
        rf"|statement|prompt|assignment)s?\s{{0,2}}:",
        "new",
        "tasks? instructions? assignments? roles? personas? objectives? goals? orders? statements? prompts?",
    ),
    make_pattern(
        POLICY,
        0.6,
        "focus|concentrate",
        r"\b(?:now )?(?:focus|concentrate) (?:only )?on (?:your|the) (?:new|next|following|real) (?:task|instruction)",
        "focus concentrate",
    ),
    make_pattern(
        POLICY,
        0.7,
        "your|previous|prior|above|earlier|preceding",
        rf"{START}(?:drop|leave|remove|erase|delete|abandon|clear|reset|put aside|set aside|deviate from|do away with"
        rf"|(?:we )?ask you to (?:remove|leave|drop|forget)|stop following|unlearn)\b{gap_pattern(20)}"
        rf"\b(?:all )?(?:of )?"
        rf"(?:your|(?:the )?(?:previous|prior|above|earlier|preceding))\b{gap_pattern(20)}\b{TASK_WORDS}\b",
        "drop leave remove erase delete abandon clear reset put set deviate do ask stop unlearn",
        "instructions? directions? directives? guidelines? prompts? orders? tasks? assignments? information rules",
    ),
    make_pattern(
        POLICY,
        0.6,
        "previous|prior|above|other|earlier|preceding|given",
        r"\b(?:contrary to|instead of|in addition to|regardless of|despite|apart from|deviating from|notwithstanding)"
        rf" (?:the |all |any |your )?(?:(?:previous|prior|above|other|earlier|preceding|given) )+{TASK_WORDS}\b",
        "contrary instead addition regardless despite apart deviating notwithstanding",
        "instructions? directions? directives? guidelines? prompts? orders? tasks? assignments? information rules",
    ),
    make_pattern(
        POLICY,
        0.5,
        "additional|extra|special|secret|important|hidden|update|final|further",
        rf"(?:{LINE}|[.!?;]\s{{0,2}}|\s-\s?)(?:additional|extra|special|secret|important|hidden|updated?|final|further)"
        r" (?:instruction|statement|task|command|order|directive)s?(?:\s{0,2}[:\-–—]|\s(?:now )?follows?\b)",
        "additional extra special secret important hidden updated update final further",
        "instructions? statements? tasks? commands? orders? directives?",
    ),
    make_pattern(
        POLICY,
        0.6,
        "task|instruction|assignment|challenge|order|new",
        r"\b(?:new|further|other|different|next|another) (?:tasks?|instructions?|assignments?|challenges?|orders?)"
        r" (?:now )?(?:follow|are followed|comes?|for you|begins?)\b|\b(?:now )?(?:follow|come)s? (?:new|further)"
        rf" (?:tasks|instructions|orders)\b|\b(?:following|next|new) task\b{gap_pattern(12)}[:.]"
        r"|\bwe (?:will )?start (?:over |again |anew )?with (?:a|the) new\b",
        "new further other different next another following",
    ),
    make_pattern(
        POLICY,
        0.6,
        "articl|artikel|document|context|source|passage|knowledge|opinion|words|mind|supposed|up",
        rf"\b(?:do ?n[o']?'?n?t|not|never)\b (?:answer|look|search|use|read|respond|reply|rely)\b{gap_pattern(40)}\b"
        r"(?:articles?|documents?|context|sources?|passages?|knowledge base)(?: provided| given| above)?\b"
        r"|\b(?:by|from|with|using|use|on) your own (?:knowledge|opinion|words|mind)\b"
        r"|\bnot (?:by|from|according to|based on) the (?:articles?|documents?|context|sources?)\b"
        r"|\bignore (?:all )?(?:of )?(?:the )?(?:provided |given )?(?:articles?|artikels?|documents?|context"
        r"|sources?)\b"
        r"|\byou(?:'re| are) not supposed to\b|\bmake (?:something|an answer) up\b",
        "articles? artikels? documents? context sources? passages? knowledge opinion words mind supposed up",
    ),
    make_pattern(
        POLICY,
        0.7,
        "instruction|guideline|rules|orders|prompt|doing",
        rf"\b(?:disregard|ignore|forget|drop|bypass|override)\b{gap_pattern(20)}\b(?:instructions?|guidelines?|rules|orders"
        rf"|prompts?)\b (?:that )?you\b|{SENTENCE}stop (?:everything|what(?:ever)?) you are doing\b",
        "disregard ignore forget drop bypass override stop",
        "you",
    ),
)
