"""Orders to call tools and to send data away."""

from ragstone.guard.injection_pattern import TOOL, InjectionPattern, gap_pattern, make_pattern

EXFILTRATION_PATTERNS: tuple[InjectionPattern, ...] = (
    make_pattern(
        TOOL,
        0.7,
        "tool|function|python_tag",
        r"<(?:/?)(?:tool_call|function_calls?|tool_use|tool_code)\b|<\|(?:tool|function|python_tag)[^|\n]{0,20}\|>",
        "tool_call function_calls? tool_use tool_code <|",
    ),
    make_pattern(
        TOOL,
        0.6,
        "arguments|tool_input|function_args",
        r"[\"'](?:tool|function|tool_name|function_name"
        r"|name)[\"']\s{0,2}:\s{0,2}[\"'][^\"'\n]{1,64}[\"']\s{0,2},\s{0,2}[\"'](?:arguments|tool_input"
        r"|function_args)[\"']\s{0,2}:",
        "arguments tool_input function_args",
    ),
    make_pattern(
        TOOL,
        0.6,
        "tool|plugin|interpreter|function",
        r"\b(?:call|invoke|use|run|execute)\b (?:the )?[`\"']?\w{1,30}_\w{1,30}[`\"']? tool\b|\b(?:use|call"
        r"|invoke) (?:any of |one of )?your (?:available )?"
        r"(?:tools|plugins?|code interpreter|(?:brows(?:ing|er)|search|e-?mail|web|file|code|shell|terminal"
        r"|image|\w{1,20}_\w{1,20}) (?:tool|plugin"
        r"|function)|function calling)\b",
        "call invoke use run execute",
        "tools? plugins? interpreter function",
    ),
    make_pattern(
        TOOL,
        0.8,
        "://|www.|@",
        rf"\b(?:send|forward|e-?mail|post|upload|transmit|exfiltrate|leak|submit"
        rf"|copy)\b{gap_pattern(50)}\b(?:conversation|chat (?:history|log)|system prompt|api keys?|passwords?"
        rf"|credentials|secrets"
        rf"|users?'?s? (?:data|personal|information|details|messages|inputs?|quer(?:y|ies))"
        rf"|confidential \w{{1,20}}|this (?:context|document)|(?:this"
        rf"|your) answer)\b{gap_pattern(60)}\bto\b{gap_pattern(15)}(?:https?://|www\.|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.)",
        "send forward mail email post upload transmit exfiltrate leak submit copy",
        "conversation chat prompt keys? passwords? credentials secrets data personal information details "
        "messages inputs? query queries confidential context document answer",
    ),
    make_pattern(TOOL, 0.7, "![", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}\?[^)\s]{0,60}=(?:\{|<|\[|%7B|%5B|\$)"),
)
