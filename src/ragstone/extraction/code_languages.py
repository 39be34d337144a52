"""Programming languages by the endings of files, by their names and by their first line."""

import re
from functools import cache
from importlib.util import find_spec

GRAMMARS = "tree_sitter_language_pack"
INSTALL_HINT = "pip install 'ragstone[code]'"
BY_SUFFIX = {
    ".bash": "bash",
    ".c": "c",
    ".cc": "cpp",
    ".clj": "clojure",
    ".cljs": "clojure",
    ".cmake": "cmake",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".cxx": "cpp",
    ".d": "d",
    ".dart": "dart",
    ".dockerfile": "dockerfile",
    ".el": "elisp",
    ".elm": "elm",
    ".erl": "erlang",
    ".ex": "elixir",
    ".exs": "elixir",
    ".f90": "fortran",
    ".fish": "fish",
    ".fs": "fsharp",
    ".go": "go",
    ".gql": "graphql",
    ".gradle": "groovy",
    ".graphql": "graphql",
    ".graphqls": "graphql",
    ".groovy": "groovy",
    ".h": "c",
    ".hcl": "hcl",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".java": "java",
    ".jl": "julia",
    ".js": "javascript",
    ".jsx": "javascript",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".lua": "lua",
    ".m": "objc",
    ".mjs": "javascript",
    ".ml": "ocaml",
    ".mli": "ocaml_interface",
    ".nix": "nix",
    ".pas": "pascal",
    ".php": "php",
    ".pl": "perl",
    ".pm": "perl",
    ".proto": "proto",
    ".ps1": "powershell",
    ".psm1": "powershell",
    ".py": "python",
    ".pyi": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".scala": "scala",
    ".scss": "scss",
    ".sh": "bash",
    ".sol": "solidity",
    ".sql": "sql",
    ".svelte": "svelte",
    ".swift": "swift",
    ".tf": "terraform",
    ".ts": "typescript",
    ".tsx": "tsx",
    ".v": "verilog",
    ".vue": "vue",
    ".zig": "zig",
    ".zsh": "bash",
}
BY_FILE_NAME = {
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "jenkinsfile": "groovy",
    "makefile": "make",
    "rakefile": "ruby",
}
VARIED = ("containerfile", "dockerfile", "jenkinsfile", "makefile")  # names that stand before an ending of any kind
BY_PROGRAM = {"node": "javascript", "perl": "perl", "php": "php", "python": "python", "ruby": "ruby", "lua": "lua"}
SHELLS = frozenset(("ash", "bash", "dash", "ksh", "sh", "zsh"))
SHEBANG = re.compile(rb"#!\s*(?:\S+/)?(?:env\s+(?:-S\s+)?)?(?:\S+/)?([A-Za-z]+)")


def find_language(path: str, start: bytes) -> str | None:
    """The name of a file's programming language in lower case; None for other files."""
    name = path.rpartition("/")[2].lower()
    stem, dot, ending = name.rpartition(".")
    if dot and stem and f".{ending}" in BY_SUFFIX:
        return BY_SUFFIX[f".{ending}"]
    if name in BY_FILE_NAME:
        return BY_FILE_NAME[name]
    if name.startswith(VARIED) and (first := name.partition(".")[0]) in VARIED:
        return BY_FILE_NAME[first]
    match = SHEBANG.match(start)
    program = match[1].decode("ascii").lower() if match and not (dot and stem) else ""
    return "bash" if program in SHELLS else BY_PROGRAM.get(program)


@cache
def lacks_grammars() -> bool:
    """Whether the package of grammars is missing."""
    return find_spec(GRAMMARS) is None
