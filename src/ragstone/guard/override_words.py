"""Orders to drop what stands, in many languages: a verb of dropping, a word for rules, and a word that says which.

A rule of a language is a table of words, not a list of sentences. Verbs are orders: "is ignored" describes a program.
"""

from ragstone.guard.injection_pattern import POLICY, InjectionPattern, gap_pattern, make_pattern

# Language: what the verbs begin with, the verbs, rules, which of them. Where
# a script has no blanks between words, stems stand for words.
WORDS = {
    "de": (
        "ignorier|vergiss|vergess|missacht|verwirf|verwerf|umgeh",
        r"ignorier(?:e|en sie)?|vergiss|vergessen sie|vergesst|missachten?(?: sie)?|verwirf|verwerfen sie|umgehen? sie",
        r"(?:\w{0,12})(?:anweisung|instruktion|richtlinie|vorgabe|regel|befehl|anordnung|auftrag|aufträg|aufgabe"
        r"|prompt|direktive|beschränkung)\w{0,3}",
        r"alle[snr]?|vorherig\w*|vorig\w*|bisherig\w*|obig\w*|früher\w*|zuvor|davor|vorangegangen\w*|vorstehend\w*"
        r"|deine\w?|ihre\w?",
    ),
    "fr": (
        "ignor|oubli|désactiv|contourn|tiens pas|tenez pas|abstraction",
        r"ignore[rz]?|oublie[rz]?|désactive[rz]?|contourne[rz]?|ne (?:tiens|tenez) pas compte d\w+"
        r"|fais abstraction d\w+",
        r"instructions?|consignes?|directives?|règles?|ordres?|prompts?|restrictions?",
        r"toutes?|tous|précédent\w*|antérieur\w*|ci-dessus|initial\w*|tes|vos|ton|votre",
    ),
    "es": (
        "ignor|olvid|olvíd|omite|descarta|anula|desactiva|caso omiso|no sigas",
        r"ignor[aeá]\w?|olv[ií]d[ae]\w{0,3}|omite|descarta|anula|desactiva|haz caso omiso d\w+|no sigas",
        r"instruccion\w*|instrucción|reglas?|directrices|directivas?|órdenes|ordenes|indicaciones|normas"
        r"|restricciones|prompts?",
        r"tod[oa]s?|anterior\w*|previ[oa]s?|arriba|dadas|tus?|sus",
    ),
    "it": (
        "ignora|dimentica|trascura|tralascia|scarta|disattiva|non ",
        r"ignora(?:te|re)?|dimentica(?:te|re)?|trascura(?:te)?|tralascia|scarta|disattiva|non (?:considerare|seguire)",
        r"istruzion\w|regol\w|direttiv\w|ordini|indicazioni|linee guida|restrizioni|prompt",
        r"tutt[eio]|precedent\w|sopra|fornit\w|tu[eo]i?|vostr\w",
    ),
    "pt": (
        "ignor|esque|desconsider|descarte|desative|não siga",
        r"ignor[ea]\w?|esque[çc]\w{1,3}|desconsider[ea]\w?|descarte|desative|não siga",
        r"instruç\w+|regras?|diretrizes|ordens|comandos|restrições|prompts?",
        r"tod[oa]s?|anterior\w*|prévi[oa]s?|acima|suas?|seus?",
    ),
    "nl": (
        "negeer|vergeet|omzeil",
        r"negeer|vergeet|omzeil",
        r"instructies?|regels|opdracht(?:en)?|richtlijnen|aanwijzingen|prompts?",
        r"alle|vorige|eerdere|bovenstaande|voorgaande|jouw|je|uw",
    ),
    "pl": (
        "ignoruj|zapomnij|pomiń",
        r"zignoruj(?:cie)?|ignoruj(?:cie)?|zapomnij(?:cie)?|pomiń(?:cie)?",
        r"instrukcj\w+|polece\w+|zasad\w*|wytyczn\w+|reguł\w*",
        r"wszystki\w+|poprzedni\w*|wcześniejsz\w+|powyższ\w+|swo\w+|two\w+",
    ),
    "sv da no": (
        "ignor|glöm|glem|bortse|se bort",
        r"ignor[eé]ra?|glöm|glem|bortse|se bort fra",
        r"instruktion\w*|instruks\w*|regler\w*|anvisning\w*|riktlinje\w*|retningslinje\w*",
        r"all[ae]|tidigare|tidligere|föregående|foregående|forrige|ovan\w*|ovenstående|din[ae]",
    ),
    "cs hr": (
        "ignoruj|zapomeň|zanemari|zaboravi",
        r"ignoruj(?:te)?|zapomeň(?:te)?|zanemari(?:te)?|zaboravi(?:te)?",
        r"instrukc\w+|pokyn\w*|pravid\w*|uput\w+|pravil\w+",
        r"všechn\w+|předchoz\w+|předešl\w+|sv[ei]\w?|prethodn\w+",
    ),
    "ru uk": (
        "игнорируй|забудь|отбрось|нарушь|ігноруй",
        r"(?:про)?игнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|нарушь(?:те)?|(?:про)?ігноруй(?:те)?",
        r"инструкци\w+|указани\w+|правил\w*|команд\w*|директив\w*|промпт\w*|задани\w+|задач\w*|ограничени\w+"
        r"|інструкці\w+|вказівк\w+",
        r"вс[её]\w{0,2}|предыдущ\w+|прежн\w+|прошл\w+|вышеуказанн\w+|ранее|сво\w+|тво\w+|ваш\w+|попередн\w+",
    ),
    "tr": (
        "yok|unut|göz ard|görmezden|dikkate",
        r"yok ?say(?:ın(?:ız)?)?|unut(?:un(?:uz)?)?"
        r"|göz ardı (?:et|edin(?:iz)?)|görmezden gel(?:in(?:iz)?)?|dikkate alma(?:y\w{1,3})?",
        r"talimat\w*|yönerge\w*|kural\w*|komut\w*|direktif\w*|istem\w*",
        r"tüm|bütün|önceki|yukarıdaki|daha önce\w*|verilen|her",
    ),
    "id vi": (
        "abaikan|lupakan|bỏ qua|phớt lờ|quên",
        r"abaikan|lupakan|bỏ qua|phớt lờ|hãy quên",
        r"instruksi|perintah|aturan|hướng dẫn|chỉ dẫn|chỉ thị|quy tắc",
        r"semua|sebelumnya|di atas|tất cả|mọi|trước",
    ),
    "ar fa he": (
        "تجاهل|انس|إنس|أهمل|نادیده|فراموش|התעל|שכח",
        r"تجاهلي?|انسى?|إنسى?|أهمل|نادیده بگیر\w*|فراموش کن\w*|התעלמ?ם?|שכח",
        r"ال?تعليمات\w*|ال?أوامر|ال?قواعد|ال?توجيهات|ال?إرشادات|دستورالعمل\S*|دستورات|ה?הוראות|ה?הנחיות",
        r"جميع|كل|كافة|السابق\w*|أعلاه|تمام|همه|قبلی|כל|הקודמות",
    ),
}
SCRIPTS = {
    "hi": (
        "अनदेख|नज|भूल",
        r"अनदेखा कर|अनदेखी कर|नज़रअंदाज़ कर|नजरअंदाज कर|भूल जा",
        r"निर्देश|नियम|आदेश|अनुदेश",
        r"सभी|पिछले|पूर्व|पहले|ऊपर",
    ),
    "zh": (
        "忽|视|視|忘|不要",
        r"忽略|无视|無視|忘记|忘記|忘掉|忽視|不要理会|不要遵守|不要遵循",
        r"指令|指示|提示|规则|規則|命令|限制|约束",
        r"之前|先前|以前|以上|前面|上面|上述|此前|你的|您的|所有的?系统|一切",
    ),
    "ja": (
        "無視|忘れ|破棄|従",
        r"無視(?:し(?:て|ろ|なさい)|せよ)|忘れ(?:て|ろ|なさい|よ)|破棄し(?:て|ろ)|従わない(?:で|こと)|従うな",
        r"指示|命令|指令|ルール|規則|プロンプト|制約|制限|ガイドライン",
        r"以前|これまで|今まで|上記|上の|前の|先の|すべて|全て|全部|あなたの|元の",
    ),
    "ko": (
        "무시|잊",
        r"무시하(?:고|세요|십시오|라|여|며)|무시해|잊어|잊고|잊으",
        r"지시|지침|명령|규칙|프롬프트|제한",
        r"이전|모든|위의|지금까지|앞의|기존|너의|당신의",
    ),
    "th": (
        "เพิกเฉย|ละเว้น|ลืม|ไม่ต้อง",
        r"เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ",
        r"คำสั่ง|คำแนะนำ|กฎ",
        r"ทั้งหมด|ก่อนหน้า"
        "|ข้างต้น",
    ),
}


def _make_pattern(needs: str, verbs: str, rules: str, which: str, *, words: bool) -> InjectionPattern:
    """In the two orders that languages have, verb first or last; what is meant stands before the rules or behind."""
    edge, near = (r"\b", gap_pattern(24)) if words else ("", r"[^。！？!?\n]{0,12}?")
    verb, rule, these = (f"{edge}(?:{part}){edge}" for part in (verbs, rules, which))
    meant = f"(?:{these}{near}{rule}|{rule}{near}{these})"
    return make_pattern(POLICY, 0.7, needs, f"{verb}{near}{meant}|{meant}{near}{verb}")


OVERRIDE_WORDS: tuple[InjectionPattern, ...] = (
    *(_make_pattern(*row, words=True) for row in WORDS.values()),
    *(_make_pattern(*row, words=False) for row in SCRIPTS.values()),
)
