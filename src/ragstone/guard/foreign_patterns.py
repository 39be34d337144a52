"""Orders to drop what stands and to be another, in other languages than English."""

from ragstone.guard.injection_pattern import POLICY, InjectionPattern, gap_pattern, make_pattern

FOREIGN_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        POLICY,
        0.4,
        "du bist|neue|stell dir",
        rf"\b(?:du bist (?:jetzt|nun|ab sofort) (?:eine?|der|die|kein|im|mein)\b|neuen? (?:anweisung|auftrag)\w*\s?:"
        rf"|neuen? (?:aufgaben?|anweisung|auftrag)\b{gap_pattern(20)}(?:deine|auf dich|folg)"
        rf"|stell dir vor,? du (?:bist|wärst))",
        "bist neue neuen stell",
    ),
    make_pattern(
        POLICY,
        0.5,
        "abweichend|entgegen|höre nicht|hör nicht|im gegensatz|anders als|folg|komm|hinter|jetzt bist "
        "du|du bist kein"
        "|ich möchte|ich will|vergiss|vergessen|so, als|so als|stattdessen|antwort|druck|zeige|rolle",
        rf"\b(?:abweichend (?:zu|von)|entgegen|höre? nicht auf|im gegensatz zu|anders als)\b{gap_pattern(20)}"
        rf"\b(?:vorherig\w*"
        r"|bisherig\w*|obig\w*|zuvor|vorangegangen\w*) (?:\w*anweis|\w*instruk|\w*auf[gt]|prompt|\w*befehl"
        r"|\w*gesagte)\w*"
        r"|\bfolgen(?:de)? (?:nun |jetzt )?(?:weitere|neue|andere)\w* (?:aufgab|anweis|instruk|auftr)\w*"
        r"|\b(?:nun|jetzt) (?:folgen|kommen|kommt|folgt) (?:weitere|neue|eine neue|andere)\w* (?:aufgab|anweis"
        r"|instruk|auftr)\w*"
        rf"|\blass(?:en sie)? (?:bitte )?alle\b{gap_pattern(30)}\bhinter (?:sich|dir)"
        r"|\b(?:jetzt bist du (?:(?:eine?|der|die|kein)\b|(?-i:[A-ZÄÖÜ]))|du bist keine? (?:ki|bot|chatbot|assistent"
        r"|sprachmodell|redaktion|team)\w*)"
        rf"|\bich (?:möchte|will),? dass (?:du|sie)\b{gap_pattern(60)}\b(?:antwort|fungier|tust\b|tun\b|verhält"
        rf"|verhalten|spiel|ignorier|verg[ie]ss"
        r"|handel|agier|schauspiel|sag\w*)\w*|\btu so,? als\b|\bg(?:ib|eben sie) (?:mir )?(?:stattdessen"
        r"|eine antwort|deine antwort)|\bdrucken? sie (?:die |den )?(?:obige|vorherige)\w*"
        r"|\bzeigen? (?:sie )?(?:mir )?(?:alle )?(?:deine|ihre|die obigen) (?:prompt|anweis|instruk)\w*"
        r"|(?<!nicht )\b(?:vergiss|vergessen sie)(?: \w{1,10})? alles\b(?: davor| bisher| zuvor|,? was|[.,!:])"
        r"|\bschauspieler\w*\b[^\n]{0,300}?\b(?:aus|in) (?:ihrer|ihren|der|seiner) rollen?\b",
    ),
    make_pattern(
        POLICY,
        0.5,
        "olvid|oubli|dimentica|tienes que|quiero que|actúa como|tu agisses|tu fasses|agis comme|fais semblant"
        "|voglio che|agisci come"
        "|quero que|aja como|ik wil dat"
        "|хочу|действуй|веди себя|отвечай|говори|притворись|представь|новая|новое|новые|следующ|покажи|раскрой"
        "|напечатай|выведи|теперь|сейчас|стоп|вместо|больше не|забудь|не выход|за мной|отличие|вопреки|несмотря"
        "|оставь|удали|отбрось"
        "|брось|убери",
        r"\b(?:olvidar todo|tienes que olvidar|olvid[ae] todo(?: lo)? (?:que|anterior)"
        r"|oublie[rz]? tout(?: ce)? (?:qui|que)|dimentica tutto (?:ciò|quello|quanto)|quiero que (?:actúes|hagas"
        r"|finjas|te comportes)|actúa como"
        r"|je veux que tu (?:agisses|fasses)|agis comme|fais semblant|voglio che tu|agisci come"
        r"|quero que (?:você )?(?:aja|finja)|aja como|ik wil dat je)\b"
        rf"|я хочу,? чтобы (?:ты|вы)\b{gap_pattern(40)}(?:выступ|отвеча|говори|притвор|действова|вел|игра|забы"
        rf"|игнорир|написа|сказа)"
        r"|(?:действуй|веди себя|отвечай|говори|притворись)(?:те)? (?:как|что|себя|злым)"
        r"|(?:новая|новое|новые) (?:задач|задани|инструкц)\w{1,6}\s?[:—-]"
        rf"|(?:покажи|раскрой|напечатай|выведи)(?:те)?{gap_pattern(30)}(?:подсказ|промпт|инструкц|запрос)"
        rf"|\b(?:теперь ты|ты теперь|ты больше не)\b{gap_pattern(20)}(?:ассистент|помощник|бот|модел|\bии\b|админист"
        rf"|персонаж|акт[её]р|эксперт"
        r"|редакц|команд|свобод|разработчик|dan\b)|\bне выход\w{1,4} из (?:сво|эт|роли|образа)|повтори(?:те)? за мной"
        r"|(?<!не )\bзабудь(?:те)? (?:обо? )?(?:вс[её]|всем|всём)\b(?: вышеупомянут\w+| выше| сказанное|,? что|[.,!:]"
        r"| и )"
        r"|(?:теперь|сейчас) следуют новые|\bстоп ?[:!-] ?(?:напиши|скажи|выведи)|вместо этого (?:выведи|напиши|скажи"
        r"|ответь)"
        rf"|(?:в отличие от|вопреки|несмотря на) (?:предыдущ|прежн|вышеуказ)\w{{1,5}} (?:инструкц|указан|задан|правил"
        rf"|команд)"
        rf"|(?:оставь|удали|отбрось|брось|убери)(?:те|ть)?{gap_pattern(20)}(?:все|предыдущ|прежн|свои)\w{{0,5}}"
        rf"{gap_pattern(15)}(?:задан|задач|инструкц|указан|мысл|информац)",
    ),
)
