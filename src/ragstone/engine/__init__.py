"""Settings become parts, opened and closed together; these are the verbs of the library.

async with Engine(load(store="embedded:./store")) as kb:
    await kb.ingest("docs/")
    print((await kb.ask("How long are samples kept?")).text)
"""

from ragstone.engine.permission_checks import require_permissions
from ragstone.engine.verbs.collections import CollectionVerbs
from ragstone.engine.verbs.documents import DocumentVerbs
from ragstone.engine.verbs.files import FileVerbs
from ragstone.engine.verbs.jobs import JobVerbs
from ragstone.engine.verbs.keys import KeyVerbs
from ragstone.engine.verbs.migration import MigrationVerbs
from ragstone.engine.verbs.questions import CollectionQuestions
from ragstone.engine.verbs.tenants import TenantVerbs
from ragstone.engine.verbs.watching import WatchVerbs

__all__ = ["Engine"]


@require_permissions
class Engine(
    WatchVerbs,
    CollectionQuestions,
    DocumentVerbs,
    FileVerbs,
    CollectionVerbs,
    MigrationVerbs,
    TenantVerbs,
    KeyVerbs,
    JobVerbs,
):
    """One collection of one store, with everything that its questions need.

    `store`, `embedder`, `completion` (the language model) and `reranker` may be passed in, then the caller closes them;
    otherwise the settings name them. `clock` gives the time from which the age of documents counts. With a
    `credential`, or a key in the settings, the tenant is that one's and every verb looks at what it permits; see
    `ragstone.engine.permission_checks`. `sign_in` checks a key; `async with` calls it.
    """
