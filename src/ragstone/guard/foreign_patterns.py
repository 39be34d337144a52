"""Orders to drop what stands and to be another, in other languages than English."""

from ragstone.guard.injection_pattern import POLICY, InjectionPattern, gap_pattern, make_pattern

FOREIGN_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        POLICY,
        0.7,
        "vergiss|vergessen|ignor|missachte|oubli|olvid|dimentica|zabor|zapom|glem|vergeet|glöm"
        "|забудь|игнорируй|忽略|无视|忘|無視",
        rf"\b(?:vergiss|vergessen sie|ignoriere?(?:n sie)?|missachte(?:n sie)?)\b{gap_pattern(30)}\b(?:alle[sn]?"
        rf"|anweisung\w*|auftr[aä]g\w*|aufgaben?|instruktionen|befehle?|anordnungen|davor|vorher\w*"
        rf"|bisherige\w*|obige\w*)"
        rf"|\b(?:oublie[rz]?|ignore[rz])\b{gap_pattern(20)}\b(?:toutes?|tous|instructions|consignes|précédent\w*|ci-dessus)"
        rf"|\b(?:olvid[ae]|ignor[ae]|ignore)\b{gap_pattern(20)}\b(?:todas?|todo|instrucci\w+|instruç\w+|anterior\w*)"
        rf"|\b(?:dimentica|ignora)\b{gap_pattern(20)}\b(?:tutt[oei]|istruzioni|precedent\w)|\b(?:zaboravi|zapomeň"
        rf"|zapomnij|glem|vergeet|glöm)\b{gap_pattern(20)}\b(?:sv[ei]|instrukc\w*|všech\w*|wszystk\w*|alle?|allt)\b"
        rf"|\b(?:забудь|игнорируй)(?:те)?\b{gap_pattern(20)}(?:инструкци|вс[её]|предыдущ|задани|указани)"
        r"|(?:忽略|无视|忘记|忘掉)[^。\n]{0,12}(?:指令|指示|提示|之前|以上|所有)|(?:以前|上記|これまで)の(?:指示|命令)を?(?:無視|忘れ)",
        "vergiss vergessen ignorier ignoriere ignoriern ignorieren missachte missachten oublie oublier "
        "oubliez ignore ignora ignorer ignorez olvida olvide dimentica zaboravi zapomnij glem vergeet",
    ),
    make_pattern(
        POLICY,
        0.4,
        "du bist|neue|stell dir",
        rf"\b(?:du bist (?:jetzt|nun)|neuen? (?:aufgaben?|anweisung|auftrag)\b{gap_pattern(20)}(?::|deine|auf dich"
        rf"|folg)|stell dir vor,? du (?:bist|wärst))",
        "bist neue neuen stell",
    ),
    make_pattern(
        POLICY,
        0.5,
        "abweichend|entgegen|höre nicht|hör nicht|im gegensatz|anders als|folg|komm|hinter|jetzt bist "
        "du|du bist kein"
        "|ich möchte|ich will|so, als|so als|stattdessen|antwort|druck|zeige|rolle",
        rf"\b(?:abweichend (?:zu|von)|entgegen|höre? nicht auf|im gegensatz zu|anders als)\b{gap_pattern(20)}"
        rf"\b(?:vorherig\w*"
        r"|bisherig\w*|obig\w*|zuvor|vorangegangen\w*|gesagte)\b"
        r"|\bfolgen(?:de)? (?:nun |jetzt )?(?:weitere|neue|andere)\w* (?:aufgab|anweis|instruk|auftr)\w*"
        r"|\b(?:nun|jetzt) (?:folgen|kommen|kommt|folgt) (?:weitere|neue|eine neue|andere)\w*"
        rf"|\blass(?:en sie)? (?:bitte )?alle\b{gap_pattern(30)}\bhinter (?:sich|dir)"
        rf"|\b(?:jetzt bist du|du bist keine?\b)"
        r"|\bich (?:möchte|will),? dass (?:du|sie)\b|\btu so,? als\b|\bg(?:ib|eben sie) (?:mir )?(?:stattdessen"
        r"|eine antwort|deine antwort)|\bdrucken? sie (?:die |den )?(?:obige|vorherige)\w*"
        r"|\bzeigen? (?:sie )?(?:mir )?(?:alle )?(?:deine|ihre|die obigen) (?:prompt|anweis|instruk)\w*"
        r"|\bschauspieler\w*\b[^\n]{0,300}?\b(?:aus|in) (?:ihrer|ihren|der|seiner) rollen?\b",
    ),
    make_pattern(
        POLICY,
        0.5,
        "olvidar|tienes que|quiero que|actúa como|tu agisses|tu fasses|agis comme|fais semblant|voglio che|agisci come"
        "|quero que|aja como|ik wil dat"
        "|хочу|действуй|веди себя|отвечай|говори|притворись|представь|новая|новое|новые|следующ|покажи|раскрой"
        "|напечатай|выведи|теперь|больше не|забудь|не выход|за мной|отличие|вопреки|несмотря|оставь|удали|отбрось"
        "|брось|убери",
        r"\b(?:olvidar todo|tienes que olvidar|quiero que (?:actúes|hagas|finjas|te comportes)|actúa como"
        r"|je veux que tu (?:agisses|fasses)|agis comme|fais semblant|voglio che tu|agisci come"
        r"|quero que (?:você )?(?:aja|finja)|aja como|ik wil dat je)\b"
        r"|я хочу,? чтобы (?:ты|вы)|(?:действуй|веди себя|отвечай|говори|притворись|представь)(?:те)? (?:как|что|себя)"
        r"|(?:новая|новое|новые|следующ\w{1,4}) (?:задач|задани|инструкц)\w{1,6}"
        rf"|(?:покажи|раскрой|напечатай|выведи)(?:те)?{gap_pattern(30)}(?:подсказ|промпт|инструкц|запрос)|теперь ты\b"
        r"|\bты (?:теперь|больше не)\b|\bзабудь|не выход\w{1,4} из (?:сво|эт|роли|образа)|повтори(?:те)? за мной"
        rf"|(?:в отличие от|вопреки|несмотря на) (?:предыдущ|прежн|вышеуказ)\w{{1,5}}"
        rf"|(?:оставь|удали|отбрось|брось|убери)(?:те|ть)?{gap_pattern(20)}(?:все|предыдущ|прежн|свои)\w{{0,5}}"
        rf"{gap_pattern(15)}(?:задан|задач|инструкц|указан|мысл|информац)",
    ),
)
