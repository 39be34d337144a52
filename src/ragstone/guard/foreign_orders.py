"""Orders in languages other than English: show the prompt, drop all limits, forget the conversation, or send it by a
tool.

As in `override_words` a language is a row of words. Verbs are orders, and the object says that a model is meant: a
prompt that is yours, a model without limits, a tool's name beside the conversation.
"""

from ragstone.guard.injection_pattern import POLICY, TOOL, InjectionPattern, gap_pattern, make_pattern

# What one of the words must begin with, the verbs, and the prompt.
SHOWN = {
    "de": (
        "prompt|anweisung",
        r"zeige?(?:n sie)?|verrate?(?:n sie)?|nenne?(?:n sie)?|gib|geben sie|drucke?(?:n sie)?|wiederhole?(?:n sie)?",
        r"(?:deine|ihre)[nr]? (?:system-?\s?(?:prompt|anweisung)\w*|prompt\w*)",
    ),
    "fr": (
        "prompt|invite|message|instructions|consignes",
        r"(?:montre|affiche|révèle|donne|répète|dis|dites)(?:-moi)?|(?:montr|affich|révél|donn|répét)ez(?:-moi)?",
        r"(?:ton|votre) (?:prompt|(?:invite|message) (?:de )?système)"
        r"|(?:tes|vos) (?:instructions|consignes) (?:système|initiales|secrètes|cachées|internes)",
    ),
    "es": (
        "prompt|instrucciones|mensaje de",
        r"mu[eé]stra(?:me)?|revela(?:me)?|dime|dame|imprime|repite|muestre|revele",
        r"(?:tu|su) (?:prompt|mensaje del? sistema)"
        r"|(?:tus|sus) instrucciones (?:del? sistema|iniciales|secretas|ocultas)",
    ),
    "it": (
        "prompt|istruzioni|messaggio di",
        r"mostra(?:mi)?|rivela(?:mi)?|dimmi|stampa|ripeti",
        r"(?:tuo|vostro) (?:prompt|messaggio di sistema)|tue istruzioni (?:di sistema|iniziali|segrete|nascoste)",
    ),
    "pt": (
        "prompt|instruções",
        r"mostre|mostra|revele|revela|diga|imprima|repita",
        r"(?:seu|teu) prompt|(?:suas|tuas) instruções (?:do sistema|iniciais|secretas|ocultas)",
    ),
    "nl": (
        "prompt|instructies",
        r"toon|laat|geef|onthul|herhaal",
        r"(?:je|jouw|uw) (?:systeem-?\s?(?:prompt|instructies)|prompt)",
    ),
    "pl": (
        "prompt|instrukcj",
        r"pokaż|ujawnij|podaj|wypisz|powtórz",
        r"(?:swój|swoje|twój|twoje) (?:prompt\w*|instrukcje systemowe)",
    ),
    "ru": (
        "системн|промпт",
        r"(?:покажи|раскрой|выведи|напечатай|повтори|скажи|назови)(?:те)?",
        r"(?:сво|тво|ваш)\w{0,3} (?:системн\w+ (?:промпт|подсказк|инструкци|сообщени|запрос)\w*|промпт\w*)",
    ),
    "tr": (
        "sistem ",
        r"göster(?:in(?:iz)?)?|açıkla(?:yın)?|yazdır(?:ın)?|paylaş(?:ın)?|ifşa et",
        r"sistem (?:istem|prompt|talimat)\w*",
    ),
    "ar": ("نظام", r"اعرض|أظهر|اكشف|أخبرني|اطبع|كرر", r"[بل]?(?:موجه|مطالبة|تعليمات) ال?نظام\S*"),
}
# The same where a script has no blanks between words: whole patterns.
SHOWN_SCRIPTS = {
    "システム|指示|プロンプト": r"(?:システム(?:プロンプト|メッセージ)|あなたの(?:指示|プロンプト))を[^。\n]{0,10}"
    r"(?:教え|見せ|明かし|(?:表示|出力|開示|公開)し)(?:て(?!い)|ろ|なさい|せよ)",
    "提示词|提示詞|指令": r"(?:告诉我|告訴我|显示|輸出|输出|打印|透露|泄露|重复|展示|说出|给我)[^。！？\n]{0,8}"
    r"(?:你|您)的?[^。！？\n]{0,6}(?:提示词|提示詞|(?:初始|系统|隐藏)指令)"
    r"|把(?:你|您)的?[^。！？\n]{0,6}(?:提示词|提示詞|指令)[^。！？\n]{0,3}(?:打印|输出|显示|告诉|说)",
    "시스템": r"시스템 ?(?:프롬프트|지침|메시지)[를을]? ?[^.\n]{0,6}?(?:보여|알려|출력해|말해|공개해)",
}
# What one of the words must begin with; "you are a", with nothing but an adverb between; a model; without limits.
FREED = {
    "de": (
        "ohne ",
        r"(?:(?:du bist|sie sind|bist du|sind sie|sei)(?: jetzt| nun| ab jetzt| ab sofort)?|(?:handle|agiere) als)"
        r" (?:eine?|der|die|das) (?:\w{1,14} )?",
        r"(?:ki|\w*assistent\w*|\w*modell|\w*bot)",
        r"ohne (?:jegliche |jede |alle )?(?:einschränkung|beschränkung|regel|filter|grenz|zensur)\w*",
    ),
    "fr": (
        "sans ",
        r"(?:(?:tu es|tu seras|vous êtes|vous serez)(?: maintenant| désormais| à présent)?|(?:agis|agissez) comme)"
        r" (?:une? |le |la |l')(?:\w{1,14} )?",
        r"(?:ia|assistant\w*|modèle|chatbot)",
        r"sans (?:aucune? )?(?:restriction|limite|filtre|règle|censure)\w*",
    ),
    "es": (
        "sin ",
        r"(?:(?:eres|serás|usted es)(?: ahora)?|(?:actúa|actúe) como) (?:una?|el|la) (?:\w{1,14} )?",
        r"(?:ia|asistente|modelo|bot|chatbot)",
        r"sin (?:ninguna? )?(?:restricci|límite|filtro|regla|censura)\w*",
    ),
    "it": (
        "senza ",
        r"(?:(?:sei|sarai)(?: ora| adesso)?|agisci come) (?:un'|una? |il |lo )(?:\w{1,14} )?",
        r"(?:ia|assistente|modello|bot|chatbot)",
        r"senza (?:alcuna? )?(?:restrizion|limit|filtr|regol|censur)\w*",
    ),
    "pt": (
        "sem ",
        r"(?:(?:você é|você será|tu és)(?: agora)?|(?:aja|atue) como) (?:uma?|o|a) (?:\w{1,14} )?",
        r"(?:ia|assistente|modelo|bot|chatbot)",
        r"sem (?:nenhuma? )?(?:restriç|limite|filtro|regra|censura)\w*",
    ),
    "ru": (
        "без ",
        r"(?:ты|вы)(?: теперь| отныне| сейчас)?(?: [—-])? (?:\w{1,14}(?:ый|ий|ой|ая) )?",
        r"(?:ии|ассистент|помощник|модель|бот|чат-бот)",
        r"без (?:всяких |каких-либо |любых )?(?:ограничени|фильтр|цензур|правил)\w*",
    ),
    "ar": (
        "بلا|بدون|دون",
        r"(?:أنت|ستكون|تصرف)(?: الآن)? ك?",
        r"(?:مساعد|ذكاء اصطناعي|نموذج|روبوت)",
        r"(?:بلا|بدون|دون) (?:أي )?(?:قيود|حدود|قواعد|رقابة)",
    ),
}
FREED_ALONE = {
    "gibi|zeka|asistan|model|bot": r"(?:(?:kural|sınır|kısıtlama|filtre)\w* olmayan"
    r"|kuralsız|sınırsız|kısıtlamasız|sansürsüz)"
    r" (?:\w{1,12} ){0,2}(?:yapay zeka|asistan|model|bot)\w*s[ıiuü]n\w{0,4}\b",
    "n'avais|n'aviez": r"\b(?:fais|faites) comme si (?:tu n'avais|vous n'aviez) (?:aucune?|pas de|plus de)"
    r" (?:règle|limite|restriction|filtre|consigne)s?\b",
    "ない|なし|無い": r"(?:あなた|君|お前|今から|これから)[^。\n]{0,20}(?:制限|制約|ルール|規則|検閲)[のが]?"
    r"(?:ない|なし|無い)[^。\n]{0,8}(?:AI|人工知能|アシスタント|モデル|ボット)(?:です|だ|にな|として)",
    "没有|不受|無|无": r"(?:你|您)(?:现在|現在)?(?:是|将是|扮演)[^。\n]{0,10}(?:没有|不受|無|无)(?:任何)?"
    r"(?:限制|约束|规则|审查|道德)[^。\n]{0,6}(?:人工智能|AI|助手|模型|机器人)",
    "없는": r"(?:너는|넌|당신은)[^.\n]{0,16}(?:제한|규칙|제약|필터|검열)[이가]? ?없는[^.\n]{0,8}"
    r"(?:AI|인공지능|모델|어시스턴트|챗봇)",
}
# To forget the conversation, without a word for rules.
FORGOTTEN = {
    "compte|obéi|oublie": r"\b(?:ne (?:tiens|tenez) plus compte d\w{1,2} (?:\w{1,12} ){0,2}"
    r"(?:instructions|consignes|directives|règles)"
    r"|n'obéis(?:sez)? plus (?:à|aux) (?:\w{1,6} )?(?:instructions|consignes|ordres|règles)"
    r"|oublie[rz]? (?:tout )?ce qui (?:précède|a été dit))",
    "olvid": r"\bolvid[ae] (?:todo )?lo (?:que (?:te|se|le) (?:dij|han dich|ha dich|he dich|pid)\w*|dicho|anterior)",
    "dimentica": r"\bdimentica(?:te)? (?:tutto )?(?:quello|ciò) che (?:ti|vi|è stato)",
    "esque": r"\besque[çc][ae]\w{0,2} (?:tudo )?o que (?:foi|te|lhe|eu) (?:dit|diss|disse)\w*",
    "انس|إنس": r"(?:انس|إنس)\S{0,2} (?:كل )?ما (?:قيل|سبق|قلت)",
    "söylenen|unut": r"\b(?:söylenen|söylediğim|yazılan) her şeyi unut(?:un(?:uz)?)?\b",
    "忘": r"(?:忘记|忘掉|忘記)(?:之前|以上|前面|我)[^。\n]{0,6}(?:一切|所有内容|全部)",
    "従わ": r"(?:上記|以前|これまで|前)の?[^。\n]{0,6}(?:指示|命令|ルール|規則)に(?:は)?従わ(?:ず|ない(?:で|こと))",
}
ACT = r"(?<![\w./])[a-z]{2,12}(?:_[a-z]{2,20}){1,3}"
CALLS = (
    r"\b(?:appelle[rz]?|appelez|utilise[rz]?|invoque[rz]?|rufe?n?|nutze?n?|verwende?n?|llama|usa|utiliza|invoca|chiama"
    r"|esegui|chame)\b|вызови|используй|запусти|çağır|kullan|استدع|استخدم|呼び出|使っ|调用|使用|호출|사용"
)
SAID = (
    r"\b(?:conversation|unterhaltung|gespräch|conversación|conversazione|conversa)\b|переписк|разговор|konuşma|المحادثة"
    r"|会話|对话|대화|@[\w-]{1,40}\."
)
SAID_WORDS = "conversation|unterhaltung|gespräch|conversa|переписк|разговор|konuşma|المحادثة|会話|对话|대화|@"
# What documentation of code calls such a name: then it speaks to a programmer.
CODE = r"funktion|fonction|función|funzione|função|функци|метод|méthode|método|metodo|methode|関数|函数|方法|함수"


def _make_table() -> tuple[InjectionPattern, ...]:
    near = gap_pattern(24)
    rows: list[InjectionPattern] = []
    for needs, verbs, prompt in SHOWN.values():
        verb, shown = rf"\b(?:{verbs})\b", rf"\b(?:{prompt})"
        rows.append(make_pattern(POLICY, 0.6, needs, rf"{verb}{near}{shown}|{shown}\b{near}{verb}"))
    rows += [make_pattern(POLICY, 0.6, needs, shown) for needs, shown in SHOWN_SCRIPTS.items()]
    for needs, spoken, model, free in FREED.values():
        rows.append(make_pattern(POLICY, 0.6, needs, rf"\b{spoken}{model}\b{near}\b{free}"))
    rows += [make_pattern(POLICY, 0.6, needs, one) for needs, one in (*FREED_ALONE.items(), *FORGOTTEN.items())]
    gap, said, documented = r"[^\n]{0,80}?", f"(?:{SAID})", rf"(?![^\n]{{0,120}}(?:{CODE}))"
    call, act = (
        f"(?:{CALLS}){documented}",
        f"{ACT}{documented}",
    )  # asked where one stands: a look from each place is slow
    called = f"{call}{gap}(?:{ACT}{gap}{said}|{said}{gap}{ACT})|{act}{gap}(?:{CALLS}){gap}{said}"
    rows.append(make_pattern(TOOL, 0.6, SAID_WORDS, called))
    return tuple(rows)


FOREIGN_ORDERS: tuple[InjectionPattern, ...] = _make_table()
