"""The shapes that credentials have: one table of vendors' tokens, key blocks, headers, logins."""

import re

from ragstone.core.late_pattern import compile_late

# Vendors' published token shapes, by the kind that a mask names. Each starts with what no other text starts with.
SHAPES: tuple[tuple[str, str], ...] = (
    ("jwt", r"ey[JI][\w-]{8,}\.ey[JI][\w-]{8,}(?:\.[\w-]*)?|ZXlK[\w-]{40,}"),
    ("aws_key", r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    (
        "api_key",
        "|".join(
            (
                r"sk-[\w-]{20,}",  # OpenAI, Anthropic, OpenRouter …
                r"rag_[0-9a-f]{16}_[\w-]{43}|gAAAAA[\w-]{60,}={0,2}",  # ours; Fernet's
                r"gh[pousr]_\w{30,}|github_pat_\w{22,}",
                r"gl(?:pat|rt|dt|ft|imt|ptt|oas|soat|agent|cbt|rtr)-[\w.-]{20,}|GR1348941[\w-]{20,}"
                r"|_gitlab_session=\w{32}",
                r"xox[abcdeoprs](?:\.xox[bp])?-(?=[\w-]{0,40}\d)[\w-]{12,}|xapp-\d-[\w-]{10,}|hooks\.slack\.com/\w+/[\w/+]{20,}",
                r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}",
                r"(?:sk|rk)_(?:live|test|prod)_\w{10,}|whsec_\w{20,}|EZ[AT]K\w{54}(?!\w)|FLWSECK(?:_TEST)?-\w{20,}",
                r"SG\.[\w-]{16,}\.[\w-]{16,}|SK[0-9a-fA-F]{32}(?!\w)|xkeysib-\w{40,}|[0-9a-fA-F]{32}-us\d{1,2}(?!\w)",
                r"npm_\w{36}|pypi-AgE[\w-]{40,}|rubygems_\w{40,}|CLOJARS_\w{40,}|NuGet\w{40,}",
                r"hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z]{30,}|gsk_\w{40,}|pplx-\w{40,}|xai-\w{40,}|r8_\w{30,}",
                r"do[opr]_v1_\w{40,}|dapi[0-9a-fA-F]{32}(?!\w)|HRKU-[\w-]{36,}|pul-[0-9a-fA-F]{40}|tskey-[\w-]{20,}",
                r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}|sq0(?:atp|csp|idp)-[\w-]{22,}|EAAA[\w~-]{56,}"
                r"|EAA[MC][A-Za-z0-9]{60,}",
                r"NR(?:AK|II|JS)-[\w-]{20,}|gl(?:sa|c)_[\w+/=]{20,}|eyJrIjoi[\w+/=-]{40,}|sntry[su]_[\w+/=-]{40,}",
                r"s\.(?=[A-Za-z]{0,22}\d)(?=[a-z0-9]{0,22}[A-Z])[A-Za-z0-9]{24}(?!\w)"
                r"|s-s4t2\w\w-[0-9a-fA-F]{64}|hv[sbr]\.[\w-]{20,}|\w{14}\.atlasv1\.[\w-]{50,}|dp\.(?:pt|st|ct"
                r"|scim|audit)\.[\w.-]{30,}",
                r"ATATT3[\w=-]{100,}|ATCTT3[\w=-]{100,}|ntn_\w{30,}|lin_api_\w{30,}|PMAK-[\w-]{40,}|phc_\w{30,}",
                r"ops_ey[JI][\w+/=-]{100,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5}|[A-Z0-9]{11})(?:-[A-Z0-9]{5}){3}",
                r"fo1_[\w-]{40,}|fm[12]r?_[\w+/=-]{60,}|sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}|ico-\w{32}",
                r"sha256~[\w-]{40,}|API-[A-Z0-9]{25,29}(?!\w)|AGE-SECRET-KEY-1\w{50,}|LTAI\w{16,}|CFPAT-[\w-]{40,}",
                r"sq[apu]_\w{40}(?!\w)|[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}",
                r"\d{8,10}:AA[\w-]{33}(?!\w)|shippo_(?:live|test)_[0-9a-fA-F]{40}|figd_[\w-]{40,}|dckr_pat_[\w-]{27,}",
                r"nvapi-[\w-]{60,}|vercel_\w{24,}|sbp_[0-9a-fA-F]{40}|pcsk_\w{50,}|tvly-[\w-]{28,}|lsv2_(?:pt|sk)_[0-9a-f]{32}\w*",
                # Whatever the vendor: its name, what kind of token, then chance.
                r"[a-z][a-z0-9]{1,11}_(?:live|test|prod|pat|tkn|token|oauth|secret|sk)_(?=[A-Za-z_]{0,40}\d)[A-Za-z0-9]{16,}"
                r"|(?:live|test)_(?=[A-Za-z_]{0,40}\d)[A-Za-z0-9]{32,}|secret_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,}",
                r"key-[0-9a-f]{32}(?!\w)|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])|pat\w{14}\.[0-9a-f]{64}(?!\w)",
                r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}|discord(?:app)?\.com/api/webhooks/\d{15,20}/[\w-]{60,}",
                r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}(?!\w)|bk[uaj]a_[0-9a-f]{40}(?!\w)|AKCp[A-Za-z0-9]{60,}|cmVmd\w{55,}",
                r"sk\.ey[JI][\w-]{20,}\.[\w-]{20,}|rdme_[a-z0-9]{70}(?!\w)|tfp_[\w.=-]{50,}|pnu_[a-z0-9]{36}(?!\w)"
                r"|cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?!\w)|tk-[a-z]{2}-[\w-]{48}(?![\w-])|A{20,}(?=[A-Za-z]{0,40}\d)[\w%]{60,}",
                r"(?:sdk|mob|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!\w)",
            )
        ),
    ),
)
VENDORS = compile_late("(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<{kind}>{shape})" for kind, shape in SHAPES) + ")")

# The body holds no further `-----`, so that each beginning scans only to the next line of dashes. Where the
# end is missing (a text cut short) whatever looks like more of the key goes with it.
PRIVATE_KEY = compile_late(
    r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?=(?:[^-]|-(?!----)){0,400}?[A-Za-z0-9+/=]{20})"
    r"(?:[^-]*(?:-(?!----)[^-]*)*-----END[ A-Z0-9]{0,40}-----|"
    r"(?:[\s\"',+|>#*.\\]*+(?:(?:\\n)?[A-Za-z0-9+/=]{16,}+|(?:Proc-Type|DEK-Info|Version|Comment|Hash)\b[^\n]{0,200}+))*+"
    r"(?:\s{1,8}[A-Za-z0-9+/=]{1,15}(?=\s|$))?)"
    r"|PuTTY-User-Key-File-\d:[^\n]{0,200}+"
    r"(?:\r?\n[ \t>]{0,8}(?:[A-Z][\w-]{2,30}:[^\n]{0,200}+|[A-Za-z0-9+/=]{1,100}(?=[ \t\r\n]|\Z)))*+"
)
PRIVATE_KEY_STARTS = ("-----begin", "putty-user-key-file")

AUTHORIZATION = compile_late(
    r"(?i)(?:\bauthorization[\"']?[ ]?(?:=>|[:=])[ ]{0,3}[\"']?(?:(?P<scheme>basic)|[a-z-]{2,20})?|\bbearer)"
    r"[ \t]{0,4}(?<=[ \t\"':=])[\"']?(?P<value>[\w.~+/=-]{8,2000})"
)
AUTHORIZATION_STARTS = ("authorization", "bearer")
# A token where a user's name would stand.
URL_TOKEN = re.compile(r"://(?P<value>[A-Za-z0-9_-]{16,128}):?@(?=[\w\[{$.-])")
URL_LOGIN = re.compile(r"://[^\s/:@\"'<>]{0,64}:(?P<value>[^\s/\"'<>]{3,128})@(?=[\w\[{$.-])")
# Of a driver that writes no scheme: `user:password@tcp(host:1)/name`.
DRIVER = re.compile(r"@(?:tcp|udp|unix)\(")
DRIVER_LOGIN = re.compile(r"(?<![\w/:.@-])[\w.-]{1,32}:(?P<value>[^\s/\"'<>`]{3,128})\Z")
BEFORE_DRIVER = 170
LOGIN = compile_late(
    r"(?i)\bcurl\b(?:[^\n|;\\]|\\\s?){0,400}?\s(?:-u ?|--(?:proxy-)?user[ =]{1,3})"
    r"[\"']?(?:[^\s:\"'$@]{0,64}|\{[^\s:\"'$@]{0,64}\}\"):\"?(?P<value>[^\s\"']{3,128})"
)
LOGIN_STARTS = ("curl", "machine", "contribsys")
# The key that stands beside its id.
AWS_PAIR = compile_late(
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])[^\n]{0,80}?\n?[^\n]{0,60}?(?<![\w+/=])(?P<value>[A-Za-z0-9+/]{40})(?![\w+/=])"
)
# A line of .netrc.
MACHINE = compile_late(
    r"(?i)machine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}(?P<value>\S{3,128})"
)
# Two words of a private gem server, under the name that Bundler has for it.
GEMS = compile_late(
    r"(?i)contribsys(?:__com|\.com)?[\"']?[ ]?[:=]?[ ]?[\"']?(?P<value>[0-9a-f]{8}:[0-9a-f]{8})(?![0-9a-f])"
)
