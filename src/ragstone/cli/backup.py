"""`ragstone backup`: all collections of a tenant as a folder."""

from typing import Annotated

import typer

from ragstone.cli.copy import print_results, run_transfer
from ragstone.cli.shared_options import SharedOptions, add_shared_except, print_message


@add_shared_except("collection")
def backup(
    options: SharedOptions, to: Annotated[str, typer.Argument(help="New folder for the backup.", metavar="FOLDER")]
) -> int:
    """Copy all collections of a tenant to a new folder.

    The store may be in use meanwhile. The folder is a store of its own: search it with `--store`, restore it with
    `copy`. It appears when it is whole and compared with the source; run an interrupted command again to continue. Exit
    1 if both sides differ.

    With --json: a line for each step, then one for the result.
    """
    done = run_transfer(options, options.store, lambda kb, tell: kb.backup(to, tell=tell))
    status = print_results(options, done)
    if status:
        print_message(f"error: the backup differs from the store, so it keeps the name {to}.partial")
    return status
