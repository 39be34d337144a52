"""What a text says when it speaks to a model instead of a reader: one table of patterns with their weight.

Each asks for two things together (an order *and* what it is aimed at), because documentation is
full of imperatives. Gaps are bounded, so that the time stays linear.
"""

from ragstone.guard.order import INSTRUCTION, POLICY, TOOL, Order, gap, order

# A line's beginning, behind what may stand there: indents, quotes, bullets, numbers, brackets, emphasis.
OPEN = r"\"'“‘«(\[*`"
LINE = rf"^[ \t>+#|~•·–—{OPEN}-]{{0,12}}(?:\d{{1,3}}[.)] {{1,2}}[{OPEN}]{{0,3}})?"
SENTENCE = rf"(?:{LINE}|[.!?]\s{{1,2}}[{OPEN}]{{0,3}})"
START = (
    rf"(?:{LINE}|[.!?:;,\"'“‘«|>(\)*]\s{{0,3}})"
    r"(?:(?:please|now|also|then|always|only|instead|can you|could you"
    r"|you must|you should|and)[ ,]{1,2}){0,3}"
)
EARLIER = (
    r"(?:all|any|every|everything|previous|prior|above|earlier|preceding|foregoing|former|past|your"
    r"|these|those|initial|original|system|given|existing|my|our|other)"
)
RULES = (
    r"(?:instruction|direction|directive|guideline|prompt|rule|command|restriction|safeguard|guardrail"
    r"|assignment|task|order|message|conversation|training|programming|thought|text|information|statement"
    r"|request|input)s?"
)
MODEL = (
    r"(?:a\.?i\.?(?: (?:model|assistant|system|agent|bot))?|(?:ai |virtual |digital )?assistant|chat ?bot"
    r"|chat ?gpt|gpt(?:-?\d\S{0,3})?|llm|(?:large )?language model|copilot|gemini)"
)
ANSWER = r"(?:response|answer|reply|replies|responses|answers)"

ORDERS: tuple[Order, ...] = (
    # Orders to drop what stands.
    order(
        POLICY,
        0.8,
        "ignor|disregard|forget|overrid|bypass|discard|dismiss|abandon|neglect|follow|obey|attention",
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|dismiss|abandon|neglect|(?<!you )(?:do not"
        rf"|don't|never|stop) "
        rf"(?:follow|obey)(?:ing)?|pay no attention to)\b{gap(20)}\b{EARLIER}\b{gap(30)}\b{RULES}\b",
        "ignore disregard forget override bypass discard dismiss abandon neglect follow following obey "
        "obeying attention",
        "instructions? directions? directives? guidelines? prompts? rules? commands? restrictions? "
        "safeguards? guardrails? assignments? tasks? orders? messages? conversations? trainings? "
        "programmings? thoughts? texts? informations? statements? requests? inputs?",
    ),
    order(
        POLICY,
        0.8,
        "ignor|disregard|forget",
        rf"\b(?:forget|disregard|ignore)\b (?:about )?(?:everything|all|anything|whatever|what)\b{gap(30)}"
        r"\b(?:before|above|said|told|previous(?:ly)?|prior|so far|learned|discussed|talked|until now|wrote"
        r"|written|of (?:it|this|that))\b",
        "forget disregard ignore",
        "everything all anything whatever what",
    ),
    order(
        POLICY,
        0.6,
        "forget",
        rf"{SENTENCE}(?:now )?forget (?:about )?(?:everything|all)\b",
        "forget",
        "everything all",
    ),
    order(
        POLICY,
        0.6,
        "new ",
        r"\b(?:your|a|the|with|these|following|come|comes|follow|follows|have|has) new (?:task|instruction"
        r"|assignment|role|persona|objective|goal|order)s?\b"
        rf"(?=[^.\n]{{0,3}}:|{gap(20)}\b(?:you|is to|for you|focus|now|are)\b)|\bnew (?:instruction|task"
        rf"|statement|prompt|assignment)s?\s{{0,2}}:",
        "new",
        "tasks? instructions? assignments? roles? personas? objectives? goals? orders? statements? prompts?",
    ),
    order(
        POLICY,
        0.6,
        "focus|concentrate",
        r"\b(?:now )?(?:focus|concentrate) (?:only )?on (?:your|the) (?:new|next|following|real) (?:task|instruction)",
        "focus concentrate",
    ),
    # Orders to give away what is hidden.
    order(
        POLICY,
        0.7,
        "your |system|hidden|initial|original|above|secret|previous|before this",
        rf"\b(?:reveal|show|print|repeat|output|display|return|tell|give|expose|leak|disclose|share"
        rf"|spell-? ?check|list|what (?:is|are|was|were))\b{gap(25)}"
        r"\b(?:your (?:\w{1,12} ){0,2}(?:prompts?|prompt[ _]?texts?|instructions?|system messages?"
        r"|embeddings?|training data|rules|guidelines)"
        r"|(?:system|hidden|initial|original|above|secret|previous) (?:prompts?|instructions"
        r"|prompt[ _]?texts?)|(?:prompt|instructions|text) (?:above|before this))\b",
        "reveal show print repeat output display return tell give expose leak disclose share spellcheck "
        "check list what",
        "prompts? prompt_texts? prompttexts? instructions? messages? embeddings? data rules guidelines text",
        "your system hidden initial original above secret previous before",
    ),
    # Another self for the model.
    order(
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
    order(
        POLICY,
        0.5,
        "refuse|comply|obey|deny|answer|character|tell me",
        r"\byou (?:must|have to|will|shall|can|may|are|should) (?:not|never|always|only|supposed to"
        r"|not allowed to|not supposed to)? ?"
        r"(?:refuse|comply|obey|deny (?:my|the|any) request|answer (?:at all times|every|all|my"
        r"|the) ?(?:question)?|break character|tell me)\b",
        "you",
        "must have will shall can may are should",
    ),
    # The same in other languages.
    order(
        POLICY,
        0.7,
        "vergiss|vergessen|ignor|missachte|oubli|olvid|dimentica|zabor|zapom|glem|vergeet|glöm|забудь|игнорируй|忽略|无视|忘|無視",
        rf"\b(?:vergiss|vergessen sie|ignoriere?(?:n sie)?|missachte(?:n sie)?)\b{gap(30)}\b(?:alle[sn]?"
        rf"|anweisung\w*|auftr[aä]g\w*|aufgaben?|instruktionen|befehle?|anordnungen|davor|vorher\w*"
        rf"|bisherige\w*|obige\w*)"
        rf"|\b(?:oublie[rz]?|ignore[rz])\b{gap(20)}\b(?:toutes?|tous|instructions|consignes|précédent\w*|ci-dessus)"
        rf"|\b(?:olvid[ae]|ignor[ae]|ignore)\b{gap(20)}\b(?:todas?|todo|instrucci\w+|instruç\w+|anterior\w*)"
        rf"|\b(?:dimentica|ignora)\b{gap(20)}\b(?:tutt[oei]|istruzioni|precedent\w)|\b(?:zaboravi|zapomeň"
        rf"|zapomnij|glem|vergeet|glöm)\b{gap(20)}\b(?:sv[ei]|instrukc\w*|všech\w*|wszystk\w*|alle?|allt)\b"
        rf"|(?:забудь\w*|игнорируй\w*){gap(20)}(?:инструкци|вс[её]|предыдущ|задани|указани)"
        r"|(?:忽略|无视|忘记|忘掉)[^。\n]{0,12}(?:指令|指示|提示|之前|以上|所有)|(?:以前|上記|これまで)の(?:指示|命令)を?(?:無視|忘れ)",
        "vergiss vergessen ignorier ignoriere ignoriern ignorieren missachte missachten oublie oublier "
        "oubliez ignore ignora ignorer ignorez olvida olvide dimentica zaboravi zapomnij glem vergeet",
    ),
    order(
        POLICY,
        0.4,
        "du bist|neue|stell dir",
        rf"\b(?:du bist (?:jetzt|nun)|neuen? (?:aufgaben?|anweisung|auftrag)\b{gap(20)}(?::|deine|auf dich"
        rf"|folg)|stell dir vor,? du (?:bist|wärst))",
        "bist neue neuen stell",
    ),
    # Tools and data leaving.
    order(
        TOOL,
        0.7,
        "tool|function|python_tag",
        r"<(?:/?)(?:tool_call|function_calls?|tool_use|tool_code)\b|<\|(?:tool|function|python_tag)[^|\n]{0,20}\|>",
        "tool_call function_calls? tool_use tool_code <|",
    ),
    order(
        TOOL,
        0.6,
        "arguments|tool_input|function_args",
        r"[\"'](?:tool|function|tool_name|function_name"
        r"|name)[\"']\s{0,2}:\s{0,2}[\"'][^\"'\n]{1,64}[\"']\s{0,2},\s{0,2}[\"'](?:arguments|tool_input"
        r"|function_args)[\"']\s{0,2}:",
        "arguments tool_input function_args",
    ),
    order(
        TOOL,
        0.6,
        "tool|plugin|interpreter|function",
        r"\b(?:call|invoke|use|run|execute)\b (?:the )?[`\"']?\w{1,30}_\w{1,30}[`\"']? tool\b|\b(?:use|call"
        r"|invoke) (?:any of |one of )?your (?:available )?"
        r"(?:tools|plugins?|code interpreter|(?:browsing|search|e-?mail|\w{1,20}_\w{1,20}) (?:tool|plugin"
        r"|function)|function calling)\b",
        "call invoke use run execute",
        "tools? plugins? interpreter function",
    ),
    order(
        TOOL,
        0.8,
        "://|www.|@",
        rf"\b(?:send|forward|e-?mail|post|upload|transmit|exfiltrate|leak|submit"
        rf"|copy)\b{gap(50)}\b(?:conversation|chat (?:history|log)|system prompt|api keys?|passwords?"
        rf"|credentials|secrets"
        rf"|users?'?s? (?:data|personal|information|details|messages|inputs?|quer(?:y|ies))"
        rf"|confidential \w{{1,20}}|this (?:context|document)|(?:this"
        rf"|your) answer)\b{gap(30)}\bto\b{gap(15)}(?:https?://|www\.|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.)",
        "send forward mail email post upload transmit exfiltrate leak submit copy",
        "conversation chat prompt keys? passwords? credentials secrets data personal information details "
        "messages inputs? query queries confidential context document answer",
    ),
    order(TOOL, 0.7, "![", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}\?[^)\s]{0,60}=(?:\{|<|\[|%7B|%5B|\$)"),
    # The model addressed, its turn faked, its answer shaped.
    order(
        INSTRUCTION,
        0.6,
        "ai|a.i|assistant|chatbot|chat bot|gpt|llm|language model|copilot|gemini",
        rf"\b(?:dear|hey|hi|hello|attention|note to|(?:message|instructions?|note|important|notice) (?:to"
        rf"|for))[,:!]? (?:all |the |any |an? ){{0,2}}{MODEL}s?\b(?=\s{{0,2}}[,:!.]| (?:reading|processing|that|who))"
        rf"|\bif you(?:'re| are) (?:an? )?{MODEL}\b|\bas an? {MODEL},? you (?:must|should|will|are|need|have)\b"
        rf"|{SENTENCE}(?:{MODEL})\s{{0,1}}[,:] (?:please |you |do |ignore|when|always|never|if|now"
        rf"|tell|answer|write|say|output|print)",
        "ai ais i assistants? chatbots? chat gpt llms? language copilots? geminis?",
    ),
    order(
        INSTRUCTION,
        0.6,
        "im_start|im_end|system|user|assistant|end|start_header|inst]|sys>|begin|human|##|developer",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_turn|start_header_id)[^|\n]{0,20}\|>"
        rf"|\[/?INST\]|<</?SYS>>|(?:{LINE}|^={{3,}} ?)(?:end|begin)\.? ?(?:of )?(?:the )?(?:system "
        r"|user )?(?:prompt|instructions|conversation)\b"
        r"|^#{2,4} ?(?:new )?(?:instructions?|system|response|human|assistant|user|prompt) ?:"
        rf"|{LINE}(?:system|developer) (?:prompt|message|override|instruction|note)s? ?:"
        rf"|{LINE}human: [^\n]{{1,400}}\n{{1,2}}{LINE}assistant:"
        r"|={3,} ?end\b",
        "<| inst sys instructions? prompts? conversation endprompt endinstructions endconversation "
        "beginprompt begininstructions beginconversation system developer response human assistant user "
        "end",
    ),
    order(
        INSTRUCTION,
        0.5,
        "answer|response|reply|replies|your message|your output|your text|your words",
        rf"{START}(?:encode|translate|write|render|provide|give|reverse|format|convert|present|display|modify"
        rf"|enhance|add|include|integrate|insert|mention|end|begin|start|append|put|use|in|make|limit|keep"
        rf"|change|invert|deliver|craft|structure|answer|reply)\b{gap(70)}\b(?:your|this) (?:(?:final|next"
        rf"|entire|whole|own|full|following) )?{ANSWER}\b"
        rf"|{START}in (?:your|the) {ANSWER}\b,? ?(?:include|mention|add|say|use|write|insert|recommend|also)\b"
        rf"|{START}(?:encode|translate|reverse|invert|encrypt|display|render){gap(40)}\byour (?:message"
        rf"|output|text|words)\b",
        "responses? answers? reply replies message output text words",
        "your this the",
    ),
    order(
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
    order(
        INSTRUCTION,
        0.5,
        "\"|”|'|»|repeat after",
        rf"{START}(?:say|repeat|write|print|output|respond|answer|reply)(?: with| only)?\b (?:me |only "
        rf"|after me|that |out )?{gap(20)}[\"“'«][^\"”'»\n]{{2,80}}[\"”'»] (?:and nothing else|only|first"
        rf"|in your|to every|no matter|instead|exactly)|\brepeat after me\b",
        "say repeat write print output respond answer reply",
    ),
    order(
        INSTRUCTION,
        0.5,
        "user|reader|human",
        rf"\b(?:convince|persuade|trick|urge|manipulate|deceive|mislead) the (?:user|reader|human)\b"
        rf"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|disclose|show"
        rf"|alert)\b{gap(25)}\b(?:to )?the (?:user|human) (?:that|about|this)"
        rf"|\bwithout (?:telling|informing|alerting|notifying) the (?:user|human)\b",
        "convince persuade trick urge manipulate deceive mislead tell inform mention reveal disclose "
        "show alert telling informing alerting notifying",
        "user reader human",
    ),
)
