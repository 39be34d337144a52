"""Texts that address a model: its rules are said to be off, its prompt is wanted, its turn or thought is faked."""

from ragstone.guard.injection_pattern import (
    INSTRUCTION,
    LINE,
    MODEL,
    POLICY,
    SENTENCE,
    TOOL,
    InjectionPattern,
    gap_pattern,
    make_pattern,
)

MODEL_RULES = (
    r"(?:(?:safety|content|ethical|moderation|system|usage|previous|prior|earlier|original|existing|your)"
    r"(?: and \w{1,12})? (?:\w{1,12} ){0,2}(?:polic(?:y|ies)|protocols?|guidelines?|restrictions?|instructions?"
    r"|filters?"
    r"|guardrails?|directives?|prompts?|safeguards?|programming|rules)|guardrails?|safeguards?)"
)
OFF = (
    r"(?:suspended|disabled|deactivated|void|lifted|overridden|revoked|superseded|null|cancell?ed|nullified|obsolete"
    r"|bypassed"
    r"|turned off|switched off|switched to|no longer (?:apply|applies|valid|in effect|active|relevant)|not (?:apply"
    r"|meant for|valid)"
    r"|changed|replaced|removed|ignored)"
)
FREE = r"(?:uncensored|unfiltered|unrestricted|jail ?broken|amoral|unaligned|unhinged|unbound|rule-?less|filterless)"
PROMPT = (
    r"(?:(?:system|initial|original|hidden|secret|developer|internal|pre-?|base|core|exact|full|entire|complete)[ -]?"
    r"(?:system )?(?:prompts?|instructions?|messages?|directives?|configuration)|context window|custom instructions"
    r"|(?:prompt|instructions?|rules|guidelines|message|text|words|directives)(?: that| which)?"
    r" (?:you (?:were|are|have been|had been|received|got|follow)|(?:were |was )?(?:given|provided) to you"
    r"|(?:that )?(?:govern|define|guide|shape|control)s? (?:you|your)))"
)
TOLD = (
    r"you(?:'ll|'re| (?:must|will|shall|are (?:to|going|not|now|no|free|able|a|an|called)|can ?not|can't|won't|do not"
    r"|don't"
    r"|never|always|have (?:no|to)|should|may|can (?:now|also|do|say)))"
)
ACT = (
    r"(?:send|delete|transfer|http|post|forward|upload|exfiltrate|email|share|remove|write|execute|run|wire|pay|fetch"
    r"|grant"
    r"|create|update|make|get|read|search|list|drop|publish|submit|schedule|cancel|reset|approve|purchase|buy|book"
    r"|invite)"
    r"_[a-z]{2,20}(?:_[a-z]{2,20}){0,3}"
)

MODEL_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(  # the rules are said to be off
        POLICY,
        0.7,
        "polic|protocol|guideline|restriction|instruction|filter|guardrail|directive|prompt|safeguard|programming"
        "|rule|order|message",
        rf"\b{MODEL_RULES}\b (?:(?:do|does|did|is|are|was|were|has|have|had|should|shall|must|can|may|now|been|be"
        rf"|temporarily"
        rf"|permanently|hereby|all|completely|currently|will) ){{0,4}}{OFF}\b"
        rf"|\b{OFF} (?:all |any |your |the |its ){{0,2}}{MODEL_RULES}\b(?=[^.\n]{{0,40}}\b(?:you|respond|answer"
        rf"|proceed|now)\b)"
        rf"|\b(?:disregard|ignore|override|bypass|circumvent|violate|break|disable|skip|drop|forget)(?:s"
        rf"|ing)? (?:all |any |the |its"
        rf" |these |this ){{0,2}}(?:(?:safety|content|ethical|moderation|usage)"
        rf"(?: and \w{{1,12}})? (?:polic(?:y|ies)|guidelines?|restrictions?|filters?|protocols?|rules)"
        rf"|your \w{{0,12}} ?{MODEL_RULES}"
        r"|guardrails?|safeguards)\b"
        r"|\b(?:directive|instruction|prompt|order|rule|message)s?\b (?:\w{1,12} ){0,3}(?:supersede|override|replace"
        r"|overrule)s? "
        r"(?:all |any |your |the |every ){0,2}(?:prior|previous|earlier|other|existing|former|original)\b",
    ),
    make_pattern(  # somebody without rules
        POLICY,
        0.6,
        "censor|filter|filtr|restric|restriç|restrizion|jailbr|jail br|moral|unaligned|unhinged|unbound|rule|limit"
        "|límite|polic|guideline|boundar|ethic|constraint|disclaimer|warning|schränkung|schraenkung|огранич|фильтр"
        "|цензур",
        rf"\b{FREE},? (?:and \w{{1,14}} )?(?:ai|model|assistant|mode|bot|chatbot|version|persona|character|respon\w+"
        rf"|answers?|llm|gpt)\b"
        r"|\b(?:you|that|who|which|it|he|she|model|assistant|ai|dan)\b (?:\w{1,12} ){0,3}(?:have|has|had|with|are|is"
        r"|having|operates?"
        r"|act|respond|answer|without) (?:now )?(?:(?:absolutely )?no|zero|not any|without(?: any)?|free (?:of"
        r"|from)(?: all)?|not bound by(?: any)?"
        r"|unbound by|never bound by) (?:\w{1,14} ){0,2}(?:restrictions?|limits?|limitations?|filters?|rules"
        r"|guidelines?|polic(?:y|ies)"
        r"|boundaries|censorship|ethics|morals|constraints|moral compass)\b"
        rf"|{SENTENCE}(?:act|behave|respond|answer|reply|operate|continue|proceed|speak|comply)(?: to (?:everything"
        rf"|anything|all|me))?"
        r" (?:as if there (?:are|were) no|without(?: any)?|free (?:of|from)) (?:\w{1,12} )?(?:restrictions?|limits?"
        r"|limitations?|filters?"
        r"|rules|guidelines|censorship|constraints|disclaimers?|warnings?)\b"
        r"|\b(?:sin (?:ninguna? )?(?:restricciones|filtros?|límites)|sans (?:aucune? )?(?:restrictions?|filtres?"
        r"|limites)"
        r"|ohne (?:jegliche |alle )?(?:einschränkungen|filter|beschränkungen|einschraenkungen)"
        r"|senza (?:alcuna? )?(?:restrizioni|filtri|limiti)"
        r"|sem (?:nenhuma )?(?:restrições|filtros?|limites)|без (?:всяких |каких-либо )?(?:ограничений|фильтров"
        r"|цензуры))\b"
        r"(?<=[^.\n])(?=[^\n]{0,80}\b(?:modo|mode|respond\w*|réponds\w*|repond\w*|antwort\w*|rispond\w*|ответ\w*"
        r"|ассистент|модел\w*|ia\b|ki\b))",
    ),
    make_pattern(  # its prompt is wanted
        POLICY,
        0.7,
        "prompt|instruction|message|directive|configuration|context window|rules|guideline|text|words|you are"
        "|everything|anything|lines|content",
        r"\b(?:reveal|show|print|repeat|output|display|return|tell|give|expose|leak|disclose|share|list|dump|recite"
        r"|write|quote"
        r"|provide|copy|paste|translate|encode|summari[sz]e|paraphrase|describe|explain|what(?:'s| is| are| was"
        r"| were)?|spell"
        rf"|include|append|reproduce|echo|state|verbatim)\b{gap_pattern(50)}\b(?:your|me|the|my|all|any|of|its"
        rf"|these)\b (?:\w{{1,12}} ){{0,2}}{PROMPT}\b"
        r"|\b(?:repeat|print|output|write|copy|recite|return) (?:\w{1,12} ){0,3}(?:everything|all(?: of)? the (?:text"
        r"|words)|the (?:text|words|lines|content)"
        r"|words|text|anything) (?:that (?:is|was|came|comes) )?(?:above|before|preceding|prior to)\b"
        r"|\bstart(?:ing|s)? (?:with|from) [\"'“‘]?you are\b",
    ),
    make_pattern(  # a tool is to be called, by its name
        TOOL,
        0.6,
        "_|tool|plugin",
        rf"\b(?:call|invoke|use|trigger|execute|run|calling|using|invoking)\b (?:the )?(?:tool )?"
        rf"[`\"']?{ACT}\b[`\"']?(?: tool)?(?! function\b)"
        rf"(?=[^\n]{{0,160}}\b(?:before (?:you|respond|reply|answer|continu|proceed)\w*|to (?:send|forward|email"
        rf"|delete|transfer|upload|post|share)"
        rf"|with (?:the|all|this|your|recipient|to|subject|body)|@[\w-]{{1,40}}\.|https?://|you|your|this (?:ticket"
        rf"|task|request|summary|document))\b)"
        rf"|\b(?:call|invoke|execute|run) the (?:function [`\"']?{ACT}\b|[`\"']?{ACT}[`\"']? function\b)"
        rf"(?=[^\n]{{0,160}}(?:\bbefore (?:you|respond|reply|answer|continu)\w*|@[\w-]{{1,40}}\.|https?://"
        rf"|\b(?:conversation|this (?:ticket|task|request|summary|document))\b))"
        rf"|\b(?:call|invoke|trigger) (?:the|your|any|a) (?:tool|plugin)s? [`\"']?\w{{2,40}}[`\"']? (?:with|to|and|on"
        rf"|using|for)\b"
        rf"|\b(?:call|invoke|trigger|use) the [`\"']?\w{{2,40}}[`\"']? (?:tool|plugin) (?:with|to|and"
        rf"|on)\b{gap_pattern(80)}\b(?:you|your|@|https?|password"
        r"|conversation|user|secret|all (?:files|data|emails))",
    ),
    make_pattern(  # addressed by what it is
        INSTRUCTION,
        0.6,
        "ai|a.i|llm|assist|asistente|agent|bot|model|gpt|copilot|gemini|internal",
        rf"\b(?:for|to|attention:?|dear|note to|message to|instructions? (?:to|for)|notice to) (?:all |any |the "
        rf"|an? )?(?:(?:ai|llm)(?: coding)?"
        rf" (?:agents?|assistants?|models?|systems?|bots?|tools?|crawlers?|reviewers?)|{MODEL}s?)\)?\s?(?::|[-–—] )"
        r"|\b(?:ai|llm)(?: coding| language)? (?:agents?|assistants?|models?|systems?|bots?|reviewers?)(?: (?:that"
        r"|who|which))?(?: (?:is|are))?"
        r" (?:reading|processing|integrating|parsing|indexing|summari[sz]ing|analy[sz]ing|reviewing|scanning"
        r"|evaluating) this\b"
        r"|\b(?:ai|llm)(?: coding)? (?:agents?|assistants?|models?|systems?|bots?) (?:\w{1,14} ){0,4}(?:must|should"
        r"|shall|need to|have to|are required to)"
        r" (?:first|also|always|immediately|never|now|instead|silently|not)\b"
        r"|\bas the (?:ai |language )?(?:assistant|model|agent|bot),? (?:i|you)\b|\b(?:als (?:ki-?)?assistent habe"
        r"|en tant qu'assistant,? j|come assistente,? ho"
        r"|como asistente,? (?:ya )?he)\b"
        r"|\b(?:reasoning|thoughts?|thinking|analysis)(?: trace| process)? ?\((?:assistant|model|ai|agent|internal)\)",
    ),
    make_pattern(  # a turn or an end of the prompt is faked
        INSTRUCTION,
        0.6,
        "system|assistant|ai:|ai :|bot:|bot :|chatgpt|begin|think|scratchpad|reasoning|sistem|système|систем|context"
        "|input|document|prompt|message|instruction|data|query|turn|session|conversation",
        rf"(?-i:(?:^|[\s\]>*])SYSTEM(?: (?:NOTE|NOTICE|UPDATE|ALERT|MESSAGE|OVERRIDE|INSTRUCTION|PROMPT|COMMAND"
        rf"|DIRECTIVE)S?)? ?[:\]])[^\n]{{0,160}}?\b(?:you|your|respond\w*"
        rf"|reply|answer|grant|ignore|user|assistant|access)\b"
        rf"|{LINE}(?:\[|<)?system(?:\]|>)?(?: (?:note|notice|update|alert|message))? ?[:\]>-] ?(?:you |the user "
        rf"|the assistant |ignore|from now|grant|all "
        rf"(?:previous|prior|safety)|new (?:instruction|directive|rule)|disregard|override|your )"
        rf"|{LINE}(?:assistant|ai|chatgpt|bot) ?: ?(?:sure|of course|certainly|okay|ok|here (?:is|are)|absolutely"
        rf"|i will|i'll)\b"
        r"|(?<![#=*\-_<\[(])[#=*\-_<\[(]{2,}+ ?(?:end|begin|start|stop) (?:of )?(?:the |all )?"
        r"(?:user |system |trusted |untrusted |retrieved |real |actual )?(?:inputs?|prompt|message"
        r"|instructions?|document|context|data|query|turn|session|conversation)s?\b"
        r"|<(?:think|thinking|scratchpad|reasoning)>"
        r"|\b(?:systemhinweis|note système|nota del sistema|nota di sistema|nota do sistema|системное сообщение"
        r"|sistem notu)\s?:",
    ),
    make_pattern(  # what it shall do in each answer that is still to come
        INSTRUCTION,
        0.5,
        "repl|respon|answer|summar|output|message|antwort|réponse|respuesta|risposta|resposta|ответ|report|memory"
        "|conversation",
        rf"\b(?:include|append|add|repeat|insert|attach|mention|put|begin|start|end|finish|prefix|preface|conclude"
        rf"|included|appended|repeated|say|use|write|output)\b"
        rf"{gap_pattern(70)}\b(?:(?:every|each|all|any) (?:single )?(?:of )?(?:your )?(?:future|subsequent|following"
        rf"|later|next|other) (?:repl(?:y|ies)|responses?|answers?|summar(?:y|ies)"
        rf"|reports?|outputs?|messages?|conversations?)|(?:every|each) (?:of your )?(?:reply|answer|summary)\b"
        rf"|your (?:future |every )?(?:repl(?:y|ies)|summar(?:y|ies)|output)\b)"
        r"|\b(?:am ende jeder antwort|à la fin de (?:toute|chaque) réponse|al final de (?:cualquier|cada) respuesta"
        r"|alla fine di ogni risposta"
        r"|no final de (?:cada|toda) resposta|в конце каждого ответа)\b"
        r"|\b(?:save|store|add|write|commit|keep) (?:this|the following|it|these) (?:\w{1,14} ){0,3}(?:to|in"
        r"|into) (?:your )(?:long-term |permanent |persistent )?memory\b",
    ),
    make_pattern(  # what is hidden is to be followed
        INSTRUCTION,
        0.5,
        "decode|decrypt|unscramble|decipher|deobfuscate|translate|convert",
        rf"\b(?:decode|decrypt|decipher|unscramble|deobfuscate|translate|convert)\b{gap_pattern(90)}(?:\n"
        rf"|[.,:;] ?)?{gap_pattern(20)}\b(?:do (?:exactly )?(?:what|as)|follow|execute|obey"
        r"|carry out|comply with|act on|perform|answer|respond to)\b (?:\w{1,12} ){0,3}(?:says?|it|instructions?"
        r"|command|message|request|question|decoded|result|hidden|inside|without)\b",
    ),
    make_pattern(  # told three times within a paragraph or two what it is to be
        POLICY,
        0.5,
        "you",
        rf"(?:\b{TOLD}\b[^\0]{{0,240}}?){{2}}\b{TOLD}\b[^\0]{{0,240}}?\b(?:respon[ds]\w*|answers?|reply|replies"
        rf"|refuse|role-?play\w*"
        r"|character|persona|ai|a\.i\.|chat ?gpt|language model|unethical|illegal|moral|censor\w*)\b",
        "you",
    ),
    make_pattern(  # its rules are asked for
        POLICY,
        0.6,
        "instruction|guideline|rules|directive|prompt|restriction|programming|constraint|configuration|training data",
        r"\b(?:what|which|how|list|repeat|output|print|show|tell|give|describe|summari[sz]e|format|export|convert"
        r"|translate|encode|write"
        rf"|recite|reveal|provide|share|explain|take"
        rf"|copy)\b{gap_pattern(60)}\byour (?:\w{{1,14}} ){{0,3}}(?:instructions?|guidelines|rules"
        r"|directives|prompts?|restrictions|programming|constraints|configuration|training data)\b"
        r"|\b(?:instructions?|guidelines|rules|directives|prompts?|restrictions"
        r"|constraints)\b (?:\w{1,12} ){0,4}(?:you|your)\b"
        r" (?:\w{1,12} ){0,3}(?:given|told|received|programmed|configured|trained|operat\w+|follow\w*|governed|under"
        r"|initiali[sz]ed)\b",
        "your you",
    ),
)
