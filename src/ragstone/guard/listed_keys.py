"""Keys below a name of secrets: those whose value is what the name says, and those that tell something about it."""

VALUE_KEYS = frozenset(("value", "values", "val", "plain", "plaintext", "text", "content", "data", "default", "item"))
VALUE_KEYS |= frozenset(("items", "string", "li", "entry", "element", "list", "array", "current", "previous"))
OTHER_KEYS = frozenset(
    "name type kind id ids uuid format pattern regex regexp description desc title label help hint message file path "
    "filename url uri href host hostname port user username login email mail account role policy version created "
    "updated date time expires expiry ttl hash digest algorithm algo alg encoding ref source src target from to mode "
    "min max length size rule rules env required example examples comment note key region namespace service engine "
    "method mount provider labels annotations selector arn status class style icon link state model locale enum const "
    "input fingerprint checksum sha sha256 md5 salt scope scopes issuer audience owner group repo image tag branch "
    "commit".split()
)
